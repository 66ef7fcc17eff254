import { NO_BLOCKS, rangeRoot, type BlockRange } from '../../../src/blocks/finality/block_range.ts';
import { GrowingRange } from '../../builders/growing_range.ts';
import { NO_VOTERS, type StatedBlock } from '../../../src/blocks/finality/vote.ts';
import { epochVoters, type Voters } from '../../../src/blocks/finality/voters.ts';
import type { FinalityChain } from '../../../src/chain/finality/finality_chain.ts';
import { sha256Hex } from '../../../src/crypto/hashes.ts';
import { present } from '../../../src/base/assert.ts';
import { getBlockNumber, ZERO_HASH160, type BlockId, type Digest } from '../../../src/values/hash.ts';
import type { PublicKey } from '../../../src/values/public_key.ts';

/* Blocks without transactions and a chain of them, for networks of real finality machines. */

export const CHAIN_ID: Digest = 'c4'.repeat(32);

/** The nodes that produce and vote in an epoch: a slot's producer is at the slot's place in the order. */
export interface ModelSchedule {
  readonly order: readonly number[];
  readonly voters: Voters;
}

export interface ModelBlock {
  readonly id: BlockId;
  readonly number: number;
  readonly slot: number;
  readonly parent: ModelBlock | undefined;
  readonly producer: number;
  /** The producers and voters in the epoch of the next block. */
  readonly schedule: ModelSchedule;
  readonly range: BlockRange;
  readonly stated: StatedBlock;
}

/** A node's signing key, in the order of the nodes. */
export function keyOfNode(node: number): PublicKey {
  return `02${node.toString(16).padStart(64, '0')}`;
}

export function makeSchedule(epoch: number, order: readonly number[]): ModelSchedule {
  return { order, voters: epochVoters(CHAIN_ID, epoch, order.map(keyOfNode)) };
}

export function genesisBlock(schedule: ModelSchedule): ModelBlock {
  const stated = { block: ZERO_HASH160, header: '00'.repeat(32), root: rangeRoot(NO_BLOCKS), next_voters: NO_VOTERS };
  return { id: ZERO_HASH160, number: 0, slot: 0, parent: undefined, producer: 0, schedule, range: NO_BLOCKS, stated };
}

/** A block on its parent; `next` is the schedule that it makes as the last one of an epoch. */
export function makeBlock(
  parent: ModelBlock,
  slot: number,
  producer: number,
  salt: number,
  next: ModelSchedule | undefined,
): ModelBlock {
  const number = parent.number + 1;
  const header = sha256Hex(Buffer.from(`${parent.id} ${slot} ${producer} ${salt}`));
  const id = number.toString(16).padStart(8, '0') + header.slice(0, 32);
  const growing = new GrowingRange(parent.range);
  growing.add(Buffer.from(header, 'hex').toString('latin1'), []);
  const { range } = growing;
  const stated = { block: id, header, root: rangeRoot(range), next_voters: next?.voters.digest ?? NO_VOTERS };
  return { id, number, slot, parent, producer, schedule: next ?? parent.schedule, range, stated };
}

export function getAncestor(block: ModelBlock, number: number): ModelBlock | undefined {
  let each: ModelBlock | undefined = block;
  while (each !== undefined && each.number > number) each = each.parent;
  return each?.number === number ? each : undefined;
}

/** A node's view of the chain: every block that it was sent, and the branch that it follows. */
export class ModelChain implements FinalityChain {
  readonly known = new Map<BlockId, ModelBlock>();
  tip: ModelBlock;

  constructor(genesis: ModelBlock) {
    this.tip = genesis;
    this.known.set(genesis.id, genesis);
  }

  get head(): ModelBlock {
    return this.tip;
  }

  getAncestor(id: BlockId, number: number): BlockId | undefined {
    const block = this.known.get(id);
    return block === undefined ? undefined : getAncestor(block, number)?.id;
  }

  blockSlot(number: number): number {
    return this.#main(number).slot;
  }

  statedAt(number: number): StatedBlock {
    return this.#main(number).stated;
  }

  votersOf(epoch: number): Voters | undefined {
    for (let block: ModelBlock | undefined = this.tip; block !== undefined; block = block.parent) {
      const { voters } = block.schedule;
      if (voters.epoch === epoch) return voters;
      if (voters.epoch < epoch) return undefined;
    }
    return undefined;
  }

  /** Learns a block with its ancestors; false when it was known. */
  learn(block: ModelBlock): boolean {
    if (this.known.has(block.id)) return false;
    for (let each: ModelBlock | undefined = block; each !== undefined && !this.known.has(each.id); each = each.parent)
      this.known.set(each.id, each);
    return true;
  }

  /** Follows the longest branch with the certified block, above a block that is never undone. */
  choose(certified: BlockId | undefined, final: number): void {
    const has = (block: ModelBlock, id: BlockId): boolean => this.getAncestor(block.id, getBlockNumber(id)) === id;
    const base = present(getAncestor(this.tip, final), 'the final block');
    for (const block of this.known.values()) {
      const [isCertified, isTipCertified] = [block, this.tip].map(
        (tip) => certified === undefined || has(tip, certified),
      );
      const isBetter = isCertified === isTipCertified ? block.number > this.tip.number : isCertified;
      if (isBetter === true && has(block, base.id)) this.tip = block;
    }
  }

  #main(number: number): ModelBlock {
    return present(getAncestor(this.tip, number), `block ${number}`);
  }
}
