import type { AccountName } from '../values/account_name.ts';
import { NULL_KEY, publicKeyText, type PublicKey } from '../values/public_key.ts';
import { timeText, type Seconds } from '../values/time.ts';
import { sentences, type Facts, type Obstacle } from './obstacles.ts';
import type { NoSlot, Producer, ProductionView, ProductionSlot } from './produce.ts';

/** How a witness of this node's stands. */
export interface WitnessFigures {
  readonly witness: AccountName;
  readonly missedSlots: number;
  readonly obstacle: Obstacle | undefined;
}

/** What the watch is built on. */
export interface ProductionWatchOptions {
  readonly chain: ProductionView;
  readonly producer: Producer;
  /** Of public keys as text. */
  readonly keyPrefix: string;
  /** Whether slots are counted: where the pace is this node's own, none is missed. */
  readonly countsSlots: boolean;
  readonly warn: (sentence: string) => void;
}

/** What the loop found at a look. */
export interface Look {
  readonly nowMs: number;
  readonly turn: ProductionSlot | NoSlot;
}

/** A slot of this node's whose block is still to come. */
interface OpenSlot {
  readonly witness: AccountName;
  readonly timestamp: Seconds;
  readonly obstacle: Obstacle;
}

/** Slots that are looked at when a process wakes behind a long sleep: a day of them. More are not counted. */
const MOST_PASSED_SLOTS = 28_800;

/**
 * Tells whoever runs a node why its witnesses make no blocks: each missed slot once, each new reason once, with what to do about it.
 */
export class ProductionWatch {
  readonly #options: ProductionWatchOptions;
  readonly #missed = new Map<AccountName, number>();
  readonly #obstacles = new Map<AccountName, Obstacle>();
  /** Witnesses with whose key this node could sign once. */
  readonly #fitted = new Set<AccountName>();
  #unusedKeys: readonly PublicKey[] = [];
  #isFirst = true;
  /** Of each witness's last slot, until its next one. */
  readonly #ofLastSlot = new Map<AccountName, Obstacle | undefined>();
  #open: OpenSlot | undefined;
  #lookedAt: Seconds | undefined;

  constructor(options: ProductionWatchOptions) {
    this.#options = options;
  }

