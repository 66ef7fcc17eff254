import { setTimeout } from 'node:timers/promises';

// Two calls of the sample methods, and ways to send them.

/** A call that is answered at once. */
export const echo = '{"jsonrpc":"2.0","id":1,"method":"test_api.echo"}';
/** The answer to `echo`. */
export const echoed = '{"jsonrpc":"2.0","result":{"list":[],"any":null},"id":1}';
/** A call that is answered later. */
export const wait = '{"jsonrpc":"2.0","id":7,"method":"test_api.wait"}';
/** The answer to `wait`. */
export const waited = '{"jsonrpc":"2.0","result":{"waited":true},"id":7}';

/** A response that was read to its end. */
export interface Heard {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

/** Sends a body on a connection of its own. */
export async function ask(
  url: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
  method = 'POST',
): Promise<Heard> {
  const response = await fetch(url, { method, body, headers: { connection: 'close', ...headers } });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

/** Sends a request without a body on a connection of its own. */
export async function show(url: string, method = 'GET'): Promise<Heard> {
  const response = await fetch(url, { method, headers: { connection: 'close' } });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

/** Returns when the condition holds. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await setTimeout(10);
}
