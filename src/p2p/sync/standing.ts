import { ClaimEvidence } from './claim_evidence.ts';
import { Contest, type ContestReport, type InboundContest } from './contest.ts';
import { FollowedChain, type FollowedBlock } from './followed_chain.ts';
import type { Status } from '../../wire/messages/status.ts';
import type { Environment } from '../environment/environment.ts';
import type { Claim, PeerClaims } from './peer_claims.ts';
import type { Peer } from '../peers/peer.ts';
import { clockDifferenceMs, medianClockAheadMs } from './peer_clocks.ts';
import type { Voices } from './voices.ts';
import type { NodeId } from '../../wire/wire_values.ts';
import type { ChainView } from '../environment/chain_access.ts';

/** A block is on its way for a moment, and a status is said each second. */
const NEAR_BLOCKS = 2;

/** Peers whose head is ours, or at most two blocks from it: those from whom a chain that moves comes. */
function peersInStep(
  view: Pick<ChainView, 'head' | 'blockId'>,
  live: readonly Pick<Peer, 'id' | 'status'>[],
): NodeId[] {
  const { number } = view.head;
  return live.flatMap(({ id, status }) => {
    if (status === undefined || Math.abs(status.head_number - number) > NEAR_BLOCKS) return [];
    return status.head_number > number || view.blockId(status.head_number) === status.head_id ? [id] : [];
  });
}

/**
 * The state of a node beside its peers: without peers, catching up, following, or unable to tell which chain is right.
 */
export type SyncState = 'alone' | 'behind' | 'live' | 'contested';

export interface StandingParts {
  readonly environment: Environment;
  readonly voices: Voices;
  readonly claims: PeerClaims;
  readonly live: () => readonly Peer[];
  /** The highest block whose id the operator has given; 0 for none. */
  readonly checkpoint: number;
  /** The block that an earlier run followed. */
  readonly followed: FollowedBlock | undefined;
}

/** Claims of blocks of which nothing has come. */
export interface UnprovedClaims {
  readonly peers: number;
  /** The number of blocks above the head that the highest claim names. */
  readonly blocks: number;
}

/** A node is behind a peer whose head is this many blocks higher: one block is on its way. */
export const BEHIND_BLOCKS = 2;
/** A head of the last two slots was signed just now: a peer that claims more has to deliver it. */
const NEW_SLOTS = 2;

/**
 * Decides whether a node is behind, contested or synced, and what its clock is worth. Everything else asks here.
 * Evidence is what witnesses have signed and this chain has taken, several voices (voices.ts), pinned peers and
 * checkpoints; a word of a stranger is none.
 */
export class Standing {
  readonly contest: Contest;
  readonly followed: FollowedChain;
  readonly #parts: StandingParts;
  readonly #evidence: ClaimEvidence;
  /** True if a head was new in this run. */
  #hasBeenInStep = false;

  constructor(parts: StandingParts) {
    const { environment, voices, checkpoint, followed } = parts;
    this.#parts = parts;
    this.followed = new FollowedChain(environment.view, followed);
    this.contest = new Contest({ environment, voices, followed: this.followed, checkpoint });
    this.#evidence = new ClaimEvidence({ view: environment.view, voices });
  }

