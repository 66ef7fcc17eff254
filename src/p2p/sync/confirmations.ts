import type { ChainView } from '../environment/chain_access.ts';
import type { Peer } from '../peers/peer.ts';
import type { BlockId } from '../../values/hash.ts';
import type { CheckpointWay } from '../finality/checkpoint_way.ts';
import type { Voices } from './voices.ts';

/**
 * The number of address groups, dialled by this node, that must have the block. One node that the operator has named by
 * id is enough.
 */
export const ENOUGH_CONFIRMATIONS = 3;

/** The end of an epoch that the operator trusts. */
export interface TrustedCheckpoint {
  readonly number: number;
  readonly id: BlockId;
}

export interface ConfirmationParts {
  readonly view: Pick<ChainView, 'blockId' | 'head' | 'finality'>;
  readonly voices: Voices;
  /** The block that our chain begins with. */
  readonly number: number;
  readonly checkpoint?: TrustedCheckpoint | undefined;
  /** From the checkpoint to the voters of the epoch in which our chain begins. */
  readonly way?: Pick<CheckpointWay, 'isThere'> | undefined;
}

/**
 * Counts the peers whose chains have the block that ours begins with. A snapshot of somebody else has that block, and
 * could be made up.
 */
export class Confirmations {
  readonly #parts: ConfirmationParts;
  readonly #confirming = new Set<string>();
  #isPinned = false;

  constructor(parts: ConfirmationParts) {
    this.#parts = parts;
  }

  get count(): number {
    return this.#confirming.size;
  }

  get isEnough(): boolean {
    return this.#isPinned || this.#confirming.size >= ENOUGH_CONFIRMATIONS || this.isProven;
  }

  /**
   * Nobody has to confirm the block where the checkpoint's one stands above it on our chain, or where voters to whom the
   * checkpoint leads have made it final.
   */
  get isProven(): boolean {
    const { view, number, checkpoint, way } = this.#parts;
    if (checkpoint === undefined || view.finality === undefined) return false;
    if (checkpoint.number >= number) return view.blockId(checkpoint.number) === checkpoint.id;
    return way?.isThere === true && view.head.irreversible >= number;
  }

  /**
   * Counts peers whose irreversible block is ours at that number or above. Strangers count for nothing, and an address
   * group once: one owner may have many addresses.
   */
  look(live: readonly Pick<Peer, 'id' | 'dialledAt' | 'status'>[]): void {
    const { view, voices, number } = this.#parts;
    for (const peer of live) {
      const { status } = peer;
      if (status === undefined || status.irreversible_number < number) continue;
      if (view.blockId(status.irreversible_number) !== status.irreversible_id) continue;
      const voice = voices.of(peer);
      if (voices.isPinned(peer)) this.#isPinned = true;
      if (voice !== undefined) this.#confirming.add(voice);
    }
  }
}
