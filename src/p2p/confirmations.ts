import type { ChainView } from './chain_access.ts';
import type { Peer } from './peer.ts';
import type { Voices } from './voices.ts';

/** So many address groups that this node has chosen must have the block; one whose id the operator has given is enough. */
export const ENOUGH_CONFIRMATIONS = 3;

export interface ConfirmationParts {
  readonly view: Pick<ChainView, 'idAt'>;
  readonly voices: Voices;
  /** The block that our chain begins with. */
  readonly number: number;
}

/** Whose chains have the block that ours begins with: a file of somebody else's has it, and could have been made up. */
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
    return this.#isPinned || this.#confirming.size >= ENOUGH_CONFIRMATIONS;
  }

  /** Whoever has our block as an irreversible one, at that number or above, has that one too. Strangers count for nothing, and a group of addresses once: one hand may have many. */
  look(live: readonly Pick<Peer, 'id' | 'status' | 'pipe'>[]): void {
    const { view, voices, number } = this.#parts;
    for (const peer of live) {
      const { status } = peer;
      if (status === undefined || status.irreversible_number < number) continue;
      if (view.idAt(status.irreversible_number) !== status.irreversible_id) continue;
      const voice = voices.of(peer);
      if (voices.isPinned(peer)) this.#isPinned = true;
      if (voice !== undefined) this.#confirming.add(voice);
    }
  }
}
