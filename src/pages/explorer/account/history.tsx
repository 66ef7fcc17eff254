import { Answer, useAsked } from '../asked.tsx';
import { isFiltered, NO_FILTER, readFilter, type HistoryFilter } from '../history_filter.ts';
import { datedEntries, PAGE, searchHistory, type FoundEntries, type NumberedEntry } from '../history_search.ts';
import { blockTimes, headNumber } from '../live.tsx';
import { NO_TRANSACTION } from '../no_transaction.ts';
import { BlockLink, Pager, Sentence, Time, TransactionLink } from '../parts.tsx';
import { viewLink, type Chosen } from '../router.ts';
import { operationNames } from '../sentences.ts';
import { counted, countText } from '../../../values/words.ts';
import { timeText } from '../words.ts';
import type { PartProps } from './part.ts';

/** The history of an account, the newest first, page by page, or the part of it that a filter selects. */
export function AccountHistory(props: PartProps) {
  const filter = readFilter(props.chosen, operationNames);
  return (
    <>
      <Filters key={JSON.stringify(filter)} name={props.account.name} chosen={{ ...filter }} />
      {isFiltered(filter) ? <Filtered {...props} filter={filter} /> : <Whole {...props} />}
    </>
  );
}

/** The entries without a filter. */
function Whole({ account: { name }, at }: PartProps) {
  const start = parseStart(at);
  const asked = useAsked(
    `${name} ${start}`,
    async (client) => {
      // A page can't begin below what it asks for.
      const limit = start === -1 ? PAGE - 1 : Math.min(PAGE - 1, start);
      const { history } = await client.call('account_history_api.get_account_history', { account: name, start, limit });
      return await datedEntries(client, history.toReversed(), blockTimes);
    },
    start === -1 ? headNumber.value : '',
  );
  return (
    <Answer asked={asked}>
      {(history) => {
        const [newest, oldest] = [history[0]?.[0] ?? 0, history.at(-1)?.[0] ?? 0];
        if (history.length === 0)
          return (
            <p class="notice">Nothing has concerned this account yet: what it sends or receives will stand here.</p>
          );
        return (
          <>
            <Entries of={history} />
            <Pager
              newer={start === -1 ? undefined : viewLink('account', name, 'history', newest + PAGE)}
              older={oldest === 0 ? undefined : viewLink('account', name, 'history', oldest - 1)}
            />
          </>
        );
      }}
    </Answer>
  );
}

function parseStart(at: string): number {
  return /^\d+$/.test(at) ? Number(at) : -1;
}

/** The entries that a filter selects. They do not follow the head: each look costs the node a search. */
function Filtered({ account: { name }, at, filter }: PartProps & { readonly filter: HistoryFilter }) {
  const start = parseStart(at);
  const asked = useAsked(
    JSON.stringify([name, start, filter]),
    async (client) => await searchHistory(client, name, filter, { start, times: blockTimes }),
  );
  return (
    <Answer asked={asked}>
      {(found) => (
        <>
          <p class="quiet" role="status">
            {foundText(found)}
          </p>
          <Entries of={found.entries} />
          <Pager
            newer={start === -1 ? undefined : viewLink('account', name, 'history', '', { ...filter })}
            older={
              found.next === undefined ? undefined : viewLink('account', name, 'history', found.next, { ...filter })
            }
            words={['← Newest', found.entries.length < PAGE ? 'Search older entries →' : 'Older →']}
          />
        </>
      )}
    </Answer>
  );
}

function foundText({ entries, searched, since, next, isCut }: FoundEntries): string {
  if (searched === undefined) return '0 entries found. There are none to search.';
  const found = `${counted(entries.length, 'entry', 'entries')} found`;
  const [from, to] = searched.map((number) => countText(number));
  if (isCut) return `${found} among numbers ${from} to ${to}. The node no longer keeps older ones.`;
  if (next === undefined) return `${found} from number ${from} down. There are no older ones to search.`;
  const day = since === undefined ? '' : ` (${timeText(since)} UTC)`;
  return `${found} among numbers ${from} to ${to}${day}. Up to ${countText(next + 1)} older ones are not searched yet.`;
}

function Entries({ of }: { readonly of: readonly NumberedEntry[] }) {
  return (
    <ol class="operations">
      {of.map(([number, { op, block, trx_id: id, timestamp }]) => (
        <li key={number}>
          <Sentence operation={op} />
          <small>
            <Time at={timestamp} />, block <BlockLink number={block} />
            {id === NO_TRANSACTION ? (
              ', by the chain itself'
            ) : (
              <>
                , in <TransactionLink id={id} />
              </>
            )}
          </small>
        </li>
      ))}
    </ol>
  );
}

/** The choices stand in the address, so links and the way back restore them. */
function Filters({ name, chosen }: { readonly name: string; readonly chosen: Chosen }) {
  const apply = (event: SubmitEvent): void => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const values: Record<string, string> = {};
    new FormData(event.currentTarget).forEach((value, key) => {
      if (typeof value === 'string') values[key] = value.trim();
    });
    location.hash = viewLink('account', name, 'history', '', values);
  };
  const isOpen = Object.values(chosen).some((value) => value !== '');
  return (
    <details class="filters" open={isOpen}>
      <summary>Filter</summary>
      <form onSubmit={apply}>
        <label>
          Kind
          <select name="kind">
            <option value="">any</option>
            {operationNames.map((kind) => (
              <option key={kind} value={kind} selected={kind === chosen['kind']}>
                {kind.replaceAll('_', ' ')}
              </option>
            ))}
          </select>
        </label>
        <label>
          Partner
          <input name="partner" defaultValue={chosen['partner']} autoCapitalize="none" spellcheck={false} />
        </label>
        <label>
          Amount from
          <input name="least" defaultValue={chosen['least']} inputMode="decimal" pattern="[0-9]+([.][0-9]+)?" />
        </label>
        <label>
          Amount to
          <input name="most" defaultValue={chosen['most']} inputMode="decimal" pattern="[0-9]+([.][0-9]+)?" />
        </label>
        <label>
          From day (UTC)
          <input name="from" type="date" defaultValue={chosen['from']} />
        </label>
        <label>
          To day (UTC)
          <input name="until" type="date" defaultValue={chosen['until']} />
        </label>
        <span class="line">
          <button type="submit">Apply</button>
          {isOpen && <a href={viewLink('account', name, 'history', '', { ...NO_FILTER })}>Show all</a>}
        </span>
      </form>
    </details>
  );
}
