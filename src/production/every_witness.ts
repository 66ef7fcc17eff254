import type { Chain } from '../chain/chain.ts';
import type { AccountName } from '../values/account_name.ts';
import type { PublicKey } from '../values/public_key.ts';
import type { OwnWitnesses } from '../witness/produce.ts';

/** Each witness that signs with one of these keys, as of the head; those of the present round are told. */
export class EveryWitness implements OwnWitnesses {
  readonly #chain: Chain;
  readonly #keys: ReadonlySet<PublicKey>;

  constructor(chain: Chain, keys: ReadonlySet<PublicKey>) {
    this.#chain = chain;
    this.#keys = keys;
  }

  get size(): number {
    return this.#ofRound().size;
  }

  has(witness: AccountName): boolean {
    return this.#keys.has(this.#chain.signingKeyOf(witness) ?? '');
  }

  [Symbol.iterator](): Iterator<AccountName> {
    return this.#ofRound().values();
  }

  #ofRound(): Set<AccountName> {
    return new Set(this.#chain.headSigners.map(({ witness }) => witness).filter((witness) => this.has(witness)));
  }
}
