import { assert, present } from '../../base/assert.ts';
import { catchRefusal } from '../../base/refusal.ts';
import { requireCertificate, type Certificate, type VerifySignature } from '../../blocks/finality/certificate.ts';
import { isCountedView } from '../../blocks/finality/counted_views.ts';
import { epochBoundary, nextEpoch } from '../../blocks/finality/epochs.ts';
import type { Vote, VoteSubject } from '../../blocks/finality/vote.ts';
import { isMoreThanThird, type Voters } from '../../blocks/finality/voters.ts';
import type { Epoch, Moment } from '../../blocks/finality/voting_rule.ts';
import { getBlockNumber, type BlockId, type Digest } from '../../values/hash.ts';
import type { PublicKey } from '../../values/public_key.ts';
import type { FinalityAction } from './finality_actions.ts';
import type { FinalityChain } from './finality_chain.ts';
import {
  countsForVoter,
  HeldCertificates,
  type Descends,
  type HeldCertificate,
  type JudgedBlock,
} from './fork_choice.ts';
import { OwnVoters, type OwnVoter, type Surroundings } from './own_voters.ts';
import { Tally } from './tally.ts';

/** The chain, the voters and the journal of a finality machine. */
export interface FinalityOptions {
  readonly chainId: Digest;
  readonly maxWitnesses: number;
  readonly intervalMs: number;
  readonly chain: FinalityChain;
  readonly verify: VerifySignature;
  /** The final block at the start, with its certificate where there is one. */
  readonly final: { readonly number: number; readonly certificate?: Certificate | undefined };
  /**
   * Blocks up to this one can't be undone here though no certificate proves them: they were imported, or are those of a
   * snapshot. What is final unless said.
   */
  readonly settled?: number | undefined;
  readonly voters: readonly OwnVoter[];
  /** The slot of the start. */
  readonly started: number;
}

/**
 * Finality for one node: counts votes, votes with the node's keys, chooses the branch, and says what is final.
 * Synchronous; the time is handed in. The caller does what is returned, in its order, and tells what came of it before
 * anything else.
 */
export class Finality {
  readonly #options: FinalityOptions;
  readonly #chain: FinalityChain;
  readonly #tally: Tally;
  readonly #held = new HeldCertificates();
  readonly #own: OwnVoters;
  readonly #descends: Descends;
  /** The final block, or the last one that can't be undone here before a certificate proves it. */
  #final: { readonly number: number; readonly certificate?: Certificate | undefined };
  /**
   * True if a certificate, or the genesis, proves it. Until then this node counts votes and casts none: people have
   * told it the epoch.
   */
  #isProven: boolean;
  #epoch: Epoch | undefined;
  #head: BlockId;
  /** The block to which a switch was ordered, until the head moves or a slot begins. */
  #ordered: BlockId | undefined;
  #isStopped = false;
  #actions: FinalityAction[] = [];

