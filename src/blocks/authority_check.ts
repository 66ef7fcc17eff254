import type { AuthorityRules, RequiredAuthorities } from '../operations/operation.ts';
import type { Digest } from '../values/hash.ts';
import { compareNames, type AccountName } from '../values/account_name.ts';
import type { Authority } from '../values/authority.ts';
import { TEMP_ACCOUNT } from '../values/reserved_accounts.ts';
import { compareKeys, NULL_KEY, publicKeyText, type PublicKey } from '../values/public_key.ts';
import { AuthorityWalk, type AuthorityLookup } from './authority_walk.ts';
import { refuseShortfall, shortfallRefusals, type Shortfall, type Signing } from './refuse_shortfall.ts';
import { signingDigest, type PackedTransaction } from './transaction.ts';

/** Refusals for missing signatures, and for too many. */
export const missingSignatureRefusals = shortfallRefusals;

/** The accounts and authorities that must have signed a transaction: the union over its operations, names ascending. */
export interface Required {
  readonly active: readonly AccountName[];
  readonly owner: readonly AccountName[];
  readonly other: readonly Authority[];
}

const NOBODY: readonly never[] = [];

/** The union of what the operations require, under the rules of new chains unless others are given. */
export function requiredAuthorities(
  operations: readonly { authorities(rules?: AuthorityRules): RequiredAuthorities }[],
  rules?: AuthorityRules,
): Required {
  const [first] = operations;
  if (first !== undefined && operations.length === 1) {
    const { active = NOBODY, owner = NOBODY, other = NOBODY } = first.authorities(rules);
    if (active.length < 2 && owner.length < 2) return { active, owner, other };
  }
  return uniteAuthorities(operations.map((operation) => operation.authorities(rules)));
}

function uniteAuthorities(parts: readonly RequiredAuthorities[]): Required {
  return {
    active: names(parts.map(({ active }) => active)),
    owner: names(parts.map(({ owner }) => owner)),
    other: parts.flatMap(({ other }) => other ?? NOBODY),
  };
}

function names(lists: readonly (readonly AccountName[] | undefined)[]): readonly AccountName[] {
  return [...new Set(lists.flatMap((list) => list ?? NOBODY))].toSorted(compareNames);
}

/**
 * Refuses signers that do not suffice, or one that is not needed. `signing` is what the refusal says about what was
 * signed and by whom.
 */
export function checkAuthorities(
  lookup: AuthorityLookup,
  required: Required,
  signers: readonly PublicKey[],
  signing: () => Signing,
): void {
  const shortfall = findShortfall(lookup, required, signers);
  if (shortfall === undefined) return;
  const keys = new Set(signers);
  refuseShortfall(shortfall, signing(), (authority) =>
    new AuthorityWalk(lookup, (key) => keys.has(key)).weigh(authority),
  );
}

/**
 * The facts with which a signer finds its own mistake: the keys that did sign, the digest that they should have signed,
 * and its bytes.
 */
export function transactionSigning(
  { chainId, profile: { keyPrefix } }: { readonly chainId: Digest; readonly profile: { readonly keyPrefix: string } },
  transaction: PackedTransaction,
  signers: readonly PublicKey[],
): Signing {
  const details = {
    signers: signers.map((key) => publicKeyText(key, keyPrefix)),
    chain_id: chainId,
    digest: Buffer.from(signingDigest(chainId, transaction)).toString('hex'),
    transaction_hex: Buffer.from(transaction.packed).toString('hex'),
  };
  return { keyPrefix, details };
}

/** Compares the signers with those needed; undefined when they are exactly those (wire_format.md#signers). */
export function findShortfall(
  lookup: AuthorityLookup,
  required: Required,
  signers: readonly PublicKey[],
): Shortfall | undefined {
  if (isPlain(lookup, required, signers)) return undefined;
  const keys = new Set(signers);
  if (keys.size !== signers.length)
    return { code: 'duplicate_signature', keys: signers.filter((key, k) => signers.indexOf(key) < k) };
  const walk = new AuthorityWalk(lookup, (key) => keys.has(key));
  const missing = missingAuthority(walk, required);
  if (missing !== undefined) return missing;
  if (walk.used.size === keys.size) return undefined;
  return { code: 'irrelevant_signature', keys: signers.filter((key) => !walk.used.has(key)) };
}