  get witnesses(): WitnessFigures[] {
    return [...this.#options.producer.witnesses].map((witness) => ({
      witness,
      missedSlots: this.#missed.get(witness) ?? 0,
      obstacle: this.#obstacles.get(witness),
    }));
  }

  /** How many secrets there are that no witness of this node's signs with. */
  get unusedKeys(): number {
    return this.#unusedKeys.length;
  }

  /** Hears of each look of the loop, behind what came of it. */
  take({ nowMs, turn }: Look): void {
    const now = Math.trunc(nowMs / 1000);
    if (this.#options.countsSlots) this.#followSlots(now, turn);
    if (turn.kind !== 'not_synced') this.#lookForUnusedKeys();
    for (const witness of this.#options.producer.witnesses) this.#note(witness, this.#obstacleOf(witness, now, turn), now);
  }

  #followSlots(now: Seconds, turn: ProductionSlot | NoSlot): void {
    const { chain, producer } = this.#options;
    const scheduled = turn.kind === 'not_synced' ? undefined : chain.productionSlotAt(now);
    const last = this.#open;
    const goesOn = last !== undefined && scheduled?.timestamp === last.timestamp;
    if (last !== undefined && !goesOn) this.#close(last);
    if (turn.kind !== 'not_synced') this.#countPassed(scheduled?.timestamp ?? now);
    this.#lookedAt = now;
    if (turn.kind === 'produce') this.#closeMade(turn);
    // What came first in a slot is the reason: what comes behind it is late in any case.
    if (goesOn || scheduled === undefined || !producer.witnesses.has(scheduled.witness)) return;
    if (turn.kind !== 'produce') this.#begin(scheduled, ofSlot(turn));
  }

  #begin({ witness, timestamp }: Pick<OpenSlot, 'witness' | 'timestamp'>, obstacle: Obstacle | undefined): void {
    this.#ofLastSlot.set(witness, obstacle);
    this.#open = { witness, timestamp, obstacle: obstacle ?? 'wrong_key' };
  }

  /** The block of a turn is there, or was refused. */
  #closeMade({ witness, timestamp }: ProductionSlot): void {
    if (this.#options.chain.slotTime(1) <= timestamp) return this.#begin({ witness, timestamp }, 'refused');
    this.#ofLastSlot.delete(witness);
    this.#open = undefined;
  }

  /** The slot is over; another machine may have made its block. */
  #close({ witness, timestamp, obstacle }: OpenSlot): void {
    this.#open = undefined;
    if (this.#options.chain.headTime === timestamp) return;
    this.#missed.set(witness, (this.#missed.get(witness) ?? 0) + 1);
    this.#options.warn(`witness ${witness} has missed its slot of ${timeText(timestamp)}: ${obstacle}`);
  }

  /** Own slots between two looks, when this process stood still or its clock jumped. */
  #countPassed(current: Seconds): void {
    const { chain, producer } = this.#options;
    const before = this.#lookedAt;
    if (before === undefined) return;
    const passed = new Map<AccountName, number>();
    for (let slot = 1; slot <= MOST_PASSED_SLOTS && chain.slotTime(slot) < current; slot++) {
      const time = chain.slotTime(slot);
      const witness = chain.productionSlotAt(time)?.witness;
      if (time > before && witness !== undefined && producer.witnesses.has(witness)) passed.set(witness, (passed.get(witness) ?? 0) + 1);
    }
    for (const [witness, count] of passed) {
      this.#missed.set(witness, (this.#missed.get(witness) ?? 0) + count);
      this.#options.warn(
        `witness ${witness} has missed ${count} slots between ${timeText(before)} and ${timeText(current)}: this process stood still, or the clock jumped`,
      );
    }
  }

  #obstacleOf(witness: AccountName, now: Seconds, turn: ProductionSlot | NoSlot): Obstacle | undefined {
    if (turn.kind === 'not_synced') return 'not_synced';
    const { chain, producer, countsSlots } = this.#options;
    const key = chain.signingKeyOf(witness);
    if (key === undefined) return 'unknown_witness';
    if (key === NULL_KEY) return 'stopped';
    if (!producer.secrets.has(key)) return this.#fitted.has(witness) ? 'key_replaced' : 'wrong_key';
    this.#fitted.add(witness);
    // A second is what clocks of honest machines may differ by.
    if (countsSlots && chain.headTime > now + 1) return 'clock';
    return this.#ofLastSlot.get(witness);
  }

  #note(witness: AccountName, obstacle: Obstacle | undefined, now: Seconds): void {
    if (this.#obstacles.get(witness) === obstacle) return;
    if (obstacle === undefined) this.#obstacles.delete(witness);
    else this.#obstacles.set(witness, obstacle);
    if (obstacle !== undefined) this.#options.warn(sentences[obstacle](this.#factsOf(witness, now)));
  }

  #factsOf(witness: AccountName, now: Seconds): Facts {
    const { chain, producer, keyPrefix } = this.#options;
    return {
      witness,
      key: publicKeyText(chain.signingKeyOf(witness) ?? NULL_KEY, keyPrefix),
      headAgeSeconds: now - chain.headTime,
      participationPercent: chain.participation / 100,
      requiredPercent: producer.requiredParticipation / 100,
    };
  }

  #lookForUnusedKeys(): void {
    const { producer, chain, keyPrefix, warn } = this.#options;
    const used = new Set([...producer.witnesses].map((witness) => chain.signingKeyOf(witness)));
    this.#unusedKeys = [...producer.secrets.keys()].filter((key) => !used.has(key));
    if (!this.#isFirst) return;
    this.#isFirst = false;
    for (const key of this.#unusedKeys)
      warn(`no configured witness signs with the private-key of ${publicKeyText(key, keyPrefix)}: remove it, or add its witness`);
  }
}

/** What a look says of an own slot; undefined when nothing stands in the way but the key. */
function ofSlot({ kind }: ProductionSlot | NoSlot): Obstacle | undefined {
  if (kind === 'low_participation') return kind;
  return kind === 'lag' ? 'late' : undefined;
}
