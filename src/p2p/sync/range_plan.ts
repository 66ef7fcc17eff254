import { refusals } from '../../base/refusal.ts';
import { ZERO_HASH160, type BlockId } from '../../values/hash.ts';
import { summarizeBlock } from '../blocks/block_summary.ts';
import type { Peer } from '../peers/peer.ts';
import { range, type Range } from '../../wire/messages/range.ts';
import { MOST_RANGE_BYTES, rangeRequest } from '../../wire/messages/range_request.ts';

const refuse = refusals({
  range_too_long: 'a range of {blocks} blocks and {bytes} bytes, {count} and {most} were asked for',
  range_unlinked: 'block {number} of a range does not follow the one before it',
  range_elsewhere: 'a range begins with block {number}, {from} was asked for',
});

/** An honest node cuts a range where the next block doesn't fit: few blocks are as large as what is left then. */
const LITTLE_BYTES = MOST_RANGE_BYTES / 2;

/** Blocks that follow each other, one of the parts of what is missing. */
export interface Piece {
  readonly from: number;
  count: number;
  /** The peers that were asked: the first, and others because it took too long. */
  readonly asked: Asked[];
  arrived: Arrived | undefined;
  /** The peer that delivered little of an earlier question: others are asked first. */
  readonly slighted?: Peer | undefined;
}

export interface Asked {
  readonly peer: Peer;
  readonly request: number;
  readonly before: BlockId;
  readonly atMs: number;
  /** Bytes of lane 3 that had come from the peer by then. */
  readonly receivedBefore: number;
}

export interface Arrived {
  readonly peer: Peer;
  readonly atMs: number;
  readonly blocks: readonly Uint8Array[];
  readonly bytes: number;
  /** Of the first block, and the id of the last one. */
  readonly previous: BlockId;
  readonly lastId: BlockId;
}

/** The parts of what is missing that are asked for or have come, in order. */
export class RangePlan {
  /** The peer with that branch. */
  readonly leader: Peer;
  readonly pieces: Piece[] = [];
  /** The last block that was handed to the chain, which the next piece follows. */
  tip: { number: number; id: BlockId };
  /** Up to which block there is something to ask for. */
  target: number;
  /** True if the chain has taken anything of it. */
  hasDelivered = false;
  /** Those who turned out to be on another branch. */
  readonly excluded = new Set<Peer>();

  constructor(leader: Peer, tip: { readonly number: number; readonly id: BlockId }, target: number) {
    this.leader = leader;
    this.tip = { ...tip };
    this.target = target;
  }

  /** The first block that nobody has been asked for. */
  get next(): number {
    const last = this.pieces.at(-1);
    return last === undefined ? this.tip.number + 1 : last.from + last.count;
  }

  /** Nothing more is to be asked for or waited for. */
  get isDone(): boolean {
    return this.pieces.length === 0 && this.tip.number >= this.target;
  }

  /** Bytes that have come, and those that were asked for. */
  get bytes(): number {
    const asked = ({ asked: { length } }: Piece): number => (length > 0 ? MOST_RANGE_BYTES : 0);
    return this.pieces.reduce((sum, piece) => sum + (piece.arrived?.bytes ?? asked(piece)), 0);
  }

  /**
   * The received pieces from the first on, the time since which the first waits, and whether nothing else will come.
   * The time is undefined while the first is missing.
   */
  get ready(): {
    readonly bytes: number;
    readonly blocks: number;
    readonly sinceMs: number | undefined;
    readonly isAll: boolean;
  } {
    let [bytes, blocks] = [0, 0];
    const missing = this.pieces.findIndex(({ arrived }) => arrived === undefined);
    for (const { arrived } of missing < 0 ? this.pieces : this.pieces.slice(0, missing)) {
      bytes += arrived?.bytes ?? 0;
      blocks += arrived?.blocks.length ?? 0;
    }
    return { bytes, blocks, sinceMs: this.pieces[0]?.arrived?.atMs, isAll: missing < 0 && this.next > this.target };
  }

  openRequests(peer: Peer): number {
    return this.pieces.filter(({ asked, arrived }) => arrived === undefined && asked.some((one) => one.peer === peer))
      .length;
  }

