import type { ForkTree, SideBlock } from '../../src/chain/forks/fork_tree.ts';
import { ZERO_HASH160 } from '../../src/values/hash.ts';

/** The block of the main branch on which trees without a chain grow. */
export const root = { id: ZERO_HASH160, number: 0 };
export const MIB = 1024 * 1024;

/** A block of a tree without a chain, in the slot of its number; `bytes` is what it says of itself. */
export function treeBlock(
  id: number,
  parent: Pick<SideBlock, 'id' | 'number'>,
  witness = 'w',
  bytes = 100,
  more: Partial<SideBlock> = {},
): SideBlock {
  return {
    id: `${id}`.padStart(40, '0'),
    number: parent.number + 1,
    previous: parent.id,
    witness,
    bytes,
    time: 0,
    aslot: id,
    signer: undefined,
    own: { keys: [], isOverfull: false },
    wasApplied: false,
    source: '',
    isDoubted: false,
    children: [],
    round: { maximum_block_size: 0, loose_since: 0, signers: [] },
    isInRound: true,
    named: undefined,
    isProven: true,
    isLikely: true,
    ...more,
  };
}

/** Makes room for a block in a tree; returns what had to go. */
export function makeRoom(tree: ForkTree, block: SideBlock): SideBlock[] {
  const gone: SideBlock[] = [];
  tree.makeRoom(block, gone);
  return gone;
}
