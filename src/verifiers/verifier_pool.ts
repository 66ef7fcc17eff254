import { MessagePort } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { present } from '../base/assert.ts';
import type { Port } from '../base/port.ts';
import type { VerifiedBlock } from '../blocks/block.ts';
import type { PackedTransaction, VerifiedTransaction } from '../blocks/transaction.ts';
import type { Digest, Signature } from '../values/hash.ts';
import type { PublicKey } from '../values/public_key.ts';
import { decodeCheckFindings, type CheckFindings } from './check_findings.ts';
import { type VerifierSettings, verifierThread } from './verifier_settings.ts';
import {
  decodeKeys,
  decodeSigners,
  encodeSignatures,
  encodePackedTransactions,
  type VerifierTasks,
} from './verifier_tasks.ts';
import { countItems, encodePackedItems, groupPackedItems } from '../blocks/packed_items.ts';
import { decodeVerifiedBlocks } from '../blocks/verified_blocks.ts';
import { busyThreadLimits } from '../system/thread_memory.ts';
import { threadData } from '../system/thread_settings.ts';
import { ThreadPort } from '../system/thread_port.ts';
import { decodeVerifierReport, type VerifierReport, type BatchPool } from './verifier_report.ts';
import type { BlockVerifiers } from '../block_log/import_blocks.ts';

/** Events of the verifiers. */
export interface VerifierListener {
  /** A verifier passes a message port to itself, which is for the writer. */
  line(port: Port<Uint8Array, never>): void;
  /** A verifier was busy with a batch for that long. */
  batchTook(seconds: number): void;
  /** Called before transactions that a block named, or whole blocks, are verified. */
  verifies(what: 'transactions' | 'blocks', count: number): void;
}

/** Recovers the signers of everything that doesn't arrive as a broadcast. */
export interface Verifiers {
  /** The keys behind signatures of a digest, each of 65 bytes; undefined where no key can have made one. */
  recover(digest: Digest, signatures: readonly Signature[]): Promise<(PublicKey | undefined)[]>;
  /** The transactions with their signers. */
  verifyTransactions(transactions: readonly PackedTransaction[]): Promise<VerifiedTransaction[]>;
  /** Checks a packed transaction that isn't larger than the chain takes. */
  verifyForCheck(packed: Uint8Array): Promise<CheckFindings>;
  /**
   * Recovers the signers of packed transactions, each behind its length: batches as `decodeVerifiedBatch` reads them.
   * Rejects when one is malformed.
   */
  verifyPacked(transactions: Uint8Array): Promise<readonly Uint8Array[]>;
  /**
   * Blocks as `encodePackedItems` makes them, whose buffer is taken away; with the signers of blocks and transactions,
   * as `decodeVerifiedBlocks` reads them. Rejects when one is malformed. Who signed transactions may be taken on
   * somebody's word.
   */
  encodedBlocks(packed: Uint8Array<ArrayBuffer>, isVouchedFor?: boolean): Promise<Uint8Array>;
}

/** Signatures in one task: about 10 ms of work, as long as a batch of broadcasts. */
const SIGNATURES_PER_TASK = 200;
/** As many as a batch of broadcasts has. */
const VERIFIED_PER_TASK = 1024;

/**
 * The threads that verify who signed broadcasts and blocks. Broadcasts come first: everything else waits behind the
 * waiting batches, one at a time, so that it never takes more than its share.
 */
export class VerifierPool implements BlockVerifiers, BatchPool, Verifiers {
  readonly threads: number;
  readonly #pool: Piscina<Uint8Array | undefined, Uint8Array<ArrayBuffer>>;
  readonly #batchTook: (seconds: number) => void;
  readonly #verifies: VerifierListener['verifies'];
  /** Resolves when each thread has answered once. */
  readonly #loaded: Promise<unknown>;
  #lastTask: Promise<unknown> = Promise.resolve();

