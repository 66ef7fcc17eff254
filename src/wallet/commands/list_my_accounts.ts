import type { Json } from '../../codec/json.ts';
import { publicKeyText } from '../../values/public_key.ts';
import { command } from '../command.ts';
import type { Node } from '../node.ts';
import { showAccounts } from '../show/accounts.ts';
import { chainSymbols } from '../wallet.ts';

/** The accounts that a key of this wallet may act for, by name, with their balances. */
export const listMyAccountsCommand = command({
  name: 'list_my_accounts',
  doc: 'The accounts that a key of this wallet may act for, by name, with their balances.',
  params: {},
  example: 'list_my_accounts',
  needs: 'keys',
  show: showAccounts,
  handler: async (_, wallet) => {
    const { keyPrefix } = await chainSymbols(wallet);
    const keys = wallet.keys.keys().map(([key]) => publicKeyText(key, keyPrefix));
    if (keys.length === 0) return [];
    const names = [...(await fetchAccounts(wallet.node, keys))].toSorted();
    const records: Json[] = [];
    for (const some of inParts(names)) {
      const found = await wallet.node.ask('get_accounts', { account_names: some }, 'accounts');
      records.push(...(Array.isArray(found) ? found : []));
    }
    return records;
  },
});

/** As many as a node takes, and gives for a key. */
const NAMES_AT_ONCE = 1000;
/** A million accounts; a node that lies might give names without end. */
const MOST_PAGES = 1000;

/** The names of the accounts of these keys. A list that is full goes on behind its last name. */
async function fetchAccounts(node: Pick<Node, 'ask'>, keys: readonly string[]): Promise<Set<string>> {
  const names = new Set<string>();
  const pages = inParts(keys).map((some) => ({ some, start: '' }));
  for (const { some, start } of pages) {
    const lists = await node.ask('get_key_references', { keys: some, ...(start === '' ? {} : { start }) }, 'accounts');
    for (const [k, list] of (Array.isArray(lists) ? lists : []).entries()) {
      const found = (Array.isArray(list) ? list : []).filter((name) => typeof name === 'string');
      const [key, last] = [some[k], found.at(-1)];
      const goesOn = key !== undefined && last !== undefined && last !== start && found.length >= NAMES_AT_ONCE;
      if (goesOn && pages.length < MOST_PAGES) pages.push({ some: [key], start: last });
      for (const name of found) names.add(name);
    }
  }
  return names;
}

function inParts(texts: readonly string[]): string[][] {
  const count = Math.ceil(texts.length / NAMES_AT_ONCE);
  return Array.from({ length: count }, (_, k) => texts.slice(k * NAMES_AT_ONCE, (k + 1) * NAMES_AT_ONCE));
}
