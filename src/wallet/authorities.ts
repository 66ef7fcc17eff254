import { refusals } from '../base/refusal.ts';
import type { Required } from '../blocks/authority_check.ts';
import type { ActiveAuthorities } from '../blocks/authority_warnings.ts';
import type { AuthorityLookup } from '../blocks/authority_walk.ts';
import type { SetAuthority } from '../operations/operation.ts';
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

/** The refusals when an account that must sign is missing. */
export const approverRefusals = refuse.texts;

/** An authority that no key satisfies, for an account that doesn't exist. */
const NOBODY: Authority = { weight_threshold: 1, account_auths: [], key_auths: [] };

/** The authorities of all accounts that may be involved; refuses when an account that must sign doesn't exist. */
export async function fetchAuthorities(wallet: Wallet, required: Required): Promise<AuthorityLookup> {
  const known = new Map<AccountName, AccountKeys>();
  const wanted: readonly AccountName[] = [...required.active, ...required.owner];
  await fetchKeys(known, wallet, wanted);
  const missing = wanted.find((name) => !known.has(name));
  if (missing !== undefined) refuse.approving_account_missing({ account: missing });
  await fetchNamed(known, wallet, [
    ...required.other,
    ...[...known.values()].flatMap(({ owner, active }) => [owner, active]),
  ]);
  return {
    active: (name) => known.get(name)?.active ?? NOBODY,
    owner: (name) => known.get(name)?.owner ?? NOBODY,
    mostVisits: Infinity,
  };
}

/**
 * The active authorities of all accounts that these lead to, as deep as the chain follows them, and of those
 * themselves.
 */
export async function fetchActives(wallet: Wallet, set: readonly SetAuthority[]): Promise<ActiveAuthorities> {
  const known = new Map<AccountName, AccountKeys>();
  await fetchKeys(
    known,
    wallet,
    set.map(({ account }) => account),
  );
  // One level more than counts, so that an account that does not exist is told from one that is too deep.
  await fetchNamed(
    known,
    wallet,
    set.map(({ authority }) => authority),
    MAX_SIGNATURE_CHECK_DEPTH + 1,
  );
  return (name) => known.get(name)?.active;
}

async function fetchNamed(
  known: Map<AccountName, AccountKeys>,
  wallet: Wallet,
  authorities: readonly Authority[],
  levels = MAX_SIGNATURE_CHECK_DEPTH,
): Promise<void> {
  let wanted = authorities.flatMap(authorityNames);
  for (let depth = 0; depth < levels; depth++) {
    const found = await fetchKeys(known, wallet, wanted);
    wanted = found.flatMap(({ active }) => authorityNames(active));
  }
}

function authorityNames({ account_auths }: Authority): AccountName[] {
  return account_auths.map(([name]) => name);
}

async function fetchKeys(
  known: Map<AccountName, AccountKeys>,
  wallet: Wallet,
  names: readonly AccountName[],
): Promise<AccountKeys[]> {
  const found = await accountsNamed(
    wallet,
    [...new Set(names)].filter((name) => !known.has(name)),
  );
  for (const account of found) known.set(account.name, account);
  return found;
}
