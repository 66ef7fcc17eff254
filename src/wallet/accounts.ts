import { refusals } from '../base/refusal.ts';
import type { Json } from '../codec/json.ts';
import type { ChainSymbols } from '../codec/encoding_options.ts';
import { nameFromSeed, type AccountName } from '../values/account_name.ts';
import { authority, type Authority } from '../values/authority.ts';
import { publicKey, type PublicKey } from '../values/public_key.ts';
import { member } from '../client/chain_of_node.ts';
import { inputEncoding, chainSymbols, type Wallet } from './wallet.ts';

const refuse = refusals({
  account_not_found: { text: 'no account is named {account}', lineage: 'Account does not exist' },
  account_is_seed: {
    text: '{given} is a seed, not a name; the account of that seed is called {account}',
    lineage: "Account name doesn't match? The account of that seed is called {account}",
  },
  account_unreadable: 'the node shows an account that cannot be read: it has no name, authorities or memo key',
});

/** The refusals of looking up an account. */
export const accountRefusals = refuse.texts;

/** The members of an account that decide who may act for it. */
export interface AccountKeys {
  readonly name: AccountName;
  readonly owner: Authority;
  readonly active: Authority;
  readonly memo_key: PublicKey;
}

/** Reads an account from the node's response. */
function readAccountKeys(record: Json, symbols: ChainSymbols): AccountKeys {
  const encoding = inputEncoding(symbols);
  const [name, owner, active, key] = ['name', 'owner', 'active', 'memo_key'].map((each) => member(record, each));
  if (typeof name !== 'string' || owner === undefined || active === undefined || key === undefined)
    return refuse.account_unreadable();
  const authorities = { owner: authority.fromJson(owner, encoding), active: authority.fromJson(active, encoding) };
  return { name, ...authorities, memo_key: publicKey.fromJson(key, encoding) };
}

/** Accounts by name; those that don't exist are left out. */
export async function accountsNamed(wallet: Wallet, names: readonly AccountName[]): Promise<AccountKeys[]> {
  if (names.length === 0) return [];
  const symbols = await chainSymbols(wallet);
  const records = await wallet.node.ask('get_accounts', { account_names: [...names] }, 'accounts');
  // A node may interpret a name as a seed and return another account.
  return (Array.isArray(records) ? records : [])
    .map((record) => readAccountKeys(record, symbols))
    .filter(({ name }) => names.includes(name));
}

/** The account of exactly that name; refuses a seed, giving the name derived from it. */
export async function requireAccount(wallet: Wallet, name: AccountName): Promise<AccountKeys> {
  const [found] = await accountsNamed(wallet, [name]);
  if (found !== undefined) return found;
  const [ofSeed] = await accountsNamed(wallet, [nameFromSeed(name)]);
  return ofSeed === undefined
    ? refuse.account_not_found({ account: name })
    : refuse.account_is_seed({ given: name, account: ofSeed.name });
}

/**
 * The name of the account that a text in a query refers to: the account of that name, or else of that seed, or else the
 * text itself.
 */
export async function nameMeant(wallet: Wallet, text: string): Promise<AccountName> {
  const ofSeed = nameFromSeed(text);
  const found = await accountsNamed(
    wallet,
    [text, ofSeed].filter((name) => /^[\w-]{1,32}$/.test(name)),
  );
  return found.find(({ name }) => name === text)?.name ?? found.find(({ name }) => name === ofSeed)?.name ?? text;
}
