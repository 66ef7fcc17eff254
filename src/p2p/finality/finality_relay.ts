import type { Certificate } from '../../blocks/finality/certificate.ts';
import type { Vote } from '../../blocks/finality/vote.ts';
import type { BlockId } from '../../values/hash.ts';
import type { Environment } from '../environment/environment.ts';
import type { AnswerTurns } from '../peers/answer_turns.ts';
import type { MessageRouter } from '../peers/message_router.ts';
import type { Peer } from '../peers/peer.ts';
import { CertificateRelay } from './certificate_relay.ts';
import { FinalityFetch } from './finality_fetch.ts';
import { FinalityServer } from './finality_server.ts';
import { VoteRelay } from './vote_relay.ts';

export interface FinalityRelayParts {
  readonly environment: Environment;
  readonly live: () => readonly Peer[];
  readonly router: MessageRouter<Peer>;
  readonly turns: AnswerTurns;
  /** A block has a certificate, and the peer may have the block. */
  readonly certified: (peer: Peer, block: BlockId) => void;
  /** True when peers push votes and certificates to this node, and it passes them on. */
  readonly relaysVotes: boolean;
  /** Does what no message causes now, so that its time is counted. */
  readonly spend: (what: string, work: () => void) => void;
}

/** The chain's messages to peers about its finality. */
export type FinalityUpdate =
  /** A vote of this node. */
  | { readonly kind: 'vote'; readonly vote: Vote }
  | { readonly kind: 'certificate'; readonly certificate: Certificate; readonly isPushed: boolean }
  /** Each new peer is told these certificates. */
  | { readonly kind: 'told'; readonly certificates: readonly Certificate[] }
  /** A block that has a certificate is not here. */
  | { readonly kind: 'missing'; readonly block: BlockId }
  /** Boundary certificates are missing here from this epoch on. */
  | { readonly kind: 'wanted'; readonly epoch: number };

/** Votes and certificates between this node and its peers. On a chain without votes it is silent. */
export class FinalityRelay {
  readonly #parts: FinalityRelayParts;
  readonly #votes: VoteRelay;
  readonly #certificates: CertificateRelay;
  readonly #fetch: FinalityFetch;

  constructor(parts: FinalityRelayParts) {
    this.#parts = parts;
    const { environment, turns } = parts;
    this.#fetch = new FinalityFetch({ environment, isNew: (said) => this.#certificates.isNew(said) });
    const fetch = this.#fetch;
    this.#certificates = new CertificateRelay({ ...parts, fetch });
    const isAhead = (peer: Peer): void => fetch.boundaries(peer, environment.view.finality?.epoch ?? 0);
    this.#votes = new VoteRelay({ ...parts, isAhead });
    new FinalityServer({ environment, turns, told: () => this.#certificates.told });
  }

  /** The chain has something to tell, or to ask. */
  changed(news: FinalityUpdate): void {
    switch (news.kind) {
      case 'vote':
        return this.#votes.tell(news.vote);
      case 'certificate':
        return this.#certificates.tell(news.certificate, news.isPushed);
      case 'told':
        return this.#certificates.setTold(news.certificates);
      case 'missing':
        for (const peer of this.#parts.live()) this.#parts.certified(peer, news.block);
        return;
      case 'wanted':
        return this.#askAnybody(news.epoch);
    }
  }

  joined(peer: Peer): void {
    this.#certificates.joined(peer);
  }

  left(peer: Peer): void {
    this.#certificates.left(peer);
  }

  tick(): void {
    this.#certificates.tick();
  }

  tidy(): void {
    this.#votes.tidy();
  }

  stop(): void {
    this.#votes.stop();
    this.#certificates.stop();
  }

  #askAnybody(epoch: number): void {
    const { environment, live } = this.#parts;
    const dialled = live().filter(({ dialledAt }) => dialledAt !== undefined);
    const peers = dialled.length > 0 ? dialled : live();
    const peer = peers[peers.length === 0 ? 0 : environment.randomSource.roll(peers.length)];
    if (peer !== undefined) this.#fetch.boundaries(peer, epoch);
  }
}
