import assert from 'node:assert/strict';

import { present } from '../../src/base/assert.ts';
import { catchRefusal } from '../../src/base/refusal.ts';
import type { VerifiedBlock } from '../../src/blocks/block.ts';
import type { Chain } from '../../src/chain/chain.ts';
import { scheduledNames } from '../../src/chain/apply/slots.ts';
import type { Json } from '../../src/codec/json.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import { witnessSchedule } from '../../src/state/tables/witness_schedule.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { assertSound, testKey, openChain, people, testSecret, makeTransaction } from './chain.ts';
import { count } from './counts.ts';
import type { RandomSource } from './random_source.ts';
import { accountUpdate, adminWitnessUpdate, authorityJson, headPosition } from './forked_chains.ts';
import { copyBlock, witnessUpdate } from './parted_witnesses.ts';
import { quickSignature } from './quick_signature.ts';
import { RandomOperations } from './random_operations/index.ts';
import { RandomValues } from './random_operations/random_values.ts';

/** Kinds that change who may sign blocks or act for those who do, and what these need. */
const KEY_KINDS = [
  ...[
    'witness_update',
    'witness_update',
    'witness_set_properties',
    'admin_witness_update',
    'admin_witness_update',
    'witness_stop',
  ],
  ...['account_update', 'account_update', 'account_create', 'account_delete', 'account_witness_vote'],
  ...['request_account_recovery', 'recover_account', 'set_reset_account', 'reset_account', 'change_recovery_account'],
];
const MOST_SLOTS_WAITED = 60;
const LONGEST_BRANCH = 9; // nearly two rounds of five

/**
 * A node on one branch that gets another, longer one, again and again: both grow by random operations, most of which
 * change keys. A third node gets the blocks of the winning branches alone.
 */
export class RandomBranches {
  /** Counts taken branches, and those of them whose blocks only they could prove. */
  taken = 0;
  unproven = 0;
  readonly accepted = new Map<string, number>();
  readonly #parameters: ChainParameters;
  readonly #randomSource: RandomSource;
  readonly #store = new MemoryStore();
  readonly #here: Chain;
  readonly #there: Chain;
  readonly #fresh: Chain;
  readonly #labels = new Map<string, string>();

  constructor(parameters: ChainParameters, randomSource: RandomSource) {
    this.#parameters = parameters;
    this.#randomSource = randomSource;
    this.#here = openChain(parameters, this.#store);
    this.#there = openChain(parameters);
    this.#fresh = openChain(parameters);
    for (const name of [...people, 'initminer']) this.#labels.set(testKey(name), name);
  }

