import { errorMessage } from '../base/error_message.ts';
import type { Clock } from '../base/clock.ts';
import { parseMembers, toMembers } from '../system/json_members.ts';
import { PROGRAM_VERSION } from '../system/program_version.ts';
import type { Span, SpanValue } from './span.ts';

/** The collector, and how to tell that it does not answer. */
export interface ExporterOptions {
  /** The address for traces by OTLP over HTTP, such as `http://127.0.0.1:4318/v1/traces`. */
  readonly endpoint: string;
  /** Names this node among others. */
  readonly instance: string;
  readonly clock: Clock;
  /** The time for an answer. */
  readonly answerMs: number;
  readonly failed: (reason: string, lost: number) => void;
}

const FLUSH_MS = 1000;
/** Characters of a collector's message in the log. */
const LONGEST_MESSAGE = 200;
/** A collector that stands still costs half a MiB. */
const MOST_WAITING = 2048;
const SERVER_KIND = 2;
const INTERNAL_KIND = 1;
const ERROR_STATUS = 2;
const NANOS_OF_MICRO = 1000n;

/** Sends spans to a collector, by OTLP over HTTP in JSON, at most once a second. Spans that it does not take are lost. */
export class OtlpExporter {
  readonly #options: ExporterOptions;
  #waiting: Span[] = [];
  #dropped = 0;
  #cancel: (() => void) | undefined;
  /** One request at a time: a collector that stands still must not collect them here. */
  #sending: Promise<void> | undefined;

  constructor(options: ExporterOptions) {
    this.#options = options;
  }

  add(spans: readonly Span[]): void {
    if (this.#waiting.length + spans.length > MOST_WAITING) this.#dropped += spans.length;
    else this.#waiting.push(...spans);
    this.#cancel ??= this.#options.clock.after(FLUSH_MS, () => void this.#flush(), false);
  }

  /** Sends what is left. */
  async stop(): Promise<void> {
    await this.#sending;
    await this.#flush();
  }

  async #flush(): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#sending ??= this.#sendWaiting();
    await this.#sending;
  }

  async #sendWaiting(): Promise<void> {
    while (this.#waiting.length > 0) {
      const [spans, lost] = [this.#waiting, this.#dropped];
      this.#waiting = [];
      this.#dropped = 0;
      if (lost > 0) this.#options.failed('the collector is too slow', lost);
      await this.#send(spans);
    }
    this.#sending = undefined;
  }

  async #send(spans: readonly Span[]): Promise<void> {
    const { endpoint, instance, answerMs, failed } = this.#options;
    try {
      const answer = await fetch(endpoint, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(tracesRequest(spans, instance)),
        signal: AbortSignal.timeout(answerMs),
      });
      const text = await answer.text();
      if (!answer.ok) return failed(`the collector answers ${answer.status}`, spans.length);
      const { rejectedSpans, reason } = partialSuccess(text);
      if (rejectedSpans > 0) failed(`the collector refuses spans${reason && `: ${reason}`}`, rejectedSpans);
    } catch (error) {
      const { cause = error } = error instanceof Error ? error : {};
      failed(errorMessage(cause), spans.length);
    }
  }
}

/** The spans that a collector has refused in a good answer. Collectors may answer with nothing, too. */
function partialSuccess(text: string): { readonly rejectedSpans: number; readonly reason: string } {
  const { rejectedSpans = 0, errorMessage: reason = '' } = toMembers(parseMembers(text)?.['partialSuccess']) ?? {};
  return {
    rejectedSpans: Number(rejectedSpans) || 0,
    reason: typeof reason === 'string' ? reason.slice(0, LONGEST_MESSAGE) : '',
  };
}

/** The body of a request to a collector, as the protocol has it in JSON. */
function tracesRequest(spans: readonly Span[], instance: string): object {
  const service = { 'service.name': 'pharos', 'service.version': PROGRAM_VERSION, 'service.instance.id': instance };
  return {
    resourceSpans: [
      {
        resource: { attributes: attributeList(service) },
        scopeSpans: [{ scope: { name: 'pharos', version: PROGRAM_VERSION }, spans: spans.map(sentSpan) }],
      },
    ],
  };
}

function sentSpan({ traceId, spanId, parentId, name, beganMs, endedMs, attributes, failure }: Span): object {
  return {
    traceId,
    spanId,
    ...(parentId === undefined ? {} : { parentSpanId: parentId }),
    name,
    kind: parentId === undefined ? SERVER_KIND : INTERNAL_KIND,
    startTimeUnixNano: unixNanos(beganMs),
    endTimeUnixNano: unixNanos(endedMs),
    attributes: attributeList(attributes),
    status: failure === undefined ? {} : { code: ERROR_STATUS, message: failure },
  };
}

/** A double has no room for nanoseconds. */
function unixNanos(ms: number): string {
  return String(BigInt(Math.round(ms * 1000)) * NANOS_OF_MICRO);
}

function attributeList(attributes: Readonly<Record<string, SpanValue>>): object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));
}

/** Whole numbers travel as text: they may have 64 bits. */
function anyValue(value: SpanValue): object {
  return typeof value === 'number' ? { intValue: String(value) } : { stringValue: value };
}
