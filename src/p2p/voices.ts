import { groupOf, isLoopback } from './addresses.ts';
import type { Peer } from './peer.ts';
import type { NodeId } from './wire_values.ts';

/** What of a peer says whose word it is. */
export type Speaker = Pick<Peer, 'id' | 'pipe'>;

export interface VoicesParts {
  /** Nodes whose id the operator has given. */
  readonly pinned: ReadonlySet<NodeId>;
  /** Those that a private network is made of. */
  readonly allowed: ReadonlySet<NodeId>;
}

/**
 * Whose word may count: peers that this node has dialled, all of an address group together once, and nodes that the operator has named.
 * Inbound strangers have no voice: one hand may have many.
 */
export class Voices {
  readonly #parts: VoicesParts;

  constructor(parts: VoicesParts) {
    this.#parts = parts;
  }

  isPinned({ id }: Pick<Speaker, 'id'>): boolean {
    return this.#parts.pinned.has(id);
  }

  /** The voice that a peer speaks with; undefined for a stranger. */
  of({ id, pipe }: Speaker): string | undefined {
    if (this.#parts.pinned.has(id) || this.#parts.allowed.has(id)) return id;
    if (pipe.isInbound) return undefined;
    // Whatever runs on this machine is its operator's, if it was dialled.
    return isLoopback(pipe.address.host) ? id : groupOf(pipe.address.host);
  }

  /** One peer for each voice: the one that has been here longest, as peers are listed. */
  speakers<P extends Speaker>(live: readonly P[]): P[] {
    const speakers = new Map<string, P>();
    for (const peer of live) {
      const voice = this.of(peer);
      if (voice !== undefined && !speakers.has(voice)) speakers.set(voice, peer);
    }
    return [...speakers.values()];
  }
}
