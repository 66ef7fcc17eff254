import { present } from '../../base/assert.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Port } from '../../base/port.ts';
import { refusalOf } from '../../base/refusal.ts';
import type { PackedBlock, VerifiedBlock } from '../../blocks/block.ts';
import type { BlockHeader } from '../../blocks/header.ts';
import { signatureOf } from '../../blocks/sign_transaction.ts';
import { Chain } from '../../chain/chain.ts';
import type { ChainChange } from '../../chain/chain_change.ts';
import type { HeadJournal } from '../../chain/head_journal.ts';
import { publicKeyOf } from '../../crypto/keys.ts';
import type { ChainParameters } from '../../state/parameters.ts';
import { FailureLines } from '../../base/failure_lines.ts';
import type { BlockOutcome } from '../../p2p/chain_access.ts';
import { accountRowsOf, type AccountRows } from '../../queries/records/account.ts';
import type { KeyValueStore } from '../../storage/key_value.ts';
import type { AccountName } from '../../values/account_name.ts';
import type { Signature } from '../../values/hash.ts';
import { timeText } from '../../values/time.ts';
import { ProductionLoop } from '../../witness/production_loop.ts';
import { ProductionWatch } from '../../witness/production_watch.ts';
import { signRecorded, type SigningJournal } from '../../witness/signing_journal.ts';
import type { Producer, ProductionSlot } from '../../witness/produce.ts';
import { ChainFeed } from '../feed/chain_feed.ts';
import { TransactionFeed } from '../feed/transaction_feed.ts';
import { acceptBatch, acceptedOf, checkBatch } from './accept_batch.ts';
import { ClockJumps } from './clock_jumps.ts';
import { DebugCommands } from './debug_commands.ts';
import { MovableClock } from './movable_clock.ts';
import { judgePeerBlock, PeerBlocks } from './peer_blocks.ts';
import type { FollowRequest, FromWriter, ProductionSettings, SlotTimes, ToWriter, WriterFigures, WriterSettings } from './messages.ts';
import { failureOf } from './thread_failure.ts';
import { decodeVerifiedBlocks } from './verified_blocks.ts';
import { encodeVerdicts, sentRefusal } from './verdicts.ts';

/** What a writer is built from. */
export interface WriterParts {
  readonly parameters: ChainParameters;
  readonly store: KeyValueStore;
  /** Undefined where no head journal is needed to detect lost data. */
  readonly journal?: (HeadJournal & { close(): void }) | undefined;
  /** Says what was signed; undefined where nobody else can have the chain's key. */
  readonly signing?: SigningJournal | undefined;
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
  readonly #production: ProductionLoop | undefined;
  readonly #watch: ProductionWatch | undefined;
  readonly #debugCommands: DebugCommands | undefined;
  readonly #chainFeed = new ChainFeed();
  readonly #transactionFeed = new TransactionFeed();
  readonly #frontHasTaken: () => void;
  /** Message ports from verifiers and to followers. */
  readonly #ports: Pick<Port<never, never>, 'close'>[] = [];
  /** Whether the block being applied is this node's own. */
  #isProducing = false;
  #refusedSignatures = 0;
  /** Whether the blocks being applied are old ones: there are too many for a line each, and the network tells how far it is. */
  #isCatchingUp = false;

