import { present } from '../base/assert.ts';
import type { ArrivingTransactions, FreshTransaction } from './arriving_transactions.ts';
import type { ProvenTransactions } from './chain_access.ts';
import type { Outside } from './outside.ts';
import type { TransactionPool } from './transaction_pool.ts';

export interface FreshProofParts {
  readonly outside: Outside;
  readonly pool: TransactionPool;
  readonly arriving: ArrivingTransactions;
}

/** Who has signed transactions of a block that were not known when it came. What a bundle brings meanwhile, or has brought, is not proved again. */
export class FreshProof {
  readonly #parts: FreshProofParts;

  constructor(parts: FreshProofParts) {
    this.#parts = parts;
  }

  /** At once when there is nothing to prove. */
  prove(fresh: readonly FreshTransaction[], done: (proven: ProvenTransactions) => void): void {
    const { arriving, outside } = this.#parts;
    const isDecided = arriving.whenDecided(fresh, () => this.#proveRest(fresh, done));
    if (!isDecided) outside.intake.hurryTransactions();
  }

  #proveRest(fresh: readonly FreshTransaction[], done: (proven: ProvenTransactions) => void): void {
    const { arriving, pool, outside } = this.#parts;
    const known = fresh.map((one) => pool.same(one));
    const rest = fresh.filter((_, index) => known[index] === undefined);
    if (rest.length === 0) return done({ verified: known.flatMap((one) => one ?? []) });
    for (const { id, packed } of rest) arriving.add(id, packed);
    const packed = rest.map((one) => one.packed);
    outside.intake.proveTransactions(packed, ({ verified, refusal }) => {
      // A bundle that brings them later needs no proof.
      for (const one of verified ?? []) pool.add(one, outside.clock.elapsedMs());
      arriving.decided(rest.map(({ id }) => id));
      if (verified === undefined) return done({ refusal });
      const proven = verified.values();
      done({ verified: known.map((one) => one ?? present(proven.next().value, 'what was proved')) });
    });
  }
}
