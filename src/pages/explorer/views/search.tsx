import { useEffect } from 'preact/hooks';
import type { Client } from '../../../client/index.ts';
import { Answer, useAsked, useTitle } from '../asked.tsx';
import { headNumber } from '../live.tsx';
import { AccountLink, BlockLink } from '../parts.tsx';
import { viewLink, type ViewProps } from '../router.ts';
import { countText } from '../../../values/words.ts';
import { listMeanings, type Meaning } from '../../../client/search_terms.ts';
import { findShortIds, listSuggestions, type Suggestion } from '../suggestions.ts';
import { unlessRefused } from '../unless_refused.ts';

/** The result of a search: one place to go to, or several, or none. */
type Found =
  | { readonly goesTo: string }
  | { readonly accounts: readonly string[] }
  | { readonly named: readonly Suggestion[] }
  | {
      readonly near: readonly Suggestion[];
      /** The number of a block above the head; undefined for another text. */
      readonly tooHigh: number | undefined;
    };

/** Looks for what a text may mean, one after another. */
export function Search({ route: { of: text } }: ViewProps) {
  useTitle(`Search for ${text}`);
  const asked = useAsked(text, async (client) => await find(client, text));
  return (
    <>
      <h1 tabIndex={-1}>Search for “{text}”</h1>
      <Answer asked={asked}>
        {(found) =>
          'near' in found ? (
            <Nothing {...found} />
          ) : 'named' in found ? (
            <>
              <p>Several have this name:</p>
              <Suggestions of={found.named} />
            </>
          ) : 'goesTo' in found ? (
            <Go to={found.goesTo} />
          ) : (
            <Accounts names={found.accounts} />
          )
        }
      </Answer>
    </>
  );
}

/** In place of the search in the browser's history, so that the back button leads to where it was made. */
function Go({ to }: { readonly to: string }) {
  useEffect(() => {
    location.replace(to);
  }, [to]);
  return (
    <p>
      <a href={to}>Found</a>
    </p>
  );
}

function Accounts({ names }: { readonly names: readonly string[] }) {
  if (names.length === 0)
    return (
      <p class="notice">
        No account has this key in its owner or active authority. It may sign for a witness, or read memos, which is not
        looked for.
      </p>
    );
  return (
    <>
      <p>This key may act for</p>
      <ul>
        {names.map((name) => (
          <li key={name}>
            <AccountLink name={name} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Suggestions({ of }: { readonly of: readonly Suggestion[] }) {
  return (
    <ul>
      {of.map(({ kind, name, link }) => (
        <li key={`${kind} ${name}`}>
          <a class={kind === 'transaction' ? 'id' : undefined} href={link}>
            {name}
          </a>{' '}
          <small>{kind}</small>
        </li>
      ))}
    </ul>
  );
}

function Nothing({ near, tooHigh }: Extract<Found, { readonly near: unknown }>) {
  return (
    <>
      {tooHigh !== undefined && (
        <p>
          The chain has no <a href={viewLink('block', tooHigh)}>block {countText(tooHigh)}</a> yet: its head is block{' '}
          <BlockLink number={headNumber.value} />.
        </p>
      )}
      {near.length > 0 && (
        <>
          <p>What begins with this:</p>
          <Suggestions of={near} />
        </>
      )}
      <p class="notice">
        {near.length === 0 ? 'No results. ' : ''}An account is found by its whole name or its seed, an account, a
        witness or an application by the beginning of its name, a block by its number, a block or a transaction by eight
        digits or more of the beginning of its id, accounts by a whole public key, the documents of an account or an
        application by “documents of” and its name, and a page of the docs by words of its title. See{' '}
        <a href={viewLink('accounts')}>all accounts</a>, <a href={viewLink('applications')}>all applications</a> and{' '}
        <a href="docs/">the docs</a>.
      </p>
    </>
  );
}

async function find(client: Client, text: string): Promise<Found> {
  const meanings = listMeanings(text, client.symbols.keyPrefix);
  for (const meaning of meanings) {
    const found = await meant(client, meaning);
    if (found === undefined) continue;
    const application = meaning.kind === 'account' ? await sameApplication(client, meanings, meaning.name) : undefined;
    return application ?? found;
  }
  const number = meanings.find((meaning) => meaning.kind === 'block')?.number;
  const tooHigh = number !== undefined && number > headNumber.peek() ? number : undefined;
  return { near: await listSuggestions(client, text, headNumber.peek()), tooHigh };
}

/** An account and an application of one name; undefined where there is no such application. */
async function sameApplication(
  client: Client,
  meanings: readonly Meaning[],
  account: string,
): Promise<Found | undefined> {
  for (const meaning of meanings)
    if (meaning.kind === 'application' && (await isThere(client, meaning)) === true)
      return {
        named: [
          { kind: 'account', name: account, link: viewLink('account', account) },
          { kind: 'application', name: meaning.name, link: placeLink(meaning) },
        ],
      };
  return undefined;
}

async function meant(client: Client, meaning: Meaning): Promise<Found | undefined> {
  if (meaning.kind === 'key')
    return await unlessRefused(async () => ({ accounts: await actingAccounts(client, meaning.key) }));
  if (meaning.kind === 'short_id') {
    const [id, ...others] = await findShortIds(meaning.digits);
    // Several are shown as what is near.
    return id === undefined || others.length > 0 ? undefined : { goesTo: viewLink('transaction', id) };
  }
  return (await isThere(client, meaning)) === true ? { goesTo: placeLink(meaning) } : undefined;
}

type Place = Exclude<Meaning, { readonly kind: 'key' | 'short_id' }>;

function placeLink(meaning: Place): string {
  if (meaning.kind === 'block' || meaning.kind === 'block_id') return viewLink('block', meaning.number);
  if (meaning.kind === 'documents') return viewLink('account', meaning.name, 'documents');
  return viewLink(meaning.kind, meaning.kind === 'transaction' ? meaning.id : meaning.name);
}

async function isThere(client: Client, meaning: Place): Promise<boolean | undefined> {
  return await unlessRefused(async () => {
    if (meaning.kind === 'block') return await isBlockNumber(client, meaning.number);
    if (meaning.kind === 'block_id') return await isBlock(client, meaning);
    if (meaning.kind === 'application')
      return (await client.call('alexandria_api.get_applications', { names: [meaning.name] })).applications.length > 0;
    if (meaning.kind === 'transaction') await client.call('alexandria_api.get_transaction', { tx_id: meaning.id });
    else await client.call('alexandria_api.get_account', { account_name: meaning.name });
    return true;
  });
}

async function actingAccounts(client: Client, key: string): Promise<readonly string[]> {
  const { accounts } = await client.call('alexandria_api.get_key_references', { keys: [key] });
  return accounts[0] ?? [];
}

/** One that is no longer kept is a block all the same, and its page says so. */
async function isBlockNumber(client: Client, number: number): Promise<boolean> {
  const { properties } = await client.call('alexandria_api.get_dynamic_global_properties', {});
  return number >= 1 && number <= properties.head_block_number;
}

/** The next block says which id the one before has; the head's is known. */
async function isBlock(
  client: Client,
  { id, number }: { readonly id: string; readonly number: number },
): Promise<boolean> {
  const { properties } = await client.call('alexandria_api.get_dynamic_global_properties', {});
  if (properties.head_block_id.startsWith(id)) return true;
  const next = await unlessRefused(
    async () => await client.call('block_api.get_block_header', { block_num: number + 1 }),
  );
  return next?.previous.startsWith(id) === true;
}
