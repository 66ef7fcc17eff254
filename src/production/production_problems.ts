import type { ProductionUpdate } from './reports.ts';
import type { ChainParameters } from '../state/parameters.ts';
import { foreignSentence, type KeyGuard } from '../witness/key_guard.ts';

/** Tells the front what `/health` has to say of production, whenever that changes. */
export class ProductionProblems {
  readonly #parameters: ChainParameters;
  readonly #tell: (message: ProductionUpdate) => void;
  #told = '';

  constructor(parameters: ChainParameters, tell: (message: ProductionUpdate) => void) {
    this.#parameters = parameters;
    this.#tell = tell;
  }

  tell(foreign: KeyGuard['foreign'], others: readonly string[]): void {
    const { profile, blockIntervalSeconds } = this.#parameters;
    const problems = [
      ...foreign.map((block) => foreignSentence(block, profile.keyPrefix, blockIntervalSeconds)),
      ...others,
    ];
    const said = problems.join();
    if (said === this.#told) return;
    this.#told = said;
    this.#tell({ kind: 'production', problems });
  }
}
