import type { CertificateAnnouncement } from '../../wire/messages/certificate_announcement.ts';
import { finality } from '../../wire/messages/finality.ts';
import {
  finalityRequest,
  MOST_BOUNDARIES,
  NEWEST_COMMIT,
  NEWEST_PREPARE,
  type FinalityRequest,
} from '../../wire/messages/finality_request.ts';
import type { Environment } from '../environment/environment.ts';
import type { Peer } from '../peers/peer.ts';

/** As long as a block's announcer gets: then somebody else is asked. */
const ANSWER_MS = 1000;
/** Boundaries are old by then, and the answer is longer. */
const BOUNDARIES_MS = 5000;
/** A peer that is ahead says so with each vote. */
const BOUNDARIES_EACH_MS = 3000;
/**
 * Announced certificates of one peer that wait, the newest of them: an honest network has four, of two kinds and two
 * views. What others have announced waits for none of them.
 */
const MOST_WANTED_OF_PEER = 4;

export interface FinalityFetchParts {
  readonly environment: Pick<Environment, 'clock'>;
  /** True when a certificate is still higher than the known ones. */
  readonly isNew: (said: CertificateAnnouncement) => boolean;
}

interface Wanted {
  readonly said: CertificateAnnouncement;
  /** Peers that announced it; each is asked once. */
  readonly heardFrom: Set<Peer>;
  /** Those of them that were not asked. */
  readonly announcers: Peer[];
  /** When the next peer is asked. */
  dueMs: number;
}

/**
 * Asks for certificates that were announced, one peer at a time, and for the boundaries of epochs that are missing
 * here.
 */
export class FinalityFetch {
  readonly #parts: FinalityFetchParts;
  readonly #wanted = new Map<string, Wanted>();
  /** One request a peer; until when it is open. */
  readonly #open = new Map<Peer, number>();
  /** Of inbound peers, and of those that this node has dialled: strangers who talk of later epochs hold up no others. */
  readonly #boundariesAskedMs = { inbound: -Infinity, dialled: -Infinity };

  constructor(parts: FinalityFetchParts) {
    this.#parts = parts;
  }

  /** A peer has a certificate that is missing here. It is asked for after a while, if it is still missing by then. */
  announced(peer: Peer, id: string, said: CertificateAnnouncement, waitMs: number): void {
    const wanted = this.#wanted.get(id);
    if (wanted?.heardFrom.has(peer) === true) return;
    this.#makeRoom(peer);
    if (wanted !== undefined) {
      wanted.heardFrom.add(peer);
      return void wanted.announcers.push(peer);
    }
    this.#wanted.set(id, { said, heardFrom: new Set([peer]), announcers: [peer], dueMs: this.#nowMs + waitMs });
    this.#askNext();
  }

  /** It has come, whoever sent it. */
  came(id: string): void {
    this.#wanted.delete(id);
  }

  /** Asks a peer for boundaries from an epoch on. */
  boundaries(peer: Peer, epoch: number): void {
    const nowMs = this.#nowMs;
    const way = connectionKind(peer);
    if (nowMs - this.#boundariesAskedMs[way] < BOUNDARIES_EACH_MS || !this.#isFree(peer)) return;
    this.#boundariesAskedMs[way] = nowMs;
    this.#ask(peer, { epoch, count: MOST_BOUNDARIES, newest: NEWEST_PREPARE | NEWEST_COMMIT }, BOUNDARIES_MS);
  }

  /** An answer has come; a full one has more behind it. */
  answered(peer: Peer, boundaries: number): void {
    this.#open.delete(peer);
    if (boundaries > 0) this.#boundariesAskedMs[connectionKind(peer)] = -Infinity;
  }

  left(peer: Peer): void {
    this.#open.delete(peer);
    for (const [id, wanted] of this.#wanted) this.#forget(id, wanted, peer);
  }

  tick(): void {
    for (const [peer, untilMs] of this.#open) {
      if (untilMs > this.#nowMs) continue;
      this.#open.delete(peer);
      peer.offend('timeout', 'a finality_request without an answer');
    }
    this.#askNext();
  }

  #askNext(): void {
    const nowMs = this.#nowMs;
    for (const [id, wanted] of this.#wanted) {
      if (!this.#parts.isNew(wanted.said)) this.#wanted.delete(id);
      if (nowMs < wanted.dueMs || !this.#wanted.has(id)) continue;
      const at = wanted.announcers.findIndex((peer) => peer.isLive && this.#isFree(peer));
      const [peer] = at < 0 ? [] : wanted.announcers.splice(at, 1);
      // Whoever announced it and was asked in vain was asked once.
      if (peer === undefined && wanted.announcers.length === 0) this.#wanted.delete(id);
      if (peer === undefined) continue;
      wanted.dueMs = nowMs + ANSWER_MS;
      this.#ask(
        peer,
        { epoch: 0, count: 0, newest: wanted.said.kind === 'commit' ? NEWEST_COMMIT : NEWEST_PREPARE },
        ANSWER_MS,
      );
    }
  }

  /** The oldest that a peer has announced goes before it announces one too many. */
  #makeRoom(peer: Peer): void {
    const own = [...this.#wanted].filter(([, { heardFrom }]) => heardFrom.has(peer));
    const [oldest] = own;
    if (oldest !== undefined && own.length >= MOST_WANTED_OF_PEER) this.#forget(...oldest, peer);
  }

  /** A certificate is not wanted of a peer any more, nor at all if nobody else has announced it. */
  #forget(id: string, { heardFrom, announcers }: Wanted, peer: Peer): void {
    heardFrom.delete(peer);
    const at = announcers.indexOf(peer);
    if (at >= 0) announcers.splice(at, 1);
    if (announcers.length === 0) this.#wanted.delete(id);
  }

  #isFree(peer: Peer): boolean {
    return !this.#open.has(peer);
  }

  #ask(peer: Peer, request: FinalityRequest, withinMs: number): void {
    this.#open.set(peer, this.#nowMs + withinMs);
    peer.ask(finalityRequest, request, finality);
  }

  get #nowMs(): number {
    return this.#parts.environment.clock.elapsedMs();
  }
}

function connectionKind({ dialledAt }: Peer): 'inbound' | 'dialled' {
  return dialledAt === undefined ? 'inbound' : 'dialled';
}
