import { present } from '../base/assert.ts';
import type { WriterBudget } from './writer_budget.ts';
import type { VerifierReport } from './verifier_report.ts';

/**
 * So many batches at low load in a row come before those for the writer: between busy moments its code is cold, and a
 * batch costs more there than it saves.
 */
const CALM_BATCHES = 16;

/** The writer as a verifier of broadcasts. */
interface VerifyingWriter {
  /** Has it load its verifier. */
  loadVerifier(): void;
  /** Has it verify a batch. Its verdicts come with the verifier's report. */
  verify(batch: Uint8Array): void;
}

/** A batch that is ready for a verifier. */
interface ReadyBatch {
  readonly bytes: Uint8Array;
  readonly batch: { readonly length: number; readonly senderIds: readonly number[]; senderOf(ticket: number): number };
}

/** Batches that the writer verifies itself, one at a time. */
export class DirectBatches<Ready extends ReadyBatch = ReadyBatch> {
  readonly #writer: VerifyingWriter;
  readonly #budget: WriterBudget;
  #verifier: 'unloaded' | 'loading' | 'loaded' | 'failed' = 'unloaded';
  #underWay: Ready | undefined;
  /** Batches at low load in a row. */
  #calm = 0;
  /** The number of broadcasts that the writer has verified. */
  verified = 0;

  constructor(writer: VerifyingWriter, budget: WriterBudget) {
    this.#writer = writer;
    this.#budget = budget;
  }

  /** True while the writer has a batch. */
  get isBusy(): boolean {
    return this.#underWay !== undefined;
  }

  /** Called after a block. Loading takes about 50 ms, so it begins when the next slot is far. */
  load(): void {
    if (this.#verifier !== 'unloaded' || this.#calm < CALM_BATCHES || !this.#budget.isSlotFar) return;
    this.#verifier = 'loading';
    this.#writer.loadVerifier();
  }

  loaded(): void {
    this.#verifier = 'loaded';
  }

  /** Sends a batch to the writer, or returns false: it is for verifiers. Must be told of every batch. */
  send(ready: Ready, isLoadLow: boolean): boolean {
    const { bytes, batch } = ready;
    this.#calm = isLoadLow ? this.#calm + 1 : 0;
    const isFree = this.#verifier === 'loaded' && !this.isBusy && this.#calm > CALM_BATCHES;
    if (!isFree || !this.#budget.allows({ bytes, senderIds: batch.senderIds })) return false;
    this.#underWay = ready;
    this.#writer.verify(bytes);
    return true;
  }

  /** The writer has verified its batch: charges the time, and to whom where it has refused broadcasts, by their tickets. */
  finish(report: VerifierReport, refusedByChain: readonly number[]): Ready {
    const ready = this.#take();
    const { batch } = ready;
    const refused = [...report.refused.map(({ ticket }) => ticket), ...refusedByChain];
    this.#budget.charge(
      report.elapsedMicros / 1000,
      refused.map((ticket) => batch.senderOf(ticket)),
    );
    this.verified += batch.length;
    return ready;
  }

  /** The writer could not verify its batch, which needs a verifier. It gets no further ones. */
  fail(): Ready {
    this.#verifier = 'failed';
    return this.#take();
  }

  #take(): Ready {
    const ready = present(this.#underWay, 'a batch that the writer has');
    this.#underWay = undefined;
    return ready;
  }
}
