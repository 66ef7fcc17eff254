import { httpServerInUse } from '../../src/jsonrpc/http/listen.ts';
import { join } from 'node:path';
import { waitUntil } from '../outside/wait_until.ts';
import { project, start, temporaryFolder, type Running } from './commands.ts';
import { installedNode } from './nodes.ts';

export type ServerName = 'node' | 'uws';

export interface ProxiedNodeOptions {
  readonly port: number;
  readonly adminPort: number;
  readonly server: ServerName;
  readonly keys: NodeKeys;
  readonly privateKeyMethods: 'local' | 'never';
}

/** As `pharos keys` prints them. */
export interface NodeKeys {
  readonly pub_key: string;
  readonly wif_priv_key: string;
}

/** Calls a second of one address, which its clients don't come to and a flood does. */
export const CALLS_PER_SECOND = 50;

/** A node as the samples of scripts/operate want it: a private net with a chain of its own. */
export class ProxiedNode {
  readonly #options: ProxiedNodeOptions;
  readonly #data = temporaryFolder();
  #running: Running;

  constructor(options: ProxiedNodeOptions) {
    this.#options = options;
    this.#running = this.#start();
  }

  #start(): Running {
    const { port, adminPort, server, keys, privateKeyMethods } = this.#options;
    const flags = {
      'initminer-mining-pubkey': keys.pub_key,
      witness: 'initminer',
      'private-key': keys.wif_priv_key,
      'enable-stale-production': 'true',
      'data-dir': join(this.#data, 'chain'),
      'webserver-http-endpoint': `127.0.0.1:${port}`,
      'webserver-http-server': server,
      'trusted-proxy': '127.0.0.1',
      'private-key-methods': privateKeyMethods,
      'admin-endpoint': `127.0.0.1:${adminPort}`,
      'max-calls-per-second': `${CALLS_PER_SECOND}`,
    };
    const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
    return start(serverProgram(server), [join(project, 'scripts/pharos.js'), 'run', ...args], { folder: this.#data });
  }

  /** Waits for its first block: before that, its head is the genesis of long ago. */
  async ready(): Promise<void> {
    await waitUntil('a node to be ready', async () => {
      const answer = await fetch(`http://127.0.0.1:${this.#options.port}/readyz`).catch(() => undefined);
      return answer?.status === 200 || undefined;
    });
  }

  async stop(): Promise<void> {
    this.#running.interrupt();
    await this.#running.finished;
  }

  async kill(): Promise<void> {
    this.#running.kill();
    await this.#running.finished;
  }

  async startAgain(): Promise<void> {
    this.#running = this.#start();
    await this.ready();
  }
}

/** uWebSockets.js has no binary for Node 26. */
function serverProgram(server: ServerName): string {
  return server === 'node' || httpServerInUse.name === 'uWebSockets.js' ? process.execPath : installedNode('24.21.0');
}
