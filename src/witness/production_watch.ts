import type { WriteLine } from '../base/log_events/index.ts';
import type { AccountName } from '../values/account_name.ts';
import { NULL_KEY, publicKeyText, type PublicKey } from '../values/public_key.ts';
import { timeText, type Seconds } from '../values/time.ts';
import { sentences, type Facts, type Obstacle } from './obstacles.ts';
import type { SlotHistory, SlotOutcome } from './slot_history.ts';
import type { NoSlot, Producer, ProductionView, ProductionSlot } from './produce.ts';

/** The state of one of this node's witnesses. */
export interface WitnessFigures {
  readonly witness: AccountName;
  readonly missedSlots: number;
  readonly obstacle: Obstacle | undefined;
  /** Advice for the operator; '' for none. */
  readonly advice: string;
  /** Of the last day, oldest first. */
  readonly slots: readonly SlotOutcome[];
}

export interface ProductionWatchOptions {
  readonly chain: ProductionView;
  readonly producer: Producer;
  /** The prefix of public keys as text. */
  readonly keyPrefix: string;
  /** True when slots are counted: at a block rate of this node's own, none is missed. */
  readonly countsSlots: boolean;
  /** True when another machine makes the blocks of a witness, and this one stands by. */
  readonly standsBy: (witness: AccountName) => boolean;
  /** True when a block for a slot of that time waits for its signature. */
  readonly isBeingSigned: (timestamp: Seconds) => boolean;
  /** True when a key votes in the epoch that has begun; a replaced one does until the epoch ends. */
  readonly hasVote: (key: PublicKey) => boolean;
  /** Returns the rest of a key's wait, in seconds. */
  readonly waitSeconds: (key: PublicKey) => number;
  readonly history: SlotHistory;
  readonly warn: WriteLine<'warning'>;
}

/** The result of one check by the loop. */
export interface Look {
  readonly nowMs: number;
  readonly slot: ProductionSlot | NoSlot;
}

/** One of this node's slots whose block isn't there yet. */
interface OpenSlot {
  readonly witness: AccountName;
  readonly timestamp: Seconds;
  readonly obstacle: Obstacle;
}

/** Slots examined when a process wakes after a long sleep: a day's worth. Earlier ones aren't counted. */
const MOST_PASSED_SLOTS = 28_800;

/**
 * Tells the operator why witnesses of this node produce no blocks: each missed slot once, each new reason once, with
 * what to do about it.
 */
