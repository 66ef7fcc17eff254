import { encodeVerifiedBatch } from '../blocks/verified_batch.ts';
import { BatchVerifier, type VerifierParts } from './batch_verifier.ts';
import type { VerifierReport } from './verifier_report.ts';

/** The outcome of a batch: what passed, encoded by `verified_batch.ts`, and the report to the front. */
interface VerifiedOutcome {
  readonly passed: Uint8Array;
  readonly report: VerifierReport;
}

const NOTHING = encodeVerifiedBatch([]);

/** A verifier in the thread of the writer, for small batches (writer_budget.ts). */
export class OwnVerifier {
  readonly #verifier: BatchVerifier;
  readonly #clock: VerifierParts['clock'];
  #passed: Uint8Array = NOTHING;

  constructor(parts: Omit<VerifierParts, 'handOver'>) {
    this.#clock = parts.clock;
    this.#verifier = new BatchVerifier({ ...parts, handOver: (bytes) => (this.#passed = bytes) });
  }

  /**
   * Undefined after an error that concerns more than an item: the state has nothing of the batch, so the thread goes
   * on. The verifier that gets the batch then reports the error.
   */
  verify(batch: Uint8Array): VerifiedOutcome | undefined {
    try {
      return this.#verify(batch);
    } catch {
      return undefined;
    }
  }

  #verify(batch: Uint8Array): VerifiedOutcome {
    const startedMs = this.#clock.elapsedMs();
    this.#passed = NOTHING;
    const report = this.#verifier.verify(batch);
    const elapsedMicros = Math.round((this.#clock.elapsedMs() - startedMs) * 1000);
    return { passed: this.#passed, report: { ...report, elapsedMicros } };
  }
}
