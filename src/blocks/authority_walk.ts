import type { AccountName } from '../values/account_name.ts';
import { TEMP_ACCOUNT, type Authority } from '../values/authority.ts';
import { MAX_SIGNATURE_CHECK_DEPTH } from '../values/limits.ts';
import type { PublicKey } from '../values/public_key.ts';

/** Who may act for accounts: whoever looks up decides what becomes of an account that does not exist. */
export interface AuthorityLookup {
  active(name: AccountName): Authority;
  owner(name: AccountName): Authority;
}

/** What the keys at hand prove, walked from authority to authority (wire.md 9.2); it remembers what it met on the way. */
export class AuthorityWalk {
  readonly #lookup: AuthorityLookup;
  readonly #isAtHand: (key: PublicKey) => boolean;
  readonly #approved: Set<AccountName>;
  /** The keys at hand that some authority has asked for. */
  readonly used: Set<PublicKey>;

  constructor(lookup: AuthorityLookup, isAtHand: (key: PublicKey) => boolean, { approved = [TEMP_ACCOUNT], used = [] }: Met = {}) {
    this.#lookup = lookup;
    this.#isAtHand = isAtHand;
    this.#approved = new Set(approved);
    this.used = new Set(used);
  }

  /** A walk that goes on from here and leaves this one as it is. */
  copy(): AuthorityWalk {
    return new AuthorityWalk(this.#lookup, this.#isAtHand, { approved: this.#approved, used: this.used });
  }

  isApproved(name: AccountName): boolean {
    return this.#approved.has(name);
  }

  /** For what asks for the active authority the owner's stands in. */
  actsFor(name: AccountName): boolean {
    return this.isApproved(name) || this.satisfiesActive(name) || this.satisfiesOwner(name);
  }

  satisfiesActive(name: AccountName): boolean {
    return this.satisfies(this.#lookup.active(name));
  }

  satisfiesOwner(name: AccountName): boolean {
    return this.satisfies(this.#lookup.owner(name));
  }

  /** Keys count before accounts; accounts within accounts are judged by their active authority, to a depth of two. */
  satisfies({ weight_threshold, key_auths, account_auths }: Authority, depth = 0): boolean {
    let total = 0;
    for (const [key, weight] of key_auths) {
      if (!this.#isAtHand(key)) continue;
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

  /** An account that passes at the top is not approved: only those that were named by others are. */
  #approves(name: AccountName, depth: number): boolean {
    if (this.#approved.has(name)) return true;
    if (depth === MAX_SIGNATURE_CHECK_DEPTH) return false;
    if (!this.satisfies(this.#lookup.active(name), depth + 1)) return false;
    this.#approved.add(name);
    return true;
  }
}

interface Met {
  readonly approved?: Iterable<AccountName>;
  readonly used?: Iterable<PublicKey>;
}
