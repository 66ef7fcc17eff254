import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { present } from '../../base/assert.ts';
import { systemClock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { openLog, type Log } from '../../base/log.ts';
import { refusalOf } from '../../base/refusal.ts';
import type { PackedBlock, ProvedBlock } from '../../blocks/block.ts';
import type { SignedBlockHeader } from '../../blocks/header.ts';
import { Chain } from '../../chain/chain.ts';
import { publicKeyOf } from '../../crypto/keys.ts';
import { sign } from '../../crypto/sign.ts';
import type { ChainParameters } from '../../state/parameters.ts';
import { accountRowsOf, type AccountRows } from '../../state/records/account.ts';
import { attachStore } from '../../storage/rocksdb.ts';
import type { AccountName } from '../../values/account_name.ts';
import type { Signature } from '../../values/hash.ts';
import { timeText } from '../../values/time.ts';
import { ProductionLoop } from '../../witness/production_loop.ts';
import type { Producer, Turn } from '../../witness/produce.ts';
import { parametersOf } from '../chain_settings.ts';
import { acceptBatch } from './accept_batch.ts';
import { DebugOrders } from './debug_orders.ts';
import { MovableClock } from './movable_clock.ts';
import type { FromWriter, ProductionSettings, SlotTimes, ToWriter, WriterFigures, WriterSettings } from './messages.ts';
import { decodeProvedBlocks } from './proved_blocks.ts';
import { encodeVerdicts, sentRefusal } from './verdicts.ts';

const NANOSECONDS = 1e9;

/** The one thread that changes the state. It takes proved transactions and blocks, produces blocks, and writes. */
class Writer {
  readonly #chain: Chain;
  readonly #parameters: ChainParameters;
  readonly #front: MessagePort;
  readonly #log: Log;
  readonly #production: ProductionLoop | undefined;
  readonly #verifiers: MessagePort[] = [];
  readonly #clock = new MovableClock();
  readonly #debugOrders: DebugOrders | undefined;
  readonly #delay = monitorEventLoopDelay();

  constructor({ chain, storeHandle, durable, checkpoints, production, logLevel }: WriterSettings, front: MessagePort) {
    this.#log = openLog(logLevel, 'writer');
    const parameters = parametersOf(chain);
    this.#parameters = parameters;
    this.#front = front;
    this.#chain = new Chain({
      store: attachStore(storeHandle),
      parameters,
      durable,
      checkpoints: new Map(checkpoints),
      remark: (sentence) => this.#log.warning(sentence),
      report: (error) => this.#log.error(`a pending transaction is dropped: ${stackOf(error)}`),
    });
    this.#production = production === undefined ? undefined : this.#productionLoop(production);
    this.#debugOrders = production?.ownTime === true ? this.#debugOrdersFor(production) : undefined;
    front.on('message', (message: ToWriter) => this.#guard(() => this.#take(message)));
    this.#tell({ kind: 'ready', chainId: parameters.chainId, headBlockNumber: this.#chain.head.number });
    this.#production?.start();
    this.#delay.enable();
  }

  #take(message: ToWriter): void {
    switch (message.kind) {
      case 'verifier':
        return this.#listenTo(message.port);
      case 'blocks':
        return this.#answer(message.ticket, () => this.#takeBlocks(decodeProvedBlocks(message.proved)));
      case 'pending_accounts':
        return this.#answer(message.ticket, () => this.#pendingAccounts(message.names));
      case 'figures':
        return this.#answer(message.ticket, () => this.#figures());
      case 'debug':
        return this.#answer(message.ticket, () => present(this.#debugOrders, 'a development chain').carryOut(message.order));
      case 'stop':
        return this.#stop();
    }
  }

  #pendingAccounts(names: readonly AccountName[]): (AccountRows | undefined)[] {
    return names.map((name) => accountRowsOf(this.#chain.pendingRows, this.#parameters, name));
  }

  #figures(): WriterFigures {
    const delaySeconds = this.#delay.max / NANOSECONDS;
    this.#delay.reset();
    return { pendingTransactions: this.#chain.pendingTransactions.length, delaySeconds };
  }

  #listenTo(verifier: MessagePort): void {
    this.#verifiers.push(verifier);
    verifier.on('message', (batch: Uint8Array) => this.#guard(() => this.#takeBatch(batch)));
  }

  #takeBatch(batch: Uint8Array): void {
    const bytes = encodeVerdicts(acceptBatch(this.#chain, batch));
    this.#front.postMessage({ kind: 'verdicts', bytes } satisfies FromWriter, [bytes.buffer]);
  }

  #takeBlocks(blocks: readonly ProvedBlock[]): void {
    for (const block of blocks) {
      const { applied } = this.#chain.push(block);
      for (const known of applied) this.#announce(known, false);
    }
  }

  #produce({ timestamp, witness, secret }: Turn, slotMs?: number): void {
    const startedMs = this.#clock.nowMs();
    const signWith = (digest: Uint8Array): Signature => Buffer.from(present(sign(digest, secret), 'a signature')).toString('hex');
    let sealed: ProvedBlock | undefined;
    const refusal = refusalOf(() => {
      sealed = this.#chain.seal({ witness, timestamp, sign: signWith });
    });
    if (sealed !== undefined) this.#announce(sealed, true, slotMs === undefined ? undefined : this.#slotTimes(slotMs, startedMs));
    else this.#log.error(`no block for ${witness} at ${timeText(timestamp)}: ${refusal?.message}`);
  }

  #slotTimes(slotMs: number, startedMs: number): SlotTimes {
    return {
      startedLateMs: startedMs - slotMs,
      committedLateMs: this.#clock.nowMs() - slotMs,
      committedMs: systemClock.nowMs(),
    };
  }

  #announce({ number, id, header, transactions }: PackedBlock, produced: boolean, slot?: SlotTimes): void {
    this.#log.notice(produced ? producedText(number, header, transactions.length) : receivedText(number, header, transactions.length));
    const transactionIds = Buffer.from(transactions.map((transaction) => transaction.id).join(''), 'hex');
    this.#tell({ kind: 'block_committed', number, id, time: header.timestamp, witness: header.witness, produced, transactionIds, slot });
  }

  #productionLoop(settings: ProductionSettings): ProductionLoop {
    return new ProductionLoop({
      clock: this.#clock,
      chain: this.#chain,
      producer: producerOf(settings),
      allowStale: settings.allowStale,
      everyMs: settings.everyMs,
      produce: (turn, slotMs) => this.#guard(() => this.#produce(turn, slotMs)),
      passed: (reason) => this.#log.debug(`no block: ${reason}`),
    });
  }

  #debugOrdersFor(settings: ProductionSettings): DebugOrders {
    return new DebugOrders({
      chain: this.#chain,
      clock: this.#clock,
      producer: producerOf(settings),
      produce: (turn) => this.#produce(turn),
    });
  }

  #answer(ticket: number, find: () => unknown): void {
    let value: unknown;
    const refusal = refusalOf(() => {
      value = find();
    });
    this.#tell({ kind: 'answer', ticket, refusal: refusal === undefined ? undefined : sentRefusal(refusal), value });
  }

  #stop(): void {
    this.#production?.stop();
    for (const verifier of this.#verifiers) verifier.close();
    this.#tell({ kind: 'stopped' });
    this.#front.close();
  }

  /** Whatever is no refusal ends the writer: it must not go on from a state that it cannot vouch for. */
  #guard(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#production?.stop();
      reportFailure(this.#front, error);
      this.#front.close();
      process.exit(1);
    }
  }

  #tell(message: FromWriter): void {
    this.#front.postMessage(message);
  }
}

