import { refusals } from '../base/refusal.ts';
import { accountUpdate } from '../operations/account_update.ts';
import type { Operation } from '../operations/operation.ts';
import type { AccountName } from '../values/account_name.ts';
import { isImpossible, type Authority } from '../values/authority.ts';
import { requireAccount } from './accounts.ts';
import type { Making } from './command.ts';

const refuse = refusals({
  impossible_owner_authority: {
    text: 'the owner authority of {account} would ask for a weight of {threshold}, more than its members have together: nobody could act for it',
    lineage: 'Owner authority change would render account irrecoverable.',
  },
});

/** The entries with the weight of one of them changed; 0 removes it. Sorted by `compare`. */
export function withEntry<N>(
  entries: readonly (readonly [N, number])[],
  name: N,
  weight: number,
  compare: (a: N, b: N) => number,
): (readonly [N, number])[] {
  const others = entries.filter(([each]) => each !== name);
  return weight === 0 ? others : [...others, [name, weight] as const].sort(([a], [b]) => compare(a, b));
}

/** The operation that changes one authority of an account and leaves the rest unchanged; refuses to lock the owner out for ever. */
export async function changeOf(
  { wallet, fee }: Making,
  name: AccountName,
  type: 'owner' | 'active',
  change: (before: Authority) => Authority,
): Promise<Operation> {
  const account = await requireAccount(wallet, name);
  const changed = change(account[type]);
  if (type === 'owner' && isImpossible(changed)) refuse.impossible_owner_authority({ account: name, threshold: changed.weight_threshold });
  const { memo_key, json_metadata } = account;
  return accountUpdate.of({ fee, account: name, owner: undefined, active: undefined, [type]: changed, memo_key, json_metadata });
}
