import { unlessRefused } from '../base/refusal.ts';
import type { AccountName } from '../values/account_name.ts';
import type { Authority } from '../values/authority.ts';
import type { PublicKey } from '../values/public_key.ts';
import type { Required } from './authority_check.ts';
import { AuthorityWalk, type AuthorityLookup } from './authority_walk.ts';

/** An authority that the signers do not satisfy, and the weight that they give it. */
export interface MissingAuthority {
  /** Empty for an authority that an operation spells out. */
  readonly account: AccountName;
  /** The missing role; the owner authority may stand in for `active`. */
  readonly role: 'active' | 'owner' | 'other';
  readonly weight: number;
  readonly authority: Authority;
}

/** By how much the signatures of a transaction differ from those that it needs. */
export interface SignatureGaps {
  readonly missing: readonly MissingAuthority[];
  /** Keys that nothing asks for, and those that have signed more than once. */
  readonly superfluous: readonly PublicKey[];
}

/**
 * All that is missing and superfluous, where a check of authorities names the first only. An account that does not
 * exist is left out.
 */
export function signatureGaps(
  lookup: AuthorityLookup,
  { other, active, owner }: Required,
  signers: readonly PublicKey[],
): SignatureGaps {
  const keys = new Set(signers);
  const walk = new AuthorityWalk(lookup, (key) => keys.has(key));
  const missing: MissingAuthority[] = [];
  const note = (account: AccountName, role: MissingAuthority['role'], authority: Authority): void =>
    void missing.push({ account, role, weight: walk.weigh(authority), authority });
  for (const authority of other) if (!walk.satisfies(authority)) note('', 'other', authority);
  for (const name of active) unlessRefused(() => walk.canAct(name) || note(name, 'active', lookup.active(name)));
  for (const name of owner) unlessRefused(() => walk.satisfiesOwner(name) || note(name, 'owner', lookup.owner(name)));
  return {
    missing,
    superfluous: [...keys].filter((key) => !walk.used.has(key) || signers.indexOf(key) !== signers.lastIndexOf(key)),
  };
}