  /** Opens the chain; throws the Fault of a store that can't be trusted. */
  constructor(settings: Pick<WriterSettings, 'durable' | 'checkpoints' | 'blocksKept' | 'production'>, parts: WriterParts) {
    const { durable, checkpoints, blocksKept, production } = settings;
    const { parameters, store, journal, front, log, clock } = parts;
    const failures = new FailureLines({ clock, write: (line, stack) => log.error(line, { stack }) });
    this.#parts = parts;
    this.#clock = new MovableClock(clock, production?.ownTime === true);
    this.#chain = new Chain({
      store,
      parameters,
      durable,
      journal,
      blocksKept,
      checkpoints: new Map(checkpoints),
      changed: (change) => this.#publish(change),
      remark: (sentence) => log.warning(sentence),
      report: (error) => failures.report(error, 'a pending transaction is dropped'),
    });
    this.#peerBlocks = new PeerBlocks(this.#chain);
    if (production !== undefined) {
      this.#watch = this.#watchOf(production);
      this.#production = this.#productionLoop(production, this.#watch);
    }
    this.#debugCommands = production?.ownTime === true ? this.#debugCommandsFor(production) : undefined;
    // On the same port as the verdicts, so that a block arrives after those on its transactions.
    this.#frontHasTaken = this.#chainFeed.add((message) => this.#tell({ kind: 'chain', message }));
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
      case 'header':
        return this.#answer(message.ticket, () => this.#chain.judge(message.block));
      case 'blocks':
        return this.#answer(message.ticket, () => this.#takeBlocks(decodeVerifiedBlocks(message.verified)));
      case 'judge':
        return this.#answer(message.ticket, () => judgePeerBlock(this.#chain, message.block));
      case 'peer_blocks':
        return this.#answer(message.ticket, () => this.#takePeerBlocks(message));
      case 'pending_accounts':
        return this.#answer(message.ticket, () => this.#pendingAccounts(message.names));
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
      witnesses: this.#watch?.witnesses ?? [],
      unusedKeys: this.#watch?.unusedKeys ?? 0,
      refusedSignatures: this.#refusedSignatures,
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
    if (this.#transactionFeed.isFollowed) this.#transactionFeed.publish(acceptedOf(items, verdicts));
  }

  #takeBlocks(blocks: readonly VerifiedBlock[]): void {
    for (const block of blocks) this.#chain.push(block);
  }

  #takePeerBlocks({ verified, isCatchingUp, isFirst, isLast }: Extract<ToWriter, { kind: 'peer_blocks' }>): readonly BlockOutcome[] {
    this.#isCatchingUp = isCatchingUp;
    try {
      return this.#peerBlocks.take(decodeVerifiedBlocks(verified), { isFirst, isLast });
    } finally {
      this.#isCatchingUp = false;
    }
  }

  #produce(slot: ProductionSlot, slotMs?: number): void {
    const { timestamp, witness } = slot;
    const startedMs = this.#clock.nowMs();
    this.#isProducing = true;
    const refusal = refusalOf(() => void this.#chain.seal({ witness, timestamp, sign: this.#signerOf(slot) }));
    this.#isProducing = false;
    if (refusal?.code === 'slot_already_signed') this.#refusedSignatures++;
    if (refusal !== undefined) this.#parts.log.error(`no block for ${witness} at ${timeText(timestamp)}: ${refusal.message}`);
    else if (slotMs !== undefined) this.#tell({ kind: 'produced', slot: this.#slotTimes(slotMs, startedMs) });
  }

  /** What signs a block of that slot; refused for one that was signed before. */
  #signerOf({ secret, timestamp, signingKey: key }: ProductionSlot): (digest: Uint8Array, header: BlockHeader) => Signature {
    const sign = (digest: Uint8Array): Signature => present(signatureOf(digest, secret), 'a signature');
    const { signing, parameters } = this.#parts;
    if (signing === undefined) return sign;
    const { chainId: chain, blockIntervalSeconds: intervalSeconds } = parameters;
    return (digest, header) => signRecorded(signing, { chain, key, timestamp, intervalSeconds }, header, digest, sign);
  }

  #slotTimes(slotMs: number, startedMs: number): SlotTimes {
    return {
      startedLateMs: startedMs - slotMs,
      committedLateMs: this.#clock.nowMs() - slotMs,
      committedMs: this.#parts.clock.nowMs(),
    };
  }

  #publish(change: ChainChange): void {
    const { number, id, time, lastIrreversible: irreversible } = this.#chain.head;
    this.#chainFeed.publish({ ...change, applied: this.#noted(change.applied) }, { number, id, time, irreversible });
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
      this.#isProducing
        ? `Generated block #${number} with timestamp ${time} and transactions count ${count} by ${witness} at time ${timeText(Math.trunc(nowMs / 1000))}`
        : `Got ${count} transactions on block ${number} by ${witness} --latency: ${nowMs - timestamp * 1000} ms --block gen time: ${time}`,
    );
  }

  #watchOf(settings: ProductionSettings): ProductionWatch {
    const { parameters, log } = this.#parts;
    return new ProductionWatch({
      chain: this.#chain,
      producer: producerOf(settings),
      keyPrefix: parameters.profile.keyPrefix,
      countsSlots: settings.everyMs === undefined,
      warn: (sentence) => log.warning(sentence),
    });
  }

  #productionLoop(settings: ProductionSettings, watch: ProductionWatch): ProductionLoop {
    const { clock, log } = this.#parts;
    const jumps = new ClockJumps(clock, (sentence) => log.warning(sentence));
    return new ProductionLoop({
      clock: this.#clock,
      chain: this.#chain,
      producer: producerOf(settings),
      allowStale: settings.allowStale,
      everyMs: settings.everyMs,
      produce: (slot, slotMs) => this.#guard(() => this.#produce(slot, slotMs)),
      passed: (reason) => log.debug(`no block: ${reason}`),
      looked: (look) => watch.take(look),
      woke: () => jumps.look(),
    });
  }

  #debugCommandsFor(settings: ProductionSettings): DebugCommands {
    return new DebugCommands({
      chain: this.#chain,
      clock: this.#clock,
      producer: producerOf(settings),
      produce: (slot) => this.#produce(slot),
    });
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
    for (const port of this.#ports) port.close();
    this.#parts.journal?.close();
    this.#parts.signing?.close();
    this.#tell({ kind: 'stopped' });
    this.#parts.front.close();
  }

  #guard(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#production?.stop();
      this.#tell(failureOf(error));
      this.#parts.front.close();
      this.#parts.die();
    }
  }

  #tell(message: FromWriter): void {
    this.#parts.front.post(message);
  }
}

function producerOf({ witnesses, secrets, requiredParticipation }: ProductionSettings): Producer {
  const byKey = secrets.map((secret): [string, Uint8Array] => [
    Buffer.from(present(publicKeyOf(secret), 'a key for the secret')).toString('hex'),
    secret,
  ]);
  return { witnesses: new Set(witnesses), secrets: new Map(byKey), requiredParticipation };
}
