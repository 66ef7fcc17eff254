import type { RequiredAuthorities } from '../operations/operation.ts';
import { compareNames, type AccountName } from '../values/account_name.ts';
import type { Authority } from '../values/authority.ts';
import { MAX_SIGNATURE_CHECK_DEPTH } from '../values/limits.ts';
import { compareKeys, type PublicKey } from '../values/public_key.ts';

/** Everybody who must sign a transaction, names ascending. */
export interface Required {
  readonly active: readonly AccountName[];
  readonly owner: readonly AccountName[];
  readonly other: readonly Authority[];
}

/** Who may act for an account; undefined when there is no such account. */
export type AuthoritiesOf = (name: AccountName) => { readonly owner: Authority; readonly active: Authority } | undefined;

/** The union of what operations ask for. */
export function requiredOf(operations: readonly { authorities(): RequiredAuthorities }[]): Required {
  const parts = operations.map((operation) => operation.authorities());
  return {
    active: ascending(parts.flatMap(({ active }) => active ?? [])),
    owner: ascending(parts.flatMap(({ owner }) => owner ?? [])),
    other: parts.flatMap(({ other }) => other ?? []),
  };
}

function ascending(names: readonly AccountName[]): AccountName[] {
  return [...new Set(names)].sort(compareNames);
}

/** What keys prove (wire.md 9.2), and which of them were needed on the way. */
class Proof {
  readonly #authoritiesOf: AuthoritiesOf;
  readonly #has: (key: PublicKey) => boolean;
  readonly #approved: Set<AccountName>;
  readonly used: Set<PublicKey>;

  constructor(authoritiesOf: AuthoritiesOf, has: (key: PublicKey) => boolean, from?: Proof) {
    this.#authoritiesOf = authoritiesOf;
    this.#has = has;
    // The account that everybody may act for.
    this.#approved = new Set(from === undefined ? ['temp'] : from.#approved);
    this.used = new Set(from?.used);
  }

  copy(): Proof {
    return new Proof(this.#authoritiesOf, this.#has, this);
  }

  adopt(other: Proof): void {
    for (const name of other.#approved) this.#approved.add(name);
    for (const key of other.used) this.used.add(key);
  }

  isApproved(name: AccountName): boolean {
    return this.#approved.has(name);
  }

  /** Keys count before accounts; accounts within accounts are judged by their active authority. */
  isSatisfied({ weight_threshold, key_auths, account_auths }: Authority, depth = 0): boolean {
    let total = 0;
    for (const [key, weight] of key_auths) {
      if (!this.#has(key)) continue;
      this.used.add(key);
      total += weight;
      if (total >= weight_threshold) return true;
    }
    for (const [name, weight] of account_auths) {
      if (!this.#approves(name, depth)) continue;
      total += weight;
      if (total >= weight_threshold) return true;
    }
    return total >= weight_threshold;
  }

  #approves(name: AccountName, depth: number): boolean {
    if (this.#approved.has(name)) return true;
    const active = depth === MAX_SIGNATURE_CHECK_DEPTH ? undefined : this.#authoritiesOf(name)?.active;
    if (active === undefined || !this.isSatisfied(active, depth + 1)) return false;
    this.#approved.add(name);
    return true;
  }
}

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
  const proof = new Proof(authoritiesOf, (key) => signers.has(key) || owns(key));
  for (const authority of required.other) proof.isSatisfied(authority);
  for (const name of required.owner) proof.isSatisfied(authoritiesOf(name)?.owner ?? NOBODY);
  for (const name of required.active) if (!proof.isApproved(name)) proof.adopt(bestProof(proof, authoritiesOf, name, signers));
  const chosen = [...proof.used].filter((key) => !signers.has(key)).sort(compareKeys);
  return minimal(chosen, (keys) => suffices(required, authoritiesOf, new Set([...signed, ...keys])));
}

/** Nobody satisfies the authority of an account that doesn't exist. */
const NOBODY: Authority = { weight_threshold: 1, account_auths: [], key_auths: [] };

/** By the active authority where that suffices, by the owner's where only that does, else by whatever has a key at all. */
function bestProof(proof: Proof, authoritiesOf: AuthoritiesOf, name: AccountName, signers: ReadonlySet<PublicKey>): Proof {
  const { owner, active } = authoritiesOf(name) ?? { owner: NOBODY, active: NOBODY };
  const byActive = proof.copy();
  if (byActive.isSatisfied(active)) return byActive;
  const byOwner = proof.copy();
  if (byOwner.isSatisfied(owner)) return byOwner;
  const addsKey = [...byActive.used].some((key) => !proof.used.has(key) && !signers.has(key));
  return addsKey ? byActive : byOwner;
}

/** Drops one key after another that is not needed; nothing is dropped while all together don't suffice (wire.md 9.4). */
function minimal(keys: readonly PublicKey[], suffice: (keys: readonly PublicKey[]) => boolean): PublicKey[] {
  if (!suffice(keys)) return [...keys];
  let kept = [...keys];
  for (const key of keys) {
    const without = kept.filter((other) => other !== key);
    if (suffice(without)) kept = without;
  }
  return kept;
}

/** Whether these keys are enough for the chain. */
export function suffices({ active, owner, other }: Required, authoritiesOf: AuthoritiesOf, keys: ReadonlySet<PublicKey>): boolean {
  const proof = new Proof(authoritiesOf, (key) => keys.has(key));
  const isActive = (name: AccountName): boolean =>
    proof.isApproved(name) ||
    proof.isSatisfied(authoritiesOf(name)?.active ?? NOBODY) ||
    proof.isSatisfied(authoritiesOf(name)?.owner ?? NOBODY);
  return (
    other.every((each) => proof.isSatisfied(each)) &&
    active.every(isActive) &&
    owner.every((name) => proof.isSatisfied(authoritiesOf(name)?.owner ?? NOBODY))
  );
}
