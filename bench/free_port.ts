import { createServer } from 'node:net';
import { assert } from '../src/base/assert.ts';
import { nextEvent } from './next_event.ts';

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await nextEvent(server, 'listening');
  const address = server.address();
  server.close();
  await nextEvent(server, 'close');
  assert(typeof address === 'object' && address !== null, 'a port');
  return address.port;
}
