import { present } from '../../../base/assert.ts';
import type { Clock } from '../../../base/clock.ts';
import { Fault } from '../../../base/fault.ts';
import type { Log } from '../../../base/log.ts';
import type { Port } from '../../../base/port.ts';
import { expectRefusal, catchRefusal } from '../../../base/refusal.ts';
import type { VerifiedBlock } from '../../../blocks/block.ts';
import type { VerifiedTransaction } from '../../../blocks/transaction.ts';
import { Chain } from '../../../chain/chain.ts';
import type { JudgedHeader } from '../../../chain/forks/branches.ts';
import type { ChainChange } from '../../../chain/forks/chain_change.ts';
import type { DroppedTransaction } from '../../../chain/pending/pending.ts';
import type { HeadJournal } from '../../../chain/ledger/head_journal.ts';
import type { ChainParameters } from '../../../state/parameters.ts';
import { FailureLines } from '../../../base/failure_lines.ts';
import { refuseBroadcast } from '../../../rpc/broadcast_refusals.ts';
import type { BlockOutcome } from '../../../p2p/environment/chain_access.ts';
import { readAccountRows, type AccountRows } from '../../../queries/records/account.ts';
import type { KeyValueStore } from '../../../storage/key_value.ts';
import type { AccountName } from '../../../values/account_name.ts';
import type { BlockId } from '../../../values/hash.ts';
import type { PublicKey } from '../../../values/public_key.ts';
import { slotNumber, type Seconds } from '../../../values/time.ts';
import type { SignedHeartbeat } from '../../../blocks/alive.ts';
import type { BlockSigner } from '../../../witness/block_signer.ts';
import { LocalSigner } from '../../../witness/local_signer.ts';
import { SlotHistory, type SlotHistoryStore } from '../../../witness/slot_history.ts';
import { ChainFeed } from '../../../feed/chain_feed.ts';
import { TransactionFeed } from '../../../feed/transaction_feed.ts';
import { epochMs } from '../../../system/epoch_ms.ts';
import { acceptBatch, acceptedTransactions, checkBatch } from './accept_batch.ts';
import { BlockLines } from './block_lines.ts';
import { requireCheckpoints } from './checkpoints_of_chain.ts';
import type { EvidenceFile } from '../../../data_folder/evidence_file.ts';
import type { UnverifiedBlocks } from '../../../data_folder/unverified_blocks.ts';
import type { DebugCommands } from '../../../production/debug_commands.ts';
import { MovableClock } from '../../../production/movable_clock.ts';
import { judgePeerBlock, PeerBlocks } from './peer_blocks.ts';
import { Production } from '../../../production/production.ts';
import { Voting } from '../../../voting/voting.ts';
import { VoteWatch } from '../../../voting/vote_watch.ts';
import { VotingKeys } from '../../../voting/voting_keys.ts';
import { Evidence } from '../../../voting/evidence.ts';
import type { FollowRequest, FromWriter, PeerGroup, ToWriter, WriterFigures, WriterQuestions } from '../messages.ts';
import type { Answered, Answerers, Question } from '../../../system/questions.ts';
import { threadFailure } from '../../../system/thread_failure.ts';
import { decodeVerifiedBlocks } from '../../../blocks/verified_blocks.ts';
import { sentRefusal } from '../../../system/sent_refusal.ts';
import type { OwnVerifier } from '../../../verifiers/own_verifier.ts';
import type { VerifierReport } from '../../../verifiers/verifier_report.ts';
import { encodeVerdicts } from '../../../verifiers/verdicts.ts';
import type { ProductionSettings } from '../../../settings/production_settings.ts';
import type { NamedBlock, WriterSettings } from '../../../settings/writer_settings.ts';
import { isHeadOld } from '../../../witness/heartbeat_signing.ts';

/** A tenth of a slot of usual length. */
const BRANCHES_TRIED_EACH_MS = 300;

