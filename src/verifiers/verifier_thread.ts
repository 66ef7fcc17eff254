import { MessageChannel } from 'node:worker_threads';
import { present } from '../base/assert.ts';
import { systemClock } from '../base/clock.ts';
import type { CommittedRows } from '../storage/rows.ts';
import { readParameters } from '../settings/chain_settings.ts';
import type * as Checks from './check_findings.ts';
import type { BatchVerifier } from './batch_verifier.ts';
import { verifierThread } from './verifier_settings.ts';
import {
  verifyPackedTransactions,
  verifyPackedBlocks,
  verifyPackedHeaders,
  recoverSignatures,
  signersOfPacked,
  type VerifierTasks,
} from './verifier_tasks.ts';
import { SignerHints } from './signer_hints.ts';
import { starterPort, ThreadPort } from '../system/thread_port.ts';
import { encodeVerifierReport } from './verifier_report.ts';
import { nameSourceLines } from '../system/source_lines.ts';
import { threadSettings } from '../system/thread_settings.ts';

nameSourceLines();

/** Account rows that stay decoded between blocks, about 1 KiB each. */
const CACHED_ROWS = 10_000;

const { chain, storeHandle, guardsMemos } = threadSettings(verifierThread);
const parameters = readParameters(chain);
/** Tasks may come before it has loaded. */
const starting = storeHandle === undefined ? undefined : startVerifier(storeHandle);

/** Answered once the thread has loaded. */
export async function loaded(): Promise<void> {
  await starting;
}

async function started(): Promise<BroadcastVerifier> {
  return present(await starting, 'a store, which whoever verifies broadcasts starts with');
}

/** The tasks that the pool gives a thread. */
const tasks: VerifierTaskRunners = {
  async verify(batch) {
    const { verifier } = await started();
    const startedMs = systemClock.elapsedMs();
    const report = verifier.verify(batch);
    return encodeVerifierReport({ ...report, elapsedMicros: Math.round((systemClock.elapsedMs() - startedMs) * 1000) });
  },
  async verifyForCheck(packed) {
    const { view, checks } = await started();
    return checks.verifyForCheck(parameters, view, packed, guardsMemos);
  },
  verifyBlocks: async (packed) => verifyPackedBlocks(parameters.chainId, packed, await starting),
  verifyHeaders: async (packed) => verifyPackedHeaders(packed, await starting),
  verifyPacked: async (packed) => verifyPackedTransactions(parameters.chainId, packed, await starting),
  signersOf: (packed) => signersOfPacked(parameters.chainId, packed),
  recover: recoverSignatures,
};

// The pool calls each by its name.
export const { verify, verifyForCheck, verifyBlocks, verifyHeaders, verifyPacked, signersOf, recover } = tasks;

type VerifierTaskRunners = {
  readonly [Task in keyof VerifierTasks]: (
    task: VerifierTasks[Task]['question'],
  ) => VerifierTasks[Task]['answer'] | Promise<VerifierTasks[Task]['answer']>;
};

/** The rows and caches of a thread that was started with a store. */
interface BroadcastVerifier {
  readonly verifier: BatchVerifier;
  readonly view: CommittedRows;
  readonly hints: SignerHints;
  readonly checks: typeof Checks;
}

/** Starts the verifier of this thread, with its own message port to the writer: the front passes on the other end. */
async function startVerifier(handle: bigint): Promise<BroadcastVerifier> {
  // A thread that only verifies blocks needs neither the methods nor a store.
  const [verifiers, checks, { chainView }, { attachReader }] = await Promise.all([
    import('./batch_verifier.ts'),
    import('./check_findings.ts'),
    // This also loads the table register: a table can't be read without its number.
    import('../state/chain_view.ts'),
    import('../storage/rocksdb.ts'),
  ]);
  const { port1, port2 } = new MessageChannel();
  starterPort().post({ port: new ThreadPort(port2) });
  port1.unref();
  const view = chainView(attachReader(handle), CACHED_ROWS);
  const handOver = (bytes: Uint8Array<ArrayBuffer>): void => port1.postMessage(bytes, [bytes.buffer]);
  const hints = new SignerHints();
  return {
    verifier: new verifiers.BatchVerifier({ parameters, view, clock: systemClock, guardsMemos, hints, handOver }),
    view,
    hints,
    checks,
  };
}
