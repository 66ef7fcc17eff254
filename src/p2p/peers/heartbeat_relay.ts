import { isTimely, type SignedHeartbeat } from '../../blocks/alive.ts';
import { getBlockNumber, type BlockId } from '../../values/hash.ts';
import { slotNumber } from '../../values/time.ts';
import type { MessageRouter } from './message_router.ts';
import { alive } from '../../wire/messages/alive.ts';
import type { Environment } from '../environment/environment.ts';
import type { Peer } from './peer.ts';
import { RememberedIds } from './remembered_ids.ts';
import { isBeyondSlots } from './slot_limits.ts';

/** The parts of the node that the relay calls. */
export interface HeartbeatRelayParts {
  readonly environment: Environment;
  readonly live: () => readonly Peer[];
  readonly router: MessageRouter<Peer>;
  /** A witness stands on a block that we don't know, and the peer may have it. */
  readonly hinted: (peer: Peer) => void;
}

/** Of keys that no branch here knows: what is there twice is looked at once. */
const STRANGERS_REMEMBERED = 1024;

/**
 * Checks heartbeats of witnesses once while the chain stands, keeps them for later peers, and relays one a witness and
 * slot.
 */
export class HeartbeatRelay {
  readonly #parts: HeartbeatRelayParts;
  /** The newest of each witness and key that some branch here knows. */
  readonly #newest = new Map<string, SignedHeartbeat>();
  /** On their way to the chain, or of nobody whom it knows. */
  readonly #judged = new RememberedIds(STRANGERS_REMEMBERED);

  constructor(parts: HeartbeatRelayParts) {
    this.#parts = parts;
    parts.router.on(alive, (peer, said) => this.#take(peer, said));
  }

  /** The number of witnesses with a heartbeat, on any branch. */
  get kept(): number {
    return this.#newest.size;
  }

  /** A witness of this node has signed one. */
  tell(own: SignedHeartbeat): void {
    this.#pass(own);
  }

  /** A newcomer would else know in ten seconds who is there. */
  joined(peer: Peer): void {
    for (const said of this.#newest.values()) if (this.#isTimely(said)) this.#give(peer, said);
  }

  /** Forgets who has said nothing for long. */
  tidy(): void {
    for (const [signer, said] of this.#newest) if (!this.#isTimely(said)) this.#newest.delete(signer);
  }

  #take(peer: Peer, said: SignedHeartbeat): void {
    const { intake, view } = this.#parts.environment;
    peer.knownHeartbeats.add(heartbeatId(said));
    if (!this.#isTimely(said) || !this.#isNewer(said) || this.#judged.has(heartbeatId(said))) return;
    if (isBeyondSlots(this.#parts.environment, getBlockNumber(said.head))) return;
    // Honest nodes look at it before they pass it on.
    if (!intake.hasValidSignature(view.chainId, said)) return peer.offend('lie', 'what a witness has not signed');
    this.#judged.add(heartbeatId(said));
    intake.submitAlive(said, (isOfWitness) => {
      // Another branch may have other witnesses: nobody is to blame.
      if (!isOfWitness || !this.#isNewer(said)) return;
      this.#pass(said);
      this.#look(peer, said.head);
    });
  }

  /** By a wrong clock of ours or theirs it may not be: nobody is blamed. */
  #isTimely(said: SignedHeartbeat): boolean {
    const { view, clock } = this.#parts.environment;
    return view.slots !== undefined && isTimely(said, slotNumber(clock.nowMs() / 1000, view.slots.intervalSeconds));
  }

  #isNewer(said: SignedHeartbeat): boolean {
    const before = this.#newest.get(signerId(said));
    return before === undefined || before.slot < said.slot;
  }

  #pass(said: SignedHeartbeat): void {
    this.#newest.set(signerId(said), said);
    for (const peer of this.#parts.live()) this.#give(peer, said);
  }

  #give(peer: Peer, said: SignedHeartbeat): void {
    if (peer.knownHeartbeats.has(heartbeatId(said))) return;
    peer.knownHeartbeats.add(heartbeatId(said));
    peer.send(alive, said);
  }

  #look(peer: Peer, head: BlockId): void {
    const { view } = this.#parts.environment;
    if (getBlockNumber(head) >= view.head.number && !view.knows(head)) this.#parts.hinted(peer);
  }
}

function signerId({ witness, key }: SignedHeartbeat): string {
  return `${witness} ${key}`;
}

function heartbeatId({ witness, key, slot }: SignedHeartbeat): string {
  return `${witness} ${key} ${slot}`;
}
