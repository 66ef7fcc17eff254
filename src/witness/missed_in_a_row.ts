import type { AccountName } from '../values/account_name.ts';
import type { Seconds } from '../values/time.ts';

/** The chain's head, and the record of a witness. */
export interface MissesView {
  readonly headNumber: number;
  readonly headTime: Seconds;
  /** The number of slots in the present round. */
  readonly roundSlots: number;
  /** All slots that it has missed, and the number of its last block; undefined when there is no such witness. */
  witnessRecord(witness: AccountName): { readonly missed: number; readonly lastBlock: number } | undefined;
}

interface Head {
  readonly number: number;
  readonly time: Seconds;
}

/** The start of counting: behind the witness's last block, or at our own start. */
interface Beginning {
  readonly missed: number;
  readonly lastBlock: number;
  /** The last head before the first missed slot. */
  before: Head;
}

/**
 * The third slot in a row comes a round behind the first one at the earliest, and a switch takes three blocks: so long
 * one can look at what the others do without losing that slot.
 */
const SLOTS_OF_SWITCH = 4;
const FEWEST_SLOTS = 2;

/** A block of a slow witness may come and be replaced again: then what was missed before it still is. */
const REMEMBERED = 4;

/** Counts the slots that a witness has missed behind its last block, and the slots of the others meanwhile. */
export class MissedInARow {
  readonly #view: MissesView;
  readonly #witness: AccountName;
  readonly #intervalSeconds: number;
  /** The newest is the last one. */
  #beginnings: Beginning[] = [];

  constructor(view: MissesView, witness: AccountName, intervalSeconds: number) {
    this.#view = view;
    this.#witness = witness;
    this.#intervalSeconds = intervalSeconds;
  }

  /** Counts from now on. */
  begin(): void {
    this.#beginnings = [];
    this.look();
  }

  /** Must be called each second. */
  look(): void {
    const record = this.#view.witnessRecord(this.#witness);
    if (record === undefined) return void (this.#beginnings = []);
    const { headNumber } = this.#view;
    const isStill = ({ missed, lastBlock, before }: Beginning): boolean =>
      lastBlock === record.lastBlock && missed <= record.missed && before.number <= headNumber;
    const from = this.#beginnings.find(isStill) ?? { ...record, before: this.#head };
    this.#beginnings = [...this.#beginnings.filter((each) => each !== from), from].slice(-REMEMBERED);
    if (this.count === 0) from.before = this.#head;
  }

  get count(): number {
    const missed = this.#view.witnessRecord(this.#witness)?.missed;
    return missed === undefined || this.#from === undefined ? 0 : missed - this.#from.missed;
  }

  /** The slots of others since the first missed one are so many that they tell whether the others go on. */
  get isLongEnough(): boolean {
    return this.#slotsOfOthers >= Math.max(FEWEST_SLOTS, this.#view.roundSlots - SLOTS_OF_SWITCH);
  }

  /** Two thirds of these have a block: this is no smaller part of a parted network. */
  get doOthersGoOn(): boolean {
    return 3 * (this.#view.headNumber - this.#before.number) >= 2 * this.#slotsOfOthers;
  }

  get #slotsOfOthers(): number {
    return (this.#view.headTime - this.#before.time) / this.#intervalSeconds - this.count;
  }

  get #from(): Beginning | undefined {
    return this.#beginnings.at(-1);
  }

  get #before(): Head {
    return this.#from?.before ?? this.#head;
  }

  get #head(): Head {
    return { number: this.#view.headNumber, time: this.#view.headTime };
  }
}
