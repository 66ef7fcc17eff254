import { present } from '../../base/assert.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Port } from '../../base/port.ts';
import { refusalBy, refusalOf } from '../../base/refusal.ts';
import type { PackedBlock, VerifiedBlock } from '../../blocks/block.ts';
import type { VerifiedTransaction } from '../../blocks/transaction.ts';
import { Chain } from '../../chain/chain.ts';
import type { JudgedHeader } from '../../chain/branches.ts';
import type { ChainChange } from '../../chain/chain_change.ts';
import type { DroppedTransaction } from '../../chain/pending.ts';
import type { HeadJournal } from '../../chain/head_journal.ts';
import type { ChainParameters } from '../../state/parameters.ts';
import { FailureLines } from '../../base/failure_lines.ts';
import { refuseBroadcast } from '../../rpc/broadcast_refusals.ts';
import type { BlockOutcome } from '../../p2p/chain_access.ts';
import { accountRowsOf, type AccountRows } from '../../queries/records/account.ts';
import type { KeyValueStore } from '../../storage/key_value.ts';
import type { AccountName } from '../../values/account_name.ts';
import { timeText } from '../../values/time.ts';
import type { SignedAlive } from '../../blocks/alive.ts';
import type { BlockSigner } from '../../witness/block_signer.ts';
import { LocalSigner } from '../../witness/local_signer.ts';
import { SlotHistory, type SlotHistoryStore } from '../../witness/slot_history.ts';
import { ChainFeed } from '../feed/chain_feed.ts';
import { TransactionFeed } from '../feed/transaction_feed.ts';
import { acceptBatch, acceptedOf, checkBatch } from './accept_batch.ts';
import { requireCheckpointsOf } from '../data_folder/checkpoints_of_chain.ts';
import type { UnprovedBlocks } from '../data_folder/unproved_blocks.ts';
import type { DebugCommands } from './debug_commands.ts';
import { MovableClock } from './movable_clock.ts';
import { judgePeerBlock, PeerBlocks } from './peer_blocks.ts';
import { Production } from './production.ts';
import type { FollowRequest, FromWriter, ProductionSettings, ToWriter, WriterFigures, WriterSettings } from './messages.ts';
import { followLowestBranch } from './lowest_branch.ts';
import { failureOf } from './thread_failure.ts';
import { decodeVerifiedBlocks } from './verified_blocks.ts';
import { encodeVerdicts, sentRefusal } from './verdicts.ts';

/** A tenth of a slot of usual length. */
const BRANCHES_TRIED_EACH_MS = 300;

/** What a writer is built from. */
export interface WriterParts {
  readonly parameters: ChainParameters;
  readonly store: KeyValueStore;
  /** Undefined where no head journal is needed to detect lost data. */
  readonly journal?: (HeadJournal & { close(): void }) | undefined;
  /** Says that blocks were not proved; undefined where nobody vouches for any. */
  readonly unproved?: UnprovedBlocks | undefined;
  /** What signs this node's blocks; the settings' keys, without a journal, when undefined. */
  readonly signer?: BlockSigner | undefined;
  /** Remembers own slots beyond a restart. */
  readonly ownSlots?: SlotHistoryStore | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly front: Port<ToWriter, FromWriter>;
  /** The longest delay of the thread's event loop since the last call, in seconds. */
  readonly takeDelaySeconds: () => number;
  /** Ends the thread: after an error that isn't a Refusal the state may be wrong, and the writer must not continue. */
  readonly die: () => void;
}

