import type { AddressBook } from './address_book.ts';
import { atOnce, type AnswerTurns } from './answer_turns.ts';
import type { MessageRouter } from './message_router.ts';
import { MOST_TOLD, peers } from './messages/peers.ts';
import { peersRequest } from './messages/peers_request.ts';
import type { Outside } from './outside.ts';
import type { Peer } from './peer.ts';

const TELL_EACH_MS = 10 * 60_000;

/** Asks those whom we have dialled for addresses, once, and tells whoever asks. */
export class PeerExchange {
  readonly #outside: Outside;
  readonly #book: AddressBook;
  readonly #toldMs = new WeakMap<Peer, number>();

  constructor(outside: Outside, book: AddressBook, router: MessageRouter<Peer>, turns: AnswerTurns) {
    this.#outside = outside;
    this.#book = book;
    turns.on(peersRequest, (peer) => atOnce(() => this.#tell(peer)));
    router.on(peers, (peer, told) => {
      for (const { id, endpoint } of told.peers) book.hear(endpoint, id, peer.id);
    });
  }

  /** Only those we have chosen ourselves are asked: whoever comes to us may want to tell us lies. */
  joined(peer: Peer): void {
    if (!peer.pipe.isInbound) peer.ask(peersRequest, {}, peers);
  }

  #tell(peer: Peer): void {
    const nowMs = this.#outside.clock.nowMs();
    const before = this.#toldMs.get(peer);
    if (before !== undefined && nowMs - before < TELL_EACH_MS) return;
    this.#toldMs.set(peer, nowMs);
    peer.send(peers, { peers: this.#book.told(MOST_TOLD, nowMs, this.#outside.dice).filter(({ id }) => id !== peer.id) });
  }
}
