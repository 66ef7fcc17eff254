import { signal } from '@preact/signals';
import { hearMissing } from './node_page.ts';

/** The reasons why figures are missing, by the figures. */
const missing = signal<ReadonlyMap<string, string>>(new Map());

/** Remembers that figures are missing, or with '' that they are here. */
export function noteMissing(what: string, reason: string): void {
  if ((missing.peek().get(what) ?? '') === reason) return;
  const others = [...missing.peek()].filter(([each]) => each !== what);
  missing.value = new Map(reason === '' ? others : [...others, [what, reason]]);
}

hearMissing(noteMissing);

/** Begins anew with another view. */
export function forgetMissing(): void {
  if (missing.peek().size > 0) missing.value = new Map();
}

/** Says which figures a view lacks: one that leaves them out without a word looks complete. */
export function MissingNote() {
  if (missing.value.size === 0) return null;
  return (
    <div class="notice" role="status">
      Figures are missing here, because the page could not read them:
      <ul>
        {[...missing.value].map(([what, reason]) => (
          <li key={what}>
            {what}: {reason}
          </li>
        ))}
      </ul>
    </div>
  );
}
