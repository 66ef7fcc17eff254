import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { Log } from '../base/log.ts';
import { catchRefusal } from '../base/refusal.ts';
import type { PackedBlock } from '../blocks/block.ts';
import type { Certificate, VerifySignature } from '../blocks/finality/certificate.ts';
import { type Vote, voteDigest } from '../blocks/finality/vote.ts';
import { type Moment } from '../blocks/finality/voting_rule.ts';
import type { FinalityAction } from '../chain/finality/finality_actions.ts';
import type { FinalityChain } from '../chain/finality/finality_chain.ts';
import type { VotedChain } from '../chain/finality/voted_chain.ts';
import { Finality } from '../chain/finality/finality.ts';
import type { JudgedBlock } from '../chain/finality/fork_choice.ts';
import type { FinalityUpdate } from '../p2p/finality/finality_relay.ts';
import type { NamedBlock } from '../settings/writer_settings.ts';
import type { VotingDescription } from '../rpc/services.ts';
import type { ChainParameters } from '../state/parameters.ts';
import { type BlockId, getBlockNumber } from '../values/hash.ts';
import type { PublicKey } from '../values/public_key.ts';
import { type Seconds, slotNumber } from '../values/time.ts';
import type { SignAnswer } from '../witness/sign_answer.ts';
import type { ForeignBlock } from '../witness/signing_journal.ts';
import type { VotingSigner } from '../witness/voting_signer.ts';
import type { ShownVote, VoteToSign } from '../witness/voting_journal.ts';
import type { VotingNews } from './voting_news.ts';
import type { PeersSeen } from '../witness/key_guard.ts';
import { findEvidence } from './find_evidence.ts';
import {
  certificatesSentence,
  checkpointSentence,
  findSignedVote,
  unprovedSentence,
  type Evidence,
} from './evidence.ts';
import type { VoteWatch } from './vote_watch.ts';
import type { VotingKeys } from './voting_keys.ts';
import { VotingStanding } from './voting_standing.ts';

/** The chain as voting sees and moves it. */
export interface VotingChain {
  /** The certificate of the last final block is undefined where none proves it. */
  readonly voted: FinalityChain & Pick<VotedChain, 'finalCertificate' | 'endedEpochs'>;
  readonly head: { readonly number: number; readonly lastIrreversible: number };
  /** The last block that can't be undone here: it is final, or was imported. */
  readonly settled: number;
  /** Follows the branch with that block, however short it is. */
  followCertified(id: BlockId | undefined): unknown;
  /** Writes that a block of the main branch is final. */
  finalise(id: BlockId, certificate?: Certificate): void;
  block(number: number): PackedBlock | undefined;
}

/** The parts with which votes are cast and counted. */
export interface VotingParts {
  readonly chain: VotingChain;
  readonly parameters: Pick<ChainParameters, 'chainId' | 'blockIntervalSeconds' | 'genesis' | 'profile'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly verify: VerifySignature;
  /** Undefined for a node that doesn't vote. */
  readonly signer: VotingSigner | undefined;
  readonly keys: VotingKeys;
  readonly watch: VoteWatch;
  readonly evidence: Evidence;
  /** The end of an epoch that people have named as final. */
  readonly checkpoint?: NamedBlock | undefined;
  readonly tell: (news: readonly FinalityUpdate[]) => void;
  /** A new block has become final so long after its slot began. */
  readonly finalised: (afterMs: number) => void;
  /** Tells the state of finality, in each slot; it replaces the last one. */
  readonly tellStanding: (standing: VotingNews) => void;
  /** Ends the writer when `run` throws what is no refusal. */
  readonly guard: (run: () => void) => void;
  /** Somebody else votes with a key of this node. */
  readonly foreign: (block: ForeignBlock) => void;
  /** A certificate contradicts another, or what is final: nothing that this node would do from now on can be right. */
  readonly stop: (sentence: string) => void;
}

/** The longest time until finality that is measured, in slots: an older block was final before this node had it. */
const NEW_SLOTS = 100;

type Input = (moment: Moment) => readonly FinalityAction[];
type SignAction = Extract<FinalityAction, { do: 'sign' }>;