  get state(): SyncState {
    if (this.contest.isOpen) return 'contested';
    if (this.#parts.claims.size === 0) return 'alone';
    return this.behindBy >= BEHIND_BLOCKS ? 'behind' : 'live';
  }

  /** Nothing is known to be missing, and nobody that counts contradicts what is here. */
  get isSynced(): boolean {
    return !this.contest.isOpen && this.behindBy < BEHIND_BLOCKS;
  }

  /**
   * The number of missing blocks for which there is evidence. A head that was signed just now outweighs every claim.
   */
  get behindBy(): number {
    if (this.isHeadNew === true) return 0;
    const { claims, environment } = this.#parts;
    const nowMs = this.#nowMs;
    const believed = claims.all().filter((claim) => this.#isBelieved(claim, nowMs) && !this.#isLeft(claim));
    return Math.max(0, ...believed.map(({ number }) => number - environment.view.head.number));
  }

  /** True if a witness has signed the head within the last two slots; undefined where the chain moves its own time. */
  get isHeadNew(): boolean | undefined {
    const { view, clock } = this.#parts.environment;
    return view.slots && clock.nowMs() - view.head.time * 1000 <= NEW_SLOTS * view.slots.intervalSeconds * 1000;
  }

  /** The number of voices: dialled address groups, and nodes that the operator has named. */
  get voices(): number {
    return this.#speakers.length;
  }

  /** By how much the clocks of voices are ahead, however few there are; undefined without any. */
  get clockAheadMs(): number | undefined {
    return medianClockAheadMs(this.#speakers);
  }

  /** The same when there are enough voices to say that this machine's clock is wrong. */
  get clockDifferenceMs(): number | undefined {
    return clockDifferenceMs(this.#speakers);
  }

  /** Ids of all peers whose head is ours, or near it: for those who look for a node by its id. */
  get inStep(): NodeId[] {
    const { environment, live } = this.#parts;
    return peersInStep(environment.view, live());
  }

  /** The same of one peer for each voice: for those who count. */
  get sources(): NodeId[] {
    return peersInStep(this.#parts.environment.view, this.#speakers);
  }

  get contested(): ContestReport | undefined {
    return this.contest.report;
  }

  /** Contradictions of inbound strangers; nothing follows from them here. */
  get contestedByInbound(): InboundContest | undefined {
    return this.contest.inbound;
  }

  get unproved(): UnprovedClaims {
    const nowMs = this.#nowMs;
    const vain = this.#parts.claims.all().filter((claim) => !this.#isBelieved(claim, nowMs));
    const lapsed = this.#evidence.unproved(vain, nowMs);
    return { peers: lapsed.length, blocks: Math.max(0, ...lapsed) };
  }

  /** Returns whether nothing came of what the peer or its address group claimed: others are asked first. */
  isLapsed({ peer }: Pick<Claim, 'peer'>): boolean {
    return this.#evidence.isLapsed(peer, this.#nowMs);
  }

  /** False when the status contradicts what is final here; then the peer has been let go. */
  check(peer: Peer, status: Status): boolean {
    return this.contest.check(peer, status);
  }

  /** A peer has given a block above our head. Of a chain that goes on that is no sign that anything was missing. */
  delivered(peer: Peer): void {
    if (this.isHeadNew !== true) this.#evidence.delivered(peer, this.#nowMs);
  }

  left(peer: Peer): void {
    this.#evidence.left(peer);
    this.contest.left(peer);
  }

  tick(): void {
    const { claims } = this.#parts;
    const nowMs = this.#nowMs;
    this.#evidence.look(claims.all(), nowMs);
    this.contest.tick();
    this.#hasBeenInStep ||= this.isHeadNew === true && this.#parts.environment.view.head.number > 0;
    this.followed.look(this.state === 'live' && this.voices > 0 && this.isHeadNew !== false, nowMs);
  }

  /** Asks voices for a block that one of them contradicts. */
  askContested(): void {
    this.contest.ask(this.#parts.live());
  }

  /**
   * Its head is of a branch that this node has and does not follow, because another one is certified: nothing of it is
   * missing.
   */
  #isLeft({ id }: Claim): boolean {
    const { view } = this.#parts.environment;
    return view.finality !== undefined && view.knows(id);
  }

  /** A newcomer has nothing of its own to hold against the word of a voice: who delivers nothing may be slow. */
  #isBelieved(claim: Claim, nowMs: number): boolean {
    const isNewcomer = !this.#hasBeenInStep && !this.followed.has(0);
    return this.#evidence.isBelieved(claim, nowMs) || (isNewcomer && this.#parts.voices.of(claim.peer) !== undefined);
  }

  get #speakers(): Peer[] {
    return this.#parts.voices.speakers(this.#parts.live());
  }

  get #nowMs(): number {
    return this.#parts.environment.clock.elapsedMs();
  }
}
