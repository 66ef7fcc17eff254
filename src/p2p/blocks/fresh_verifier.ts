import { present } from '../../base/assert.ts';
import type { VerifiedTransaction } from '../../blocks/transaction.ts';
import { packIds } from '../transactions/id_table.ts';
import type { ArrivingTransactions, FreshTransaction } from '../transactions/arriving_transactions.ts';
import type { TransactionVerification } from '../environment/chain_access.ts';
import type { Environment } from '../environment/environment.ts';
import type { TransactionPool } from '../transactions/transaction_pool.ts';

export interface FreshVerifierParts {
  readonly environment: Environment;
  readonly pool: TransactionPool;
  readonly arriving: ArrivingTransactions;
}

/**
 * Finds the signers of transactions that were unknown when their block came. Signers that a bundle has brought
 * meanwhile are not recovered again.
 */
export class FreshVerifier {
  readonly #parts: FreshVerifierParts;

  constructor(parts: FreshVerifierParts) {
    this.#parts = parts;
  }

  /** At once when there is nothing to verify. */
  verify(fresh: readonly FreshTransaction[], done: (proven: TransactionVerification) => void): void {
    const { arriving, environment } = this.#parts;
    const isDecided = arriving.whenDecided(fresh, () => this.#verifyRest(fresh, done));
    if (!isDecided) environment.intake.hurryTransactions();
  }

  #verifyRest(fresh: readonly FreshTransaction[], done: (proven: TransactionVerification) => void): void {
    const { arriving, pool, environment } = this.#parts;
    const known: (VerifiedTransaction | undefined)[] = [];
    const rest: FreshTransaction[] = [];
    for (const one of fresh) {
      const same = pool.same(one);
      known.push(same);
      if (same === undefined) rest.push(one);
    }
    if (rest.length === 0) return done({ verified: known.flatMap((one) => one ?? []) });
    const ids = packIds(rest);
    arriving.add(ids, rest);
    const packed = rest.map((one) => one.packed);
    environment.intake.verifyTransactions(packed, ({ verified, refusal }) => {
      // A bundle that brings them later needs no verification.
      for (const one of verified ?? []) pool.add(one, environment.clock.elapsedMs());
      arriving.decided(ids);
      if (verified === undefined) return done({ refusal });
      const proven = verified.values();
      done({ verified: known.map((one) => one ?? present(proven.next().value, 'what was verified')) });
    });
  }
}
