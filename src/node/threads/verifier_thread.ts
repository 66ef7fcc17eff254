import { MessageChannel, workerData } from 'node:worker_threads';
import { present } from '../../base/assert.ts';
import { systemClock } from '../../base/clock.ts';
import type { CommittedRows } from '../../storage/rows.ts';
import { parametersOf } from '../chain_settings.ts';
import type * as Checks from './check_findings.ts';
import type { BatchVerifier } from './batch_verifier.ts';
import type { VerifierSettings } from './messages.ts';
import { provePacked, verifyPackedBlocks, verifyPackedHeaders, recoverSignatures, signersOfPacked } from './verifier_tasks.ts';
import { SignerHints } from './signer_hints.ts';
import { starterPort, ThreadPort } from './thread_port.ts';
import { encodeVerifierReport } from './verifier_report.ts';
import { nameSourceLines } from './source_lines.ts';

nameSourceLines();

/** Account rows that stay decoded between blocks, about 1 KiB each. */
const CACHED_ROWS = 10_000;

const { chain, storeHandle, guardsMemos } = settingsOfThread();
const parameters = parametersOf(chain);
/** Tasks may come before it has loaded. */
const starting = storeHandle === undefined ? undefined : startVerifier(storeHandle);

/** Answered once the thread has loaded. */
export async function loaded(): Promise<void> {
  await starting;
}

/** Called by the pool for a batch of broadcasts; returns an encoded VerifierReport. */
export async function verify(batch: Uint8Array): Promise<Uint8Array> {
  const { verifier } = await started();
  const startedMs = systemClock.elapsedMs();
  const report = verifier.verify(batch);
  return encodeVerifierReport({ ...report, elapsedMicros: Math.round((systemClock.elapsedMs() - startedMs) * 1000) });
}

/** Verifies a transaction that is only checked. */
export async function verifyForCheck(packed: Uint8Array): Promise<Uint8Array> {
  const { view, checks } = await started();
  return checks.verifyForCheck(parameters, view, packed, guardsMemos);
}

async function started(): Promise<BroadcastVerifier> {
  return present(await starting, 'a store, which whoever verifies broadcasts starts with');
}

/** Recovers the signers of whole blocks and their transactions. */
export async function verifyBlocks(packed: Uint8Array): Promise<Uint8Array> {
  return verifyPackedBlocks(parameters.chainId, packed, await starting);
}

/** The same of transactions that a block names and nobody has sent before. */
export async function prove(packed: Uint8Array): Promise<Uint8Array> {
  return provePacked(parameters.chainId, packed, await starting);
}

/** Recovers the signers of whole blocks alone. */
export async function verifyHeaders(packed: Uint8Array): Promise<Uint8Array> {
  return verifyPackedHeaders(packed, await starting);
}

/** Recovers the signers of some transactions of a block. */
export function signersOf(packed: Uint8Array): Uint8Array {
  return signersOfPacked(parameters.chainId, packed);
}

/** Recovers the keys behind signatures of any digests. */
export function recover(signatures: Uint8Array): Uint8Array {
  return recoverSignatures(signatures);
}

/** What a thread that was started with a store works with. */
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
    import('../../state/chain_view.ts'),
    import('../../storage/rocksdb.ts'),
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

/** The settings that the front passed to this thread. */
function settingsOfThread(): VerifierSettings;
function settingsOfThread(): unknown {
  const settings: unknown = workerData;
  return settings;
}
