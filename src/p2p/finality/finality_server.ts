import { compareViews, type Certificate } from '../../blocks/finality/certificate.ts';
import type { VoteKind } from '../../blocks/finality/vote.ts';
import { finality, type BoundaryCertificate } from '../../wire/messages/finality.ts';
import {
  finalityRequest,
  NEWEST_COMMIT,
  NEWEST_PREPARE,
  type FinalityRequest,
} from '../../wire/messages/finality_request.ts';
import type { Environment } from '../environment/environment.ts';
import type { Answer, AnswerTurns } from '../peers/answer_turns.ts';
import type { Peer } from '../peers/peer.ts';

/** One that is being answered, and one that waits. */
const MOST_WAITING = 1;
const SIGNATURE_BYTES = 66;
const KEY_BYTES = 33;
const OTHER_BYTES = 256;

export interface FinalityServerParts {
  readonly environment: Pick<Environment, 'view' | 'clock'>;
  readonly turns: AnswerTurns;
  /** Certificates that peers are told, in any order. */
  readonly told: () => readonly Certificate[];
}

/** Answers requests for boundary certificates and for the newest certificates. */
export class FinalityServer {
  readonly #parts: FinalityServerParts;

  constructor(parts: FinalityServerParts) {
    this.#parts = parts;
    parts.turns.on(finalityRequest, (peer, request) => this.#begin(peer, request), true);
  }

  #begin(peer: Peer, request: FinalityRequest): Answer | undefined {
    if (this.#parts.turns.waiting(peer, finalityRequest) > MOST_WAITING) return undefined;
    const boundaries: BoundaryCertificate[] = [];
    let [bytes, next] = [0, request.epoch];
    return {
      build: (endMs) => {
        const { environment, turns, told } = this.#parts;
        while (boundaries.length < request.count && bytes < turns.answerBytes) {
          const boundary = environment.view.finality?.boundaryFrom(next);
          if (boundary === undefined) break;
          boundaries.push(boundary);
          next = boundary.voters.epoch + 1;
          bytes += certificateBytes(boundary);
          if (environment.clock.elapsedMs() >= endMs && boundaries.length < request.count) return false;
        }
        peer.send(finality, { boundaries, newest: selectNewest(told(), request.newest) });
        return true;
      },
    };
  }
}

function selectNewest(told: readonly Certificate[], wanted: number): Certificate[] {
  const of = (kind: VoteKind, bit: number): Certificate[] =>
    (wanted & bit) === 0
      ? []
      : told
          .filter(({ subject }) => subject.kind === kind)
          .toSorted((a, b) => compareViews(b.subject, a.subject))
          .slice(0, 1);
  return [...of('prepare', NEWEST_PREPARE), ...of('commit', NEWEST_COMMIT)];
}

function certificateBytes({ certificate: { signatures }, voters: { keys } }: BoundaryCertificate): number {
  return signatures.length * SIGNATURE_BYTES + keys.length * KEY_BYTES + OTHER_BYTES;
}
