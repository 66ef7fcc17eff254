import { quoted, refusals } from '../base/refusal.ts';
import { accountUpdate } from '../operations/account_update.ts';
import type { Operation } from '../operations/operation.ts';
import type { Asset } from '../values/asset.ts';
import type { AccountName } from '../values/account_name.ts';
import { isImpossible, type Authority } from '../values/authority.ts';
import { NULL_KEY, publicKeyText } from '../values/public_key.ts';
import { accountRefusals, requireAccount } from './accounts.ts';
import type { Making } from './command.ts';
import { requireConsent } from './consent.ts';
import { chainSymbols } from './wallet.ts';

const refuse = refusals({
  impossible_owner_authority: {
    text: 'the owner authority of {account} would ask for a weight of {threshold}, more than its members have together: nobody could act for it',
    lineage: 'Owner authority change would render account irrecoverable.',
  },
});

/** The refusals of changing one authority. */
export const changeRefusals = { ...refuse.texts, ...accountRefusals };

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

/**
 * The operation that changes one authority of an account and leaves the rest unchanged; refuses to lock the owner out
 * for ever. The rest of the authority is what the node says, so the person sees the whole first.
 */
export async function makeChange(
  { wallet, fee }: Making,
  name: AccountName,
  type: 'owner' | 'active',
  change: (before: Authority) => Authority,
): Promise<Operation> {
  const account = await requireAccount(wallet, name);
  const changed = change(account[type]);
  if (type === 'owner' && isImpossible(changed))
    refuse.impossible_owner_authority({ account: name, threshold: changed.weight_threshold });
  await requireConsent(
    wallet,
    `the ${type} authority of ${name} becomes ${authorityText(changed, (await chainSymbols(wallet)).keyPrefix)}`,
  );
  return accountUpdate.of({ ...unchanged(name, fee), [type]: changed });
}

/**
 * An update of an account that changes nothing yet: what is null or empty stays as it is, whatever the node says that
 * it is.
 */
export function unchanged(account: AccountName, fee: Asset): Parameters<typeof accountUpdate.of>[0] {
  return { fee, account, owner: undefined, active: undefined, memo_key: NULL_KEY, json_metadata: '' };
}

function authorityText({ weight_threshold, account_auths, key_auths }: Authority, keyPrefix: string): string {
  const keys = key_auths.map(([key, weight]) => `${publicKeyText(key, keyPrefix)} (${weight})`);
  const names = account_auths.map(([name, weight]) => `account ${quoted(name)} (${weight})`);
  return `a weight of ${weight_threshold} of ${[...keys, ...names].join(', ') || 'nobody'}`;
}
