import { type Signal, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { Client } from '../../../client/index.ts';
import { Answer, useAnswer, useAsked } from '../asked.tsx';
import { DocumentList } from '../documents.tsx';
import { headNumber } from '../live.tsx';
import { viewLink } from '../router.ts';
import type { PartProps } from './part.ts';

const PAGE = 25;
/** Applications that the account used of late are looked for so far back. */
const LOOKED_AT = 200;

/** Documents that an account sent and received in an application. */
export function AccountDocuments({ account: { name }, at }: PartProps) {
  const field = useRef<HTMLInputElement>(null);
  const known = useAnswer('Applications', name, async (client) => await fetchApplications(client, name)) ?? [];
  const chosen = /^\d+$/.test(at) ? at : known[0];
  const choose = (event: Event): void => {
    event.preventDefault();
    const text = field.current?.value.trim() ?? '';
    if (/^\d+$/.test(text)) location.hash = viewLink('account', name, 'documents', text);
  };
  return (
    <>
      <form class="line" onSubmit={choose}>
        <label for="application">Application number</label>
        <input
          id="application"
          ref={field}
          inputMode="numeric"
          pattern="[0-9]+"
          size={8}
          value={chosen ?? ''}
          key={chosen}
        />
        <button type="submit">Show</button>
      </form>
      {known.length > 0 && (
        <p class="quiet">
          Used of late:{' '}
          {known.map((id, index) => (
            <span key={id}>
              {index > 0 && ', '}
              <a href={viewLink('account', name, 'documents', id)}>application {id}</a>
            </span>
          ))}
        </p>
      )}
      {chosen === undefined ? (
        <p class="notice">
          Documents belong to applications. None of late was found in the history of this account: enter the number of
          one to look for older ones.
        </p>
      ) : (
        <>
          <List key={`${name} ${chosen} received`} name={name} application={chosen} side="recipient" title="Received" />
          <List key={`${name} ${chosen} sent`} name={name} application={chosen} side="sender" title="Sent" />
        </>
      )}
    </>
  );
}

async function fetchApplications(client: Client, name: string): Promise<readonly string[]> {
  const { history } = await client.call('account_history_api.get_account_history', {
    account: name,
    start: -1,
    limit: LOOKED_AT,
  });
  const ids = history
    .toReversed()
    .flatMap(([, { op }]) => ('app_id' in op[1] && 'recipients' in op[1] ? [String(op[1].app_id)] : []));
  // Who only receives has no entry in its history; the first applications are the likeliest.
  return [...new Set(ids)];
}

interface TurnProps {
  readonly to: bigint | null;
  readonly from: Signal<bigint | null>;
  readonly words: string;
}

function Turn({ to, from, words }: TurnProps) {
  return (
    <button type="button" onClick={() => void (from.value = to)}>
      {words}
    </button>
  );
}

interface ListProps {
  readonly name: string;
  readonly application: string;
  readonly side: 'sender' | 'recipient';
  readonly title: string;
}

function List({ name, application, side, title }: ListProps) {
  const from = useSignal<bigint | null>(null);
  const asked = useAsked(
    `${name} ${application} ${from.value}`,
    async (client) =>
      await client.call('alexandria_api.get_received_documents', {
        ...{
          app_id: BigInt(application),
          account_name: name,
          search_type: `by_${side}`,
          start: null,
          count: PAGE,
          cursor: from.value,
        },
      }),
    from.value === null ? headNumber.value : '',
  );
  return (
    <section>
      <h2>{title}</h2>
      <Answer asked={asked}>
        {({ received_documents: documents, cursor = null }) => (
          <>
            <DocumentList of={documents} none={`None in application ${application}.`} />
            <nav class="pager" aria-label={`Pages: ${title}`}>
              {from.value === null ? <span /> : <Turn to={null} from={from} words="← Newest" />}
              {cursor === null ? <span /> : <Turn to={cursor} from={from} words="Older →" />}
            </nav>
          </>
        )}
      </Answer>
    </section>
  );
}
