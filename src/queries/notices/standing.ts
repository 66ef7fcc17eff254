import { refusals } from '../../base/refusal.ts';
import { prunedRefusals, requireKept } from '../pruned.ts';
import { readHeader } from '../../blocks/block.ts';
import { getBlockId, RECENT_BLOCKS } from '../../state/block_ids.ts';
import { lastIrreversible } from '../../state/last_irreversible.ts';
import { blockRow } from '../../state/stored_blocks.ts';
import { dynamicGlobalProperties } from '../../state/tables/dynamic_global_property.ts';
import type { CommittedRows } from '../../storage/rows.ts';
import { getBlockNumber, type BlockId, type Digest, ZERO_HASH160 } from '../../values/hash.ts';
import {
  ancestorNumber,
  ancestorText,
  chainMark,
  isWhole,
  positionNumber,
  WHOLE_BLOCK,
  type Position,
} from './position.ts';

const refuse = refusals({
  position_of_another_chain:
    'the position is of another chain than this node serves, {chain_id}; ask a node of its chain, or subscribe without resume',
  position_in_future:
    'the position is of block {number}, and the head of this node is block {head}: it has not come so far; ask again in a few seconds, or ask another node',
  position_replaced:
    'the position is of a branch that this node knows nothing of, and nothing tells where it left the main branch; read what you follow anew, then subscribe without resume',
});

/** The refusals of a position. */
export const positionRefusals = { ...refuse.texts, ...prunedRefusals };

/** The chain that positions are of. */
export interface ChainOfPositions {
  readonly chainId: Digest;
  /**
   * The number of blocks that users of a development chain can take back, irreversible or not: positions name blocks
   * this far back, too.
   */
  readonly revertibleBlocks: number;
}

/** The id of a block of the main branch; undefined above the head, and where not even the block behind it is kept. */
function findBlockId(rows: CommittedRows, number: number, head: number): BlockId | undefined {
  if (number === 0) return ZERO_HASH160;
  if (number < 0 || number > head) return undefined;
  if (head - number < RECENT_BLOCKS) return getBlockId(rows, number);
  const next = blockRow(rows, number + 1);
  return next && readHeader(next.head).previous;
}

/** The position of a place in a block of the main branch. */
export function makePosition(
  rows: CommittedRows,
  { chainId, revertibleBlocks }: ChainOfPositions,
  number: number,
  place = WHOLE_BLOCK,
): Position {
  const { head_block_number: head } = rows.only(dynamicGlobalProperties);
  const irreversible = lastIrreversible(rows);
  const least = revertibleBlocks === 0 ? irreversible : Math.min(irreversible, number - revertibleBlocks);
  const ancestors: string[] = [];
  for (let above = number; above > least; above = ancestorNumber(number, ancestors.length - 1)) {
    const next = ancestorNumber(number, ancestors.length);
    const id = next < 1 ? undefined : findBlockId(rows, next, head);
    if (id === undefined) break;
    ancestors.push(ancestorText(id));
  }
  return { chain: chainMark(chainId), block: findBlockId(rows, number, head) ?? ZERO_HASH160, place, ancestors };
}

/**
 * The number of the last block that a position and the main branch have in common: its own where nothing has been
 * replaced. Undefined where the position doesn't say how far back they part.
 */
export function commonBlock(rows: CommittedRows, position: Position): number | undefined {
  const { head_block_number: head } = rows.only(dynamicGlobalProperties);
  const number = positionNumber(position);
  if (findBlockId(rows, number, head) === position.block) return number;
  const { ancestors } = position;
  for (const [index, ancestor] of ancestors.entries()) {
    const earlier = ancestorNumber(number, index);
    const id = earlier < 1 ? undefined : findBlockId(rows, earlier, head);
    if (id !== undefined && ancestorText(id) === ancestor) return earlier;
  }
  // All that came before it were still reversible, down to the first.
  return ancestorNumber(number, ancestors.length) < 1 ? 0 : undefined;
}

/** The common block of a position that a client has given. Refused where nothing can be told from it on. */
export function requireStanding(rows: CommittedRows, chainId: Digest, position: Position): number {
  const { head_block_number: head } = rows.only(dynamicGlobalProperties);
  const number = positionNumber(position);
  if (position.chain !== chainMark(chainId)) refuse.position_of_another_chain({ chain_id: chainId });
  if (number > head && !isReplaced(rows, position, head)) refuse.position_in_future({ number, head });
  return keptCommonBlock(rows, position);
}

/** The same of a position that this node has told itself: above the head it is of blocks that were taken back. */
export function keptCommonBlock(rows: CommittedRows, position: Position): number {
  const number = positionNumber(position);
  requireKept(rows, isWhole(position) ? number + 1 : number);
  const common = commonBlock(rows, position) ?? refuse.position_replaced();
  requireKept(rows, common + 1);
  return common;
}

/** Refuses to begin with a block that doesn't come next yet. */
export function refuseFuture(number: number, head: number): never {
  return refuse.position_in_future({ number, head });
}

/** True when a position above the head is of another branch: at the head's number, or below, it names another block. */
function isReplaced(rows: CommittedRows, { block, ancestors }: Position, head: number): boolean {
  for (const [index, ancestor] of ancestors.entries()) {
    const earlier = ancestorNumber(getBlockNumber(block), index);
    const id = earlier < 1 ? undefined : findBlockId(rows, earlier, head);
    if (id !== undefined) return ancestorText(id) !== ancestor;
  }
  return false;
}