  constructor(options: FinalityOptions) {
    const { chain, chainId, voters, started, final, settled = final.number } = options;
    this.#options = options;
    this.#chain = chain;
    this.#tally = new Tally(chainId);
    this.#own = new OwnVoters(voters, started);
    this.#descends = (block, from) => chain.getAncestor(block, getBlockNumber(from)) === from;
    this.#isProven = settled <= final.number;
    this.#final = this.#isProven ? final : { number: settled };
    this.#head = chain.head.id;
    const kept = [final.certificate, ...this.#own.locks].filter((certificate) => certificate !== undefined);
    for (const certificate of kept) if (this.#held.like(certificate) === undefined) this.#held.add(certificate, 0);
  }

  /** The number of the last final block. */
  get final(): number {
    return this.#isProven ? this.#final.number : this.#options.final.number;
  }

  /** The voters of the epoch that has begun, and the block and slot after which it began. */
  get epoch(): Epoch {
    return this.#begun();
  }

  /** The certificates above what is final, the highest first. */
  get certificates(): readonly Certificate[] {
    return [...this.#held].map(({ certificate }) => certificate);
  }

  /** The keys of this node and what their journals hold. */
  get ownVoters(): readonly (OwnVoter & { readonly isStopped: boolean })[] {
    return this.#own.all;
  }

  /** Takes in a key whose journal has begun, or another beginning, with which a stopped key votes again. */
  beginVoter(voter: OwnVoter, slot: number): void {
    this.#own.begin(voter, slot);
  }

  /** Somebody else signs with a key of this node: it votes no more until its journal begins anew. */
  stopVoter(key: PublicKey): void {
    this.#own.stop(key);
  }

  /**
   * People have named a block of the main branch as final, the last one of its epoch: the next epoch begins, or that of
   * imported blocks, which no certificate has proved, is the one that has begun.
   */
  trust(number: number, moment: Moment): readonly FinalityAction[] {
    const { maxWitnesses } = this.#options;
    const isKnown = this.#isProven ? number <= this.#final.number : number < this.#begun().voters.epoch * maxWitnesses;
    if (isKnown) return [];
    this.#final = { number };
    this.#isProven = true;
    this.#epoch = undefined;
    this.#held.forget(number);
    this.#prepare(this.#chain.head.slot, moment);
    return this.#done();
  }

  /** The certificates for a new connection: of the final block, of the locks, and of the highest view. */
  get told(): readonly Certificate[] {
    const [highest] = this.#held;
    const told = [this.#final.certificate, ...this.#own.locks, highest?.certificate];
    return [...new Set(told)].filter((certificate) => certificate !== undefined);
  }

  /**
   * The block that the main branch must hold, if it is known: that with the certificate of the highest view above what
   * is final. For a block that is judged, a voter leaves out certificates that came too late.
   */
  certifiedBlock(judged?: JudgedBlock): BlockId | undefined {
    const { intervalMs } = this.#options;
    const isVoter = judged !== undefined && this.#isProven && this.#own.areMembers(this.#begun());
    for (const held of this.#held) {
      const counts = !isVoter || countsForVoter(held, judged, intervalMs, this.#descends);
      if (counts && this.#mayDecide(held, judged)) return held.certificate.subject.block;
    }
    return undefined;
  }

  /** The chain has taken a block, or switched: what waited for the block happens, and the voters prepare a new head. */
  blockTaken(moment: Moment): readonly FinalityAction[] {
    const { id, slot } = this.#chain.head;
    if (id !== this.#head) {
      this.#head = id;
      this.#ordered = undefined;
      this.#prepare(slot, moment);
    }
    this.#raise(moment);
    return this.#done();
  }

  /**
   * Begins a slot: the branch is chosen anew, with every certificate known. This comes before the node produces, and
   * peers that lack the highest certificate are sent it before the block.
   */
  slotBegins(moment: Moment): readonly FinalityAction[] {
    this.#tally.forget(this.#currentSlot(moment), this.#begun().voters.epoch);
    this.#ordered = undefined;
    for (const { certificate } of this.#held) if (!this.#isKnown(certificate.subject.block)) this.#fetch(certificate);
    const [highest] = this.#held;
    if (highest !== undefined) this.#send(highest.certificate, true);
    const certified = this.certifiedBlock();
    if (certified !== undefined) this.#follow(certified);
    return this.#done();
  }

  /** A slot ends: if it had no block on the main branch, the voters prepare what is not final yet. */
  slotEnds(slot: number, moment: Moment): readonly FinalityAction[] {
    if (this.#chain.head.slot !== slot) this.#prepare(slot, moment);
    return this.#done();
  }

  /**
   * A vote, also one that this node has signed. Nothing follows from a forged one, nor from one that comes early, late
   * or again.
   */
  voteArrived(vote: Vote, moment: Moment): readonly FinalityAction[] {
    this.#takeVote(vote, moment);
    return this.#done();
  }

  /** A certificate of any age and kind. */
  certificateArrived(certificate: Certificate, moment: Moment): readonly FinalityAction[] {
    this.#takeCertificate(certificate, moment);
    return this.#done();
  }

  #done(): readonly FinalityAction[] {
    const actions = this.#actions;
    this.#actions = [];
    return actions;
  }

  // Votes

  #takeVote(vote: Vote, moment: Moment): void {
    const { subject, voter } = vote;
    const current = this.#begun().voters;
    if (!isCountedView(subject.view, this.#currentSlot(moment)) || subject.epoch < current.epoch) return;
    const voters = subject.epoch <= current.epoch + 1 ? this.#votersOf(subject) : undefined;
    if (voters === undefined) return this.#askForBoundary(subject);
    const key = voters.keys[voter];
    if (key === undefined || !this.#tally.isNew(vote)) return;
    if (!this.#options.verify(this.#tally.digestOf(subject), vote.signature, key)) return;
    this.#actions.push(...this.#own.notice(vote, key, moment, this.#options.intervalMs));
    this.#count(vote, voters, moment);
  }

  #count(vote: Vote, voters: Voters, moment: Moment): void {
    const { contradicted, isNew: isNews, certificate } = this.#tally.add(vote, voters);
    if (contradicted !== undefined) this.#actions.push({ do: 'show_contradiction', votes: [contradicted, vote] });
    if (isNews) this.#actions.push({ do: 'relay_vote', vote });
    if (certificate !== undefined) this.#addTrusted(certificate, voters, moment);
  }

  // Certificates

  #takeCertificate(certificate: Certificate, moment: Moment): void {
    const { subject } = certificate;
    if (this.#held.like(certificate) !== undefined || this.#isSettled(subject)) return;
    const voters = this.#votersOf(subject);
    if (voters === undefined) return this.#askForBoundary(subject);
    const { chainId, verify } = this.#options;
    if (catchRefusal(() => requireCertificate(chainId, certificate, voters, verify)) === undefined)
      this.#addTrusted(certificate, voters, moment);
  }

  /** Nothing follows any more from a certificate that agrees with what is final. */
  #isSettled({ block }: VoteSubject): boolean {
    const number = getBlockNumber(block);
    if (number >= this.#final.number) return false;
    // A chain that has begun with a snapshot does not know its old blocks.
    return [block, undefined].includes(this.#chain.getAncestor(this.#head, number));
  }

  /** The voters that this node knows for what was signed. */
  #votersOf({ epoch, voters }: VoteSubject): Voters | undefined {
    const known = epoch === this.#begun().voters.epoch ? this.#begun().voters : this.#chain.votersOf(epoch);
    return known?.digest === voters ? known : undefined;
  }

  /**
   * A later epoch's votes count only if they prove that the epoch has begun: more than a third of the current voters
   * take part.
   */
  #addTrusted(certificate: Certificate, voters: Voters, moment: Moment): void {
    const current = this.#begun().voters;
    const keys = new Set(current.keys);
    const common = certificate.signatures.filter(({ voter }) => keys.has(voters.keys[voter] ?? ''));
    if (voters.epoch > current.epoch && !isMoreThanThird(common.length, current))
      this.#askForBoundary(certificate.subject);
    else if (voters.epoch < current.epoch) this.#requireAgreement(certificate);
    else this.#add(certificate, moment);
  }

  #askForBoundary({ epoch }: VoteSubject): void {
    const current = this.#begun().voters.epoch;
    if (epoch > current) this.#actions.push({ do: 'fetch_boundary', epoch: current });
  }

  #add(certificate: Certificate, moment: Moment): void {
    const { subject } = certificate;
    const contradicting = this.#held.contradicting(certificate);
    if (contradicting !== undefined) return this.#stop(contradicting, certificate);
    if (this.#held.like(certificate) !== undefined) return;
    const isHighest = this.#held.add(certificate, moment.nowMs);
    if (isHighest || subject.kind === 'commit') this.#send(certificate, isHighest || this.#isBoundary(subject));
    if (!this.#isKnown(subject.block)) this.#fetch(certificate);
    if (subject.kind === 'commit') this.#raise(moment);
    else this.#commit(certificate, moment);
  }

  /** A commit certificate of an earlier epoch is for a block that is final here, or finality is broken. */
  #requireAgreement(certificate: Certificate): void {
    const { block, kind } = certificate.subject;
    const final = this.#chain.getAncestor(this.#head, getBlockNumber(block));
    if (kind === 'commit' && final !== undefined && final !== block) this.#stop(this.#final.certificate, certificate);
  }

  #send(certificate: Certificate, isPushed: boolean): void {
    if (this.#actions.some((action) => action.do === 'send_certificate' && action.certificate === certificate)) return;
    this.#actions.push({ do: 'send_certificate', certificate, isPushed });
  }

  #fetch({ subject: { block } }: Certificate): void {
    this.#actions.push({ do: 'fetch', block });
  }

  /** A branch that can't be applied is not tried again before the next slot. */
  #follow(block: BlockId): void {
    if (this.#ordered === block || this.#descends(this.#chain.head.id, block)) return;
    this.#ordered = block;
    this.#actions.push({ do: 'switch', block });
  }

  #stop(...certificates: readonly (Certificate | undefined)[]): void {
    this.#isStopped = true;
    this.#actions.push({ do: 'stop', certificates: certificates.filter((certificate) => certificate !== undefined) });
  }

  // Final blocks

  /** The highest block of the main branch that a quorum has committed is final. Others are followed first. */
  #raise(moment: Moment): void {
    for (const { certificate } of [...this.#held]) {
      const { kind, block } = certificate.subject;
      if (kind !== 'commit' || !this.#isKnown(block) || this.#isStopped) continue;
      if (this.#contradictsFinal(block)) this.#stop(this.#final.certificate, certificate);
      else if (!this.#descends(this.#chain.head.id, block)) this.#follow(block);
      else if (this.#isNew(getBlockNumber(block))) this.#finalise(certificate, moment);
    }
  }

  #contradictsFinal(block: BlockId): boolean {
    const final = this.#mainBlock(this.#final.number);
    const number = getBlockNumber(block);
    return number > this.#final.number ? !this.#descends(block, final) : this.#mainBlock(number) !== block;
  }

  #isNew(number: number): boolean {
    return number > this.#final.number || (number === this.#final.number && !this.#isProven);
  }

  #finalise(certificate: Certificate, moment: Moment): void {
    const { block } = certificate.subject;
    const before = this.#begun().voters.epoch;
    const number = getBlockNumber(block);
    assert(this.#isNew(number), 'what is final rises');
    this.#final = { number, certificate };
    this.#isProven = true;
    this.#epoch = undefined;
    this.#held.forget(number);
    this.#actions.push({ do: 'finalise', number, block, certificate });
    if (this.#begun().voters.epoch > before) this.#prepare(this.#chain.head.slot, moment);
  }

  // The node's own votes

  /** A final block needs no more votes. */
  #prepare(view: number, moment: Moment): void {
    const target = this.#target();
    if (this.#isStopped || !this.#isProven || target <= this.#final.number || !this.#own.areMembers(this.#begun()))
      return;
    this.#actions.push(...this.#own.prepare(view, this.#chain.statedAt(target), this.#surroundings(moment)));
    for (const { certificate } of this.#held) if (certificate.subject.view === view) this.#commit(certificate, moment);
  }

  #commit(certificate: Certificate, moment: Moment): void {
    const commits = this.#isStopped || !this.#isProven ? [] : this.#own.commit(certificate, this.#surroundings(moment));
    if (commits.length > 0) this.#send(certificate, true);
    this.#actions.push(...commits);
  }

  #surroundings(moment: Moment): Surroundings {
    const certificates = [...this.#held].map(({ certificate }) => certificate);
    return {
      epoch: this.#begun(),
      moment,
      intervalMs: this.#options.intervalMs,
      certificates,
      descends: this.#descends,
    };
  }

  /** The number of the block that is voted for: the head, or the boundary if the head is above. */
  #target(): number {
    const { maxWitnesses } = this.#options;
    return Math.min(getBlockNumber(this.#chain.head.id), epochBoundary(this.#begun().voters.epoch, maxWitnesses));
  }

  // Known votes and certificates

  /** The epoch that has begun here: the boundary before it is final. */
  #begun(): Epoch {
    this.#epoch ??= this.#epochAfter(this.#final.number);
    return this.#epoch;
  }

  #epochAfter(final: number): Epoch {
    const { maxWitnesses } = this.#options;
    const epoch = nextEpoch(final, maxWitnesses);
    const start = epoch * maxWitnesses;
    const voters = present(this.#chain.votersOf(epoch), `the voters of epoch ${epoch}`);
    return { voters, start: this.#mainBlock(start), startSlot: this.#chain.blockSlot(start) };
  }

  #isBoundary({ block }: VoteSubject): boolean {
    return getBlockNumber(block) % this.#options.maxWitnesses === 0;
  }

  /** A block that isn't known decides nothing, nor does one that is final, or that contradicts what is. */
  #mayDecide({ certificate }: HeldCertificate, judged: JudgedBlock | undefined): boolean {
    const { block } = certificate.subject;
    const known = judged?.id === block ? judged.previous : block;
    return getBlockNumber(block) > this.#final.number && this.#descends(known, this.#mainBlock(this.#final.number));
  }

  #isKnown(block: BlockId): boolean {
    return this.#descends(block, block);
  }

  #mainBlock(number: number): BlockId {
    return present(this.#chain.getAncestor(this.#chain.head.id, number), `block ${number}`);
  }

  #currentSlot({ nowMs }: Moment): number {
    return Math.trunc(nowMs / this.#options.intervalMs);
  }
}
