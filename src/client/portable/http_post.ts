import { joined, NeverSent, requireNoPassword, requireRoom, type HttpAnswer } from '../http_answer.ts';
import { unixPathIn } from '../unix_address.ts';

// The same as http_post.ts with what every runtime has.

/**
 * Posts JSON; what is answered. Rejects with the reason of `signal` when that ends it, and with NeverSent when nobody
 * was reached.
 */
export async function postJson(
  url: string,
  body: string | Uint8Array<ArrayBuffer>,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  try {
    if (unixPathIn(url) !== undefined)
      throw new NeverSent('a Unix socket is reached on Node only, by the package pharos');
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(requireNoPassword(url), { method: 'POST', headers, body, redirect: 'error', signal });
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

interface ChunkReader {
  read(): Promise<{ readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

async function bodyOf({ body }: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Not every browser iterates streams.
  const reader: ChunkReader | undefined = body?.getReader();
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
