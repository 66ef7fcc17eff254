import type { Answer, AnswerTurns } from './answer_turns.ts';
import { Bucket } from './bucket.ts';
import { ancestor } from './messages/ancestor.ts';
import { ancestorRequest } from './messages/ancestor_request.ts';
import { range, rangeEnds, type Range } from './messages/range.ts';
import { rangeRequest, type RangeRequest } from './messages/range_request.ts';
import type { Outside } from './outside.ts';
import type { Peer } from './peer.ts';
import { blockNumberOf, ZERO_HASH160 } from '../values/hash.ts';

const BYTES_PER_SECOND_OF_PEER = 8 * 1024 * 1024;
const DEEP_SECONDS = 2;
const MOST_WAITING = 2; // of a peer; a third is told to come again
const BUSY_MS = 1000;
/** Between two looks at the clock: a block takes some microseconds. */
const BLOCKS_A_LOOK = 16;
/** Reading so much takes as long as sixteen small blocks. */
const LARGE_BYTES = 16 * 1024;

/** Gives blocks of the main branch to whoever is behind, at a pace. */
export class RangeServer {
  readonly #outside: Outside;
  readonly #turns: AnswerTurns;
  readonly #all: Bucket;
  readonly #buckets = new Map<Peer, Bucket>();

  /** `bytesPerSecond` is what all peers together get. */
  constructor(outside: Outside, turns: AnswerTurns, bytesPerSecond: number) {
    this.#outside = outside;
    this.#turns = turns;
    this.#all = new Bucket(bytesPerSecond, DEEP_SECONDS, outside.clock.elapsedMs());
    turns.on(ancestorRequest, (peer, { ids }) => this.#search(peer, ids));
    turns.on(rangeRequest, (peer, request) => this.#begin(peer, request));
  }

  left(peer: Peer): void {
    this.#buckets.delete(peer);
  }

  /** The number of the first of the ids that is on our main branch. */
  #search(peer: Peer, ids: readonly string[]): Answer {
    let at = 0;
    return {
      build: (endMs) => {
        const { view, clock } = this.#outside;
        do {
          const id = ids[at++] ?? ZERO_HASH160;
          const number = blockNumberOf(id);
          if (at > ids.length || view.idAt(number) === id) return this.#found(peer, number);
        } while (clock.elapsedMs() < endMs);
        return false;
      },
    };
  }

  #found(peer: Peer, number: number): true {
    peer.send(ancestor, { number });
    return true;
  }

  #begin(peer: Peer, request: RangeRequest): Answer | undefined {
    if (this.#turns.waiting(peer, rangeRequest) >= MOST_WAITING) {
      if (!peer.channel.leavesAnswers) peer.send(range, { number: request.number, blocks: [], end: rangeEnds.busy, retry_ms: BUSY_MS });
      return undefined;
    }
    const bucket = this.#buckets.get(peer) ?? new Bucket(BYTES_PER_SECOND_OF_PEER, DEEP_SECONDS, this.#nowMs);
    this.#buckets.set(peer, bucket);
    const building = new RangeAnswer(this.#outside, request, () => this.#turns.answerBytes);
    return {
      waitMs: (nowMs) => Math.max(bucket.waitMs(1, nowMs), this.#all.waitMs(1, nowMs)),
      build: (endMs) => {
        const answer = building.build(endMs);
        if (answer === undefined) return false;
        const bytes = range.encode(answer);
        bucket.owe(bytes.length, this.#nowMs);
        this.#all.owe(bytes.length, this.#nowMs);
        peer.channel.sendEncoded(range, bytes);
        return true;
      },
    };
  }

  get #nowMs(): number {
    return this.#outside.clock.elapsedMs();
  }
}

/** A range that is read a part at a time. Our chain may change its branch meanwhile: then it ends before. */
class RangeAnswer {
  readonly #outside: Outside;
  readonly #request: RangeRequest;
  readonly #mostBytes: () => number;
  readonly #blocks: Uint8Array[] = [];
  #bytes = 0;
  /** The id that the next block must follow. */
  #before: string | undefined;

  constructor(outside: Outside, request: RangeRequest, mostBytes: () => number) {
    this.#outside = outside;
    this.#request = request;
    this.#mostBytes = mostBytes;
  }

  /** The answer; undefined when there is more to read. */
  build(endMs: number): Range | undefined {
    const { view, clock } = this.#outside;
    const { from, before, count, bytes } = this.#request;
    const at = from + this.#blocks.length;
    if (this.#blocks.length === 0) {
      if (from < Math.max(1, view.oldestBlock)) return this.#end(rangeEnds.pruned);
      const isOurs = before === ZERO_HASH160 || from === 1 || view.idAt(from - 1) === before;
      if (!isOurs) return this.#end(rangeEnds.otherBranch);
    } else if (view.idAt(at - 1) !== this.#before) return this.#end(rangeEnds.cut);
    const most = Math.min(bytes, this.#mostBytes());
    for (let number = at; number < from + count; number++) {
      const packed = view.packedAt(number);
      if (packed === undefined) break;
      if (this.#blocks.length > 0 && this.#bytes + packed.length > most) return this.#end(rangeEnds.cut);
      this.#blocks.push(packed);
      this.#bytes += packed.length;
      const isLook = this.#blocks.length % BLOCKS_A_LOOK === 0 || packed.length > LARGE_BYTES;
      if (!isLook || clock.elapsedMs() < endMs || number + 1 >= from + count) continue;
      this.#before = view.idAt(number);
      return undefined;
    }
    return this.#end(rangeEnds.all);
  }

  #end(end: number): Range {
    return { number: this.#request.number, blocks: end === rangeEnds.all || end === rangeEnds.cut ? this.#blocks : [], end, retry_ms: 0 };
  }
}
