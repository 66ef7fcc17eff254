import { missingOf, type Required } from '../blocks/authority_check.ts';
import { AuthorityWalk, type AuthorityLookup } from '../blocks/authority_walk.ts';
import type { AccountName } from '../values/account_name.ts';
import type { Authority } from '../values/authority.ts';
import { compareKeys, type PublicKey } from '../values/public_key.ts';

/** Who may act for an account; undefined when there is no such account. */
export type AuthoritiesOf = (name: AccountName) => { readonly owner: Authority; readonly active: Authority } | undefined;

/** Nobody satisfies the authority of an account that doesn't exist. */
const NOBODY: Authority = { weight_threshold: 1, account_auths: [], key_auths: [] };

const lookupIn = (authoritiesOf: AuthoritiesOf): AuthorityLookup => ({
  active: (name) => authoritiesOf(name)?.active ?? NOBODY,
  owner: (name) => authoritiesOf(name)?.owner ?? NOBODY,
  mostVisits: Infinity,
});

/**
 * The keys that are to sign, ascending: of those that `owns` knows the fewest that suffice together with what has signed already;
 * where they don't suffice, all that count. Active authorities come first, the owner's stand in for them.
 */
export function keysToSign(
  required: Required,
  authoritiesOf: AuthoritiesOf,
  signed: readonly PublicKey[],
  owns: (key: PublicKey) => boolean,
): PublicKey[] {
  const signers = new Set(signed);
  let walk = new AuthorityWalk(lookupIn(authoritiesOf), (key) => signers.has(key) || owns(key));
  for (const authority of required.other) walk.satisfies(authority);
  for (const name of required.owner) walk.satisfiesOwner(name);
  for (const name of required.active) if (!walk.isApproved(name)) walk = bestWalk(walk, name, signers);
  const chosen = [...walk.used].filter((key) => !signers.has(key)).toSorted(compareKeys);
  return minimal(chosen, (keys) => suffices(required, authoritiesOf, new Set([...signed, ...keys])));
}

/** By the active authority where that suffices, by the owner's where only that does, else by whatever has a key at all. */
function bestWalk(walk: AuthorityWalk, name: AccountName, signers: ReadonlySet<PublicKey>): AuthorityWalk {
  const byActive = walk.copy();
  if (byActive.satisfiesActive(name)) return byActive;
  const byOwner = walk.copy();
  if (byOwner.satisfiesOwner(name)) return byOwner;
  // The chain tries both in turn, and the second counts on accounts that the first has met.
  const byBoth = byActive.copy();
  if (byBoth.satisfiesOwner(name)) return byBoth;
  const addsKey = [...byActive.used].some((key) => !walk.used.has(key) && !signers.has(key));
  return addsKey ? byActive : byOwner;
}

/**
 * Drops the first key that is not needed until all are; nothing is dropped while all together don't suffice (wire.md 9.4). It begins
 * anew each time, because without one key the walk goes other ways, and a key that was needed may not be any more.
 */
function minimal(keys: readonly PublicKey[], suffice: (keys: readonly PublicKey[]) => boolean): PublicKey[] {
  if (!suffice(keys)) return [...keys];
  const without = (key: PublicKey): PublicKey[] => keys.filter((other) => other !== key);
  const spare = keys.find((key) => suffice(without(key)));
  return spare === undefined ? [...keys] : minimal(without(spare), suffice);
}

/** Whether these keys are enough for the chain. */
export function suffices(required: Required, authoritiesOf: AuthoritiesOf, keys: ReadonlySet<PublicKey>): boolean {
  return missingOf(new AuthorityWalk(lookupIn(authoritiesOf), (key) => keys.has(key)), required) === undefined;
}