/** What monitoring of the family looks for, to the letter (rpc.md 8.4). */
function producedText(number: number, { timestamp, witness }: SignedBlockHeader, count: number): string {
  const now = timeText(Math.trunc(systemClock.nowMs() / 1000));
  return `Generated block #${number} with timestamp ${timeText(timestamp)} and transactions count ${count} by ${witness} at time ${now}`;
}

function receivedText(number: number, { timestamp, witness }: SignedBlockHeader, count: number): string {
  const latencyMs = systemClock.nowMs() - timestamp * 1000;
  return `Got ${count} transactions on block ${number} by ${witness} --latency: ${latencyMs} ms --block gen time: ${timeText(timestamp)}`;
}

function producerOf({ witnesses, secrets, requiredParticipation }: ProductionSettings): Producer {
  const byKey = secrets.map((secret): [string, Uint8Array] => [
    Buffer.from(present(publicKeyOf(secret), 'a key for the secret')).toString('hex'),
    secret,
  ]);
  return { witnesses: new Set(witnesses), secrets: new Map(byKey), requiredParticipation };
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function reportFailure(front: MessagePort, error: unknown): void {
  const message = stackOf(error);
  const failure = error instanceof Fault ? { code: error.code, message: error.message } : { code: 'assertion' as const, message };
  front.postMessage({ kind: 'failed', ...failure } satisfies FromWriter);
}

/** What the front started this thread with. */
function settingsOfThread(): WriterSettings;
function settingsOfThread(): unknown {
  const settings: unknown = workerData;
  return settings;
}

function startWriter(front: MessagePort): void {
  const settings = settingsOfThread();
  try {
    new Writer(settings, front);
  } catch (error) {
    reportFailure(front, error);
    front.close();
  }
}

startWriter(present(parentPort ?? undefined, 'the port of a worker'));
