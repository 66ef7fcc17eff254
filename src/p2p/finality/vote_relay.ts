import { refusals } from '../../base/refusal.ts';
import { voteDigest, type Vote, type VotersSignature, type VoteSubject } from '../../blocks/finality/vote.ts';
import type { Voters } from '../../blocks/finality/voters.ts';
import { getBlockNumber } from '../../values/hash.ts';
import { votes as message, type Votes } from '../../wire/messages/votes.ts';
import type { Environment } from '../environment/environment.ts';
import type { MessageRouter } from '../peers/message_router.ts';
import type { Peer } from '../peers/peer.ts';
import { isBeyondSlots } from '../peers/slot_limits.ts';
import { relayingPeers } from './relaying_peers.ts';
import { SeenVotes } from './seen_votes.ts';
import { isCountedView, isPastView } from '../../blocks/finality/counted_views.ts';
import { viewNow } from './view_now.ts';

const refuse = refusals({
  no_votes: 'a message of votes without any',
});

export interface VoteRelayParts {
  readonly environment: Environment;
  readonly live: () => readonly Peer[];
  readonly router: MessageRouter<Peer>;
  /** A peer votes in a later epoch than has begun here: it has the certificates that are missing. */
  readonly isAhead: (peer: Peer) => void;
}

/** Votes that come within this time travel together; eight hops take less than half a second with it. */
const GATHERED_MS = 50;
/** Of votes that contradict each other two are proof enough. */
const MOST_STATEMENTS = 2;
/** As many as the chain counts of a voter in one view: what else it states costs no signature and no memory. */
const MOST_COUNTED = 4;

interface GatheredVotes {
  readonly subject: VoteSubject;
  readonly votes: VotersSignature[];
}

/** Verifies votes once, hands them to the chain and passes them on. Cheap refusals come before signatures. */
export class VoteRelay {
  readonly #parts: VoteRelayParts;
  readonly #seen = new SeenVotes();
  /** By the digest of what they state. */
  readonly #gathered = new Map<string, GatheredVotes>();
  #cancelFlush: (() => void) | undefined;

  constructor(parts: VoteRelayParts) {
    this.#parts = parts;
    parts.router.on(message, (peer, said) => this.#take(peer, said));
  }

  /** Passes on a vote of this node. */
  tell({ subject, voter, signature }: Vote): void {
    const digest = this.#subjectDigest(subject);
    if (this.#seen.has(subject, digest, voter)) return;
    this.#seen.add(subject, digest, voter);
    this.#gather(subject, digest, { voter, signature });
  }

  /** Forgets views that do not count any more. */
  tidy(): void {
    const now = viewNow(this.#parts.environment);
    if (now !== undefined) this.#seen.forget((view) => isPastView(view, now));
  }

  stop(): void {
    this.#cancelFlush?.();
  }

  #take(peer: Peer, { subject, votes }: Votes): void {
    const voters = this.#findVoters(peer, subject);
    if (votes.length === 0) refuse.no_votes();
    if (voters === undefined) return;
    const digest = this.#subjectDigest(subject);
    const taken: Vote[] = [];
    for (const vote of votes) {
      peer.knownVotes.add(voteId(digest, vote));
      if (!this.#isNew(subject, digest, vote)) continue;
      // Honest nodes verify a vote before they pass it on.
      if (!this.#isSigned(subject, voters, vote)) {
        this.#hand(taken);
        return peer.offend('lie', 'a vote that its voter has not signed');
      }
      if (this.#seen.count(subject, vote.voter) < MOST_STATEMENTS) this.#gather(subject, digest, vote);
      this.#seen.add(subject, digest, vote.voter);
      taken.push({ subject, ...vote });
    }
    this.#hand(taken);
  }

  /** Undefined where the votes do not count here; nobody is blamed for them. */
  #findVoters(peer: Peer, { epoch, voters: digest, view, block }: VoteSubject): Voters | undefined {
    const { environment, isAhead } = this.#parts;
    const { finality } = environment.view;
    const now = viewNow(environment);
    if (finality === undefined || now === undefined || !isCountedView(view, now)) return undefined;
    if (isBeyondSlots(environment, getBlockNumber(block))) return undefined;
    if (epoch > finality.epoch) isAhead(peer);
    if (epoch !== finality.epoch && epoch !== finality.epoch + 1) return undefined;
    const voters = finality.votersOf(epoch);
    // Another branch may have other voters.
    return voters?.digest === digest ? voters : undefined;
  }

  /**
   * An honest voter states one thing in a view. Two that contradict each other are taken as proof, and further ones
   * only for blocks that are known here, up to a limit: a liar can vary what it states of one block without end.
   */
  #isNew(subject: VoteSubject, digest: string, { voter }: VotersSignature): boolean {
    if (this.#seen.has(subject, digest, voter)) return false;
    const count = this.#seen.count(subject, voter);
    if (count < MOST_STATEMENTS) return true;
    return count < MOST_COUNTED && this.#parts.environment.view.knows(subject.block);
  }

  #isSigned(subject: VoteSubject, { keys }: Voters, { voter, signature }: VotersSignature): boolean {
    const { intake, view } = this.#parts.environment;
    const key = keys[voter];
    return key !== undefined && intake.isVoteSigned(voteDigest(view.chainId, subject), signature, key);
  }

  #hand(taken: readonly Vote[]): void {
    if (taken.length > 0) this.#parts.environment.intake.takeVotes(taken);
  }

  #gather(subject: VoteSubject, digest: string, vote: VotersSignature): void {
    const gathered = this.#gathered.get(digest) ?? { subject, votes: [] };
    this.#gathered.set(digest, gathered);
    gathered.votes.push(vote);
    this.#cancelFlush ??= this.#parts.environment.clock.after(GATHERED_MS, () => this.#flush());
  }

  #flush(): void {
    const { environment, live } = this.#parts;
    this.#cancelFlush = undefined;
    const gathered = [...this.#gathered];
    this.#gathered.clear();
    const lacking = (peer: Peer): boolean =>
      gathered.some(([digest, { votes }]) => votes.some((vote) => !peer.knownVotes.has(voteId(digest, vote))));
    for (const peer of relayingPeers(environment, live(), lacking))
      for (const [digest, { subject, votes }] of gathered) this.#give(peer, subject, digest, votes);
  }

  #give(peer: Peer, subject: VoteSubject, digest: string, votes: readonly VotersSignature[]): void {
    const lacking = votes.filter((vote) => !peer.knownVotes.has(voteId(digest, vote)));
    for (const vote of lacking) peer.knownVotes.add(voteId(digest, vote));
    if (lacking.length > 0) peer.send(message, { subject, votes: lacking });
  }

  #subjectDigest(subject: VoteSubject): string {
    return Buffer.from(voteDigest(this.#parts.environment.view.chainId, subject)).toString('hex');
  }
}

function voteId(digest: string, { voter }: Pick<VotersSignature, 'voter'>): string {
  return `${digest} ${voter}`;
}
