import type { Result } from '../../client/index.ts';
import { AccountLink, AccountLinks, Said, Time } from './parts.tsx';

type Documents = Result<'custom_api.list_received_documents'>;

/** Documents that are told ascending, the newest first. */
export function DocumentList({ of, none }: { readonly of: Documents; readonly none: string }) {
  if (of.length === 0) return <p class="notice">{none}</p>;
  return (
    <>
      <p class="quiet">Times are those of the block before a document’s own: the chain keeps no other.</p>
      <ol class="operations">
        {of.toReversed().map(([number, { id, sender, recipients, data, received, binary }]) => (
          <li key={String(number)}>
            <Said text={data} />
            <small>
              {binary && 'binary, as base64; '}document {String(id)} of <AccountLink name={sender} />
              {recipients.length > 0 && (
                <>
                  {' for '}
                  <AccountLinks of={recipients} />
                </>
              )}
              , <Time at={received} />
            </small>
          </li>
        ))}
      </ol>
    </>
  );
}
