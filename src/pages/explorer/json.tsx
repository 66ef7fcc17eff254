import { useState } from 'preact/hooks';
import { Copy } from './copy.tsx';
import { jsonPieces, jsonText } from '../../values/json_pieces.ts';

/** Longer texts are shown in one colour: each piece is an element of the page. */
const MOST_COLOURED = 50_000;

/** Shows JSON in colours. */
function JsonText({ of }: { readonly of: string }) {
  return (
    <pre class="json">
      {of.length > MOST_COLOURED
        ? of
        : jsonPieces(of).map(({ kind, text }, index) =>
            kind === 'mark' ? (
              text
            ) : (
              <span key={index} class={kind}>
                {text}
              </span>
            ),
          )}
    </pre>
  );
}

/** A value as JSON, folded. The text is made when it is opened. */
export function Raw({ of, title = 'As the node answers it' }: { readonly of: unknown; readonly title?: string }) {
  const [isOpen, setOpen] = useState(false);
  const text = isOpen ? jsonText(of) : '';
  return (
    <details class="raw" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && (
        <>
          <Copy text={text} what="the JSON" />
          <JsonText of={text} />
        </>
      )}
    </details>
  );
}