export class ProductionWatch {
  readonly #options: ProductionWatchOptions;
  readonly #missed = new Map<AccountName, number>();
  readonly #obstacles = new Map<AccountName, Obstacle>();
  /** Witnesses whose signing key this node once had. */
  readonly #fitted = new Set<AccountName>();
  #unusedKeys: readonly PublicKey[] = [];
  #isFirst = true;
  /** The obstacle of each witness's last slot, until its next slot. */
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
      advice: this.#adviceOn(witness),
      slots: this.#options.history.of(witness),
    }));
  }

  /** The number of keys that none of this node's witnesses signs with. */
  get unusedKeys(): number {
    return this.#unusedKeys.length;
  }

  /** Takes the result of each check by the loop, after it has been acted on. */
  take({ nowMs, slot }: Look): void {
    const now = Math.trunc(nowMs / 1000);
    if (this.#options.countsSlots) this.#followSlots(now, slot);
    if (slot.kind !== 'not_synced') this.#lookForUnusedKeys();
    for (const witness of this.#options.producer.witnesses)
      this.#note(witness, this.#findObstacle(witness, now, slot), now);
  }

  /** The operator wants blocks again: a slot that was missed on his word is no reason to look at any more. */
  resumed(): void {
    for (const obstacles of [this.#ofLastSlot, this.#obstacles])
      for (const [witness, obstacle] of obstacles) if (obstacle === 'paused') obstacles.delete(witness);
  }

  #followSlots(now: Seconds, slot: ProductionSlot | NoSlot): void {
    const { chain } = this.#options;
    const scheduled = slot.kind === 'not_synced' ? undefined : chain.findProductionSlot(now);
    const last = this.#open;
    const goesOn = last !== undefined && scheduled?.timestamp === last.timestamp;
    if (last !== undefined && !goesOn) this.#close(last);
    if (slot.kind !== 'not_synced') this.#countPassed(scheduled?.timestamp ?? now);
    this.#lookedAt = now;
    if (slot.kind === 'produce') this.#closeMade(slot);
    // The first obstacle in a slot is the reason: any attempt after it is late anyway.
    if (goesOn || scheduled === undefined || !this.#isOurs(scheduled.witness)) return;
    if (slot.kind !== 'produce') this.#begin(scheduled, ofSlot(slot));
  }

  /** True when its slots are to be filled here. */
  #isOurs(witness: AccountName): boolean {
    return this.#options.producer.witnesses.has(witness) && !this.#options.standsBy(witness);
  }

  #begin({ witness, timestamp }: Pick<OpenSlot, 'witness' | 'timestamp'>, obstacle: Obstacle | undefined): void {
    this.#ofLastSlot.set(witness, obstacle);
    this.#open = { witness, timestamp, obstacle: obstacle ?? 'wrong_key' };
  }

  /** Closes a slot whose block was produced or refused. */
  #closeMade({ witness, timestamp }: ProductionSlot): void {
    const { chain, isBeingSigned } = this.#options;
    if (isBeingSigned(timestamp)) return void (this.#open = { witness, timestamp, obstacle: 'unsigned' });
    if (chain.slotTime(1) <= timestamp) return this.#begin({ witness, timestamp }, 'refused');
    this.#made(witness, timestamp);
    this.#open = undefined;
  }

  #made(witness: AccountName, timestamp: Seconds): void {
    this.#ofLastSlot.delete(witness);
    this.#options.history.note(witness, { timestamp, reason: undefined });
  }

  /** Closes a slot that is over; another machine may have produced its block. */
  #close({ witness, timestamp, obstacle }: OpenSlot): void {
    this.#open = undefined;
    if (this.#options.chain.headTime === timestamp) return this.#made(witness, timestamp);
    this.#options.history.note(witness, { timestamp, reason: obstacle });
    if (obstacle === 'unsigned') this.#ofLastSlot.set(witness, obstacle);
    this.#missed.set(witness, (this.#missed.get(witness) ?? 0) + 1);
    this.#options.warn(`witness ${witness} has missed its slot of ${timeText(timestamp)}: ${obstacle}`, 'slot_missed', {
      ...{ witness, slot: timeText(timestamp), obstacle },
    });
  }

  /** Counts own slots between two checks, after this process was suspended or its clock jumped. */
  #countPassed(current: Seconds): void {
    const { chain } = this.#options;
    const before = this.#lookedAt;
    if (before === undefined) return;
    const passed = new Map<AccountName, number>();
    for (let slot = 1; slot <= MOST_PASSED_SLOTS && chain.slotTime(slot) < current; slot++) {
      const time = chain.slotTime(slot);
      const witness = chain.findProductionSlot(time)?.witness;
      if (time <= before || witness === undefined || !this.#isOurs(witness)) continue;
      passed.set(witness, (passed.get(witness) ?? 0) + 1);
      this.#options.history.note(witness, { timestamp: time, reason: 'stood_still' });
    }
    for (const [witness, count] of passed) {
      this.#missed.set(witness, (this.#missed.get(witness) ?? 0) + count);
      this.#options.warn(
        `witness ${witness} has missed ${count} slots between ${timeText(before)} and ${timeText(current)}: this process stood still, or the clock jumped`,
        'slots_slept_through',
        { witness, slots: count },
      );
    }
  }

  #findObstacle(witness: AccountName, now: Seconds, slot: ProductionSlot | NoSlot): Obstacle | undefined {
    if (slot.kind === 'not_synced') return 'not_synced';
    const { chain, producer, countsSlots, standsBy } = this.#options;
    if (standsBy(witness)) return 'standing_by';
    const key = chain.signingKeyOf(witness);
    if (key === undefined) return 'unknown_witness';
    if (key === NULL_KEY) return 'stopped';
    if (!producer.keys.has(key)) return this.#fitted.has(witness) ? 'key_replaced' : 'wrong_key';
    this.#fitted.add(witness);
    // The clocks of honest machines may differ by a second.
    if (countsSlots && chain.headTime > now + 1) return 'clock';
    return this.#ofLastSlot.get(witness);
  }

  #note(witness: AccountName, obstacle: Obstacle | undefined, now: Seconds): void {
    if (this.#obstacles.get(witness) === obstacle) return;
    if (obstacle === undefined) this.#obstacles.delete(witness);
    else this.#obstacles.set(witness, obstacle);
    if (obstacle === undefined) return;
    const sentence = sentences[obstacle](this.#factsOf(witness, now));
    this.#options.warn(sentence, 'production_hindered', { witness, obstacle });
  }

  #adviceOn(witness: AccountName): string {
    const obstacle = this.#obstacles.get(witness);
    return obstacle === undefined ? '' : sentences[obstacle](this.#factsOf(witness, this.#lookedAt ?? 0));
  }

  #factsOf(witness: AccountName, now: Seconds): Facts {
    const { chain, producer, keyPrefix } = this.#options;
    return {
      witness,
      key: publicKeyText(chain.signingKeyOf(witness) ?? NULL_KEY, keyPrefix),
      headAgeSeconds: now - chain.headTime,
      participationPercent: chain.participation / 100,
      requiredPercent: producer.requiredParticipation / 100,
      stillVotes: this.#keysWithoutWitness().some((each) => this.#options.hasVote(each)),
      waitSeconds: this.#options.waitSeconds(chain.signingKeyOf(witness) ?? NULL_KEY),
    };
  }

  #keysWithoutWitness(): PublicKey[] {
    const { producer, chain } = this.#options;
    const used = new Set([...producer.witnesses].map((witness) => chain.signingKeyOf(witness)));
    return [...producer.keys].filter((key) => !used.has(key));
  }

  #lookForUnusedKeys(): void {
    const { producer, keyPrefix, warn, standsBy, hasVote } = this.#options;
    const isStandby = [...producer.witnesses].some(standsBy);
    this.#unusedKeys = isStandby ? [] : this.#keysWithoutWitness().filter((key) => !hasVote(key));
    if (!this.#isFirst) return;
    this.#isFirst = false;
    for (const key of this.#unusedKeys)
      warn(
        `no configured witness signs with the private-key of ${publicKeyText(key, keyPrefix)}: remove it, or add its witness`,
        'key_unused',
        { key: publicKeyText(key, keyPrefix) },
      );
  }
}

const ownReasons = ['low_participation', 'paused', 'foreign', 'watching', 'clock_unconfirmed'] as const;

/** The obstacle found by a check in an own slot; undefined when there is none other than the key. */
function ofSlot({ kind }: ProductionSlot | NoSlot): Obstacle | undefined {
  if (kind === 'lag') return 'late';
  return ownReasons.find((reason) => reason === kind);
}
