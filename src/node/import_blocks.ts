import { Fault } from '../base/fault.ts';
import { Refusal } from '../base/refusal.ts';
import type { VerifiedBlock } from '../blocks/block.ts';
import type { Chain } from '../chain/chain.ts';
import type { BlockLog } from './block_log.ts';
import type { VerifierPool } from './threads/verifier_pool.ts';

/** What an import is built from. */
export interface ImportParts {
  readonly chain: Chain;
  readonly log: Pick<BlockLog, 'packed'>;
  /** The number of the log's first block. */
  readonly firstBlock: number;
  readonly verifiers: Pick<VerifierPool, 'verifyBlocks'>;
  /** The last block to apply. */
  readonly lastBlock: number;
  /** Numbers of blocks after which `reached` must be called before the next block is applied. */
  readonly stops: ReadonlySet<number>;
  /** Called at each stop and after each group of blocks. */
  readonly reached: (blockNumber: number) => void;
}

/** Blocks or bytes in one write and one task, whichever comes first: enough to share the overhead, little to lose on failure. */
const GROUP_BLOCKS = 256;
const GROUP_BYTES = 4 * 1024 * 1024;

/** Groups verified ahead of the one being applied; each keeps its blocks in memory. */
const GROUPS_AHEAD = 4;

/** Applies the blocks that the chain doesn't have yet, with all checks. Signatures are verified ahead, in other threads. */
export async function importBlocks(parts: ImportParts): Promise<void> {
  const ahead: Promise<VerifiedBlock[]>[] = [];
  const groups = groupsOf(parts);
  const fill = (): void => {
    while (ahead.length < GROUPS_AHEAD) {
      const group = groups.next();
      if (group.done === true) return;
      const verified = parts.verifiers.verifyBlocks(group.value);
      // A rejection is handled when its group's turn comes; until then it must not count as unhandled.
      verified.catch(() => {});
      ahead.push(verified);
    }
  };
  for (fill(); ahead.length > 0; fill()) {
    const blocks = await ahead.shift();
    if (blocks !== undefined) applyGroup(parts, blocks);
  }
}

/** Packed blocks in groups; each stop ends a group. */
function* groupsOf({ chain, log, firstBlock, lastBlock, stops }: ImportParts): Generator<Uint8Array[]> {
  let group: Uint8Array[] = [];
  let bytes = 0;
  for (let number = chain.head.number + 1; number <= lastBlock; number++) {
    const packed = log.packed(number - firstBlock + 1);
    group.push(packed);
    bytes += packed.length;
    if (group.length < GROUP_BLOCKS && bytes < GROUP_BYTES && !stops.has(number)) continue;
    yield group;
    group = [];
    bytes = 0;
  }
  if (group.length > 0) yield group;
}

function applyGroup({ chain, reached }: ImportParts, blocks: readonly VerifiedBlock[]): void {
  try {
    chain.replay(blocks, { signatures: false });
  } catch (error) {
    if (error instanceof Refusal) throw refusedBlock(chain, blocks, error);
    throw error;
  }
  reached(chain.head.number);
}

/** Applies the blocks of a refused group one by one, to find the refused block. */
function refusedBlock(chain: Chain, blocks: readonly VerifiedBlock[], groupRefusal: Refusal): Fault {
  for (const block of blocks) {
    try {
      chain.replay([block], { signatures: false });
    } catch (error) {
      const reason = error instanceof Refusal ? error : groupRefusal;
      return new Fault(
        'damaged_data',
        `block ${block.number} is refused: ${reason.message} (${reason.code} ${JSON.stringify(reason.details, textOfBigint)})`,
        error,
      );
    }
  }
  return new Fault('damaged_data', groupRefusal.message, groupRefusal);
}

function textOfBigint(_member: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
