import assert from 'node:assert/strict';

import { Standby, type KeptStandby } from '../../src/witness/standby.ts';
import { testKey } from '../builders/chain.ts';
import { RandomSource } from '../builders/random_source.ts';
import { HandClock } from '../builders/hand_clock.ts';
import { packedSwitch, switchTerms } from '../builders/key_switch.ts';

const CHAIN = 'ab'.repeat(32);
const START = 1_600_000_000 - (1_600_000_000 % 3);
const [WITNESSES, SLOT_SECONDS, SLOTS_A_DAY] = [51, 3, 28_800];
const SWITCH_EACH_SLOTS = 400;
const [HOUR, OTHERS_MISS_PER_MILLE, OURS_MISS_PER_MILLE] = [3600, 20, 50];
const [FORK_PER_MILLE, AWAY_PER_MILLE, RESTART_PER_10_000, FREEZE_PER_10_000] = [5, 10, 2, 2];
const LONGEST_FREEZE_SLOTS = 100;
const PEERS = ['p1', 'p2', 'p3', 'p4', 'p5'];

/**
 * A standby and a chain of which only heads are modelled, so that years of days are watched in minutes: slots are
 * missed now and then, ours more often than others' but never two in a row, last blocks are replaced, peers come and
 * go, and the standby starts again.
 */
export class HealthyDays {
  readonly #randomSource: RandomSource;
  readonly #clock = new HandClock(START * 1000);
  readonly #view = {
    headNumber: 100_000,
    headTime: START,
    irreversible: 99_960,
    roundSlots: WITNESSES,
    participation: 9800,
    missed: 0,
    lastBlock: 99_990,
    signingKeyOf: () => testKey('bob'),
    witnessRecord: () => ({ missed: this.#view.missed, lastBlock: this.#view.lastBlock }),
  };
  #kept: KeptStandby | undefined;
  #standby = this.#started();
  #round: number[] = [];
  #hasJustMissed = false;
  #hadMissedBefore = false;
  #lastBlockBefore = 0;
  #frozenSlots = 0;
  /** The number of takeovers that it would have made. */
  switches = 0;
  /** Of all slots, in how many it was ready to. */
  ready = 0;
  missed = 0;

  constructor(seed: number) {
    this.#randomSource = new RandomSource(seed);
  }

  day(): void {
    for (let slot = 0; slot < SLOTS_A_DAY; slot++) {
      if (slot % SWITCH_EACH_SLOTS === 0) this.#give();
      this.#slot();
      if (this.#standby.report().obstacle === undefined) this.ready++;
    }
  }

  #slot(): void {
    if (this.#round.length === 0)
      this.#round = this.#randomSource.shuffle(Array.from({ length: WITNESSES }, (_, index) => index));
    const isOurs = this.#round.pop() === 0;
    this.#view.headTime += SLOT_SECONDS;
    this.#clock.pass(SLOT_SECONDS * 1000);
    const misses =
      this.#randomSource.roll(1000) < (isOurs ? OURS_MISS_PER_MILLE : OTHERS_MISS_PER_MILLE) &&
      !(isOurs && this.#hasJustMissed);
    if (isOurs) this.#hadMissedBefore = this.#hasJustMissed;
    if (isOurs) this.#hasJustMissed = misses;
    if (isOurs && misses) this.missed++;
    if (misses) return this.#pass(isOurs ? 1 : 0);
    this.#view.headNumber++;
    if (isOurs) this.#lastBlockBefore = this.#view.lastBlock;
    if (isOurs) this.#view.lastBlock = this.#view.headNumber;
    this.#look();
    if (this.#randomSource.roll(1000) < FORK_PER_MILLE) this.#fork(isOurs);
  }

  /** The last block is replaced by one of the next slot; ours was in vain then. */
  #fork(isOurs: boolean): void {
    if (isOurs && this.#hadMissedBefore) return;
    this.#view.headNumber--;
    if (isOurs) this.#view.lastBlock = this.#lastBlockBefore;
    this.#look();
    this.#view.headNumber++;
    this.#view.headTime += SLOT_SECONDS;
    this.#round.pop();
    if (isOurs) this.#view.missed++;
    if (isOurs) this.#hasJustMissed = true;
    this.#look();
  }

  /** A slot without a block: its head is that of the slot before, and who missed it is counted with the next one. */
  #pass(missed: number): void {
    this.#view.headTime -= SLOT_SECONDS;
    this.#look();
    this.#view.headTime += SLOT_SECONDS;
    this.#view.missed += missed;
  }

  #look(): void {
    if (this.#frozenSlots-- > 0) return;
    if (this.#randomSource.roll(10_000) < FREEZE_PER_10_000)
      this.#frozenSlots = this.#randomSource.roll(LONGEST_FREEZE_SLOTS);
    if (this.#randomSource.roll(10_000) < RESTART_PER_10_000) this.#standby = this.#started();
    const isAway = this.#randomSource.roll(1000) < AWAY_PER_MILLE;
    this.#standby.takePeers({ inStep: isAway ? PEERS.slice(0, 2) : PEERS, isBehind: false });
    this.#standby.look();
  }

  #give(): void {
    const terms = switchTerms('bob', 'carol', this.#view.headTime + HOUR);
    this.#standby.take('active', packedSwitch(CHAIN, terms, 'bob'));
  }

  #started(): Standby {
    return new Standby({
      ...{
        witness: 'alice',
        chain: CHAIN,
        intervalSeconds: SLOT_SECONDS,
        keyPrefix: 'PHR',
        view: this.#view,
        clock: this.#clock,
      },
      ...{ keys: new Set([testKey('carol')]), pinned: [], kept: this.#kept },
      keep: (kept) => (this.#kept = kept),
      send: () => (this.switches++, undefined),
      warn: () => undefined,
      note: () => undefined,
    });
  }
}

/** Watches so many days from a seed on; fails when the witness is switched over. */
export function watchHealthyDays(seed: number, days: number): HealthyDays {
  const healthy = new HealthyDays(seed);
  for (let day = 0; day < days; day++) {
    healthy.day();
    assert.equal(healthy.switches, 0, `seed ${seed}, day ${day + 1}: a switch without need`);
  }
  return healthy;
}
