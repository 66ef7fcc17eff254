import type { BlockId } from '../../values/hash.ts';
import { block, MOST_PUSHED_BYTES } from '../../wire/messages/block.ts';
import { blockAnnouncement } from '../../wire/messages/block_announcement.ts';
import { compactBlock } from '../../wire/messages/compact_block.ts';
import type { Environment } from '../environment/environment.ts';
import type { Peer } from '../peers/peer.ts';
import type { ServedBlock } from './recent_blocks.ts';

/**
 * Peers that delivered first lately are well connected. Some others are chosen at random, so that nobody can arrange to
 * be told first.
 */
const BEST = 8;
const OTHERS = 4;

/** A block on its way to others. */
export interface OfferedBlock extends ServedBlock {
  readonly id: BlockId;
  readonly previous: BlockId;
  readonly transactions: number;
}

/** Gives a block to twelve peers that don't have it, and tells the others of it. */
export function offerBlock(
  { clock, randomSource }: Pick<Environment, 'clock' | 'randomSource'>,
  live: readonly Peer[],
  offered: OfferedBlock,
): void {
  const { id, previous, transactions, packed } = offered;
  const without = live.filter((peer) => !peer.knownBlocks.has(id));
  if (without.length === 0) return;
  const pushed = new Set(pushTargets(without, randomSource, clock.elapsedMs()));
  const announcement = blockAnnouncement.encode({ id, previous, transactions, bytes: packed.length });
  for (const peer of without) {
    peer.knownBlocks.add(id);
    if (!pushed.has(peer) || !push(peer, offered)) peer.channel.sendEncoded(blockAnnouncement, announcement);
  }
}

/** False when it would not know what to do with it. */
function push({ takesTransactions, channel }: Peer, { packed, compact }: OfferedBlock): boolean {
  if (packed.length <= MOST_PUSHED_BYTES) {
    channel.sendEncoded(block, packed);
    return true;
  }
  // A peer that takes no transactions would miss all of them.
  if (compact === undefined || !takesTransactions) return false;
  channel.sendEncoded(compactBlock, compact);
  return true;
}

function pushTargets(peers: readonly Peer[], randomSource: Environment['randomSource'], nowMs: number): Peer[] {
  const ranked = peers.filter(({ takesPushes }) => takesPushes).sort((a, b) => comparePeers(a, b, nowMs));
  const [best, rest] = [ranked.slice(0, BEST), ranked.slice(BEST)];
  for (let left = OTHERS; left > 0 && rest.length > 0; left--)
    best.push(...rest.splice(randomSource.roll(rest.length), 1));
  return best;
}

function comparePeers(a: Peer, b: Peer, nowMs: number): number {
  return b.score.at(nowMs) - a.score.at(nowMs) || (a.pingMs ?? Infinity) - (b.pingMs ?? Infinity) || 0;
}
