import { parseEndpoint } from '../../wire/addresses.ts';
import type { AddressBook } from './address_book.ts';
import { atOnce, type AnswerTurns } from './answer_turns.ts';
import type { MessageRouter } from './message_router.ts';
import { MOST_TOLD, peers } from '../../wire/messages/peers.ts';
import { peersRequest } from '../../wire/messages/peers_request.ts';
import type { Environment } from '../environment/environment.ts';
import type { Peer } from './peer.ts';

/** Peers of the first minutes know few others, so a node that wants more asks again: then, and after twice as long each time. */
const FIRST_ASK_AGAIN_MS = 30_000;
const LAST_ASK_AGAIN_MS = 10 * 60_000;
/** Sooner than a node asks, whatever the two clocks and the way between them do. */
const TELL_EACH_MS = 20_000;

/** Asks those whom we have dialled for addresses, again while peers are missing, and tells those who ask. */
export class PeerExchange {
  readonly #environment: Environment;
  readonly #book: AddressBook;
  readonly #toldMs = new WeakMap<Peer, number>();
  readonly #asked = new WeakMap<Peer, { readonly atMs: number; readonly waitMs: number }>();

  constructor(environment: Environment, book: AddressBook, router: MessageRouter<Peer>, turns: AnswerTurns) {
    this.#environment = environment;
    this.#book = book;
    turns.on(peersRequest, (peer) => atOnce(() => this.#tell(peer)));
    router.on(peers, (peer, told) => {
      for (const { id, endpoint } of told.peers) book.hear(endpoint, id, peer.id);
    });
  }

  /** Only peers that this node has chosen are asked: inbound ones may lie, and speak for themselves alone. */
  joined(peer: Peer): void {
    if (peer.pipe.isInbound) this.#hearEndpoints(peer);
    else this.#ask(peer);
  }

  /**
   * Asks each of these outbound peers again whose last answer is old. All of a node's peers may be full at once and drop
   * it, so it needs others to go to.
   */
  askAgain(outbound: readonly Peer[]): void {
    const nowMs = this.#environment.clock.elapsedMs();
    for (const peer of outbound) {
      const asked = this.#asked.get(peer);
      if (asked !== undefined && nowMs - asked.atMs >= asked.waitMs)
        this.#ask(peer, Math.min(asked.waitMs * 2, LAST_ASK_AGAIN_MS));
    }
  }

  /** Endpoints of the machine from which it came: nobody has us dial others. */
  #hearEndpoints({ id, hello, pipe }: Peer): void {
    for (const endpoint of hello?.endpoints ?? [])
      if (parseEndpoint(endpoint)?.host === pipe.address.host) this.#book.hear(endpoint, id, id);
  }

  #ask(peer: Peer, waitMs = FIRST_ASK_AGAIN_MS): void {
    this.#asked.set(peer, { atMs: this.#environment.clock.elapsedMs(), waitMs });
    peer.ask(peersRequest, {}, peers);
  }

  #tell(peer: Peer): void {
    const nowMs = this.#environment.clock.nowMs();
    const before = this.#toldMs.get(peer);
    if (before !== undefined && nowMs - before < TELL_EACH_MS) return;
    this.#toldMs.set(peer, nowMs);
    peer.send(peers, {
      peers: this.#book.told(MOST_TOLD, nowMs, this.#environment.randomSource).filter(({ id }) => id !== peer.id),
    });
  }
}
