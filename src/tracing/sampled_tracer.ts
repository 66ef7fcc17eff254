import { epochMs } from '../system/epoch_ms.ts';
import type { BroadcastTrace, BroadcastTracer } from './broadcast_trace.ts';
import type { OtlpExporter } from './otlp_exporter.ts';
import { SampledTrace } from './sampled_trace.ts';

/** Follows the first broadcast, and from then on one of `every`. */
export class SampledTracer implements BroadcastTracer {
  readonly #every: number;
  readonly #exporter: Pick<OtlpExporter, 'add' | 'stop'>;
  #left = 1;

  constructor(every: number, exporter: Pick<OtlpExporter, 'add' | 'stop'>) {
    this.#every = every;
    this.#exporter = exporter;
  }

  begin(method: string): BroadcastTrace | undefined {
    if (--this.#left > 0) return undefined;
    this.#left = this.#every;
    return new SampledTrace(method, epochMs, (spans) => this.#exporter.add(spans));
  }

  async stop(): Promise<void> {
    await this.#exporter.stop();
  }
}
