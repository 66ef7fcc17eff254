import { assert, present } from '../../base/assert.ts';
import { DIGEST_BYTES, LEAF, NODE, nodesCompleted, type BlockRange } from '../../blocks/finality/block_range.ts';
import { sha256Many, sha256Pieces } from '../../crypto/hash_many.ts';

/** Consecutive nodes of one height, one behind the other; `first` is the index of the first. */
interface Level {
  readonly first: number;
  readonly nodes: Uint8Array;
}

/**
 * A range to which many blocks are added at once: all leaves are hashed in one batch, then the nodes of each height,
 * which takes a third of the time of one by one.
 */
export class RangeGrowth {
  #count: number;
  /** By height; none where the count has a 0. */
  readonly #peaks: (Uint8Array | undefined)[] = [];

  constructor({ count, peaks }: BlockRange) {
    this.#count = count;
    let index = peaks.length;
    for (let height = 0; index > 0; height++)
      if (isOdd(count, height)) this.#peaks[height] = Buffer.from(present(peaks[--index], 'a peak'), 'hex');
  }

  get count(): number {
    return this.#count;
  }

  get range(): BlockRange {
    const peaks = this.#peaks.flatMap((peak) => (peak === undefined ? [] : [Buffer.from(peak).toString('hex')]));
    return { count: this.#count, peaks: peaks.toReversed() };
  }

  /**
   * Adds blocks by their signed headers. Returns the nodes that they complete, block after block, of each its leaf
   * first.
   */
  add(headers: readonly Uint8Array[]): Uint8Array {
    const first = this.#count + 1;
    const levels = this.#newLevels({
      first: this.#count,
      nodes: sha256Pieces(LEAF, sha256Many(headers), DIGEST_BYTES),
    });
    this.#count += headers.length;
    return inBlockOrder(levels, first, this.#count);
  }

  /** New nodes of each height, given the leaves. Sets the peaks. */
  #newLevels(leaves: Level): Level[] {
    const levels: Level[] = [];
    let level = leaves;
    while (level.nodes.length > 0) {
      levels.push(level);
      level = this.#levelAbove(level, levels.length - 1);
    }
    return levels;
  }

  /** Parents of complete pairs, of which a peak may be the first node. What has no partner is the peak. */
  #levelAbove({ first, nodes }: Level, height: number): Level {
    const isJoined = first % 2 === 1;
    const from = isJoined ? first - 1 : first;
    const all = isJoined ? Buffer.concat([present(this.#peaks[height], 'the peak of an odd count'), nodes]) : nodes;
    const paired = all.length - (all.length % (2 * DIGEST_BYTES));
    this.#peaks[height] = paired === all.length ? undefined : all.slice(paired);
    return { first: from / 2, nodes: sha256Pieces(NODE, all.subarray(0, paired), 2 * DIGEST_BYTES) };
  }
}

function isOdd(count: number, height: number): boolean {
  return Math.trunc(count / 2 ** height) % 2 === 1;
}

function inBlockOrder(levels: readonly Level[], first: number, last: number): Uint8Array {
  const ordered = new Uint8Array(levels.reduce((bytes, { nodes }) => bytes + nodes.length, 0));
  const read = levels.map(() => 0);
  let at = 0;
  for (let number = first; number <= last; number++)
    for (let height = 0; height < nodesCompleted(number); height++) {
      const from = read[height] ?? 0;
      ordered.set(present(levels[height], 'a level').nodes.subarray(from, from + DIGEST_BYTES), at);
      read[height] = from + DIGEST_BYTES;
      at += DIGEST_BYTES;
    }
  assert(at === ordered.length, 'each new node is completed by one of the blocks');
  return ordered;
}