/** The chain's store and parameters, the ports and the signer of a writer. */
export interface WriterParts {
  readonly parameters: ChainParameters;
  readonly store: KeyValueStore;
  /** Undefined where no head journal is needed to detect lost data. */
  readonly journal?: (HeadJournal & { close(): void }) | undefined;
  /** Says that blocks were not verified; undefined where nobody vouches for any. */
  readonly unverified?: UnverifiedBlocks | undefined;
  /** Keeps evidence against voters; undefined where nothing is on a disk. */
  readonly evidence?: EvidenceFile | undefined;
  /** The signer of this node's blocks; undefined stands for the settings' keys, without a journal. */
  readonly signer?: BlockSigner | undefined;
  /** Remembers own slots beyond a restart. */
  readonly ownSlots?: SlotHistoryStore | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly front: Port<ToWriter, FromWriter>;
  /** Loads what verifies small batches in this thread; undefined where verifiers verify all. */
  readonly loadVerifier?: (() => Promise<OwnVerifier>) | undefined;
  /** The longest delay of the thread's event loop since the last call, in seconds. */
  readonly takeDelaySeconds: () => number;
  /** Ends the thread: after an error that isn't a Refusal the state may be wrong, and the writer must not continue. */
  readonly die: () => void;
}

/**
 * The only part that changes the state. It takes verified transactions and blocks, produces blocks, writes, and
 * notifies followers.
 */
