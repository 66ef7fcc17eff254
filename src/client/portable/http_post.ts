import { fetchPost } from '../fetch_post.ts';
import { NeverSent, type HttpAnswer } from '../http_answer.ts';
import type { RequestHeaders } from '../http_options.ts';
import { parseUnixPath } from '../unix_address.ts';

// The same as http_post.ts with what every runtime has.

/**
 * Posts JSON; what is answered. Rejects with the reason of `signal` when that ends it, and with NeverSent when nobody
 * was reached.
 */
export async function postJson(
  url: string,
  body: string | Uint8Array,
  signal: AbortSignal,
  headers: RequestHeaders = {},
): Promise<HttpAnswer> {
  if (parseUnixPath(url) !== undefined)
    throw new NeverSent('a Unix socket is reached on Node only, by the package pharos');
  return await fetchPost(fetch, url, body, signal, headers);
}
