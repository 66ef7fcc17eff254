import { mkdirSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { Relay } from '../outside/relay.ts';
import { freePort } from '../outside/free_port.ts';
import { waitUntil } from '../outside/wait_until.ts';
import { start, type Running } from './commands.ts';

/** Debian's nats-server with JetStream, behind a way that can be cut. What isn't installed fails here. */
export class NatsServer {
  readonly port: number;
  readonly relay: Relay;
  readonly #folder: string;
  readonly #settings: string;
  #running: Running | undefined;

  private constructor(port: number, relay: Relay, folder: string, settings: string) {
    this.port = port;
    this.relay = relay;
    this.#folder = folder;
    this.#settings = settings;
  }

  /** `settings` are further lines of its file; `scheme` and credentials are the client's. */
  static async start(folder: string, settings = ''): Promise<NatsServer> {
    mkdirSync(folder, { recursive: true });
    const port = await freePort();
    const relay = await Relay.open('127.0.0.1', () => port, { delayMs: 0 });
    const server = new NatsServer(port, relay, folder, settings);
    await server.begin();
    return server;
  }

  /** The address for a client, through the relay. */
  get url(): string {
    return `nats://127.0.0.1:${this.relay.port}`;
  }

  async begin(): Promise<void> {
    const file = `${this.#folder}/nats.conf`;
    // What is said of JetStream itself counts.
    const jetstream = /^jetstream/m.test(this.#settings) ? '' : `jetstream { store_dir: "${this.#folder}/js" }\n`;
    writeFileSync(file, `listen: "127.0.0.1:${this.port}"\n${jetstream}${this.#settings}\n`);
    const running = start('nats-server', ['-c', file], { folder: this.#folder });
    this.#running = running;
    running.finished.catch(() => {}); // told by whoever waits for it
    await Promise.race([
      running.finished.then(({ stderr }) => Promise.reject(new Error(`nats-server has ended: ${stderr}`))),
      waitUntil('nats-server to listen', () => this.#isOpen()),
    ]);
  }

  /** The folder of its streams. */
  get store(): string {
    return `${this.#folder}/js`;
  }

  async kill(): Promise<void> {
    this.#running?.kill();
    await this.#running?.finished;
  }

  async stop(): Promise<void> {
    this.relay.close();
    await this.kill();
  }

  async #isOpen(): Promise<true | undefined> {
    return await new Promise((resolve) => {
      const socket = createConnection({ host: '127.0.0.1', port: this.port });
      socket.once('data', () => {
        socket.destroy();
        resolve(true);
      });
      socket.once('error', () => resolve(undefined));
    });
  }
}

/** Waits until the node has made its stream: whoever reads one that is not there is refused. */
export async function streamExists({ port }: NatsServer): Promise<void> {
  const connection = await connect({ servers: `127.0.0.1:${port}` });
  try {
    const manager = await jetstreamManager(connection);
    await waitUntil('the stream', async () => (await manager.streams.names('pharos.>').next()).at(0));
  } finally {
    await connection.close();
  }
}
