import type { Clock } from '../base/clock.ts';
import type { CallSignal } from './abort.ts';
import type { BatchPost, CallBatches } from './call_batches.ts';

// Programs compile with these types that have those of no runtime.

/** The runtime's type of abort signals, where a program is compiled with one. */
type RuntimeSignal = typeof globalThis extends { readonly AbortSignal: { readonly prototype: infer S } }
  ? S
  : CallSignal;

/** A request as it is handed to a `fetch`. */
export interface FetchRequest {
  readonly method: 'POST';
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly redirect: 'error';
  readonly signal: RuntimeSignal;
}

/** The part of a `Response` that the client reads. */
export interface FetchResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: { getReader(): ChunkReader } | null;
}

interface ChunkReader {
  read(): Promise<{ readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

/** A function with the signature of the standard's `fetch`. */
export type Fetch = (url: string, request: FetchRequest) => Promise<FetchResponse>;

/** Headers of a request, by name. */
export type RequestHeaders = Readonly<Record<string, string>>;

/** The way in which requests over HTTP are made. */
export interface RequestOptions {
  /** Makes the requests instead of the runtime's own HTTP. */
  readonly fetch?: Fetch | undefined;
  /** Headers of every request. */
  readonly headers?: RequestHeaders | undefined;
}

/** Ways in which calls over HTTP are made. */
export interface HttpOptions extends RequestOptions {
  /** Reads of so many milliseconds share one request; those of one turn of the event loop with 0. */
  readonly batch?: { readonly waitMs: number } | undefined;
}

/** The same for a connection, which is handed its batches. Programs whose calls never share a request load nothing of batches. */
export interface HttpConnectionOptions extends RequestOptions {
  readonly batches?: ((clock: Clock, post: BatchPost) => CallBatches) | undefined;
}