/** Drives the finality machine of a node: hands it what happens and the time, and does what it orders, in order. */
export class Voting {
  readonly #parts: VotingParts;
  readonly #machine: Finality;
  readonly #standing: VotingStanding;
  /** Events that were not handed to the machine yet. */
  readonly #inputs: Input[] = [];
  #isBusy = false;
  #slot: number;
  #peersAheadMs: number | undefined;
  #isBehind = false;
  #told: readonly Certificate[] = [];
  #cancelSlot: () => void = () => undefined;
  #news: FinalityUpdate[] = [];
  /** The certified block whose branch could not be followed: said once. */
  #refused: BlockId | undefined;

  constructor(parts: VotingParts) {
    this.#parts = parts;
    const { chain, parameters, verify, keys } = parts;
    this.#slot = this.#slotNow;
    requireBoundary(parts);
    this.#machine = new Finality({
      chainId: parameters.chainId,
      maxWitnesses: parameters.genesis.max_witnesses,
      intervalMs: parameters.blockIntervalSeconds * 1000,
      chain: chain.voted,
      verify,
      final: { number: chain.head.lastIrreversible, certificate: chain.voted.finalCertificate },
      settled: chain.settled,
      voters: keys.begun(),
      started: this.#slot,
    });
    this.#standing = new VotingStanding(parts, this.#machine);
  }

  /** Begins to follow the slots of the clock. */
  start(): void {
    this.#beginKeys();
    this.#warnOfLocks();
    this.#take((moment) => this.#machine.slotBegins(moment));
    this.#trustCheckpoint();
    this.#sleep();
  }

  stop(): void {
    this.#cancelSlot();
  }

  /** The present state of finality. */
  report(): VotingDescription {
    return this.#standing.report(this.#slotNow);
  }

  /** True when a key has a vote in the epoch that has begun. */
  hasVote(key: PublicKey): boolean {
    return this.#machine.epoch.voters.keys.includes(key);
  }

  /** Must be called when a slot may have begun, before a block is made: then the branch is chosen anew. */
  look(): void {
    const slot = this.#slotNow;
    if (slot === this.#slot) return;
    const ended = this.#slot;
    this.#slot = slot;
    this.#beginKeys();
    this.#watchVotes(ended);
    this.#take((moment) => this.#machine.slotEnds(ended, moment));
    this.#take((moment) => this.#machine.slotBegins(moment));
    this.#parts.tellStanding(this.#standing.news(this.#slotNow));
  }

  /** The chain has another head, or knows another block. */
  blockTaken(): void {
    // The block itself may show that somebody else has a key of this node: it gets no vote of that key.
    this.#endLocked();
    // Block 1 may begin the journal of the key that has signed it, and is voted for.
    if (this.#parts.chain.head.number === 1) this.#beginKeys();
    this.#trustCheckpoint();
    this.#take((moment) => this.#machine.blockTaken(moment));
  }

  /** A block is about to be pushed: the branch that it is judged by is chosen first. */
  judging(judged: JudgedBlock): void {
    this.#follow(this.#openCheckpoint?.id ?? this.#machine.certifiedBlock(judged));
  }

  /** Verified votes and certificates of peers. */
  hear(votes: readonly Vote[], certificates: readonly Certificate[]): void {
    for (const certificate of certificates)
      this.#take((moment) => this.#machine.certificateArrived(certificate, moment));
    for (const vote of votes) this.#parts.watch.take(vote, this.#parts.chain.voted.votersOf(vote.subject.epoch));
    for (const vote of votes) this.#take((moment) => this.#machine.voteArrived(vote, moment));
  }

  /** The median of peers' clocks minus this one, undefined without peers; and whether blocks are missing here. */
  takePeers({ clockAheadMs, isBehind }: Pick<PeersSeen, 'clockAheadMs' | 'isBehind'>): void {
    this.#peersAheadMs = clockAheadMs;
    this.#isBehind = isBehind;
  }

  /**
   * The operator declares that no vote of this node's keys is missing in the epoch that has begun. Answers the keys.
   */
  declareWhole(): readonly PublicKey[] {
    // The operator may have unlocked a key within this slot.
    this.#beginKeys();
    const voters = this.#parts.keys.declareWhole(this.#machine.epoch);
    for (const voter of voters) this.#machine.beginVoter(voter, this.#slot);
    return voters.map(({ key }) => key);
  }

  #endLocked(): void {
    for (const key of this.#parts.keys.endLocked()) this.#machine.stopVoter(key);
  }

  #beginKeys(): void {
    this.#endLocked();
    for (const voter of this.#parts.keys.begin(this.#slot, this.#peersAheadMs))
      this.#machine.beginVoter(voter, this.#slot);
  }

  /** The block that people have named, while it is not final here. */
  get #openCheckpoint(): NamedBlock | undefined {
    const { checkpoint, chain } = this.#parts;
    return checkpoint !== undefined && checkpoint.number > chain.head.lastIrreversible ? checkpoint : undefined;
  }

  /** People's word ends an epoch that lacks its votes: as soon as the block is here, it is followed and final. */
  #trustCheckpoint(): void {
    const open = this.#openCheckpoint;
    const { chain, log } = this.#parts;
    if (open === undefined || chain.voted.getAncestor(open.id, open.number) !== open.id) return;
    if (chain.voted.getAncestor(chain.voted.head.id, open.number) !== open.id) this.#follow(open.id);
    if (chain.voted.getAncestor(chain.voted.head.id, open.number) !== open.id) return;
    this.#requireVoters(open);
    log.warning(
      `block ${open.number} ${open.id} is final by finality-checkpoint, without a certificate: the next epoch begins`,
      'checkpoint_opened_epoch',
      { block: open.number },
    );
    chain.finalise(open.id);
    this.#take((moment) => this.#machine.trust(open.number, moment));
  }

  /** An id has 128 bits of the block's hash; the digest of the voters has all of its own. */
  #requireVoters({ number, id, voters }: NamedBlock): void {
    const { chain, parameters } = this.#parts;
    const named = chain.voted.votersOf(number / parameters.genesis.max_witnesses)?.digest;
    if (voters !== undefined && voters !== named)
      throw new Fault(
        'configuration',
        `finality-checkpoint: block ${number} ${id} names voters with the digest ${named}, and the setting says ${voters}; ask who gave you the checkpoint`,
      );
  }

  /** A lock binds a key to a branch on which a block may be final already. */
  #warnOfLocks(): void {
    const open = this.#openCheckpoint;
    const { chain, log } = this.#parts;
    if (open === undefined) return;
    for (const { record } of this.#machine.ownVoters) {
      const lock = record.lock?.subject.block;
      const isOff =
        lock !== undefined &&
        chain.voted.getAncestor(lock, open.number) !== open.id &&
        chain.voted.getAncestor(open.id, getBlockNumber(lock)) !== lock;
      if (isOff)
        log.warning(
          `finality-checkpoint: block ${open.number} is not on the branch of block ${lock}, on which a key of this node is locked: that block may be final at other nodes; ask their operators`,
          'checkpoint_off_branch',
          { block: open.number },
        );
    }
  }

  #sleep(): void {
    const { clock, parameters, guard } = this.#parts;
    const intervalMs = parameters.blockIntervalSeconds * 1000;
    this.#cancelSlot = clock.after(intervalMs - (clock.nowMs() % intervalMs), () => {
      guard(() => this.look());
      this.#sleep();
    });
  }

  /** One after the other: what an order causes comes behind the other orders of the same input. */
  #take(input: Input): void {
    this.#inputs.push(input);
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      for (let next = this.#inputs.shift(); next !== undefined; next = this.#inputs.shift())
        this.#doAll(next(this.#moment));
    } finally {
      this.#isBusy = false;
    }
    this.#flush();
  }

  #doAll(actions: readonly FinalityAction[]): void {
    for (let at = 0; at < actions.length; at++) {
      const signs: SignAction[] = [];
      for (let action = actions[at]; action?.do === 'sign'; action = actions[++at]) signs.push(action);
      if (signs.length > 0) this.#sign(signs);
      const action = actions[at];
      if (action !== undefined && action.do !== 'sign') this.#do(action);
    }
  }

  #do(action: Exclude<FinalityAction, SignAction>): void {
    const { signer, chain } = this.#parts;
    switch (action.do) {
      case 'record':
        return signer?.begin(action.key, action.record.begun, action.record.signed_first_block);
      case 'relay_vote':
        return void this.#news.push({ kind: 'vote', vote: action.vote });
      case 'send_certificate':
        return void this.#news.push({
          kind: 'certificate',
          certificate: action.certificate,
          isPushed: action.isPushed,
        });
      case 'switch':
        return this.#switch(action.block);
      case 'fetch':
        return void this.#news.push({ kind: 'missing', block: action.block });
      case 'fetch_boundary':
        return void this.#news.push({ kind: 'wanted', epoch: action.epoch });
      case 'finalise':
        this.#noteFinal(action.block);
        return chain.finalise(action.block, action.certificate);
      case 'show_contradiction':
        return this.#keepVotes(action.votes);
      case 'stop':
        return this.#stopVoting(action.certificates);
      case 'stop_voter':
        return this.#stopVoter(action.key, action.vote);
    }
  }

  #sign(actions: readonly SignAction[]): void {
    const { signer, guard } = this.#parts;
    const votes = actions.map(({ key, subject, record }) => this.#shown({ key, subject, record }));
    signer?.sign(votes, (answers) => guard(() => this.#signed(actions, answers)));
  }

  /** A signer process is shown why the vote may be cast. */
  #shown(vote: VoteToSign): VoteToSign | ShownVote {
    const { signer, chain } = this.#parts;
    if (signer?.wantsEvidence !== true) return vote;
    const evidence = findEvidence(vote, {
      lock: signer.votingRecord(vote.key)?.lock,
      epoch: this.#machine.epoch,
      certificates: this.#machine.certificates,
      chain,
    });
    return { ...vote, evidence };
  }

  #signed(actions: readonly SignAction[], answers: readonly SignAnswer[]): void {
    for (const [index, { subject, voter }] of actions.entries()) {
      const answer = answers[index];
      if (answer?.kind === 'refused') this.#parts.log.error(`no vote: ${answer.message}`, 'vote_unsigned', {});
      if (answer?.kind !== 'signed') continue;
      const vote = { subject, voter, signature: answer.signature };
      this.#parts.watch.take(vote, this.#machine.epoch.voters);
      this.#take((moment) => this.#machine.voteArrived(vote, moment));
    }
  }

  #noteFinal(block: BlockId): void {
    const { chain, parameters, clock, watch, finalised } = this.#parts;
    const slot = chain.voted.blockSlot(getBlockNumber(block));
    const isNew = this.#slotNow - slot <= NEW_SLOTS;
    watch.finalised(this.#slotNow);
    if (isNew) finalised(clock.nowMs() - slot * parameters.blockIntervalSeconds * 1000);
  }

  /** Each voter has to vote in a slot with a block, and in one without while a block waits to be final. */
  #watchVotes(slot: number): void {
    const { chain, watch } = this.#parts;
    const { final, epoch } = this.#machine;
    const isVotedIn = chain.voted.head.slot === slot || final < chain.head.number;
    watch.slotEnded({ slot, voters: epoch.voters, isVotedIn, isBehind: this.#isBehind });
  }

  #keepVotes(votes: readonly Vote[]): void {
    const { evidence, watch, chain } = this.#parts;
    const [first] = votes;
    const key = first && chain.voted.votersOf(first.subject.epoch)?.keys[first.voter];
    if (key === undefined) return;
    evidence.takeVotes({ seen: this.#secondsNow, key, witness: watch.findWitness(key) ?? '', votes });
  }

  /** Kept before the writer ends. */
  #stopVoting(certificates: readonly Certificate[]): void {
    const { evidence, chain, stop } = this.#parts;
    const excuse = this.#excuseVoters(certificates);
    if (excuse !== undefined) return stop(excuse);
    const signed = findSignedVote(certificates, (epoch) => chain.voted.votersOf(epoch));
    evidence.takeCertificates({ seen: this.#secondsNow, certificates: signed });
    stop(certificatesSentence({ certificates: signed }));
  }

  /**
   * Explains a stop for which voters are not to blame: the newest certificate contradicts people's word, or blocks that
   * were taken without a certificate. Nothing of it is evidence.
   */
  #excuseVoters(certificates: readonly Certificate[]): string | undefined {
    const { checkpoint, chain } = this.#parts;
    const newest = certificates.at(-1);
    if (newest === undefined) return undefined;
    if (checkpoint !== undefined && this.#isEndedByCheckpoint(newest, checkpoint))
      return checkpointSentence(checkpoint, newest);
    const number = chain.settled;
    const id = chain.voted.getAncestor(chain.voted.head.id, number);
    return certificates.length > 1 || id === undefined ? undefined : unprovedSentence({ number, id }, newest);
  }

  /** Voters contradict the checkpoint alone unless they have ended that epoch by a certificate, too. */
  #isEndedByCheckpoint({ subject }: Certificate, { number }: NamedBlock): boolean {
    const { chain, parameters } = this.#parts;
    const ended = number / parameters.genesis.max_witnesses - 1;
    const isOpened = number <= chain.head.lastIrreversible && subject.epoch <= ended;
    return isOpened && chain.voted.endedEpochs(ended, 1)[0]?.voters.epoch !== ended;
  }

  /** The machine hears of another head; a branch that can't be applied leaves the head where it is. */
  #switch(block: BlockId): void {
    const { voted } = this.#parts.chain;
    const before = voted.head.id;
    this.#follow(block);
    if (voted.head.id !== before) this.#inputs.push((moment) => this.#machine.blockTaken(moment));
  }

  #follow(block: BlockId | undefined): void {
    const refusal = catchRefusal(() => void this.#parts.chain.followCertified(block));
    if (refusal === undefined || block === this.#refused) return;
    this.#refused = block;
    this.#parts.log.error(
      `the branch with the certified block ${block} can't be followed: ${refusal.message}`,
      'certified_branch_refused',
      {
        block: String(block),
      },
    );
  }

  #stopVoter(key: PublicKey, { subject }: Vote): void {
    const { parameters, foreign } = this.#parts;
    const digest = Buffer.from(voteDigest(parameters.chainId, subject)).toString('hex');
    foreign({ chain: parameters.chainId, key, slot: subject.view, digest, id: subject.block });
    this.#endLocked();
  }

  /** Tells the network what has come together. */
  #flush(): void {
    const { told } = this.#machine;
    const isNew =
      told.length !== this.#told.length || told.some((certificate, index) => certificate !== this.#told[index]);
    this.#told = told;
    const news: readonly FinalityUpdate[] = isNew ? [...this.#news, { kind: 'told', certificates: told }] : this.#news;
    this.#news = [];
    if (news.length > 0) this.#parts.tell(news);
  }

  get #moment(): Moment {
    return { nowMs: this.#parts.clock.nowMs(), peersAheadMs: this.#peersAheadMs };
  }

  get #slotNow(): number {
    return slotNumber(this.#secondsNow, this.#parts.parameters.blockIntervalSeconds);
  }

  get #secondsNow(): Seconds {
    return Math.trunc(this.#parts.clock.nowMs() / 1000);
  }
}

/** Fault `configuration` for a checkpoint that ends no epoch, or contradicts what is final. */
function requireBoundary({ checkpoint, parameters: { genesis }, chain }: VotingParts): void {
  if (checkpoint === undefined) return;
  const { number, id } = checkpoint;
  if (number === 0 || number % genesis.max_witnesses !== 0)
    throw new Fault(
      'configuration',
      `finality-checkpoint: block ${number} does not end an epoch; the numbers of those that do are multiples of ${genesis.max_witnesses}`,
    );
  const own = number <= chain.head.lastIrreversible ? chain.voted.getAncestor(chain.voted.head.id, number) : undefined;
  if (own !== undefined && own !== id)
    throw new Fault(
      'configuration',
      `finality-checkpoint: block ${number} is final here with the id ${own}, and the setting names ${id}; one of the two is on another chain`,
    );
}