export class Writer {
  readonly #parts: WriterParts;
  readonly #chain: Chain;
  readonly #clock: MovableClock;
  /** When the head moved last, or this began, by the elapsed time. */
  #headMovedMs: number;
  #publishedHead: BlockId | undefined;
  readonly #peerBlocks: PeerBlocks;
  readonly #unverified: UnverifiedBlocks | undefined;
  readonly #production: Production | undefined;
  /** Undefined where confirmations make blocks final. */
  readonly #voting: Voting | undefined;
  /** The chain has another head, or knows another block, of which the voting has not heard. */
  #hasNewBlocks = false;
  readonly #debugCommands: DebugCommands | undefined;
  readonly #chainFeed = new ChainFeed();
  readonly #transactionFeed = new TransactionFeed();
  readonly #blockLines: BlockLines;
  readonly #frontHasTaken: () => void;
  readonly #frontHasTakenPending: () => void;
  /** Undefined until it has loaded. */
  #verifier: OwnVerifier | undefined;
  /** Message ports from verifiers and to followers. */
  readonly #ports: Pick<Port<never, never>, 'close'>[] = [];
  /** Cancels the next look at branches that wait for their try. */
  #cancelTry: (() => void) | undefined;
  readonly #answerers: Answerers<WriterQuestions> = {
    header: ({ block }) => this.#chain.judge(this.#seen(block)),
    blocks: ({ verified }) => this.#takeBlocks(decodeVerifiedBlocks(verified)),
    judge: ({ block }) => judgePeerBlock(this.#chain, this.#seen(block)),
    peer_blocks: (group) => this.#takePeerBlocks(group),
    alive: ({ alive }) => this.#takeAlive(alive),
    production: () => present(this.#production, 'production').report(),
    voting: () => this.#voting?.report(),
    declare_votes_whole: () => this.#voting?.declareWhole() ?? [],
    restart_chain: () => present(this.#production, 'production').restartChain(),
    pause: ({ isPaused }) => present(this.#production, 'production').pause(isPaused),
    pending_accounts: ({ names }) => this.#pendingAccounts(names),
    lost: ({ ids }) => ids.filter((id) => !this.#chain.isKnown(id)),
    whereabouts: ({ id }) => (this.#chain.isPending(id) ? 'pending' : this.#chain.isKnown(id) ? 'block' : 'nowhere'),
    pending_transaction: ({ id }) => this.#chain.copyPending(id),
    check: ({ verified }) => checkBatch(this.#chain, verified, this.#earliestBlock()),
    figures: () => this.#figures(),
    debug: ({ command }) => present(this.#debugCommands, 'a development chain').carryOut(command),
  };

  /** Opens the chain; throws the Fault of a store that can't be trusted. */
  constructor(
    settings: Pick<
      WriterSettings,
      | 'durable'
      | 'checkpoints'
      | 'finalityCheckpoint'
      | 'rowCacheMib'
      | 'blocksKept'
      | 'epochsKept'
      | 'undoBlocks'
      | 'production'
      | 'writesEndEach'
    >,
    parts: WriterParts,
  ) {
    const {
      durable,
      checkpoints,
      finalityCheckpoint,
      rowCacheMib,
      blocksKept,
      epochsKept,
      undoBlocks,
      production,
      writesEndEach,
    } = settings;
    const { parameters, store, journal, unverified, front, log, clock } = parts;
    const failures = new FailureLines({ clock, write: (line, stack) => log.error(line, 'internal_error', { stack }) });
    this.#parts = parts;
    this.#clock = new MovableClock(clock, production?.ownTime === true);
    this.#headMovedMs = clock.elapsedMs();
    this.#blockLines = new BlockLines(parts, () => this.#production?.isProducing === true);
    this.#chain = new Chain({
      store,
      parameters,
      durable,
      journal,
      rowCacheMib,
      blocksKept,
      epochsKept,
      undoBlocks,
      checkpoints: new Map(checkpoints),
      elapsedMs: () => clock.elapsedMs(),
      changed: (change) => this.#publish(change),
      remark: (sentence) => log.warning(sentence, 'interest_skipped', {}),
      report: (error) => failures.report(error, 'a pending transaction is dropped'),
      dropped: (dropped) => this.#tellDropped(dropped),
    });
    requireCheckpoints(this.#chain, checkpoints);
    this.#unverified = unverified;
    this.#peerBlocks = new PeerBlocks(this.#chain, writesEndEach, () => this.#unverified?.refuteAll());
    if (production !== undefined) this.#production = this.#makeProduction(production);
    const isVotedOn = parameters.hasFinality && production?.ownTime !== true;
    this.#voting = isVotedOn ? this.#makeVoting(production, finalityCheckpoint) : undefined;
    this.#debugCommands = production?.ownTime === true ? this.#production?.debugCommands() : undefined;
    // On the same port as the verdicts, so that a block arrives after those on its transactions.
    this.#frontHasTaken = this.#chainFeed.add((message) => this.#tell({ kind: 'chain', message }));
    this.#frontHasTakenPending = this.#transactionFeed.addWatcher((message) =>
      this.#tell({ kind: 'pending', message }),
    );
    front.listen((message) => this.#guard(() => this.#take(message)));
    this.#tell({ kind: 'ready', chainId: parameters.chainId, headBlockNumber: this.#chain.head.number });
    this.#guard(() => this.#voting?.start());
    this.#production?.start();
  }

  /** For callers that run a node in a single thread. */
  get chain(): Chain {
    return this.#chain;
  }

  #take(message: ToWriter): void {
    switch (message.kind) {
      case 'verifier':
        return this.#listen(message.port);
      case 'load_verifier':
        return void this.#loadVerifier();
      case 'verify':
        return this.#verify(message.batch);
      case 'follow':
        return this.#addFollower(message);
      case 'taken':
        return this.#frontHasTaken();
      case 'watch':
        return this.#transactionFeed.watch(message.isWatched);
      case 'pending_taken':
        return this.#frontHasTakenPending();
      case 'network':
        this.#voting?.takePeers(message);
        return this.#production?.takePeers(message);
      case 'heard_votes':
        return this.#voting?.hear(message.votes, message.certificates);
      case 'follow_lowest':
        return followLowestBranch(this.#chain, this.#clock, this.#parts.parameters.blockIntervalSeconds);
      case 'standby_switch':
        return this.#production?.takeSwitch(message.from, message.packed);
      case 'ask':
        return this.#answer(message.ticket, message.question);
      case 'stop':
        return this.#stop();
    }
  }

  #takeAlive(alive: SignedHeartbeat): boolean {
    const isOfWitness = this.#chain.hasSigner(alive.witness, alive.key);
    if (isOfWitness) this.#production?.takeAlive(alive);
    return isOfWitness;
  }

  #pendingAccounts(names: readonly AccountName[]): (AccountRows | undefined)[] {
    return names.map((name) => readAccountRows(this.#chain.pendingRows, this.#parts.parameters, name));
  }

  #figures(): WriterFigures {
    const { pendingTransactions, waitingTransactions, rowsInMemory, rowBytesInMemory } = this.#chain;
    const delaySeconds = this.#parts.takeDelaySeconds();
    return {
      pendingTransactions: pendingTransactions.length + waitingTransactions,
      delaySeconds,
      rowsInMemory,
      rowBytesInMemory,
      witnesses: this.#production?.witnesses ?? [],
      unusedKeys: this.#production?.unusedKeys ?? 0,
      refusedSignatures: this.#production?.refusedSignatures ?? 0,
      voting: this.#voting?.report(),
      ...(this.#production?.standby ?? { standby: undefined, offers: [] }),
    };
  }

  #listen(verifier: Port<Uint8Array, never>): void {
    this.#ports.push(verifier);
    verifier.listen((batch) => this.#guard(() => this.#takeBatch(batch)));
  }

  /**
   * From now on a part of the node, in any thread, is notified of blocks or transactions over a message port of its
   * own.
   */
  #addFollower(request: FollowRequest): void {
    const { port } = request;
    const taken =
      request.feed === 'chain'
        ? this.#chainFeed.add((message) => request.port.post(message))
        : this.#transactionFeed.add((message) => request.port.post(message));
    this.#ports.push(port);
    port.listen(taken);
  }

  async #loadVerifier(): Promise<void> {
    try {
      this.#verifier = await this.#parts.loadVerifier?.();
      if (this.#verifier !== undefined) this.#tell({ kind: 'verifier_loaded' });
    } catch (error) {
      this.#fail(error);
    }
  }

  #verify(batch: Uint8Array): void {
    const outcome = this.#verifier?.verify(batch);
    if (outcome === undefined) this.#tell({ kind: 'unverified' });
    else this.#takeBatch(outcome.passed, outcome.report);
  }

  /** The report is that of a batch that this thread has verified. */
  #takeBatch(batch: Uint8Array, report?: VerifierReport): void {
    const beganMs = epochMs();
    const { verdicts, items } = acceptBatch(this.#chain, batch, this.#earliestBlock());
    const bytes = encodeVerdicts(verdicts);
    this.#parts.front.post({ kind: 'verdicts', bytes, beganMs, report }, [bytes.buffer]);
    if (this.#transactionFeed.isFollowed && items.length > 0) this.#publishAccepted(batch, items, verdicts);
    this.#debugCommands?.mineWhatCame();
  }

  /**
   * No block to come is of an earlier time, but for one of the slot before that is under way: the head came no earlier
   * than its time, and has stood since. What the clock is set to does not count. A development chain makes its blocks
   * at any time.
   */
  #earliestBlock(): Seconds {
    if (this.#debugCommands !== undefined) return 0;
    const stoodSeconds = Math.trunc((this.#clock.elapsedMs() - this.#headMovedMs) / 1000);
    return this.#chain.head.time + stoodSeconds - this.#parts.parameters.blockIntervalSeconds;
  }

  #publishAccepted(batch: Uint8Array, ...[items, verdicts]: Parameters<typeof acceptedTransactions>): void {
    const accepted = acceptedTransactions(items, verdicts);
    if (accepted.length === items.length) this.#transactionFeed.publishBatch(batch, items.length);
    else this.#transactionFeed.publish(accepted);
  }

  /** Callers that wait for their blocks are told as well as followers. */
  #tellDropped(dropped: readonly DroppedTransaction[]): void {
    for (const { transaction, reason } of dropped)
      this.#transactionFeed.drop(transaction, reason && { name: reason.code, message: reason.message });
    const bytes = encodeVerdicts(
      dropped.map(
        ({ transaction: { id, transaction }, reason = expectRefusal(() => refuseBroadcast.dropped({ id })) }) => {
          return { ticket: 0, id, expiration: transaction.expiration, refusal: sentRefusal(reason) };
        },
      ),
    );
    this.#parts.front.post({ kind: 'dropped', bytes }, [bytes.buffer]);
  }

  #takeBlocks(blocks: readonly VerifiedBlock[]): void {
    for (const block of blocks) {
      this.#judging(block);
      this.#chain.push(this.#seen(block));
    }
  }

  #takePeerBlocks(group: PeerGroup): readonly BlockOutcome[] {
    const take = (): readonly BlockOutcome[] => this.#takeGroup(group);
    return group.isCatchingUp ? this.#blockLines.silence(take) : take();
  }

  #takeGroup({ verified, isFirst, isLast, from }: PeerGroup): readonly BlockOutcome[] {
    const blocks = decodeVerifiedBlocks(verified).map((block) => this.#seen(block));
    if (blocks.some(({ isUnverified }) => isUnverified === true)) this.#unverified?.note(this.#chain.head.number);
    this.#judging(blocks.at(-1));
    const outcomes = this.#peerBlocks.take(blocks, { isFirst, isLast, from });
    this.#unverified?.reached(this.#chain.head.number);
    return outcomes;
  }

  /** Looks at a block from elsewhere: it shows when another machine has a key of ours. */
  #seen<Block extends JudgedHeader>(block: Block): Block {
    this.#production?.see(block);
    return block;
  }

  /** The branch by which a block is judged is chosen before the block is pushed. */
  #judging(block: VerifiedBlock | undefined): void {
    if (block === undefined || this.#voting === undefined) return;
    this.#hasNewBlocks = true;
    const { id, header } = block;
    this.#voting.judging({
      id,
      previous: header.previous,
      slot: slotNumber(header.timestamp, this.#parts.parameters.blockIntervalSeconds),
    });
  }

  #makeVoting(settings: ProductionSettings | undefined, checkpoint: NamedBlock | undefined): Voting {
    const { parameters, log, signer, clock, evidence } = this.#parts;
    const { chainId, blockIntervalSeconds: intervalSeconds } = parameters;
    const voting = signer?.voting(chainId);
    const { keys = new Set<PublicKey>(), journal } = signer ?? {};
    const { hasPeers = false, witnesses = [] } = settings ?? {};
    const signingKeys = (): Set<PublicKey> =>
      new Set(witnesses.flatMap((witness) => this.#chain.signingKeyOf(witness) ?? []));
    return new Voting({
      ...{ chain: this.#chain, parameters, clock, log, signer: voting, checkpoint },
      keys: new VotingKeys({
        ...{ chainId, intervalSeconds, chain: this.#chain, signer: voting },
        ...{ keys, signingKeys, journal, hasPeers },
      }),
      // The network has verified what peers have signed, and what this node signs is right.
      verify: () => true,
      watch: new VoteWatch({
        intervalSeconds,
        keyPrefix: parameters.profile.keyPrefix,
        slot: slotNumber(clock.nowMs() / 1000, intervalSeconds),
        signers: () => this.#chain.headSigners,
      }),
      evidence: new Evidence({ file: evidence, keyPrefix: parameters.profile.keyPrefix, log }),
      tell: (news) => this.#tell({ kind: 'finality', updates: news }),
      finalised: (afterMs) => this.#tell({ kind: 'finalised', afterMs }),
      tellStanding: (news) => this.#tell({ kind: 'voting', news }),
      guard: (run) => this.#guard(run),
      foreign: (block) => this.#production?.lock(block),
      stop: (sentence) => {
        throw new Fault('damaged_data', sentence);
      },
    });
  }

  #makeProduction(settings: ProductionSettings): Production {
    const { parameters, log, signer = new LocalSigner(settings.secrets), ownSlots, clock: machineClock } = this.#parts;
    return new Production(settings, {
      wokeBeforeSlot: () => this.#guard(() => this.#voting?.look()),
      hasVote: (key) => this.#voting?.hasVote(key) === true,
      ...{
        chain: this.#chain,
        clock: this.#clock,
        machineClock,
        parameters,
        log,
        signer,
        history: new SlotHistory(ownSlots),
      },
      tell: (message) => this.#tell(message),
      send: (transaction) => this.#send(transaction),
      guard: (run) => this.#guard(run),
    });
  }

  /** One of this node's own, as if a client had sent it. */
  #send(transaction: VerifiedTransaction): string | undefined {
    const refusal = catchRefusal(() => void this.#chain.accept(transaction));
    // Where it waits already, peers may have lost it.
    const isKnown = refusal === undefined || refusal.code === 'duplicate_transaction';
    if (isKnown) this.#transactionFeed.publish([transaction]);
    return isKnown ? undefined : refusal.message;
  }

  #publish(change: ChainChange): void {
    const { number, id, time, lastIrreversible: irreversible, stateHash } = this.#chain.head;
    if (id !== this.#publishedHead) this.#headMoved(id);
    this.#chainFeed.publish(
      { ...change, applied: this.#blockLines.logged(change.applied) },
      { number, id, time, irreversible, stateHash },
    );
  }

  /** Not where blocks became final and the head stands. */
  #headMoved(id: BlockId): void {
    this.#publishedHead = id;
    this.#headMovedMs = this.#clock.elapsedMs();
    this.#hasNewBlocks = true;
    this.#production?.headMoved();
  }

  #answer<Kind extends keyof WriterQuestions>(ticket: number, question: Question<WriterQuestions, Kind>): void {
    const { kind: to } = question;
    let message: Answered<WriterQuestions, Kind> | undefined;
    const refusal = catchRefusal(() => {
      message = { kind: 'answer', to, ticket, value: this.#answerers[to](question) };
    });
    if (message !== undefined) this.#tell(message);
    else this.#tell({ kind: 'refused', to, ticket, refusal: sentRefusal(present(refusal, 'a refusal')) });
  }

  /** Stops; nothing is written afterwards. */
  #stop(): void {
    this.#production?.stop();
    this.#voting?.stop();
    this.#cancelTry?.();
    for (const port of this.#ports) port.close();
    this.#parts.journal?.close();
    this.#production?.close();
    this.#tell({ kind: 'stopped' });
    this.#parts.front.close();
  }

  #guard(run: () => void): void {
    try {
      run();
      this.#tellVoting();
      this.#transactionFeed.flush();
      this.#tryBranchLater();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#production?.stop();
    this.#voting?.stop();
    this.#tell(threadFailure(error));
    this.#parts.front.close();
    this.#parts.die();
  }

  /** Never while the chain is at work on a block. */
  #tellVoting(): void {
    if (!this.#hasNewBlocks) return;
    this.#hasNewBlocks = false;
    this.#voting?.blockTaken();
  }

  /** A branch that would win may have to wait after others were tried in vain. */
  #tryBranchLater(): void {
    if (this.#cancelTry !== undefined || !this.#chain.isBranchWaiting) return;
    const tryNow = (): void => {
      this.#cancelTry = undefined;
      this.#guard(() => this.#chain.tryWaitingBranch());
    };
    this.#cancelTry = this.#parts.clock.after(BRANCHES_TRIED_EACH_MS, tryNow, false);
  }

  #tell(message: FromWriter): void {
    this.#parts.front.post(message);
  }
}

/** While no block comes, nodes whose branches are equally long choose the same one; must be called each second. */
export function followLowestBranch(
  chain: Pick<Chain, 'headTime' | 'followLowest'>,
  clock: Clock,
  intervalSeconds: number,
): void {
  if (isHeadOld(chain, clock, intervalSeconds)) chain.followLowest();
}
