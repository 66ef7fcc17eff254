import type { ChainView } from './chain_access.ts';
import type { Peer } from './peer.ts';
import type { NodeId } from './wire_values.ts';

/** So many of whom this node has chosen must have the block; one whose id the operator has given is enough. */
export const ENOUGH_CONFIRMATIONS = 3;

export interface ConfirmationParts {
  readonly view: Pick<ChainView, 'idAt'>;
  /** Nodes whose id the operator has given. */
  readonly isPinned: (id: NodeId) => boolean;
  /** The block that our chain begins with. */
  readonly number: number;
}

/** Whose chains have the block that ours begins with: a file of somebody else's has it, and could have been made up. */
export class Confirmations {
  readonly #parts: ConfirmationParts;
  readonly #peers = new Set<NodeId>();
  #isPinned = false;

  constructor(parts: ConfirmationParts) {
    this.#parts = parts;
  }

  get count(): number {
    return this.#peers.size;
  }

  get isEnough(): boolean {
    return this.#isPinned || this.#peers.size >= ENOUGH_CONFIRMATIONS;
  }

  /** Whoever has our block as an irreversible one, at that number or above, has that one too. Peers who have come by themselves count for nothing: one hand may have many. */
  look(live: readonly Pick<Peer, 'id' | 'status' | 'pipe'>[]): void {
    const { view, isPinned, number } = this.#parts;
    for (const { id, status, pipe } of live) {
      if (status === undefined || status.irreversible_number < number) continue;
      if (view.idAt(status.irreversible_number) !== status.irreversible_id) continue;
      if (isPinned(id)) this.#isPinned = true;
      if (!pipe.isInbound) this.#peers.add(id);
    }
  }
}
