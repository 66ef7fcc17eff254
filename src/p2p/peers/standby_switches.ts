import { Bucket } from './bucket.ts';
import type { MessageRouter } from './message_router.ts';
import { standbySwitch } from '../../wire/messages/standby_switch.ts';
import type { Environment } from '../environment/environment.ts';
import type { Peer } from './peer.ts';
import type { NodeId } from '../../wire/wire_values.ts';

export interface StandbySwitchParts {
  readonly environment: Pick<Environment, 'clock' | 'standbySwitch'>;
  readonly router: MessageRouter<Peer>;
  readonly live: () => readonly Peer[];
}

/** A witness signs one each 20 minutes, and gives it again after each connection. */
const [PER_SECOND, DEEP_SECONDS] = [1 / 60, 240];

/**
 * Switches of witnesses to their standbys: each goes to the node that the operator has named, and is kept for it until
 * it comes.
 */
export class StandbySwitches {
  readonly #parts: StandbySwitchParts;
  /** The newest for each node. */
  readonly #switches = new Map<NodeId, Uint8Array>();
  readonly #buckets = new WeakMap<Peer, Bucket>();

  constructor(parts: StandbySwitchParts) {
    this.#parts = parts;
    parts.router.on(standbySwitch, (peer, packed) => this.#take(peer, packed));
  }

  /** Hands a switch to that node, at once or when it is there. */
  hand(node: NodeId, packed: Uint8Array): void {
    this.#switches.set(node, packed);
    for (const peer of this.#parts.live()) if (peer.id === node) this.joined(peer);
  }

  /** A node may have forgotten what it was given. */
  joined(peer: Peer): void {
    const packed = this.#switches.get(peer.id);
    if (packed !== undefined) peer.send(standbySwitch, packed);
  }

  #take(peer: Peer, packed: Uint8Array): void {
    const { environment } = this.#parts;
    if (environment.standbySwitch === undefined) return peer.offend('body_unasked', 'a switch, where nobody stands by');
    const nowMs = environment.clock.elapsedMs();
    const bucket = this.#buckets.get(peer) ?? new Bucket(PER_SECOND, DEEP_SECONDS, nowMs);
    this.#buckets.set(peer, bucket);
    if (bucket.take(1, nowMs)) environment.standbySwitch(peer.id, packed);
  }
}
