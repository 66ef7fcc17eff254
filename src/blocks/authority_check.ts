import { refusals } from '../base/refusal.ts';
import type { RequiredAuthorities } from '../operations/operation.ts';
import { compareNames, type AccountName } from '../values/account_name.ts';
import type { Authority } from '../values/authority.ts';
import { MAX_SIGNATURE_CHECK_DEPTH } from '../values/limits.ts';
import { compareKeys, publicKeyText, type PublicKey } from '../values/public_key.ts';

const refuse = refusals({
  missing_active_authority: { text: 'Missing Active Authority {id}', lineageCode: 3_010_000 },
  missing_owner_authority: { text: 'Missing Owner Authority {id}', lineageCode: 3_020_000 },
  missing_other_authority: { text: 'Missing Authority', lineageCode: 3_040_000 },
  irrelevant_signature: { text: 'Unnecessary signature(s) detected', lineageCode: 3_050_000 },
  duplicate_signature: { text: 'Duplicate Signature detected', lineageCode: 3_060_000 },
});

/** What a check of authorities may refuse. */
export const authorityCheckRefusals = refuse.texts;

/** Everybody who must have signed a transaction: the union over its operations, names ascending. */
export interface Required {
  readonly active: readonly AccountName[];
  readonly owner: readonly AccountName[];
  readonly other: readonly Authority[];
}

/** Who may act for accounts: an account that does not exist is refused by whoever looks it up. */
export interface AuthorityLookup {
  active(name: AccountName): Authority;
  owner(name: AccountName): Authority;
  /** The account that counts as approved wherever it is named. */
  readonly approved: AccountName;
}

/** How keys fall short of what is required; `id` is the account that misses them. */
export interface Shortfall {
  readonly code:
    | 'missing_active_authority'
    | 'missing_owner_authority'
    | 'missing_other_authority'
    | 'irrelevant_signature'
    | 'duplicate_signature';
  readonly id: AccountName;
}

const NOBODY: readonly never[] = [];

/** The union of what the operations ask for. */
export function requiredOf(operations: readonly { authorities(): RequiredAuthorities }[]): Required {
  const [first] = operations;
  if (first !== undefined && operations.length === 1) {
    const { active = NOBODY, owner = NOBODY, other = NOBODY } = first.authorities();
    if (active.length < 2 && owner.length < 2) return { active, owner, other };
  }
  return unionOf(operations.map((operation) => operation.authorities()));
}

