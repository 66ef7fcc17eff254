import { request, type IncomingMessage } from 'node:http';
import { errorMessage } from '../base/error_message.ts';
import { Fault } from '../base/fault.ts';
import { parseUnixPath } from '../client/unix_address.ts';

/** A node's answer to a GET. */
export interface NodePage {
  readonly status: number;
  readonly text: string;
}

/**
 * GET of a path of the node at an http or https address, or at a Unix socket (`unix:PATH`). Fault `runtime` says in a
 * line why nobody has answered in time.
 */
export async function pageOfNode(address: string, path: string, timeoutMs: number): Promise<NodePage> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    return await sentPage(address, path, signal);
  } catch (error) {
    throw new Fault('runtime', signal.aborted ? `no answer within ${timeoutMs / 1000} s` : errorMessage(error), error);
  }
}

async function sentPage(address: string, path: string, signal: AbortSignal): Promise<NodePage> {
  const socketPath = parseUnixPath(address);
  if (socketPath !== undefined) return await awaitAnswer(request({ socketPath, path, signal }));
  const url = new URL(path, address);
  if (url.protocol === 'https:') return await awaitAnswer((await import('node:https')).request(url, { signal }));
  return await awaitAnswer(request(url, { signal }));
}

async function awaitAnswer(sent: ReturnType<typeof request>): Promise<NodePage> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve);
    sent.on('error', reject);
    sent.end();
  });
  let text = '';
  for await (const piece of response.setEncoding('utf8')) text += String(piece);
  return { status: response.statusCode ?? 0, text };
}
