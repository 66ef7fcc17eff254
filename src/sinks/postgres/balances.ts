import { assert } from '../../base/assert.ts';

/** The balance of an account, in units of the smallest coin and share. */
export interface Holding {
  coins: bigint;
  shares: bigint;
  /** Not from the first operation on of which nobody can say any more what it took. */
  isExact: boolean;
}

/** An account that a batch has changed or created. */
export interface ChangedAccount {
  readonly name: string;
  readonly createdBlock: number;
  readonly created: string | null;
  readonly creator: string | null;
  readonly coins: bigint;
  readonly shares: bigint;
  readonly isExact: boolean;
}

interface NewAccount {
  readonly createdBlock: number;
  readonly created: string;
  readonly creator: string;
}

/** As many take some 100 MB; beyond, all are read again as they are needed. */
const MOST_KEPT = 500_000;

/** The balances of accounts behind the last operation that was looked at. */
export class Balances {
  readonly #holdings = new Map<string, Holding>();
  readonly #changed = new Set<string>();
  readonly #new = new Map<string, NewAccount>();

  /** Those of the names that have to be put before they are changed. */
  unknown(names: Iterable<string>): string[] {
    if (this.#holdings.size > MOST_KEPT) this.#holdings.clear();
    const missing = new Set<string>();
    for (const name of names) if (!this.#holdings.has(name)) missing.add(name);
    return [...missing];
  }

  /** Without a holding it is an account that does not exist yet. */
  put(name: string, holding: Holding = { coins: 0n, shares: 0n, isExact: true }): void {
    this.#holdings.set(name, holding);
  }

  create(name: string, account: NewAccount): void {
    this.#new.set(name, account);
    this.#changed.add(name);
  }

  /** Changes a balance and returns the new one. */
  change(name: string, coins: bigint, shares: bigint): Holding {
    const holding = this.of(name);
    if (coins !== 0n || shares !== 0n) {
      holding.coins += coins;
      holding.shares += shares;
      this.#changed.add(name);
    }
    return holding;
  }

  /** Notes that an operation changed the account by an unknown amount. */
  doubt(name: string): void {
    this.of(name).isExact = false;
    this.#changed.add(name);
  }

  of(name: string): Holding {
    const holding = this.#holdings.get(name);
    assert(holding !== undefined, 'what an account has is known before it changes');
    return holding;
  }

  /** Returns the accounts changed since the last call. */
  takeChanged(): ChangedAccount[] {
    const changed = [...this.#changed].map((name) => {
      const { createdBlock = 0, created = null, creator = null } = this.#new.get(name) ?? {};
      const { coins, shares, isExact } = this.of(name);
      return { name, createdBlock, created, creator, coins, shares, isExact };
    });
    this.#changed.clear();
    this.#new.clear();
    return changed;
  }
}
