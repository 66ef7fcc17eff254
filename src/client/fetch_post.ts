import { joined, NeverSent, requireNoPassword, requireRoom, type HttpAnswer } from './http_answer.ts';
import type { CallSignal } from './abort.ts';

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

/** Posts JSON with a `fetch`. Rejects as `postJson` does. */
export async function postWith(
  fetch: Fetch,
  url: string,
  body: string | Uint8Array,
  signal: AbortSignal,
  headers: RequestHeaders,
): Promise<HttpAnswer> {
  try {
    const response = await fetch(requireNoPassword(url).href, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: typeof body === 'string' ? body : new TextDecoder().decode(body),
      redirect: 'error',
      signal,
    });
    return {
      status: response.status,
      contentType: response.headers.get('content-type') ?? '',
      body: await bodyOf(response),
    };
  } catch (error) {
    // On Node it only says "fetch failed" and has the reason in its cause.
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw cause instanceof Error && isNeverSent(cause) ? new NeverSent(cause.message, { cause }) : cause;
  }
}

async function bodyOf({ body }: FetchResponse): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Not every browser iterates streams.
  const reader = body?.getReader();
  try {
    for (let chunk = (await reader?.read())?.value; chunk !== undefined; chunk = (await reader?.read())?.value) {
      length += chunk.length;
      requireRoom(length);
      chunks.push(chunk);
    }
  } catch (error) {
    void reader?.cancel().catch(() => undefined);
    throw error;
  }
  return joined(chunks, length);
}

function isNeverSent(cause: Error): boolean {
  return 'code' in cause && ['ECONNREFUSED', 'ENOTFOUND', 'UND_ERR_CONNECT_TIMEOUT'].includes(String(cause.code));
}