function unionOf(parts: readonly RequiredAuthorities[]): Required {
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
 * Refuses signers who do not suffice, or of whom one is not needed. `keyPrefix` is for the refusal, which names the keys that
 * did sign.
 */
export function checkAuthorities(lookup: AuthorityLookup, required: Required, signers: readonly PublicKey[], keyPrefix: string): void {
  const shortfall = shortfallOf(lookup, required, signers);
  if (shortfall === undefined) return;
  const { code, id } = shortfall;
  refuse[code]({ ...(id === '' ? {} : { id }), signers: signers.map((key) => publicKeyText(key, keyPrefix)) });
}

/**
 * How the signers fall short, or undefined when they are exactly who is needed (wire.md 9.2): spelt-out authorities first,
 * then active ones, for which the owner may stand in, then owners.
 */
export function shortfallOf(lookup: AuthorityLookup, required: Required, signers: readonly PublicKey[]): Shortfall | undefined {
  if (isPlain(lookup, required, signers)) return undefined;
  const check = new SignatureCheck(lookup, signers);
  if (check.keyCount !== signers.length) return { code: 'duplicate_signature', id: '' };
  for (const authority of required.other) if (!check.isSatisfied(authority)) return { code: 'missing_other_authority', id: '' };
  for (const id of required.active) if (!check.hasActive(id)) return { code: 'missing_active_authority', id };
  for (const id of required.owner) if (!check.isSatisfied(lookup.owner(id))) return { code: 'missing_owner_authority', id };
  return check.usedAll() ? undefined : { code: 'irrelevant_signature', id: '' };
}

/** Nearly every transaction: one active authority is asked for, and the one key that has signed satisfies it alone. */
function isPlain(lookup: AuthorityLookup, { active, owner, other }: Required, signers: readonly PublicKey[]): boolean {
  const [id] = active;
  if (id === undefined || active.length > 1 || owner.length > 0 || other.length > 0 || signers.length !== 1) return false;
  if (id === lookup.approved) return false;
  const { weight_threshold, key_auths } = lookup.active(id);
  return key_auths.some(([key, weight]) => key === signers[0] && weight >= weight_threshold);
}

/** Those of the available keys that should sign, keys that have signed included; ascending (wire.md 9.3). */
export function requiredSigners(
  lookup: AuthorityLookup,
  required: Required,
  available: readonly PublicKey[],
  signers: readonly PublicKey[],
): PublicKey[] {
  const offered = new Set(available);
  const check = new SignatureCheck(lookup, signers, offered);
  meetAll(lookup, required, check);
  return check
    .usedKeys()
    .filter((key) => offered.has(key))
    .toSorted(compareKeys);
}

/**
 * Every key of the authorities that are met on the way through what is required; ascending (wire.md 9.5). An authority that the
 * signers satisfy is not followed further.
 */
export function potentialSigners(lookup: AuthorityLookup, required: Required, signers: readonly PublicKey[]): PublicKey[] {
  const met = new Set<PublicKey>();
  const noting =
    (find: (name: AccountName) => Authority) =>
    (name: AccountName): Authority => {
      const authority = find(name);
      for (const [key] of authority.key_auths) met.add(key);
      return authority;
    };
  const noted: AuthorityLookup = { active: noting(lookup.active), owner: noting(lookup.owner), approved: lookup.approved };
  meetAll(noted, required, new SignatureCheck(noted, signers));
  return [...met].toSorted(compareKeys);
}

/** Goes through all that is required without asking whether it is satisfied: active authorities without their owners. */
function meetAll(lookup: AuthorityLookup, { active, owner, other }: Required, check: SignatureCheck): void {
  for (const authority of other) check.isSatisfied(authority);
  for (const name of owner) check.isSatisfied(lookup.owner(name));
  for (const name of active) if (!check.isApproved(name)) check.isSatisfied(lookup.active(name));
}

/** What a set of keys proves, and which of them were looked at on the way. */
class SignatureCheck {
  readonly #lookup: AuthorityLookup;
  /** Each key, and whether some authority has asked for it. */
  readonly #keys = new Map<PublicKey, boolean>();
  readonly #available: ReadonlySet<PublicKey>;
  readonly #approved: Set<AccountName>;

  constructor(lookup: AuthorityLookup, signers: readonly PublicKey[], available: ReadonlySet<PublicKey> = new Set()) {
    this.#lookup = lookup;
    this.#available = available;
    this.#approved = new Set([lookup.approved]);
    for (const key of signers) this.#keys.set(key, false);
  }

  get keyCount(): number {
    return this.#keys.size;
  }

  isApproved(name: AccountName): boolean {
    return this.#approved.has(name);
  }

  hasActive(name: AccountName): boolean {
    return this.isApproved(name) || this.isSatisfied(this.#lookup.active(name)) || this.isSatisfied(this.#lookup.owner(name));
  }

  usedAll(): boolean {
    for (const used of this.#keys.values()) if (!used) return false;
    return true;
  }

  usedKeys(): PublicKey[] {
    return [...this.#keys].filter(([, used]) => used).map(([key]) => key);
  }

  /** Keys count before accounts; accounts within accounts are judged by their active authority, to a depth of two. */
  isSatisfied({ weight_threshold, key_auths, account_auths }: Authority, depth = 0): boolean {
    let total = 0;
    for (const [key, weight] of key_auths) {
      if (!this.#keys.has(key) && !this.#available.has(key)) continue;
      this.#keys.set(key, true);
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

  /** An account that passes at the top is not approved: only those that were named by others are. */
  #approves(name: AccountName, depth: number): boolean {
    if (this.#approved.has(name)) return true;
    if (depth === MAX_SIGNATURE_CHECK_DEPTH) return false;
    if (!this.isSatisfied(this.#lookup.active(name), depth + 1)) return false;
    this.#approved.add(name);
    return true;
  }
}
