import { catchRefusal } from '../../base/refusal.ts';
import { compareViews, requireCertificate, type Certificate } from '../../blocks/finality/certificate.ts';
import type { Voters } from '../../blocks/finality/voters.ts';
import { getBlockNumber, type BlockId } from '../../values/hash.ts';
import { certificate as message } from '../../wire/messages/certificate.ts';
import { certificateAnnouncement, type CertificateAnnouncement } from '../../wire/messages/certificate_announcement.ts';
import { finality, type Finality } from '../../wire/messages/finality.ts';
import type { Environment } from '../environment/environment.ts';
import type { MessageRouter } from '../peers/message_router.ts';
import type { Peer } from '../peers/peer.ts';
import { RememberedIds } from '../peers/remembered_ids.ts';
import { isBeyondSlots } from '../peers/slot_limits.ts';
import type { FinalityFetch } from './finality_fetch.ts';
import { relayingPeers } from './relaying_peers.ts';
import { isFutureView } from '../../blocks/finality/counted_views.ts';
import { viewNow } from './view_now.ts';

export interface CertificateRelayParts {
  readonly environment: Environment;
  readonly live: () => readonly Peer[];
  readonly router: MessageRouter<Peer>;
  readonly fetch: FinalityFetch;
  /** A peer has shown a certificate of a block, so it can give that block. */
  readonly certified: (peer: Peer, block: BlockId) => void;
  /** True when peers push votes and certificates to this node. */
  readonly relaysVotes: boolean;
  /** Does what no message causes now, so that its time is counted. */
  readonly spend: (what: string, work: () => void) => void;
}

/** Two in a slot, for an hour and a half. */
const JUDGED = 4096;
/**
 * A node that relays no votes waits so long for the commits that follow prepares: of most slots it then needs one
 * certificate.
 */
const COMMITS_FOLLOW_MS = 1500;
/** An answer holds 64 certificates, of which each takes 2 to 8 ms: blocks and pings come between them. */
const SLICE_MS = 5;

/** Certificates of an answer that are not judged yet, in order. */
interface Answered {
  readonly peer: Peer;
  readonly boundaries: number;
  readonly certificates: Certificate[];
}

/**
 * Verifies certificates once, hands them to the chain, pushes them to peers that relay votes and announces them to the
 * others.
 */
export class CertificateRelay {
  readonly #parts: CertificateRelayParts;
  readonly #judged = new RememberedIds(JUDGED);
  /** Each new peer is told these: the highest certificate, and those of the lock and of the final block. */
  #told: readonly Certificate[] = [];
  /** The highest that the chain was handed, and the epoch that had begun by then. */
  #highest: Certificate | undefined;
  #epoch: number | undefined;
  /** Certificates whose voters are not known yet: the highest of each peer. */
  readonly #waiting = new Map<Peer, Certificate>();
  #answers: Answered[] = [];
  #cancelSlice: (() => void) | undefined;

