import type { PublicKey } from '../values/public_key.ts';
import type { OwnWitnesses, Producer } from './produce.ts';

/** The facts of a producer, and the chain's head. */
export interface RestartableParts extends Omit<Producer, 'requiredParticipation'> {
  /** Returns the required participation at the head, in hundredths of a percent. */
  readonly usualParticipation: () => number;
  readonly headNumber: () => number;
}

/** Blocks for which nothing is asked of participation: more than the 128 slots that it counts. */
const RESTART_BLOCKS = 200;

/**
 * The witnesses and keys of a node, whose operator may have a stopped chain go on: for a while participation is no
 * reason to make no block.
 */
export class RestartableProducer implements Producer {
  readonly witnesses: OwnWitnesses;
  readonly keys: ReadonlySet<PublicKey>;
  readonly #usual: () => number;
  readonly #headNumber: () => number;
  #lowUntil = 0;

  constructor({ witnesses, keys, usualParticipation, headNumber }: RestartableParts) {
    this.witnesses = witnesses;
    this.keys = keys;
    this.#usual = usualParticipation;
    this.#headNumber = headNumber;
  }

  get requiredParticipation(): number {
    return this.#headNumber() < this.#lowUntil ? 0 : this.#usual();
  }

  /** From which block on the usual participation is required again. */
  restart(): number {
    this.#lowUntil = this.#headNumber() + RESTART_BLOCKS;
    return this.#lowUntil;
  }
}