  constructor(settings: VerifierSettings, threads: number, { line, batchTook, verifies }: VerifierListener = deaf) {
    this.threads = threads;
    this.#batchTook = batchTook;
    this.#verifies = verifies;
    this.#pool = new Piscina<Uint8Array | undefined, Uint8Array<ArrayBuffer>>({
      filename: new URL('./verifier_thread.js', import.meta.url).href,
      minThreads: threads,
      maxThreads: threads,
      idleTimeout: Infinity,
      workerData: threadData(verifierThread, settings),
      resourceLimits: busyThreadLimits(settings),
    });
    this.#pool.on('message', (message: unknown) => {
      const end: unknown =
        typeof message === 'object' && message !== null && 'port' in message ? message.port : undefined;
      if (end instanceof MessagePort) line(new ThreadPort(end));
    });
    // A thread takes one task at a time, so each thread gets one of these.
    this.#loaded = Promise.all(
      Array.from({ length: threads }, async () => await this.#pool.run(undefined, { name: 'loaded' })),
    );
  }

  async verify(batch: Uint8Array<ArrayBuffer>): Promise<VerifierReport> {
    const report = decodeVerifierReport(await this.#run('verify', batch));
    this.#batchTook(report.elapsedMicros / 1e6);
    return report;
  }

  /**
   * Decodes packed blocks and recovers the signers of the blocks and their transactions; rejects with the Refusal of a
   * malformed one.
   */
  async verifyBlocks(packed: readonly Uint8Array[]): Promise<VerifiedBlock[]> {
    return decodeVerifiedBlocks(await this.encodedBlocks(encodePackedItems(packed)));
  }

  async encodedBlocks(packed: Uint8Array<ArrayBuffer>, isVouchedFor = false): Promise<Uint8Array> {
    if (!isVouchedFor) this.#verifies('blocks', countItems(packed));
    return await this.#run(isVouchedFor ? 'verifyHeaders' : 'verifyBlocks', packed);
  }

  async verifyPacked(transactions: Uint8Array): Promise<readonly Uint8Array[]> {
    this.#verifies('transactions', countItems(transactions));
    const tasks = [...groupPackedItems(transactions, { items: VERIFIED_PER_TASK, bytes: transactions.length })];
    return await Promise.all(tasks.map(async ({ bytes }) => await this.#run('verifyPacked', bytes.slice())));
  }

  async recover(digest: Digest, signatures: readonly Signature[]): Promise<(PublicKey | undefined)[]> {
    const keys: (PublicKey | undefined)[] = [];
    for (const some of chunks(signatures, () => 1)) {
      keys.push(...decodeKeys(await this.#runQueued('recover', encodeSignatures(digest, some)), some.length));
    }
    return keys;
  }

  async verifyTransactions(transactions: readonly PackedTransaction[]): Promise<VerifiedTransaction[]> {
    const verified: VerifiedTransaction[] = [];
    for (const some of chunks(transactions, ({ transaction }) => transaction.signatures.length)) {
      const signers = decodeSigners(await this.#runQueued('signersOf', encodePackedTransactions(some)), some.length);
      for (const [k, packed] of some.entries())
        verified.push({ ...packed, signers: present(signers[k], 'the signers of a transaction') });
    }
    return verified;
  }

  async verifyForCheck(packed: Uint8Array): Promise<CheckFindings> {
    return decodeCheckFindings(await this.#runQueued('verifyForCheck', packed.slice()));
  }

  async close(): Promise<void> {
    // Node 22 and 24 abort the process when a thread is ended while it loads modules. A failure to load has already
    // been reported.
    await this.#loaded.catch(() => undefined);
    await this.#pool.close({ force: true });
  }

  /**
   * Runs a task after all those that are already waiting. Calls have a limit at the server (`verifierCalls`), and peers
   * send few blocks at once.
   */
  async #runQueued<Task extends keyof VerifierTasks>(
    name: Task,
    task: VerifierTasks[Task]['question'],
  ): Promise<VerifierTasks[Task]['answer']> {
    const done = this.#lastTask.then(() => this.#run(name, task));
    this.#lastTask = done.catch(() => undefined);
    return await done;
  }

  /** The task has a buffer of its own, which is transferred to the thread instead of being copied. */
  #run<Task extends keyof VerifierTasks>(
    name: Task,
    task: VerifierTasks[Task]['question'],
  ): Promise<VerifierTasks[Task]['answer']> {
    return this.#pool.run(task, { name, transferList: [task.buffer] });
  }
}

const deaf: VerifierListener = { line: () => undefined, batchTook: () => undefined, verifies: () => undefined };

/** Cuts a list into chunks of at most that many signatures; a single item may have more. */
function* chunks<T>(items: readonly T[], signaturesOf: (item: T) => number): Generator<T[]> {
  let some: T[] = [];
  let count = 0;
  for (const item of items) {
    if (some.length > 0 && count + signaturesOf(item) > SIGNATURES_PER_TASK) {
      yield some;
      [some, count] = [[], 0];
    }
    some.push(item);
    count += signaturesOf(item);
  }
  if (some.length > 0) yield some;
}
