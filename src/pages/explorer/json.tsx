import { Copy } from './copy.tsx';
import { Fold } from './parts.tsx';
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

/** A value as JSON, folded. */
export function Raw({ of, title = 'As the node answers it' }: { readonly of: unknown; readonly title?: string }) {
  return (
    <Fold title={title}>
      {() => (
        <>
          <Copy text={jsonText(of)} what="the JSON" />
          <JsonText of={jsonText(of)} />
        </>
      )}
    </Fold>
  );
}
