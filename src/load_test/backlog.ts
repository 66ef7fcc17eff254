import { LOOK_UPS, type BlockReader } from './block_reader.ts';

/** Of all that was acknowledged one in so many is asked for; more are left out when the node falls behind. */
const FIRST_STEP = 100;
const MOST_ASKED = 16;

/** A transaction that stands for those before it. */
interface Sample {
  readonly id: string;
  /** The number of acknowledged ones up to it. */
  readonly count: number;
}

/**
 * Estimates the acknowledged transactions that wait for a block: they enter blocks nearly in their order, so a few
 * samples show the node's progress at little cost.
 */
export class Backlog {
  readonly #reader: BlockReader;
  /** Oldest first. */
  #samples: Sample[] = [];
  /** The last ones, which are asked for in the end. */
  readonly #last: string[] = [];
  #step = FIRST_STEP;
  #acknowledged = 0;
  #included = 0;
  #isLooking = false;

  constructor(reader: BlockReader) {
    this.#reader = reader;
  }

  get included(): number {
    return this.#included;
  }

  get waiting(): number {
    return this.#acknowledged - this.#included;
  }

  /** The node has acknowledged this one. */
  add(id: string): void {
    this.#acknowledged++;
    this.#last.push(id);
    if (this.#last.length > LOOK_UPS) this.#last.shift();
    if (this.#acknowledged % this.#step !== 0) return;
    this.#samples.push({ id, count: this.#acknowledged });
    if (this.#samples.length <= MOST_ASKED) return;
    this.#samples = this.#samples.filter((_, index) => index % 2 === 1);
    this.#step *= 2;
  }

  /** Asks how far the node has come, unless that is being asked. */
  async look(): Promise<void> {
    const samples = this.#samples;
    if (samples.length === 0 || this.#isLooking) return;
    this.#isLooking = true;
    const blocks = await this.#reader.findBlocks(samples.map(({ id }) => id)).finally(() => (this.#isLooking = false));
    const found = samples.filter((_, index) => blocks[index] !== undefined);
    this.#included = Math.max(this.#included, found.at(-1)?.count ?? 0);
    this.#samples = this.#samples.filter(({ count }) => count > this.#included);
    if (this.#samples.length < MOST_ASKED / 4) this.#step = Math.max(FIRST_STEP, this.#step / 2);
  }

  /** Asks for the last ones, and answers how many of them are in no block: when none is, hardly any other is. */
  async lookAtLast(): Promise<number> {
    const blocks = await this.#reader.findBlocks(this.#last);
    const missing = blocks.filter((block) => block === undefined).length;
    // While none of them is in a block, many before them may not be either.
    if (missing < this.#last.length) this.#included = Math.max(this.#included, this.#acknowledged - missing);
    return missing;
  }
}
