import { useEffect, useState } from 'preact/hooks';

const TOLD_MS = 1500;

/** A button that copies a text. `what` names the text for people who hear the page. */
export function Copy({ text, what }: { readonly text: string; readonly what: string }) {
  const [outcome, setOutcome] = useState('');
  useEffect(() => {
    if (outcome === '') return undefined;
    const timer = setTimeout(() => setOutcome(''), TOLD_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async (): Promise<void> => setOutcome((await copyText(text)) ? 'copied' : 'not copied');
  return (
    <span class="copy">
      <button type="button" title={`Copy ${what}`} aria-label={`Copy ${what}`} onClick={() => void copy()}>
        <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
          <path d="M5.5 5.5v-4h9v9h-4M1.5 5.5h9v9h-9z" />
        </svg>
      </button>
      <small role="status">{outcome}</small>
    </span>
  );
}

/** Browsers have a clipboard for pages of this machine and over HTTPS; other pages copy a selection. */
async function copyText(text: string): Promise<boolean> {
  if (!window.isSecureContext) return copySelection(text);
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelection(text);
  }
}

function copySelection(text: string): boolean {
  const [field, before] = [document.createElement('textarea'), document.activeElement];
  field.value = text;
  document.body.append(field);
  field.select();
  // oxlint-disable-next-line typescript/no-deprecated -- pages over plain HTTP have no other way
  const isCopied = document.execCommand('copy');
  field.remove();
  if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  return isCopied;
}