  constructor(parts: CertificateRelayParts) {
    this.#parts = parts;
    parts.router.on(message, (peer, said) => this.#take(peer, said));
    parts.router.on(certificateAnnouncement, (peer, said) => this.#hear(peer, said));
    parts.router.on(finality, (peer, said) => this.#takeAnswer(peer, said));
  }

  /** Certificates that peers are told from now on when they connect, and when they ask. */
  get told(): readonly Certificate[] {
    return this.#told;
  }

  /** True when a certificate is higher than the known ones. Commits of a view need no prepares of it any more. */
  isNew(said: CertificateAnnouncement): boolean {
    return !this.#told.some(({ subject: { epoch, view, kind } }) => {
      return (kind === 'commit' || said.kind === 'prepare') && compareViews({ epoch, view }, said) >= 0;
    });
  }

  setTold(told: readonly Certificate[]): void {
    this.#told = told;
    for (const certificate of told) this.#judged.add(announcementId(certificate.subject));
  }

  /** The chain wants a certificate to be known: to be pushed where votes are relayed, or announced to all. */
  tell(certificate: Certificate, isPushed: boolean): void {
    const { environment, live } = this.#parts;
    const id = announcementId(certificate.subject);
    this.#judged.add(id);
    const lacking = live().filter((peer) => !peer.knownCertificates.has(id));
    const pushed = new Set(isPushed ? relayingPeers(environment, lacking, () => true) : []);
    for (const peer of lacking) {
      if (pushed.has(peer)) push(peer, certificate);
      else announce(peer, certificate);
    }
  }

  joined(peer: Peer): void {
    for (const certificate of this.#told) {
      if (peer.relaysVotes) push(peer, certificate);
      else announce(peer, certificate);
    }
  }

  left(peer: Peer): void {
    this.#waiting.delete(peer);
    this.#answers = this.#answers.filter((answer) => answer.peer !== peer);
    this.#parts.fetch.left(peer);
  }

  /** The chain may have named voters whose certificates wait. */
  tick(): void {
    this.#lookAtEpoch();
    for (const [peer, certificate] of this.#waiting)
      if (this.#findVoters(certificate) !== undefined) {
        this.#waiting.delete(peer);
        this.#judge(peer, certificate);
      }
    this.#parts.fetch.tick();
  }

  stop(): void {
    this.#cancelSlice?.();
    this.#answers = [];
  }

  /** With a new epoch the chain can make more of a certificate that it has heard of before. */
  #lookAtEpoch(): void {
    const { finality: own } = this.#parts.environment.view;
    if (own === undefined || own.epoch === this.#epoch) return;
    const isFirst = this.#epoch === undefined;
    this.#epoch = own.epoch;
    if (!isFirst && this.#highest !== undefined && this.#highest.subject.epoch >= own.epoch) this.#hand(this.#highest);
  }

  #take(peer: Peer, certificate: Certificate): void {
    peer.knownCertificates.add(announcementId(certificate.subject));
    this.#parts.fetch.came(announcementId(certificate.subject));
    this.#judge(peer, certificate);
  }

  #hear(peer: Peer, said: CertificateAnnouncement): void {
    const id = announcementId(said);
    peer.knownCertificates.add(id);
    if (!this.#isPossible(said) || this.#judged.has(id) || !this.isNew(said)) return;
    const waits = said.kind === 'prepare' && !this.#parts.relaysVotes;
    this.#parts.fetch.announced(peer, id, said, waits ? COMMITS_FOLLOW_MS : 0);
  }

  /** Keeps an answer until blocks have named its voters, as any certificate. */
  #takeAnswer(peer: Peer, { boundaries, newest }: Finality): void {
    if (!areBoundaries(boundaries)) return peer.offend('lie', 'boundaries that are not in the order of their epochs');
    this.#parts.environment.boundaries?.(boundaries);
    const certificates = [...boundaries.map(({ certificate }) => certificate), ...newest];
    this.#answers.push({ peer, boundaries: boundaries.length, certificates });
    if (this.#cancelSlice === undefined) this.#judgeSlice();
  }

  #judgeSlice(): void {
    const { clock } = this.#parts.environment;
    const endMs = clock.elapsedMs() + SLICE_MS;
    this.#cancelSlice = undefined;
    for (let [answer] = this.#answers; answer !== undefined; [answer] = this.#answers) {
      const certificate = answer.certificates.shift();
      if (certificate === undefined) {
        this.#answers.shift();
        this.#parts.fetch.answered(answer.peer, answer.boundaries);
      } else this.#take(answer.peer, certificate);
      if (clock.elapsedMs() < endMs) continue;
      this.#cancelSlice = clock.after(0, () => this.#parts.spend('finality', () => this.#judgeSlice()));
      return;
    }
  }

  #judge(peer: Peer, certificate: Certificate): void {
    if (!this.#isPossible(certificate.subject) || this.#judged.has(announcementId(certificate.subject))) return;
    const voters = this.#findVoters(certificate);
    if (voters === undefined) return this.#wait(peer, certificate);
    const { environment, certified } = this.#parts;
    const refusal = catchRefusal(() =>
      requireCertificate(environment.view.chainId, certificate, voters, environment.intake.isVoteSigned),
    );
    // Honest nodes verify a certificate before they pass it on.
    if (refusal !== undefined) return peer.offend('lie', refusal.message);
    this.#judged.add(announcementId(certificate.subject));
    certified(peer, certificate.subject.block);
    this.#hand(certificate);
  }

  #hand(certificate: Certificate): void {
    if (this.#highest === undefined || compareViews(this.#highest.subject, certificate.subject) < 0)
      this.#highest = certificate;
    this.#parts.environment.intake.takeCertificate(certificate);
  }

  /** Undefined where they are not known here, or are others: another branch may have other voters. */
  #findVoters({ subject: { epoch, voters: digest } }: Certificate): Voters | undefined {
    const voters = this.#parts.environment.view.finality?.votersOf(epoch);
    return voters?.digest === digest ? voters : undefined;
  }

  /**
   * The certificate of a later epoch than is known here waits until the chain has come there, or the boundaries between
   * have.
   */
  #wait(peer: Peer, certificate: Certificate): void {
    const { environment, fetch } = this.#parts;
    const { finality: own } = environment.view;
    const { subject } = certificate;
    if (own === undefined || subject.epoch < own.epoch) return;
    const before = this.#waiting.get(peer);
    if (before === undefined || compareViews(before.subject, subject) < 0) this.#waiting.set(peer, certificate);
    if (subject.epoch > own.epoch) fetch.boundaries(peer, own.epoch);
  }

  #isPossible({ view, block }: Pick<CertificateAnnouncement, 'view' | 'block'>): boolean {
    const { environment } = this.#parts;
    const now = viewNow(environment);
    if (environment.view.finality === undefined || now === undefined) return false;
    return !isFutureView(view, now) && !isBeyondSlots(environment, getBlockNumber(block));
  }
}

/** At most one of each epoch, so that an answer is judged in bounded time. */
function areBoundaries(boundaries: Finality['boundaries']): boolean {
  return boundaries.every(({ certificate: { subject }, voters }, index) => {
    const before = boundaries[index - 1];
    return subject.epoch === voters.epoch && (before === undefined || before.voters.epoch < voters.epoch);
  });
}

function push(peer: Peer, certificate: Certificate): void {
  peer.knownCertificates.add(announcementId(certificate.subject));
  peer.send(message, certificate);
}

function announce(peer: Peer, { subject }: Certificate): void {
  const { epoch, view, kind, block } = subject;
  peer.knownCertificates.add(announcementId(subject));
  peer.send(certificateAnnouncement, { epoch, view, kind, block });
}

/** Two quorums of one view and block may differ in their signatures; either proves the same. */
function announcementId({ epoch, view, kind, block }: CertificateAnnouncement): string {
  return `${epoch} ${view} ${kind} ${block}`;
}
