import type { AccountName } from '../values/account_name.ts';
import type { Seconds } from '../values/time.ts';
import type { MissReason } from './obstacles.ts';

/** The fate of one of this node's slots. */
export interface SlotOutcome {
  readonly timestamp: Seconds;
  /** The reason why it has no block; undefined when it has one. */
  readonly reason: MissReason | undefined;
}

const DAY_SECONDS = 86_400;
/** A witness that is alone has 28 800 slots a day: the last of these are a strip that one can look at. */
const MOST_SLOTS = 1024;

/** Keeps a history for the next start of the node. */
export interface SlotHistoryStore {
  /** Returns the kept outcomes, oldest first. */
  read(): readonly (readonly [AccountName, SlotOutcome])[];
  /** Never fails: a slot that isn't remembered costs nobody anything. */
  add(witness: AccountName, outcome: SlotOutcome): void;
}

/** The slots of each witness of this node in the last day. */
export class SlotHistory {
  readonly #outcomes = new Map<AccountName, SlotOutcome[]>();
  readonly #store: SlotHistoryStore | undefined;

  /** Without a store, it begins when the node starts. */
  constructor(store?: SlotHistoryStore) {
    this.#store = store;
    for (const [witness, outcome] of store?.read() ?? []) this.#keep(witness, outcome);
  }

  note(witness: AccountName, outcome: SlotOutcome): void {
    this.#keep(witness, outcome);
    this.#store?.add(witness, outcome);
  }

  /** Oldest first. */
  of(witness: AccountName): readonly SlotOutcome[] {
    return this.#outcomes.get(witness) ?? [];
  }

  #keep(witness: AccountName, outcome: SlotOutcome): void {
    const known = this.#outcomes.get(witness) ?? [];
    this.#outcomes.set(witness, known);
    known.push(outcome);
    while (known.length > MOST_SLOTS || (known[0]?.timestamp ?? 0) < outcome.timestamp - DAY_SECONDS) known.shift();
  }
}
