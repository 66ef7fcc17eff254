import { createServer } from 'node:net';
import { Fault } from '../../base/fault.ts';

/** Why nobody can listen at an address, besides a program that does already. */
export const listenReasons: Readonly<Record<string, string>> = {
  EACCES: 'this user may not listen there: ports below 1024 are those of root',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'nobody knows that name',
  EAI_AGAIN: 'no name server answers for that name',
};

/** The system's code for an address at which a program can't listen now; undefined for one that is free. */
export async function whyNotFree(endpoint: {
  readonly host: string;
  readonly port: number;
}): Promise<string | undefined> {
  return await new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve('code' in error ? String(error.code) : 'ENOTFOUND'));
    server.listen({ ...endpoint, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

/** Opens a port. Its Fault `port_in_use` says why, where no other program has the port: uWebSockets.js tells nobody. */
export async function sayingWhy<T>(
  options: { readonly host: string; readonly port: number },
  open: () => Promise<T> | T,
): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'port_in_use') throw error;
    const { host, port } = options;
    const why = listenReasons[(await whyNotFree({ host, port })) ?? ''];
    if (why === undefined) throw error;
    throw new Fault('port_in_use', `cannot listen on ${host} port ${port}: ${why}`, error);
  }
}
