import { refusals } from '../base/refusal.ts';
import type { RequiredAuthorities } from '../operations/operation.ts';
import { TEMP_ACCOUNT } from '../state/parameters.ts';
import { requireRow } from '../state/lookups.ts';
import { accountAuthorities, type AccountAuthority } from '../state/tables/account_authority.ts';
import type { RowReader } from '../storage/rows.ts';
import { compareNames, type AccountName } from '../values/account_name.ts';
import type { Authority } from '../values/authority.ts';
import { MAX_SIGNATURE_CHECK_DEPTH } from '../values/limits.ts';
import { publicKeyText, type PublicKey } from '../values/public_key.ts';

const refuse = refusals({
  missing_active_authority: { text: 'Missing Active Authority {id}', lineageCode: 3_010_000 },
  missing_owner_authority: { text: 'Missing Owner Authority {id}', lineageCode: 3_020_000 },
  missing_other_authority: { text: 'Missing Authority', lineageCode: 3_040_000 },
  irrelevant_signature: { text: 'Unnecessary signature(s) detected', lineageCode: 3_050_000 },
  duplicate_signature: { text: 'Duplicate Signature detected', lineageCode: 3_060_000 },
});

/** Everybody who must have signed a transaction: the union over its operations, names ascending. */
export interface Required {
  readonly active: readonly AccountName[];
  readonly owner: readonly AccountName[];
  readonly other: readonly Authority[];
}

const NOBODY: readonly never[] = [];

/** The union of what the operations ask for. */
export function requiredOf(operations: readonly { authorities(): RequiredAuthorities }[]): Required {
  const [first] = operations;
  if (first !== undefined && operations.length === 1) return unionOf([first.authorities()]);
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
  const [first] = lists;
  if (lists.length === 1 && (first === undefined || first.length < 2)) return first ?? NOBODY;
  return [...new Set(lists.flatMap((list) => list ?? NOBODY))].sort(compareNames);
}

/**
 * Refuses signers who do not suffice, or of whom one is not needed (chain.md 5.8): spelt-out authorities first, then active ones,
 * for which the owner may stand in, then owners. `keyPrefix` is for the refusal, which names the keys that did sign.
 */
export function checkAuthorities(rows: RowReader, required: Required, signers: readonly PublicKey[], keyPrefix: string): void {
  const check = new SignatureCheck(rows, signers);
  const signed = (): { readonly signers: readonly string[] } => ({ signers: signers.map((key) => publicKeyText(key, keyPrefix)) });
  if (check.keyCount !== signers.length) refuse.duplicate_signature(signed());
  for (const authority of required.other) if (!check.isSatisfied(authority)) refuse.missing_other_authority(signed());
  for (const id of required.active) if (!check.hasActive(id)) refuse.missing_active_authority({ id, ...signed() });
  for (const id of required.owner) if (!check.hasOwner(id)) refuse.missing_owner_authority({ id, ...signed() });
  if (!check.usedAll()) refuse.irrelevant_signature(signed());
}

/** What a set of keys proves, and which of them were looked at on the way. */
class SignatureCheck {
  readonly #rows: RowReader;
  /** Each key, and whether some authority has asked for it. */
  readonly #keys = new Map<PublicKey, boolean>();
  readonly #approved = new Set<AccountName>([TEMP_ACCOUNT]);

  constructor(rows: RowReader, signers: readonly PublicKey[]) {
    this.#rows = rows;
    for (const key of signers) this.#keys.set(key, false);
  }

  get keyCount(): number {
    return this.#keys.size;
  }

  hasActive(name: AccountName): boolean {
    if (this.#approved.has(name)) return true;
    const { active, owner } = this.#authoritiesOf(name);
    return this.isSatisfied(active) || this.isSatisfied(owner);
  }

  /** An account that was approved on the way was judged by its active authority, so that doesn't count here. */
  hasOwner(name: AccountName): boolean {
    return this.isSatisfied(this.#authoritiesOf(name).owner);
  }

  usedAll(): boolean {
    for (const used of this.#keys.values()) if (!used) return false;
    return true;
  }

  /** Keys count before accounts; accounts within accounts are judged by their active authority, to a depth of two. */
  isSatisfied({ weight_threshold, key_auths, account_auths }: Authority, depth = 0): boolean {
    let total = 0;
    for (const [key, weight] of key_auths) {
      if (!this.#keys.has(key)) continue;
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

  #approves(name: AccountName, depth: number): boolean {
    if (this.#approved.has(name)) return true;
    if (depth === MAX_SIGNATURE_CHECK_DEPTH) return false;
    if (!this.isSatisfied(this.#authoritiesOf(name).active, depth + 1)) return false;
    this.#approved.add(name);
    return true;
  }

  #authoritiesOf(name: AccountName): AccountAuthority {
    return requireRow(this.#rows, accountAuthorities, name, name);
  }
}
