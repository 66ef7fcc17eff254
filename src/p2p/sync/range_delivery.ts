import { present } from '../../base/assert.ts';
import type { BlockId } from '../../values/hash.ts';
import { summarizeBlock } from '../blocks/block_summary.ts';
import type { Environment } from '../environment/environment.ts';
import type { Peer } from '../peers/peer.ts';
import type { RangeHandover, RefusedGift } from './range_handover.ts';
import type { Arrived, Piece, RangePlan } from './range_plan.ts';
import { waitForTime } from '../peers/slot_limits.ts';

/** A piece that has come. */
type Delivered = Piece & { readonly arrived: Arrived };

export interface RangeDeliveryParts {
  readonly environment: Environment;
  /** The highest block whose id the operator has given; 0 for none. */
  readonly checkpoint: number;
  readonly isTrusted: (peer: Peer) => boolean;
  /** A peer has given a block above our head. */
  readonly delivered: (peer: Peer) => void;
  readonly handover: RangeHandover;
  /** The plan comes to nothing. */
  readonly ended: (plan: RangePlan) => void;
  /** The chain has answered; undefined when it took what it was given. */
  readonly handedOver: (plan: RangePlan, refused: RefusedGift | undefined) => void;
}

/** Bytes that are handed to the chain at once. */
const SUBMITTED_BYTES = 16 * 1024 * 1024;
/** With less the chain waits for what comes behind it, as long as that comes soon. */
const WORTHWHILE = { bytes: 8 * 1024 * 1024, blocks: 4000, waitMs: 500 };

/** Brings the pieces of a plan that have come to the chain, in order. */
export class RangeDelivery {
  readonly #parts: RangeDeliveryParts;

  constructor(parts: RangeDeliveryParts) {
    this.#parts = parts;
  }

  /**
   * Hands the first pieces to the chain when they follow what was handed over before. One at a time: what comes
   * meanwhile waits.
   */
  deliver(plan: RangePlan, nowMs: number): void {
    const { environment, checkpoint, delivered, handover, ended, handedOver } = this.#parts;
    if (handover.isBusy || !isWorthwhile(plan, nowMs)) return;
    const pieces = plan.takeAll(SUBMITTED_BYTES, checkpoint);
    const [first] = pieces;
    if (first === undefined) return;
    if (first.arrived.previous !== plan.tip.id) return this.#discard(plan, first);
    const blocks = this.#ofThePast(pieces.flatMap(({ arrived }) => arrived.blocks));
    if (blocks.length === 0) return ended(plan);
    for (const { from, arrived } of pieces) if (environment.view.head.number < from) delivered(arrived.peer);
    const isVouchedFor = this.#isVouched(plan, blocks, pieces);
    const isWhole = blocks.length === pieces.reduce((sum, { count }) => sum + count, 0);
    plan.tip = lastBlock(blocks);
    // Their bytes are not needed any more.
    const given = pieces.map(({ arrived: { peer }, count }) => ({ peer, count }));
    handover.submit(blocks, given, { isLast: !isWhole || plan.isDone, isVouchedFor }, (refused) =>
      handedOver(plan, refused),
    );
  }

  /** It leads to a block that the operator has named, or comes from somebody whom he trusts. */
  #isVouched({ tip }: RangePlan, blocks: readonly Uint8Array[], pieces: readonly Delivered[]): boolean {
    const { environment, checkpoint, handover, isTrusted } = this.#parts;
    // Blocks that are kept aside until their branch is longer must be verified.
    if (!handover.isWaiting && tip.id !== environment.view.head.id) return false;
    return tip.number + blocks.length <= checkpoint || pieces.every(({ arrived }) => isTrusted(arrived.peer));
  }

  /** Times only grow, so the last ones are left out. */
  #ofThePast(blocks: readonly Uint8Array[]): readonly Uint8Array[] {
    let count = blocks.length;
    while (count > 0 && this.#isOfFuture(present(blocks[count - 1], 'a block'))) count--;
    return blocks.slice(0, count);
  }

  #isOfFuture(packed: Uint8Array): boolean {
    return waitForTime(this.#parts.environment, summarizeBlock(packed).header.timestamp) > 0;
  }

  /** Two peers on two branches: nobody is to blame, and whose branch it is not helps no more. */
  #discard(plan: RangePlan, { from, count, arrived }: Delivered): void {
    if (arrived.peer === plan.leader) return this.#parts.ended(plan);
    plan.excluded.add(arrived.peer);
    plan.pieces.unshift({ from, count, asked: [], arrived: undefined });
  }
}

function isWorthwhile(plan: RangePlan, nowMs: number): boolean {
  const { bytes, blocks, sinceMs, isAll } = plan.ready;
  if (sinceMs === undefined) return false;
  return isAll || bytes >= WORTHWHILE.bytes || blocks >= WORTHWHILE.blocks || nowMs - sinceMs >= WORTHWHILE.waitMs;
}

function lastBlock(blocks: readonly Uint8Array[]): { readonly number: number; readonly id: BlockId } {
  const { number, id } = summarizeBlock(present(blocks.at(-1), 'a block'));
  return { number, id };
}