/** The only part that changes the state. It takes verified transactions and blocks, produces blocks, writes, and notifies followers. */
export class Writer {
  readonly #parts: WriterParts;
  readonly #chain: Chain;
  readonly #clock: MovableClock;
  readonly #peerBlocks: PeerBlocks;
  readonly #unproved: UnprovedBlocks | undefined;
  readonly #production: Production | undefined;
  readonly #debugCommands: DebugCommands | undefined;
  readonly #chainFeed = new ChainFeed();
  readonly #transactionFeed = new TransactionFeed();
  readonly #frontHasTaken: () => void;
  readonly #frontHasTakenPending: () => void;
  /** Message ports from verifiers and to followers. */
  readonly #ports: Pick<Port<never, never>, 'close'>[] = [];
  /** Cancels the next look at branches that wait for their try. */
  #cancelTry: (() => void) | undefined;
  /** Whether the blocks being applied are old ones: there are too many for a line each, and the network tells how far it is. */
  #isCatchingUp = false;

  /** Opens the chain; throws the Fault of a store that can't be trusted. */
  constructor(
    settings: Pick<WriterSettings, 'durable' | 'checkpoints' | 'blocksKept' | 'undoBlocks' | 'production' | 'writesEndEach'>,
    parts: WriterParts,
  ) {
    const { durable, checkpoints, blocksKept, undoBlocks, production, writesEndEach } = settings;
    const { parameters, store, journal, unproved, front, log, clock } = parts;
    const failures = new FailureLines({ clock, write: (line, stack) => log.error(line, { stack }) });
    this.#parts = parts;
    this.#clock = new MovableClock(clock, production?.ownTime === true);
    this.#chain = new Chain({
      store,
      parameters,
      durable,
      journal,
      blocksKept,
      undoBlocks,
      checkpoints: new Map(checkpoints),
      elapsedMs: () => clock.elapsedMs(),
      changed: (change) => this.#publish(change),
      remark: (sentence) => log.warning(sentence),
      report: (error) => failures.report(error, 'a pending transaction is dropped'),
      dropped: (dropped) => this.#tellDropped(dropped),
    });
    requireCheckpointsOf(this.#chain, checkpoints);
    this.#unproved = unproved;
    this.#peerBlocks = new PeerBlocks(this.#chain, writesEndEach, () => this.#unproved?.refuteAll());
    if (production !== undefined) this.#production = this.#productionOf(production);
    this.#debugCommands = production?.ownTime === true ? this.#production?.debugCommands() : undefined;
    // On the same port as the verdicts, so that a block arrives after those on its transactions.
    this.#frontHasTaken = this.#chainFeed.add((message) => this.#tell({ kind: 'chain', message }));
    this.#frontHasTakenPending = this.#transactionFeed.addWatcher((message) => this.#tell({ kind: 'pending', message }));
    front.listen((message) => this.#guard(() => this.#take(message)));
    this.#tell({ kind: 'ready', chainId: parameters.chainId, headBlockNumber: this.#chain.head.number });
    this.#production?.start();
  }

  /** For callers that run a node in a single thread. */
  get chain(): Chain {
    return this.#chain;
  }

  #take(message: ToWriter): void {
    switch (message.kind) {
      case 'verifier':
        return this.#listenTo(message.port);
      case 'follow':
        return this.#addFollower(message);
      case 'taken':
        return this.#frontHasTaken();
      case 'watch':
        return this.#transactionFeed.watch(message.isWatched);
      case 'pending_taken':
        return this.#frontHasTakenPending();
      case 'network':
        return this.#production?.takePeers(message);
      case 'follow_lowest':
        return followLowestBranch(this.#chain, this.#clock, this.#parts.parameters.blockIntervalSeconds);
      case 'alive':
        return this.#answer(message.ticket, () => this.#takeAlive(message.alive));
      case 'standby_switch':
        return this.#production?.takeSwitch(message.from, message.packed);
      case 'production':
        return this.#answer(message.ticket, () => present(this.#production, 'production').report());
      case 'restart_chain':
        return this.#answer(message.ticket, () => present(this.#production, 'production').restartChain());
      case 'pause':
        return this.#answer(message.ticket, () => present(this.#production, 'production').pause(message.isPaused));
      case 'header':
        return this.#answer(message.ticket, () => this.#chain.judge(this.#seen(message.block)));
      case 'blocks':
        return this.#answer(message.ticket, () => this.#takeBlocks(decodeVerifiedBlocks(message.verified)));
      case 'judge':
        return this.#answer(message.ticket, () => judgePeerBlock(this.#chain, this.#seen(message.block)));
      case 'peer_blocks':
        return this.#answer(message.ticket, () => this.#takePeerBlocks(message));
      case 'pending_accounts':
        return this.#answer(message.ticket, () => this.#pendingAccounts(message.names));
      case 'lost':
        return this.#answer(message.ticket, () => message.ids.filter((id) => !this.#chain.isKnown(id)));
      case 'check':
        return this.#check(message.ticket, message.verified);
      case 'figures':
        return this.#answer(message.ticket, () => this.#figures());
      case 'debug':
        return this.#answer(message.ticket, () => present(this.#debugCommands, 'a development chain').carryOut(message.command));
      case 'stop':
        return this.#stop();
    }
  }

  #takeAlive(alive: SignedAlive): boolean {
    const isOfWitness = this.#chain.hasSigner(alive.witness, alive.key);
    if (isOfWitness) this.#production?.takeAlive(alive);
    return isOfWitness;
  }

  #pendingAccounts(names: readonly AccountName[]): (AccountRows | undefined)[] {
    return names.map((name) => accountRowsOf(this.#chain.pendingRows, this.#parts.parameters, name));
  }

  #check(ticket: number, verified: Uint8Array): void {
    const { value, failure } = checkBatch(this.#chain, verified);
    this.#tell({ kind: 'answer', ticket, refusal: failure, value });
  }

  #figures(): WriterFigures {
    const { pendingTransactions, waitingTransactions, rowsInMemory } = this.#chain;
    const delaySeconds = this.#parts.takeDelaySeconds();
    return {
      pendingTransactions: pendingTransactions.length + waitingTransactions,
      delaySeconds,
      rowsInMemory,
      witnesses: this.#production?.witnesses ?? [],
      unusedKeys: this.#production?.unusedKeys ?? 0,
      refusedSignatures: this.#production?.refusedSignatures ?? 0,
      ...(this.#production?.standby ?? { standby: undefined, offers: [] }),
    };
  }

  #listenTo(verifier: Port<Uint8Array, never>): void {
    this.#ports.push(verifier);
    verifier.listen((batch) => this.#guard(() => this.#takeBatch(batch)));
  }

  /** From now on a part of the node, in any thread, is notified of blocks or transactions over a message port of its own. */
  #addFollower(request: FollowRequest): void {
    const { port } = request;
    const taken =
      request.feed === 'chain'
        ? this.#chainFeed.add((message) => request.port.post(message))
        : this.#transactionFeed.add((message) => request.port.post(message));
    this.#ports.push(port);
    port.listen(taken);
  }

  #takeBatch(batch: Uint8Array): void {
    const { verdicts, items } = acceptBatch(this.#chain, batch);
    const bytes = encodeVerdicts(verdicts);
    this.#parts.front.post({ kind: 'verdicts', bytes }, [bytes.buffer]);
    if (this.#transactionFeed.isFollowed) this.#publishAccepted(batch, items, verdicts);
    this.#debugCommands?.mineWhatCame();
  }

  #publishAccepted(batch: Uint8Array, ...[items, verdicts]: Parameters<typeof acceptedOf>): void {
    const accepted = acceptedOf(items, verdicts);
    if (accepted.length === items.length) this.#transactionFeed.publishBatch(batch, items.length);
    else this.#transactionFeed.publish(accepted);
  }

  /** Whoever waits for their blocks is told as well as those who follow them. */
  #tellDropped(dropped: readonly DroppedTransaction[]): void {
    for (const { transaction, reason } of dropped)
      this.#transactionFeed.drop(transaction, reason && { name: reason.code, message: reason.message });
    const bytes = encodeVerdicts(
      dropped.map(({ transaction: { id }, reason = refusalBy(() => refuseBroadcast.dropped({ id })) }) => {
        return { ticket: 0, id, expiration: 0, refusal: sentRefusal(reason) };
      }),
    );
    this.#parts.front.post({ kind: 'dropped', bytes }, [bytes.buffer]);
  }

  #takeBlocks(blocks: readonly VerifiedBlock[]): void {
    for (const block of blocks) this.#chain.push(this.#seen(block));
  }

  #takePeerBlocks({ verified, isCatchingUp, isFirst, isLast, from }: Extract<ToWriter, { kind: 'peer_blocks' }>): readonly BlockOutcome[] {
    this.#isCatchingUp = isCatchingUp;
    try {
      const blocks = decodeVerifiedBlocks(verified).map((block) => this.#seen(block));
      if (blocks.some(({ isUnproved }) => isUnproved === true)) this.#unproved?.note(this.#chain.head.number);
      const outcomes = this.#peerBlocks.take(blocks, { isFirst, isLast, from });
      this.#unproved?.reached(this.#chain.head.number);
      return outcomes;
    } finally {
      this.#isCatchingUp = false;
    }
  }

  /** A block from elsewhere: whoever else has a key of ours is known by it. */
  #seen<Block extends JudgedHeader>(block: Block): Block {
    this.#production?.see(block);
    return block;
  }

  #productionOf(settings: ProductionSettings): Production {
    const { parameters, log, signer = new LocalSigner(settings.secrets), ownSlots, clock: machineClock } = this.#parts;
    return new Production(settings, {
      ...{ chain: this.#chain, clock: this.#clock, machineClock, parameters, log, signer, history: new SlotHistory(ownSlots) },
      tell: (message) => this.#tell(message),
      send: (transaction) => this.#send(transaction),
      guard: (run) => this.#guard(run),
    });
  }

  /** One of this node's own, as if a client had sent it. */
  #send(transaction: VerifiedTransaction): string | undefined {
    const refusal = refusalOf(() => void this.#chain.accept(transaction));
    // Where it waits already, peers may have lost it.
    const isKnown = refusal === undefined || refusal.code === 'duplicate_transaction';
    if (isKnown) this.#transactionFeed.publish([transaction]);
    return isKnown ? undefined : refusal.message;
  }

  #publish(change: ChainChange): void {
    const { number, id, time, lastIrreversible: irreversible, stateHash } = this.#chain.head;
    this.#production?.headMoved();
    this.#chainFeed.publish({ ...change, applied: this.#noted(change.applied) }, { number, id, time, irreversible, stateHash });
  }

  /** The blocks, each logged as it is read: those of a long branch are on disk. */
  *#noted(blocks: Iterable<PackedBlock>): Generator<PackedBlock> {
    for (const block of blocks) {
      if (!this.#isCatchingUp) this.#note(block);
      yield block;
    }
  }

  /** Logs the exact lines that monitoring for the lineage looks for (rpc.md 8.4). */
  #note({ number, header: { timestamp, witness }, transactions }: PackedBlock): void {
    const { log, clock } = this.#parts;
    const [time, count] = [timeText(timestamp), transactions.length];
    const nowMs = clock.nowMs();
    log.notice(
      this.#production?.isProducing === true
        ? `Generated block #${number} with timestamp ${time} and transactions count ${count} by ${witness} at time ${timeText(Math.trunc(nowMs / 1000))}`
        : `Got ${count} transactions on block ${number} by ${witness} --latency: ${nowMs - timestamp * 1000} ms --block gen time: ${time}`,
    );
  }

  #answer(ticket: number, find: () => unknown): void {
    let value: unknown;
    const refusal = refusalOf(() => {
      value = find();
    });
    this.#tell({ kind: 'answer', ticket, refusal: refusal === undefined ? undefined : sentRefusal(refusal), value });
  }

  /** Stops; nothing is written afterwards. */
  #stop(): void {
    this.#production?.stop();
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
      this.#transactionFeed.flush();
      this.#tryBranchLater();
    } catch (error) {
      this.#production?.stop();
      this.#tell(failureOf(error));
      this.#parts.front.close();
      this.#parts.die();
    }
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