  /** The id before a piece, as far as it is known. */
  previousId(piece: Pick<Piece, 'from'>): BlockId {
    if (piece.from === this.tip.number + 1) return this.tip.id;
    const before = this.pieces.find(({ from, count }) => from + count === piece.from);
    return before?.arrived?.lastId ?? ZERO_HASH160;
  }

  ask(piece: Piece, peer: Peer, request: number, nowMs: number): void {
    const before = this.previousId(piece);
    piece.asked.push({ peer, request, before, atMs: nowMs, receivedBefore: peer.channel.receivedBytes[3] });
    peer.ask(
      rangeRequest,
      { number: request, from: piece.from, before, count: piece.count, bytes: MOST_RANGE_BYTES },
      range,
    );
  }

  find(peer: Peer, request: number): { readonly piece: Piece; readonly asked: Asked } | undefined {
    for (const piece of this.pieces) {
      const asked = piece.asked.find((one) => one.peer === peer && one.request === request);
      if (asked !== undefined) return { piece, asked };
    }
    return undefined;
  }

  /**
   * Takes an answer, which must be the asked blocks of one branch. Throws a Refusal otherwise: no honest node sends
   * that. The missing rest becomes a piece of its own.
   */
  arrive(piece: Piece, { peer, before }: Asked, { blocks }: Range, atMs: number): void {
    const bytes = blocks.reduce((sum, { length }) => sum + length, 0);
    if (blocks.length > piece.count || (bytes > MOST_RANGE_BYTES && blocks.length > 1))
      refuse.range_too_long({ blocks: blocks.length, bytes, count: piece.count, most: MOST_RANGE_BYTES });
    let [at, last, previous] = [piece.from, before, before];
    for (const packed of blocks) {
      const { number, id, header } = summarizeBlock(packed);
      if (number !== at) refuse.range_elsewhere({ number, from: at });
      if (last !== ZERO_HASH160 && header.previous !== last) refuse.range_unlinked({ number });
      if (at === piece.from) previous = header.previous;
      last = id;
      at++;
    }
    piece.arrived = { peer, atMs, blocks, bytes, previous, lastId: last };
    const rest = piece.count - blocks.length;
    piece.count = blocks.length;
    const slighted = bytes < LITTLE_BYTES ? peer : undefined;
    if (rest > 0)
      this.pieces.splice(this.pieces.indexOf(piece) + 1, 0, {
        from: at,
        count: rest,
        asked: [],
        arrived: undefined,
        slighted,
      });
  }

  /**
   * Takes out the pieces that have come from the first on, as far as they follow each other and are no more than that
   * many bytes. One that ends with block `end` is the last.
   */
  takeAll(mostBytes: number, end: number): (Piece & { readonly arrived: Arrived })[] {
    const taken: (Piece & { readonly arrived: Arrived })[] = [];
    let bytes = 0;
    const isOnTip = this.pieces[0]?.arrived?.previous === this.tip.id;
    for (let last = this.tip.id; ;) {
      const arrived = this.pieces[0]?.arrived;
      const isNext =
        arrived !== undefined &&
        (taken.length === 0 || (isOnTip && arrived.previous === last && bytes + arrived.bytes <= mostBytes));
      const piece = isNext ? this.#takeFirst() : undefined;
      if (piece === undefined) return taken;
      taken.push(piece);
      bytes += piece.arrived.bytes;
      last = piece.arrived.lastId;
      if (piece.from + piece.count - 1 === end) return taken;
    }
  }

  /** Takes out the first piece when it has come. */
  #takeFirst(): (Piece & { readonly arrived: Arrived }) | undefined {
    const [first] = this.pieces;
    const arrived = first?.arrived;
    if (first === undefined || arrived === undefined) return undefined;
    this.pieces.shift();
    return { ...first, arrived };
  }

  /** Somebody else has to be asked for a piece. */
  release(piece: Piece, peer: Peer): void {
    const at = piece.asked.findIndex((one) => one.peer === peer);
    if (at >= 0) piece.asked.splice(at, 1);
  }
}
