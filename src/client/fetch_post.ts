import { joined, NeverSent, requireRoom, type HttpAnswer } from './http_answer.ts';
import type { Fetch, FetchResponse, RequestHeaders } from './http_options.ts';

/** Posts JSON with a `fetch`. Rejects as `postJson` does. */
export async function fetchPost(
  fetch: Fetch,
  url: string,
  body: string | Uint8Array,
  signal: AbortSignal,
  headers: RequestHeaders,
): Promise<HttpAnswer> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: typeof body === 'string' ? body : new TextDecoder().decode(body),
      redirect: 'error',
      signal,
    });
    return {
      status: response.status,
      contentType: response.headers.get('content-type') ?? '',
      body: await readBody(response),
    };
  } catch (error) {
    // On Node it only says "fetch failed" and has the reason in its cause.
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw cause instanceof Error && isNeverSent(cause) ? new NeverSent(cause.message, { cause }) : cause;
  }
}

async function readBody({ body }: FetchResponse): Promise<Uint8Array> {
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
