import { randomBytes } from '../crypto/random.ts';

/** A value of an attribute. */
export type SpanValue = string | number;

/** A part of a request's way, with its place in the tree of the request. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  /** Undefined for the request itself. */
  readonly parentId: string | undefined;
  readonly name: string;
  readonly beganMs: number;
  readonly endedMs: number;
  readonly attributes: Readonly<Record<string, SpanValue>>;
  /** The reason why the part failed. */
  readonly failure?: string | undefined;
}

const TRACE_ID_BYTES = 16;
const SPAN_ID_BYTES = 8;

export function newTraceId(): string {
  return hex(TRACE_ID_BYTES);
}

export function newSpanId(): string {
  return hex(SPAN_ID_BYTES);
}

function hex(bytes: number): string {
  return Buffer.from(randomBytes(bytes)).toString('hex');
}
