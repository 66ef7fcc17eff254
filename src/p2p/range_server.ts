import { Bucket } from './bucket.ts';
import type { MessageRouter } from './message_router.ts';
import { ancestor } from './messages/ancestor.ts';
import { ancestorRequest } from './messages/ancestor_request.ts';
import { range, rangeEnds } from './messages/range.ts';
import { rangeRequest, type RangeRequest } from './messages/range_request.ts';
import type { Outside } from './outside.ts';
import type { Peer } from './peer.ts';
import { blockNumberOf, ZERO_HASH160 } from '../values/hash.ts';

const BYTES_PER_SECOND_OF_PEER = 8 * 1024 * 1024;
const DEEP_SECONDS = 2;
const MOST_WAITING = 2; // of a peer; a third is told to come again
const BUSY_MS = 1000;

interface Served {
  readonly bucket: Bucket;
  readonly waiting: RangeRequest[];
}

/** Gives blocks of the main branch to whoever is behind, at a pace. */
export class RangeServer {
  readonly #outside: Outside;
  readonly #all: Bucket;
  readonly #served = new Map<Peer, Served>();

  /** `bytesPerSecond` is what all peers together get. */
  constructor(outside: Outside, router: MessageRouter<Peer>, bytesPerSecond: number) {
    this.#outside = outside;
    this.#all = new Bucket(bytesPerSecond, DEEP_SECONDS, outside.clock.elapsedMs());
    router.on(ancestorRequest, (peer, { ids }) => peer.send(ancestor, { number: this.#newestOf(ids) }));
    router.on(rangeRequest, (peer, request) => this.#take(peer, request));
  }

  tick(): void {
    for (const [peer, served] of this.#served) this.#serve(peer, served);
  }

  left(peer: Peer): void {
    this.#served.delete(peer);
  }

  #newestOf(ids: readonly string[]): number {
    return (
      ids.map((id) => ({ id, number: blockNumberOf(id) })).find(({ id, number }) => this.#outside.view.idAt(number) === id)?.number ?? 0
    );
  }

  #take(peer: Peer, request: RangeRequest): void {
    const served = this.#served.get(peer) ?? { bucket: new Bucket(BYTES_PER_SECOND_OF_PEER, DEEP_SECONDS, this.#nowMs), waiting: [] };
    this.#served.set(peer, served);
    if (served.waiting.length >= MOST_WAITING) {
      return peer.send(range, { number: request.number, blocks: [], end: rangeEnds.busy, retry_ms: BUSY_MS });
    }
    served.waiting.push(request);
    this.#serve(peer, served);
  }

  #serve(peer: Peer, { bucket, waiting }: Served): void {
    const nowMs = this.#nowMs;
    while (waiting.length > 0 && !peer.isBusy && bucket.waitMs(1, nowMs) === 0 && this.#all.waitMs(1, nowMs) === 0) {
      const request = waiting.shift();
      if (request === undefined) return;
      const answer = range.encode(this.#answer(request));
      bucket.owe(answer.length, nowMs);
      this.#all.owe(answer.length, nowMs);
      peer.channel.sendEncoded(range, answer);
    }
  }

  #answer({ number, from, before, count, bytes }: RangeRequest): Parameters<typeof range.encode>[0] {
    const { view } = this.#outside;
    const none = { number, blocks: [], retry_ms: 0 };
    if (from < Math.max(1, view.oldestBlock)) return { ...none, end: rangeEnds.pruned };
    const isOurs = before === ZERO_HASH160 || from === 1 || view.idAt(from - 1) === before;
    if (!isOurs) return { ...none, end: rangeEnds.otherBranch };
    const blocks: Uint8Array[] = [];
    for (let [at, left] = [from, bytes]; at < from + count; at++) {
      const packed = view.packedAt(at);
      if (packed === undefined) break;
      left -= packed.length;
      if (left < 0 && blocks.length > 0) return { ...none, blocks, end: rangeEnds.cut };
      blocks.push(packed);
    }
    return { ...none, blocks, end: rangeEnds.all };
  }

  get #nowMs(): number {
    return this.#outside.clock.elapsedMs();
  }
}
