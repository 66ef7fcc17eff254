import { unlessRefused } from '../../base/refusal.ts';
import type { SignedTransaction } from '../../blocks/transaction.ts';
import { accountAuthorities } from '../../state/tables/account_authority.ts';
import { witnesses } from '../../state/tables/witness.ts';
import type { CommittedRows } from '../../storage/rows.ts';
import type { AccountName } from '../../values/account_name.ts';
import { NULL_KEY, type PublicKey } from '../../values/public_key.ts';

/** The account whose first key has probably signed a transaction. */
export interface Asked {
  readonly name: AccountName;
  readonly role: 'active' | 'owner';
}

/** The first required signer; undefined where it can't be determined, and then the chain's refusal says why. */
export function askedOf({ operations: [first] }: SignedTransaction): Asked | undefined {
  // A witness's properties may hold an invalid key.
  const { active = [], owner = [] } = unlessRefused(() => first?.authorities()) ?? {};
  const [name = owner[0]] = active;
  return name === undefined ? undefined : { name, role: active.length > 0 ? 'active' : 'owner' };
}

/** For each, the first key of the required signer: almost always the only one. Reading all rows in one call saves a third. */
export function expectedSigners(view: CommittedRows, asked: readonly (Asked | undefined)[]): (PublicKey | undefined)[] {
  const names = [...new Set(asked.flatMap((one) => one?.name ?? []))];
  const rows = new Map(view.getMany(accountAuthorities, names).map((row, index) => [names[index], row]));
  return asked.map((one) => {
    const key = one === undefined ? undefined : rows.get(one.name)?.[one.role].key_auths[0]?.[0];
    return key === NULL_KEY ? undefined : key;
  });
}

/** The keys that these witnesses sign blocks with, as far as is known. */
export function expectedProducers(view: CommittedRows, names: readonly AccountName[]): (PublicKey | undefined)[] {
  const keys = new Map<AccountName, PublicKey | undefined>();
  for (const name of names) if (!keys.has(name)) keys.set(name, view.get(witnesses, name)?.signing_key);
  return names.map((name) => keys.get(name));
}
