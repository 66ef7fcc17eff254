import type { Acknowledged, Acknowledgement } from './acknowledged.ts';
import type { BlockReader, WatchedHead } from './block_reader.ts';
import type { ChainBlocks } from './chain_blocks.ts';

/** The fate of the transactions that a node had acknowledged, each of them looked up. */
export interface Audit {
  readonly acknowledged: number;
  /** Once, in a block that can't be undone any more. */
  readonly irreversible: number;
  /** Once, in a block that could still be undone, and not acknowledged as final. */
  readonly reversible: number;
  /** In no block, but not expired either: it may still come. */
  readonly stillValid: number;
  /**
   * In no block, acknowledged as accepted and not as in a block, and the node has ended since: it had promised no more.
   */
  readonly forgotten: number;
  /** In two blocks. */
  readonly twice: number;
  /** Acknowledged as final, and in no irreversible block. */
  readonly revoked: number;
  /** In no block, and expired before enough blocks with room came: no promise is broken. */
  readonly expired: number;
  /** In no block, and expired, although blocks had room for it, or although it was answered as in one. */
  readonly lost: number;
  /** Nobody could be asked. */
  readonly unknown: number;
  /** Some of the ids that are lost, revoked, expired, forgotten or there twice. */
  readonly examples: readonly string[];
}

/** The possible fates of one. */
type State = Exclude<keyof Audit, 'acknowledged' | 'examples'>;

const MOST_EXAMPLES = 10;
const TO_LOOK_AT: ReadonlySet<State> = new Set(['lost', 'revoked', 'expired', 'forgotten', 'twice']);

/**
 * The second of the load in which nobody listened at a node's address for the last time; undefined when somebody always
 * did.
 */
export type GoneAt = (node: number) => number | undefined;

/** The result when no node could be asked. */
export function unknownAudit(acknowledged: number): Audit {
  return { acknowledged, ...NOTHING, unknown: acknowledged, examples: [] };
}

const NOTHING = {
  irreversible: 0,
  reversible: 0,
  stillValid: 0,
  forgotten: 0,
  twice: 0,
  revoked: 0,
  expired: 0,
  lost: 0,
  unknown: 0,
};

/** The transactions to audit, and the listener for the findings. */
export interface Audited {
  readonly reader: BlockReader;
  readonly acknowledged: Acknowledged;
  readonly blocks: ChainBlocks;
  readonly goneAt: GoneAt;
  /** True when blocks had room for one that has expired. */
  readonly hadRoom: (said: Acknowledgement) => boolean;
  /** One is in that block. */
  readonly found: (said: Acknowledgement, block: number) => void;
}

/** Looks up every acknowledged transaction in the blocks, after everything is over. */
export async function audit({ reader, acknowledged, blocks, goneAt, hadRoom, found }: Audited): Promise<Audit> {
  const counts = { ...NOTHING };
  const examples: string[] = [];
  const blockBuckets = blocks.transactions.buckets();
  for (const bucket of acknowledged.buckets()) {
    const numbers = blocksById(blockBuckets.next().value ?? []);
    // Blocks that are too large to be sent could not be read; what lies in them is asked for by id.
    const missing = bucket.filter(([id]) => !numbers.has(id)).map(([id]) => id);
    const asked = await reader.findBlocks(missing);
    missing.forEach((id, index) => {
      const number = asked[index];
      if (number !== undefined) numbers.set(id, [number]);
    });
    for (const [id, said] of bucket) {
      const [block, ...others] = numbers.get(id) ?? [];
      if (block !== undefined) found(said, block);
      const state = judgeState([block, ...others], said, blocks.head, { goneAt, hadRoom });
      counts[state]++;
      if (TO_LOOK_AT.has(state) && examples.length < MOST_EXAMPLES) examples.push(`${id} ${state}`);
    }
  }
  return { acknowledged: acknowledged.count, ...counts, examples };
}

function judgeState(
  [block, ...others]: readonly (number | undefined)[],
  said: Acknowledgement,
  { irreversible, time }: WatchedHead,
  { goneAt, hadRoom }: Pick<Audited, 'goneAt' | 'hadRoom'>,
): State {
  const { expiration, as, node, second } = said;
  if (others.length > 0) return 'twice';
  if (block !== undefined && block <= irreversible) return 'irreversible';
  if (as === 'final') return 'revoked';
  if (block !== undefined) return 'reversible';
  if (as === 'accepted' && second <= (goneAt(node) ?? -1)) return 'forgotten';
  if (expiration > time) return 'stillValid';
  return as === 'block' || hadRoom(said) ? 'lost' : 'expired';
}

function blocksById(bucket: readonly (readonly [string, number, ...unknown[]])[]): Map<string, readonly number[]> {
  const blocks = new Map<string, readonly number[]>();
  for (const [id, number] of bucket) blocks.set(id, [...(blocks.get(id) ?? []), number]);
  return blocks;
}
