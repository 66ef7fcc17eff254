import { systemClock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { TraceSettings } from '../settings/trace_settings.ts';
import type { BroadcastTracer } from './broadcast_trace.ts';
import { OtlpExporter } from './otlp_exporter.ts';
import { SampledTracer } from './sampled_tracer.ts';

const ANSWER_MS = 5000;

/** Starts the tracer of the settings. It sends spans to a collector, and logs the loss of spans. */
export function startTracer(
  { endpoint, every }: TraceSettings,
  instance: string,
  log: Pick<Log, 'warning'>,
): BroadcastTracer {
  const exporter = new OtlpExporter({
    ...{ endpoint, instance, clock: systemClock, answerMs: ANSWER_MS },
    failed: (reason, lost) => log.warning(`traces are lost: ${reason}`, 'traces_lost', { reason, spans: lost }),
  });
  return new SampledTracer(every, exporter);
}