  /** Blocks of all, then two branches, so many times; stops early when the chain has stopped. */
  run(times: number): void {
    for (const owner of people) {
      const change = this.#parameters.isPrivateNet ? adminWitnessUpdate(owner, owner) : witnessUpdate(owner, owner);
      assert.ok(this.#accept(this.#there, change, [this.#parameters.isPrivateNet ? 'initminer' : owner]));
    }
    for (let blocks = 0; blocks < 2 * this.#parameters.genesis.max_witnesses; blocks++) this.#extend();
    for (let time = 0; time < times; time++) {
      for (let blocks = this.#randomSource.roll(4); blocks > 0; blocks--) if (!this.#extend()) return;
      if (!this.#part()) return;
    }
  }

  #extend(): boolean {
    const block = this.#produce(this.#there, () => true);
    if (block === undefined) return false;
    for (const chain of [this.#here, this.#fresh]) chain.push(copyBlock(this.#parameters, block));
    return true;
  }

  /** Each witness produces on one side alone, and neither side makes a block irreversible. */
  #part(): boolean {
    const [here, there] = [this.#here, this.#there];
    const { number, lastIrreversible } = here.head;
    const round = [...new Set(scheduledNames(here.committed.only(witnessSchedule)))];
    const some = new Set(this.#randomSource.shuffle(round).slice(0, Math.trunc(round.length / 2)));
    this.#disturb(
      here,
      round.filter((owner) => !some.has(owner)),
    );
    this.#grow(here, 1 + this.#randomSource.roll(LONGEST_BRANCH - 2), (owner) => some.has(owner), number);
    if (here.head.lastIrreversible > number || here.head.number === number) return false;
    const more = here.head.number - number + 1 + this.#randomSource.roll(2);
    const theirs = this.#grow(there, more, (owner) => !some.has(owner), number);
    if (there.head.number <= here.head.number || theirs.length === 0) return false;
    this.#give(theirs);
    assert.ok(here.head.lastIrreversible >= lastIrreversible);
    return true;
  }

  #give(theirs: readonly VerifiedBlock[]): void {
    let unproven = 0;
    for (const block of theirs) {
      const copy = copyBlock(this.#parameters, block);
      if (this.#here.judge(copy) === 'unproven') unproven++;
      this.#here.push(copy);
      this.#fresh.push(copyBlock(this.#parameters, block));
    }
    this.taken++;
    if (unproven > 0) this.unproven++;
    assert.deepEqual(headPosition(this.#fresh), headPosition(this.#there));
    assert.deepEqual(headPosition(this.#here), headPosition(this.#fresh));
    assertSound(this.#here, this.#parameters, this.#store);
  }

  /**
   * A witness gets a key that the other branch does not know, from whoever may act for it, which may have changed just
   * before.
   */
  #switchKey(chain: Chain, owner: string): void {
    const random = new RandomValues(chain, this.#randomSource, this.#labels);
    if (this.#randomSource.chance(30)) this.#standInFront(chain, random);
    if (this.#randomSource.chance(60)) {
      const active = this.#randomSource.chance(50) ? random.authority() : authorityJson([], [random.anyone()]);
      this.#accept(chain, accountUpdate(owner, { active }), random.owner(owner));
    }
    const isAppointed = this.#parameters.isPrivateNet && this.#randomSource.chance(50);
    const change = isAppointed ? adminWitnessUpdate(owner, random.fresh()) : witnessUpdate(owner, random.fresh());
    this.#accept(chain, change, random.active(isAppointed ? 'initminer' : owner));
  }

  /** A stranger fills the beginning of the block with keys. */
  #standInFront(chain: Chain, random: RandomValues): void {
    const keys = Array.from({ length: 70 }, (_, k) => `stranger ${k}`);
    const stranger = random.anyone();
    this.#accept(
      chain,
      accountUpdate(stranger, { active: authorityJson([stranger, ...keys]) }),
      random.owner(stranger),
    );
    this.#labels.set(testKey(stranger), stranger);
  }

  /** Accounts of the other side's witnesses get other keys on this side. */
  #disturb(chain: Chain, owners: readonly string[]): void {
    const random = new RandomValues(chain, this.#randomSource, this.#labels);
    for (const owner of owners) {
      if (!this.#randomSource.chance(60)) continue;
      const both = { owner: random.authority(), active: random.authority() };
      this.#accept(chain, accountUpdate(owner, both), random.owner(owner));
    }
  }

  #grow(chain: Chain, length: number, produces: (owner: string) => boolean, fork: number): VerifiedBlock[] {
    const blocks: VerifiedBlock[] = [];
    const owners = scheduledNames(chain.committed.only(witnessSchedule)).filter(produces);
    for (const owner of owners) if (this.#randomSource.chance(60)) this.#switchKey(chain, owner);
    while (blocks.length < length && chain.head.lastIrreversible <= fork) {
      const block = this.#produce(chain, produces);
      if (block === undefined) break;
      blocks.push(block);
    }
    return blocks;
  }

  #produce(chain: Chain, produces: (owner: string) => boolean): VerifiedBlock | undefined {
    for (let sent = this.#randomSource.roll(8); sent > 0; sent--) this.#send(chain);
    const slot = this.#randomSource.chance(96)
      ? 1
      : 1 + this.#randomSource.roll(this.#randomSource.chance(80) ? 8 : 2000);
    for (let late = slot; late < slot + MOST_SLOTS_WAITED; late++) {
      const scheduled = present(chain.findProductionSlot(chain.slotTime(late)), 'a slot');
      const label = this.#labels.get(scheduled.signingKey ?? '');
      if (label === undefined || !produces(scheduled.witness)) continue;
      let block: VerifiedBlock | undefined;
      const refusal = catchRefusal(
        () => (block = chain.seal({ ...scheduled, sign: (digest) => quickSignature(digest, testSecret(label)) })),
      );
      // What was pending makes the block invalid, as a transfer to the null account does under the lineage's rules.
      if (refusal !== undefined && refusal.code !== 'supply_lost' && refusal.code !== 'old_software') throw refusal;
      if (block !== undefined) return block;
    }
    return undefined;
  }

  #send(chain: Chain): void {
    const maker = new RandomOperations(chain, this.#randomSource, this.#labels);
    const { operation, signers } = maker.make(
      this.#randomSource.chance(75) ? this.#randomSource.pick(KEY_KINDS) : maker.kind(),
    );
    if (this.#accept(chain, operation, signers)) count(this.accepted, operation[0]);
  }

  #accept(chain: Chain, operation: Json, signers: readonly string[]): boolean {
    const expiration = chain.head.time + 3600;
    return (
      catchRefusal(
        () => void chain.accept(makeTransaction(chain, this.#parameters, [operation], signers, { expiration })),
      ) === undefined
    );
  }
}
