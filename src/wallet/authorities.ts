import { refusals } from '../base/refusal.ts';
import type { Required } from '../blocks/authority_check.ts';
import type { AuthorityLookup } from '../blocks/authority_walk.ts';
import type { AccountName } from '../values/account_name.ts';
import type { Authority } from '../values/authority.ts';
import { MAX_SIGNATURE_CHECK_DEPTH } from '../values/limits.ts';
import { accountsNamed, type AccountKeys } from './accounts.ts';
import type { Wallet } from './wallet.ts';

const refuse = refusals({
  approving_account_missing: {
    text: 'no account is named {account}, which would have to sign',
    lineage: 'approving_account_objects.size() == v_approving_account_names.size(): there is no account {account}',
  },
});

/** An authority that no key satisfies, for an account that doesn't exist. */
const NOBODY: Authority = { weight_threshold: 1, account_auths: [], key_auths: [] };

/** The authorities of all accounts that may be involved; refuses when an account that must sign doesn't exist. */
export async function fetchAuthorities(wallet: Wallet, required: Required): Promise<AuthorityLookup> {
  const known = new Map<AccountName, AccountKeys>();
  let wanted: readonly AccountName[] = [...required.active, ...required.owner];
  await fetchInto(known, wallet, wanted);
  const missing = wanted.find((name) => !known.has(name));
  if (missing !== undefined) refuse.approving_account_missing({ account: missing });
  wanted = [...required.other, ...[...known.values()].flatMap(({ owner, active }) => [owner, active])].flatMap(namesIn);
  for (let depth = 0; depth < MAX_SIGNATURE_CHECK_DEPTH; depth++) {
    const found = await fetchInto(known, wallet, wanted);
    wanted = found.flatMap(({ active }) => namesIn(active));
  }
  return {
    active: (name) => known.get(name)?.active ?? NOBODY,
    owner: (name) => known.get(name)?.owner ?? NOBODY,
    mostVisits: Infinity,
  };
}

function namesIn({ account_auths }: Authority): AccountName[] {
  return account_auths.map(([name]) => name);
}

async function fetchInto(known: Map<AccountName, AccountKeys>, wallet: Wallet, names: readonly AccountName[]): Promise<AccountKeys[]> {
  const found = await accountsNamed(
    wallet,
    [...new Set(names)].filter((name) => !known.has(name)),
  );
  for (const account of found) known.set(account.name, account);
  return found;
}
