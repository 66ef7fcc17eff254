import { present } from '../../base/assert.ts';
import { refusals } from '../../base/refusal.ts';
import type { EncodingOptions } from '../../codec/encoding_options.ts';
import type { RowReader } from '../../storage/rows.ts';
import { canonicalName, exactName, nameFromSeed, type AccountName } from '../../values/account_name.ts';
import type { AccountRows } from '../../queries/records/account.ts';
import { requireRow } from '../../state/lookups.ts';
import { accounts, type Account } from '../../state/tables/account.ts';
import { accountAuthorities, type AccountAuthority } from '../../state/tables/account_authority.ts';
import type { ReadContext } from '../../queries/read_context.ts';
import type { Call } from '../services.ts';

const refuse = refusals({
  unknown_account: {
    text: 'no account is named {account}, and none was made from that seed',
    lineage: '!accounts.empty(): Unknown account',
  },
  ambiguous_account: {
    text: '{account} may mean one of two accounts; ask for the name that is meant: {found}',
    lineage: 'Account name does not exist!',
  },
});
const refuseUpdate = refusals({
  account_does_not_exist: {
    text: 'no account is named {account}',
    lineage: '!accounts.empty(): Account does not exist',
  },
});

/** Refusals of an account's lookup. */
export const accountRefusals = refuse.texts;
export const existingAccountRefusals = refuseUpdate.texts;

/**
 * The names that a text can mean: the text itself, if it is a name, then the name of the account that has it as its
 * seed.
 */
export function namesMeant({ readsLineage = false }: EncodingOptions, text: string): AccountName[] {
  const name = readsLineage ? canonicalName(text) : exactName(text);
  const generated = nameFromSeed(text);
  return name === undefined || name === generated ? [generated] : [name, generated];
}

/** The accounts that a text means: one or two, in the order of `namesMeant`. Refused when there is none. */
function accountsMeant({ rows, encoding }: ReadContext, text: string): Account[] {
  const found = rows.getMany(accounts, namesMeant(encoding, text)).filter((account) => account !== undefined);
  return found.length === 0 ? refuse.unknown_account({ account: text }) : found;
}

/** The account that each text means, in order; of two, the one with that name. */
export function accountsOfEach({ rows, encoding }: ReadContext, texts: readonly string[]): (Account | undefined)[] {
  const names = texts.map((text) => namesMeant(encoding, text));
  const found = rows.getMany(accounts, names.flat()).values();
  return names.map((meant) => meant.map(() => found.next().value).find((account) => account !== undefined));
}

/** The account that a text means; of two, the one with that name. */
export function accountMeant(call: ReadContext, text: string): Account {
  const found = accountsMeant(call, text);
  if (found.length === 1) return present(found[0], 'the account that was found');
  return (
    found.find(({ name }) => name === text) ??
    refuse.ambiguous_account({ account: text, found: found.map(({ name }) => name) })
  );
}

/** The authorities of the account that a text means, found like by `accountMeant`. */
export function authoritiesMeant(call: ReadContext, text: string): AccountAuthority {
  const { name } = accountMeant(call, text);
  return requireRow(call.rows, accountAuthorities, name, name);
}

/** Refuses a text that means no account. */
export function refuseUnknownAccount(text: string): never {
  return refuse.unknown_account({ account: text });
}

/** `accountMeant` with all accepted transactions applied; calls the writer thread. */
export async function pendingAccountMeant({ intake, encoding }: Call, text: string): Promise<AccountRows> {
  const found = (await intake.pendingAccounts(namesMeant(encoding, text))).filter((account) => account !== undefined);
  if (found.length < 2) return found[0] ?? refuse.unknown_account({ account: text });
  const names = found.map(({ account }) => account.name);
  return (
    found.find(({ account }) => account.name === text) ?? refuse.ambiguous_account({ account: text, found: names })
  );
}

/** The account of exactly that name: where an operation is built, seeds are not accepted. */
export function requireExistingAccount(rows: RowReader, name: AccountName): Account {
  return rows.get(accounts, name) ?? refuseUpdate.account_does_not_exist({ account: name });
}
