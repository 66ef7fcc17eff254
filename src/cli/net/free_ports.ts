import { createServer } from 'node:net';
import { Fault } from '../../base/fault.ts';
import { randomBytes } from '../../crypto/random.ts';

/** Below those that systems give to outgoing connections, one of which could take a port while its node is down. */
const LOWEST = 12_000;
const HIGHEST = 32_000;
/** Of so many ports some are free, or none is. */
const TRIES = 1000;

/** Ports of loopback on which nobody listens. Fault `configuration`. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const found = new Set<number>();
  for (let tries = 0; found.size < count; tries++) {
    if (tries > TRIES) throw new Fault('configuration', 'no ports of loopback from 12000 to 32000 are free');
    const port = LOWEST + (Buffer.from(randomBytes(4)).readUInt32BE() % (HIGHEST - LOWEST));
    if (!found.has(port) && (await isFree(port))) found.add(port);
  }
  return [...found];
}

async function isFree(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
