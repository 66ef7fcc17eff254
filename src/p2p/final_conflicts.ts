import { ZERO_HASH160 } from '../values/hash.ts';
import type { Status } from './messages/status.ts';
import type { Outside } from './outside.ts';
import type { Peer } from './peer.ts';
import type { NodeId } from './wire_values.ts';

export interface FinalConflictsParts {
  readonly outside: Outside;
  /** Seeds whose id the operator has given: they are asked when others contradict each other. */
  readonly isPinned: (id: NodeId) => boolean;
  /** The highest block whose id the operator has given. */
  readonly checkpoint: number;
}

const REFUSED_MS = 10 * 60_000;
const MOST_REFUSED = 1024;

/**
 * Peers that say another block is final than we do. A node that has followed the chain lets them go. One that has not can't tell an old
 * key's branch from the chain: it stops, until a pinned seed or a checkpoint tells.
 */
export class FinalConflicts {
  readonly #parts: FinalConflictsParts;
  readonly #refused = new Map<NodeId, number>();
  #contestedNumber: number | undefined;

  constructor(parts: FinalConflictsParts) {
    this.#parts = parts;
  }

  get isContested(): boolean {
    return this.#contestedNumber !== undefined;
  }

  /** Whether the peer was refused lately. */
  isRefused(id: NodeId): boolean {
    return (this.#refused.get(id) ?? 0) > this.#parts.outside.clock.elapsedMs();
  }

  /** False when the peer is on another chain than we are; then it has been let go. */
  check(peer: Peer, { irreversible_number: number, irreversible_id: id }: Status, hasBeenLive: boolean): boolean {
    const { view } = this.#parts.outside;
    if (number > view.head.irreversible) return true;
    const own = number === 0 ? ZERO_HASH160 : view.idAt(number);
    if (own === undefined) return true;
    if (own !== id) {
      this.report(peer, number, hasBeenLive);
      return false;
    }
    if (this.isContested && number >= (this.#contestedNumber ?? 0) && this.#parts.isPinned(peer.id)) this.#contestedNumber = undefined;
    return true;
  }

  /** The peer has another block in the place of one that is final here. */
  report(peer: Peer, number: number, hasBeenLive: boolean): void {
    const { log, clock } = this.#parts.outside;
    log.error(`a peer has another block ${number} than this node, where it is irreversible`, {
      peer: peer.id,
      host: peer.pipe.address.host,
    });
    this.#refused.delete(peer.id);
    this.#refused.set(peer.id, clock.elapsedMs() + REFUSED_MS);
    if (this.#refused.size > MOST_REFUSED) this.#forgetOldest();
    if (!hasBeenLive) this.#contest(peer, number);
    peer.close('other_final_block', `block ${number} is another one here`);
  }

  /** The peer has let us go because another block is final there: whoever is further than we are sees it first. */
  toldBy(peer: Peer, hasBeenLive: boolean): void {
    const { irreversible } = this.#parts.outside.view.head;
    if (!hasBeenLive && irreversible > 0) this.#contest(peer, irreversible);
  }

  #contest(peer: Peer, number: number): void {
    const { outside, checkpoint, isPinned } = this.#parts;
    const isChosen = !peer.pipe.isInbound || isPinned(peer.id);
    // Whoever comes to us by himself could stop every newcomer with a word.
    if (!isChosen || checkpoint >= number || this.isContested) return;
    this.#contestedNumber = number;
    outside.log.error(
      `peers contradict each other about block ${number}: name a checkpoint or a seed with its id (id@host:port) that you trust`,
    );
  }

  #forgetOldest(): void {
    for (const oldest of this.#refused.keys()) {
      this.#refused.delete(oldest);
      return;
    }
  }
}
