import { addressGroup, isLoopback } from '../../wire/addresses.ts';
import type { Peer } from '../peers/peer.ts';
import type { NodeId } from '../../wire/wire_values.ts';

/** The members of a peer that identify a voice. */
export type Speaker = Pick<Peer, 'id' | 'dialledAt'>;

export interface VoicesParts {
  /** Nodes whose id the operator has given. */
  readonly pinned: ReadonlySet<NodeId>;
  /** Those that a private network is made of. */
  readonly allowed: ReadonlySet<NodeId>;
}

/**
 * Chooses whose statements count: dialled peers, one voice for each address group, and nodes that the operator has
 * named. Inbound strangers have no voice, because one owner may have many addresses.
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
  of({ id, dialledAt }: Speaker): string | undefined {
    if (this.#parts.pinned.has(id) || this.#parts.allowed.has(id)) return id;
    if (dialledAt === undefined) return undefined;
    // A dialled node on this machine is its operator's.
    return isLoopback(dialledAt.host) ? id : addressGroup(dialledAt.host);
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
