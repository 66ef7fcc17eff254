import type { BroadcastTrace, TraceEnd } from './broadcast_trace.ts';
import { newSpanId, newTraceId, type Span, type SpanValue } from './span.ts';

/** A part of the way that is under way. */
interface Phase {
  readonly name: PhaseName;
  readonly spanId: string;
  readonly beganMs: number;
  attributes: Readonly<Record<string, SpanValue>>;
}

type PhaseName = 'front' | 'verifier' | 'writer' | 'block' | 'final';

/**
 * The spans of one broadcast: a request, and below it the parts of its way, one after the other. Below the verifier and
 * the writer stands the time for which that thread was busy with the batch; the rest of the part is waiting.
 */
export class SampledTrace implements BroadcastTrace {
  readonly #traceId = newTraceId();
  readonly #requestId = newSpanId();
  readonly #beganMs: number;
  readonly #method: string;
  readonly #nowMs: () => number;
  readonly #done: (spans: readonly Span[]) => void;
  readonly #spans: Span[] = [];
  #phase: Phase;
  /** The verifier's part may end before its report is here. */
  #verifierId = '';
  #verifiedMs: number | undefined;

  constructor(method: string, nowMs: () => number, done: (spans: readonly Span[]) => void) {
    this.#method = method;
    this.#nowMs = nowMs;
    this.#done = done;
    this.#beganMs = nowMs();
    this.#phase = this.#phaseFrom('front', this.#beganMs);
  }

  sent(batchLength: number): void {
    this.#begin('verifier', this.#nowMs());
    this.#verifierId = this.#phase.spanId;
    this.#phase.attributes = { 'pharos.batch': batchLength };
  }

  verified(elapsedMicros: number, endedMs = Infinity): void {
    const verifiedMs = Math.min(endedMs, this.#nowMs());
    this.#add('verifier busy', this.#verifierId, verifiedMs - elapsedMicros / 1000, verifiedMs);
    this.#verifiedMs = verifiedMs;
  }

  decided(beganMs: number | undefined, isRefused: boolean): void {
    const nowMs = this.#nowMs();
    const tookUpMs = Math.min(beganMs ?? nowMs, nowMs);
    // The verdict may overtake the verifier's report.
    if (this.#phase.name === 'verifier') this.#begin('writer', this.#verifiedMs ?? tookUpMs);
    if (this.#phase.name !== 'writer') return;
    this.#add('writer busy', this.#phase.spanId, Math.max(tookUpMs, this.#phase.beganMs), nowMs);
    if (!isRefused) this.#begin('block', nowMs);
  }

  placed(blockNumber: number): void {
    this.#phase.attributes = { 'pharos.block': blockNumber };
    this.#begin('final', this.#nowMs());
  }

  displaced(): void {
    this.#begin('block', this.#nowMs());
  }

  ended({ blockNumber, refusal }: TraceEnd): void {
    const nowMs = this.#nowMs();
    const isBlockAwaited = blockNumber > 0 || refusal !== undefined;
    if (this.#phase.name !== 'block' || isBlockAwaited) {
      if (this.#phase.name === 'block' && blockNumber > 0) this.#phase.attributes = { 'pharos.block': blockNumber };
      this.#close(nowMs, refusal);
    }
    this.#spans.push({
      ...{ traceId: this.#traceId, spanId: this.#requestId, parentId: undefined, name: this.#method },
      ...{ beganMs: this.#beganMs, endedMs: nowMs, failure: refusal },
      attributes: { 'rpc.system': 'jsonrpc', 'rpc.method': this.#method, 'pharos.block': blockNumber },
    });
    this.#done(this.#spans);
  }

  #begin(name: PhaseName, nowMs: number): void {
    this.#close(nowMs, undefined);
    this.#phase = this.#phaseFrom(name, nowMs);
  }

  #phaseFrom(name: PhaseName, beganMs: number): Phase {
    return { name, spanId: newSpanId(), beganMs, attributes: {} };
  }

  #close(endedMs: number, failure: string | undefined): void {
    const { name, spanId, beganMs, attributes } = this.#phase;
    const times = { beganMs, endedMs: Math.max(beganMs, endedMs) };
    this.#spans.push({
      traceId: this.#traceId,
      spanId,
      parentId: this.#requestId,
      name,
      ...times,
      attributes,
      failure,
    });
  }

  #add(name: string, parentId: string, beganMs: number, endedMs: number): void {
    const times = { beganMs: Math.min(beganMs, endedMs), endedMs };
    this.#spans.push({ traceId: this.#traceId, spanId: newSpanId(), parentId, name, ...times, attributes: {} });
  }
}
