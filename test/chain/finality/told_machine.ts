import assert from 'node:assert/strict';
import { present } from '../../../src/base/assert.ts';
import type { Certificate } from '../../../src/blocks/finality/certificate.ts';
import { voteDigest, type Vote, type VoteKind, type VoteSubject } from '../../../src/blocks/finality/vote.ts';
import type { VotingRecord } from '../../../src/blocks/finality/voting_record.ts';
import { Finality, type FinalityOptions } from '../../../src/chain/finality/finality.ts';
import type { FinalityAction } from '../../../src/chain/finality/finality_actions.ts';
import {
  makeBlock,
  CHAIN_ID,
  genesisBlock,
  keyOfNode,
  ModelChain,
  makeSchedule,
  type ModelBlock,
} from '../../model/finality/machine_blocks.ts';

/* One machine that is told by hand what the chain takes and what others have signed. Rounds have four blocks. */

export const INTERVAL = 3000;
const ROUND = 4;
export const FIRST_SLOT = 1000;
export const whole: VotingRecord = { begun: 900, signed_first_block: true, last_prepare: undefined, lock: undefined };
export const genesis = genesisBlock(makeSchedule(0, [0, 1, 2, 3]));

/** A block in the slot of its number, or later by `late`; other salts make other branches. */
export function next(parent: ModelBlock, salt = 0, late = 0, order?: readonly number[]): ModelBlock {
  const number = parent.number + 1;
  const schedule = number % ROUND === 0 ? makeSchedule(number / ROUND, order ?? [0, 1, 2, 3]) : undefined;
  return makeBlock(parent, FIRST_SLOT + number + late, 0, salt, schedule);
}

export function line(count: number, from = genesis, salt = 0): ModelBlock[] {
  const blocks: ModelBlock[] = [];
  for (let last = from; blocks.length < count; blocks.push(last)) last = next(last, salt);
  return blocks;
}

export function makeSubject(
  block: ModelBlock,
  kind: VoteKind,
  view = block.slot,
  epoch = Math.trunc((block.number - 1) / ROUND),
): VoteSubject {
  let each = block;
  while (each.schedule.voters.epoch > epoch) each = present(each.parent, 'a parent');
  return { epoch, voters: each.schedule.voters.digest, view, kind, ...block.stated };
}

export function signSubject(node: number, subject: VoteSubject): string {
  return keyOfNode(node) + Buffer.from(voteDigest(CHAIN_ID, subject)).toString('hex');
}

export const vote = (node: number, subject: VoteSubject): Vote => ({
  subject,
  voter: node,
  signature: signSubject(node, subject),
});

export function certified(subject: VoteSubject, nodes: readonly number[] = [1, 2, 3]): Certificate {
  return { subject, signatures: nodes.map((voter) => ({ voter, signature: signSubject(voter, subject) })) };
}

/** A node that does at once what its machine says; blocks that it does not have are not to be had. */
export class Hand {
  readonly chain = new ModelChain(genesis);
  readonly done: FinalityAction[] = [];
  readonly machine: Finality;
  nowMs = FIRST_SLOT * INTERVAL;

  constructor(options: Partial<FinalityOptions> = {}) {
    this.machine = new Finality({
      chainId: CHAIN_ID,
      maxWitnesses: ROUND,
      intervalMs: INTERVAL,
      chain: this.chain,
      verify: (digest, signature, key) => signature === key + Buffer.from(digest).toString('hex'),
      final: { number: 0 },
      voters: [{ key: keyOfNode(0), record: whole }],
      started: FIRST_SLOT - 50,
      ...options,
    });
  }

  take(...blocks: readonly ModelBlock[]): void {
    for (const block of blocks) {
      this.nowMs = Math.max(this.nowMs, block.slot * INTERVAL + 100);
      this.chain.learn(block);
      const previous = present(block.parent, 'a parent').id;
      this.chain.choose(this.machine.certifiedBlock({ id: block.id, previous, slot: block.slot }), this.machine.final);
      this.act(this.machine.blockTaken(this));
    }
  }

  hear(...votes: readonly Vote[]): void {
    for (const each of votes) this.act(this.machine.voteArrived(each, this));
  }

  show(certificate: Certificate): void {
    this.act(this.machine.certificateArrived(certificate, this));
  }

  act(actions: readonly FinalityAction[]): void {
    for (const action of actions) {
      this.done.push(action);
      if (action.do === 'sign') this.hear(vote(action.voter, action.subject));
      if (action.do === 'switch') {
        this.chain.choose(action.block, this.machine.final);
        this.act(this.machine.blockTaken(this));
      }
    }
  }

  /** Returns the actions of this kind since the last call. */
  took<const D extends FinalityAction['do']>(kind: D): Extract<FinalityAction, { readonly do: D }>[] {
    return this.done
      .splice(0)
      .filter((action): action is Extract<FinalityAction, { readonly do: D }> => action.do === kind);
  }

  get signed(): string[] {
    return this.took('sign').map(
      ({ subject: { kind, view, block } }) =>
        `${kind} ${Number.parseInt(block.slice(0, 8), 16)} in ${view - FIRST_SLOT}`,
    );
  }
}

/** A node that has made the block final by the votes of the three others. */
export function withFinal(...blocks: readonly ModelBlock[]): Hand {
  const hand = new Hand();
  hand.take(...blocks);
  const last = present(blocks.at(-1), 'a block');
  hand.show(certified(makeSubject(last, 'commit')));
  assert.equal(hand.machine.final, last.number);
  hand.done.length = 0;
  return hand;
}
