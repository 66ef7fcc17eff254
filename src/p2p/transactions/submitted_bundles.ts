import type { Peer } from '../peers/peer.ts';

/** Bytes of all, and of one peer. More are dropped; that is nobody's fault. */
const MOST_BYTES = 16 * 1024 * 1024;
const MOST_BYTES_OF_PEER = 8 * 1024 * 1024;
/**
 * The least that a bundle counts for. A peer may have five hundred small ones, more than come in a second, or thirty of
 * the largest.
 */
const LEAST_COUNTED_BYTES = 16 * 1024;

/** Bundles with the chain that have no answer yet. */
export class SubmittedBundles {
  readonly #countedOf = new Map<Peer, number>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  hasRoomFor(peer: Peer, { length }: Uint8Array): boolean {
    return (
      (this.#countedOf.get(peer) ?? 0) + counted(length) <= MOST_BYTES_OF_PEER && this.#bytes + length <= MOST_BYTES
    );
  }

  /** One more; the result is called with the answer. */
  begin(peer: Peer, { length }: Uint8Array): () => void {
    this.#countedOf.set(peer, (this.#countedOf.get(peer) ?? 0) + counted(length));
    this.#bytes += length;
    return () => {
      this.#bytes -= length;
      const left = this.#countedOf.get(peer);
      if (left !== undefined) this.#countedOf.set(peer, left - counted(length));
    };
  }

  left(peer: Peer): void {
    this.#countedOf.delete(peer);
  }
}

function counted(bytes: number): number {
  return Math.max(bytes, LEAST_COUNTED_BYTES);
}
