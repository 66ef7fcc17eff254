import { refusals } from '../base/refusal.ts';
import type { AccountName } from '../values/account_name.ts';
import type { Authority } from '../values/authority.ts';
import { compareKeys, type PublicKey } from '../values/public_key.ts';
import { missingAuthority, type Required } from './authority_check.ts';
import { AuthorityWalk, type AuthorityLookup } from './authority_walk.ts';

const refuse = refusals({
  too_many_keys_to_try: 'which of the keys are needed takes too long to find out; offer fewer of them',
});

/** Refusals of choosing keys, besides those of the walk. */
export const keysToSignRefusals = refuse.texts;

/** The keys to choose from. */
export interface Signers {
  /** The keys that have signed. */
  readonly signed: readonly PublicKey[];
  readonly owns: (key: PublicKey) => boolean;
  /** The number of members of authorities that may be looked at; unlimited by default. */
  readonly mostLooks?: number;
}

/**
 * The keys that should sign, ascending: owned keys that suffice together with those that have signed, none of them
 * superfluous. Active authorities come first, owner authorities stand in for them. For what the available keys don't
 * satisfy, all that count.
 */
export function keysToSign(lookup: AuthorityLookup, required: Required, signers: Signers): PublicKey[] {
  const trial = new Trial(lookup, signers);
  const asked = { ...required, other: required.other.map((authority) => trial.trimmed(authority)) };
  return chooseKeys(trial, asked).toSorted(compareKeys);
}

/** Those of the available keys that should sign, including keys that have signed and count; ascending. */
export function minimalSigners(
  lookup: AuthorityLookup,
  required: Required,
  available: readonly PublicKey[],
  signers: Omit<Signers, 'owns'>,
): PublicKey[] {
  const offered = new Set(available);
  const chosen = keysToSign(lookup, required, { ...signers, owns: (key) => offered.has(key) });
  const signing = new Set([...signers.signed, ...chosen]);
  const walk = new AuthorityWalk(lookup, (key) => signing.has(key));
  split(walk, required);
  return [...walk.used].filter((key) => offered.has(key)).toSorted(compareKeys);
}

function chooseKeys(trial: Trial, required: Required): readonly PublicKey[] {
  const [met, unmet] = split(trial.walk(), required);
  const partial = trial.fresh(countedKeys(trial.walk(), unmet, trial.signed));
  const walk = trial.walk();
  missingAuthority(walk, met);
  const others = trial.fresh(walk.used).filter((key) => !partial.includes(key));
  const chosen = [
    ...partial,
    ...minimal(others, (keys) => missingAuthority(trial.walkBy([...partial, ...keys]), met) === undefined),
  ];
  // With fewer keys the walk takes other ways, and may satisfy all: then nothing is partial.
  return partial.length === 0
    ? chosen
    : minimal(chosen, (keys) => missingAuthority(trial.walkBy(keys), required) === undefined);
}

/** Splits what is required into what a walk satisfies and what it doesn't. */
function split(walk: AuthorityWalk, { other, active, owner }: Required): [met: Required, unmet: Required] {
  const others = other.map((authority) => walk.satisfies(authority));
  const actives = active.map((name) => walk.canAct(name));
  const owners = owner.map((name) => walk.satisfiesOwner(name));
  const part = (isMet: boolean): Required => ({
    other: other.filter((_, k) => others[k] === isMet),
    active: active.filter((_, k) => actives[k] === isMet),
    owner: owner.filter((_, k) => owners[k] === isMet),
  });
  return [part(true), part(false)];
}

/** The keys that count towards what they don't satisfy. */
function countedKeys(
  walk: AuthorityWalk,
  { other, active, owner }: Required,
  signed: ReadonlySet<PublicKey>,
): ReadonlySet<PublicKey> {
  for (const authority of other) walk.satisfies(authority);
  for (const name of owner) walk.satisfiesOwner(name);
  return active.reduce((so, name) => closerWalk(so, name, signed), walk).used;
}

/** By the active authority if it has a key that has not signed, otherwise by the owner's. */
function closerWalk(walk: AuthorityWalk, name: AccountName, signed: ReadonlySet<PublicKey>): AuthorityWalk {
  const byActive = walk.copy();
  byActive.satisfiesActive(name);
  if ([...byActive.used].some((key) => !walk.used.has(key) && !signed.has(key))) return byActive;
  const byOwner = walk.copy();
  byOwner.satisfiesOwner(name);
  return byOwner;
}

/**
 * Drops keys that are not needed, one by one (wire_format.md#signers), and starts again until all are needed: without
 * one key the walk takes other ways, and a key that was needed may no longer be. Nothing is dropped when all together
 * don't suffice.
 */
function minimal(keys: readonly PublicKey[], suffice: (keys: readonly PublicKey[]) => boolean): readonly PublicKey[] {
  if (!suffice(keys)) return keys;
  const needed = keys.reduce((left, key) => {
    const without = left.filter((other) => other !== key);
    return suffice(without) ? without : left;
  }, keys);
  return needed.length === keys.length ? keys : minimal(needed, suffice);
}

/**
 * Repeats walks with different keys through the same authorities, which are looked up once and hold only the signers'
 * keys.
 */
class Trial {
  readonly signed: ReadonlySet<PublicKey>;
  readonly #lookup: AuthorityLookup;
  readonly #isAtHand: (key: PublicKey) => boolean;
  #looksLeft: number;

  constructor({ active, owner, ...limits }: AuthorityLookup, { signed, owns, mostLooks = Infinity }: Signers) {
    this.signed = new Set(signed);
    this.#isAtHand = (key) => this.signed.has(key) || owns(key);
    this.#looksLeft = mostLooks;
    this.#lookup = { active: this.#lookingOnce(active), owner: this.#lookingOnce(owner), ...limits };
  }

  walk(): AuthorityWalk {
    return this.#walkWith(this.#isAtHand);
  }

  /** A walk with these keys and those that have signed. */
  walkBy(keys: readonly PublicKey[]): AuthorityWalk {
    const signing = new Set([...this.signed, ...keys]);
    return this.#walkWith((key) => signing.has(key));
  }

  #walkWith(isAtHand: (key: PublicKey) => boolean): AuthorityWalk {
    return new AuthorityWalk(this.#lookup, (key) => {
      this.#look(1);
      return isAtHand(key);
    });
  }

  /** Those of the keys that have not signed. */
  fresh(keys: ReadonlySet<PublicKey>): PublicKey[] {
    return [...keys].filter((key) => !this.signed.has(key)).toSorted(compareKeys);
  }

  trimmed(authority: Authority): Authority {
    return { ...authority, key_auths: authority.key_auths.filter(([key]) => this.#isAtHand(key)) };
  }

  #lookingOnce(find: (name: AccountName) => Authority): (name: AccountName) => Authority {
    const found = new Map<AccountName, Authority>();
    return (name) => {
      const authority = found.get(name) ?? this.trimmed(find(name));
      found.set(name, authority);
      this.#look(authority.account_auths.length);
      return authority;
    };
  }

  #look(members: number): void {
    this.#looksLeft -= members;
    if (this.#looksLeft < 0) refuse.too_many_keys_to_try();
  }
}
