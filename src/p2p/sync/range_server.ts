import type { Answer, AnswerTurns } from '../peers/answer_turns.ts';
import { Assembly } from '../blocks/assembly.ts';
import { BlockReading } from '../blocks/block_reading.ts';
import { Bucket } from '../peers/bucket.ts';
import { ancestor } from '../../wire/messages/ancestor.ts';
import { ancestorRequest } from '../../wire/messages/ancestor_request.ts';
import { range, rangeEnds, rangeHead, rangePart, rangeTail } from '../../wire/messages/range.ts';
import { rangeRequest, type RangeRequest } from '../../wire/messages/range_request.ts';
import type { Environment } from '../environment/environment.ts';
import type { Peer } from '../peers/peer.ts';
import { getBlockNumber, ZERO_HASH160 } from '../../values/hash.ts';

const BYTES_PER_SECOND_OF_PEER = 8 * 1024 * 1024;
const DEEP_SECONDS = 2;
const MOST_WAITING = 2; // of a peer; a third is told to come again
const BUSY_MS = 1000;
/** Between two looks at the clock: a block takes some microseconds. */
const BLOCKS_A_LOOK = 16;
/** Reading this many bytes takes as long as sixteen small blocks. */
const LARGE_BYTES = 16 * 1024;

/** Sends blocks of the main branch to peers that are behind, at a pace. */
export class RangeServer {
  readonly #environment: Environment;
  readonly #turns: AnswerTurns;
  readonly #all: Bucket;
  readonly #buckets = new Map<Peer, Bucket>();

  /** `bytesPerSecond` is what all peers together get. */
  constructor(environment: Environment, turns: AnswerTurns, bytesPerSecond: number) {
    this.#environment = environment;
    this.#turns = turns;
    this.#all = new Bucket(bytesPerSecond, DEEP_SECONDS, environment.clock.elapsedMs());
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
        const { view, clock } = this.#environment;
        do {
          const id = ids[at++] ?? ZERO_HASH160;
          const number = getBlockNumber(id);
          if (at > ids.length || view.blockId(number) === id) return this.#found(peer, number);
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
      if (!peer.channel.leavesAnswers)
        peer.send(range, { number: request.number, blocks: [], end: rangeEnds.busy, retry_ms: BUSY_MS });
      return undefined;
    }
    const bucket = this.#buckets.get(peer) ?? new Bucket(BYTES_PER_SECOND_OF_PEER, DEEP_SECONDS, this.#nowMs);
    this.#buckets.set(peer, bucket);
    const building = new RangeAnswer(this.#environment, request, () => this.#turns.answerBytes);
    return {
      waitMs: (nowMs) => Math.max(bucket.waitMs(1, nowMs), this.#all.waitMs(1, nowMs)),
      build: (endMs) => {
        const bytes = building.build(endMs);
        if (bytes === undefined) return false;
        bucket.owe(bytes.length, this.#nowMs);
        this.#all.owe(bytes.length, this.#nowMs);
        peer.channel.sendEncoded(range, bytes);
        return true;
      },
    };
  }

  get #nowMs(): number {
    return this.#environment.clock.elapsedMs();
  }
}

/**
 * A range that is read and put together a part at a time. Our chain may change its branch meanwhile: then it ends
 * before.
 */
class RangeAnswer {
  readonly #environment: Environment;
  readonly #request: RangeRequest;
  readonly #mostBytes: () => number;
  /** The bytes that were read, in the message's form, and their number of blocks and bytes. */
  readonly #pieces: Uint8Array[] = [];
  #count = 0;
  #bytes = 0;
  /** The id that the next block must follow. */
  #before: string | undefined;
  #reading: BlockReading | undefined;
  #message: Assembly | undefined;

  constructor(environment: Environment, request: RangeRequest, mostBytes: () => number) {
    this.#environment = environment;
    this.#request = request;
    this.#mostBytes = mostBytes;
  }

  /** The answer as a message; undefined when there is more to do. */
  build(endMs: number): Uint8Array | undefined {
    if (this.#message === undefined) {
      const end = this.#read(endMs);
      if (end === undefined) return undefined;
      this.#message = new Assembly([
        ...rangeHead(this.#request.number, this.#count),
        ...this.#pieces,
        ...rangeTail(end, 0),
      ]);
    }
    return this.#message.resume(this.#environment.clock, endMs);
  }

  /** Reads until that time and returns how the answer ends; undefined when there is more to read. */
  #read(endMs: number): number | undefined {
    const { view, clock } = this.#environment;
    const { from, before, count, bytes } = this.#request;
    const at = from + this.#count;
    if (this.#count === 0) {
      if (from < Math.max(1, view.oldestBlock)) return rangeEnds.pruned;
      const isOurs = before === ZERO_HASH160 || from === 1 || view.blockId(from - 1) === before;
      if (!isOurs) return rangeEnds.otherBranch;
    } else if (view.blockId(at - 1) !== this.#before) return rangeEnds.cut;
    const most = Math.min(bytes, this.#mostBytes());
    for (let number = at; number < from + count; number++) {
      this.#reading ??= new BlockReading(view, clock, number);
      const packed = this.#reading.resume(endMs);
      if (packed === 'later') return this.#pause(number - 1);
      this.#reading = undefined;
      if (packed === undefined) break;
      if (this.#count > 0 && this.#bytes + packed.length > most) return rangeEnds.cut;
      this.#pieces.push(...rangePart(packed));
      this.#count++;
      this.#bytes += packed.length;
      const isLook = this.#count % BLOCKS_A_LOOK === 0 || packed.length > LARGE_BYTES;
      if (!isLook || clock.elapsedMs() < endMs || number + 1 >= from + count) continue;
      return this.#pause(number);
    }
    return rangeEnds.all;
  }

  /** Goes on behind that block, if it is still there by then. */
  #pause(number: number): undefined {
    if (this.#count > 0) this.#before = this.#environment.view.blockId(number);
  }
}
