import { Fault } from '../base/fault.ts';
import { Refusal, catchRefusal } from '../base/refusal.ts';
import { readBlock, type VerifiedBlock } from '../blocks/block.ts';
import type { Chain } from '../chain/chain.ts';
import type { BlockLog } from './block_log.ts';

/** Finds out who signed the transactions of blocks, in other threads. */
export interface BlockVerifiers {
  /** One for each packed block, in their order; rejected when one can't be read. */
  verifyBlocks(packed: readonly Uint8Array[]): Promise<VerifiedBlock[]>;
}

export interface ImportParts {
  readonly chain: Chain;
  readonly log: Pick<BlockLog, 'packed' | 'placeOf'>;
  /** The number of the log's first block. */
  readonly firstBlock: number;
  readonly verifiers: BlockVerifiers;
  /** The last block to apply. */
  readonly lastBlock: number;
  /** Numbers of blocks after which `reached` must be called before the next block is applied. */
  readonly stops: ReadonlySet<number>;
  /** Called at each stop and after each group of blocks. */
  readonly reached: (blockNumber: number) => void;
}

/**
 * Blocks or bytes in one write and one task, whichever comes first: enough to share the overhead, little to lose on
 * failure.
 */
const GROUP_BLOCKS = 256;
const GROUP_BYTES = 4 * 1024 * 1024;

/** Groups verified ahead of the one being applied; each keeps its blocks in memory. */
const GROUPS_AHEAD = 4;

/**
 * Applies the blocks that the chain doesn't have yet, with all checks. Signatures are verified ahead, in other threads.
 */
export async function importBlocks(parts: ImportParts): Promise<void> {
  const ahead: PackedGroup[] = [];
  const groups = groupBlocks(parts);
  const fill = (): void => {
    while (ahead.length < GROUPS_AHEAD) {
      const group = groups.next();
      if (group.done === true) return;
      const verified = parts.verifiers.verifyBlocks(group.value);
      // A rejection is handled when its group's turn comes; until then it must not count as unhandled.
      verified.catch(() => {});
      ahead.push({ verified, packed: group.value });
    }
  };
  for (fill(); ahead.length > 0; fill()) {
    const group = ahead.shift();
    if (group !== undefined) applyGroup(parts, await verifiedBlocks(parts, group));
  }
}

interface PackedGroup {
  readonly verified: Promise<VerifiedBlock[]>;
  readonly packed: readonly Uint8Array[];
}

/** Fault `damaged_data` for a block that can't be read, unless one before it says why: that one is `outdated`. */
async function verifiedBlocks(parts: ImportParts, { verified, packed }: PackedGroup): Promise<VerifiedBlock[]> {
  try {
    return await verified;
  } catch (error) {
    const reasons = packed.map((bytes) => catchRefusal(() => readBlock(bytes)));
    const at = reasons.findIndex((reason) => reason !== undefined);
    if (at < 0) throw error;
    // A newer program's operations come behind the block that applies its hardfork, and this program stops there.
    if (at > 0) applyGroup(parts, await parts.verifiers.verifyBlocks(packed.slice(0, at)));
    throw damagedBlock(parts, parts.chain.head.number + 1, `can't be read: ${reasons[at]?.message}`, error);
  }
}

/** Everything before that block has been applied, so the import goes on behind it with a sound copy. */
function damagedBlock({ log, firstBlock }: ImportParts, number: number, found: string, cause: unknown): Fault {
  const place = `block ${number} (${log.placeOf(number - firstBlock + 1)})`;
  // Nothing in a log says of which chain it is: the first block does not fit another genesis.
  const other = number === 1 ? 'name the genesis of its chain, or ' : '';
  const remedy = `${other}get another copy of the log: the import goes on from block ${number}`;
  return new Fault('damaged_data', `${place} ${found}; ${remedy}`, cause);
}

/** Packed blocks in groups; each stop ends a group. */
function* groupBlocks({ chain, log, firstBlock, lastBlock, stops }: ImportParts): Generator<Uint8Array[]> {
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

function applyGroup(parts: ImportParts, blocks: readonly VerifiedBlock[]): void {
  const { chain, reached } = parts;
  try {
    chain.replay(blocks, { signatures: false });
  } catch (error) {
    if (error instanceof Refusal) throw refusedBlock(parts, blocks, error);
    throw error;
  }
  reached(chain.head.number);
}

/** Applies the blocks of a refused group one by one, to find the refused block. */
function refusedBlock(parts: ImportParts, blocks: readonly VerifiedBlock[], groupRefusal: Refusal): Fault {
  const { chain } = parts;
  for (const block of blocks) {
    try {
      chain.replay([block], { signatures: false });
    } catch (error) {
      const reason = error instanceof Refusal ? error : groupRefusal;
      const why = `${reason.message} (${reason.code} ${JSON.stringify(reason.details, textOfBigint)})`;
      return damagedBlock(parts, chain.head.number + 1, `is refused: ${why}`, error);
    }
  }
  return new Fault('damaged_data', groupRefusal.message, groupRefusal);
}

function textOfBigint(_member: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