/**
 * The first authority that the keys of the walk do not satisfy: those that operations include first, then active ones,
 * for which the owner authority may stand in, then owner ones.
 */
export function missingAuthority(walk: AuthorityWalk, { active, owner, other }: Required): Shortfall | undefined {
  for (const authority of other)
    if (!walk.satisfies(authority)) return { code: 'missing_other_authority', id: '', authority };
  for (const id of active)
    if (!walk.canAct(id)) return { code: 'missing_active_authority', id, authority: walk.lookup.active(id) };
  for (const id of owner)
    if (!walk.satisfiesOwner(id)) return { code: 'missing_owner_authority', id, authority: walk.lookup.owner(id) };
  return undefined;
}

/**
 * The case of nearly every transaction: one active authority is required, and the only key that has signed satisfies it
 * alone.
 */
function isPlain(lookup: AuthorityLookup, { active, owner, other }: Required, signers: readonly PublicKey[]): boolean {
  const [id] = active;
  if (id === undefined || active.length > 1 || owner.length > 0 || other.length > 0 || signers.length !== 1)
    return false;
  if (id === TEMP_ACCOUNT || signers[0] === NULL_KEY) return false;
  const { weight_threshold, key_auths } = lookup.active(id);
  return key_auths.some(([key, weight]) => key === signers[0] && weight >= weight_threshold);
}

/**
 * Those of the available keys that should sign, including keys that have signed; ascending (wire_format.md#signers).
 */
export function requiredSigners(
  lookup: AuthorityLookup,
  required: Required,
  available: readonly PublicKey[],
  signers: readonly PublicKey[],
): PublicKey[] {
  const offered = new Set(available);
  const signed = new Set(signers);
  const walk = new AuthorityWalk(lookup, (key) => signed.has(key) || offered.has(key));
  meetAll(walk, required);
  return [...walk.used].filter((key) => offered.has(key)).toSorted(compareKeys);
}

/**
 * Every key of the authorities that are reached from what is required; ascending (wire_format.md#signers). An authority
 * that the signers satisfy is not followed further.
 */
export function potentialSigners(
  lookup: AuthorityLookup,
  required: Required,
  signers: readonly PublicKey[],
): PublicKey[] {
  return keysMet(lookup, required, signers).toSorted(compareKeys);
}

/** The same, and every key of the authorities that operations include. */
export function askedSigners(lookup: AuthorityLookup, required: Required, signers: readonly PublicKey[]): PublicKey[] {
  const speltOut = required.other
    .flatMap(({ key_auths }) => key_auths.map(([key]) => key))
    .filter((key) => key !== NULL_KEY);
  return [...new Set([...speltOut, ...keysMet(lookup, required, signers)])].toSorted(compareKeys);
}

function keysMet(lookup: AuthorityLookup, required: Required, signers: readonly PublicKey[]): PublicKey[] {
  const met = new Set<PublicKey>();
  const noting =
    (find: (name: AccountName) => Authority) =>
    (name: AccountName): Authority => {
      const authority = find(name);
      for (const [key] of authority.key_auths) if (key !== NULL_KEY) met.add(key);
      return authority;
    };
  const noted: AuthorityLookup = { ...lookup, active: noting(lookup.active), owner: noting(lookup.owner) };
  const signed = new Set(signers);
  meetAll(new AuthorityWalk(noted, (key) => signed.has(key)), required);
  return [...met];
}

/** Walks through all that is required, whether satisfied or not: active authorities without their owners. */
function meetAll(walk: AuthorityWalk, { active, owner, other }: Required): void {
  for (const authority of other) walk.satisfies(authority);
  for (const name of owner) walk.satisfiesOwner(name);
  for (const name of active) if (!walk.isApproved(name)) walk.satisfiesActive(name);
}
