import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { at, optionalMember, textMember, type Json } from '../outside/json.ts';
import type { Site } from '../outside/site.ts';
import { waitUntil } from '../outside/wait_until.ts';
import type { Chain } from './chain.ts';
import { wif } from './keys.ts';

/** A wallet that runs as a daemon, with the keys of alice and bob, beside the node that it asks. */
export class WalletDaemon {
  readonly chain: Chain;
  readonly #port: number;
  readonly #token: string;

  private constructor(chain: Chain, port: number, token: string) {
    this.#token = token;
    this.chain = chain;
    this.#port = port;
  }

  static async start(site: Site, chain: Chain): Promise<WalletDaemon> {
    const server = `ws://127.0.0.1:${chain.program.port}`;
    const program = site.start([
      'wallet',
      '--wallet-file',
      site.path('wallet.json'),
      '--server',
      server,
      '--daemon',
      '--rpc-endpoint',
      '127.0.0.1:0',
      '--yes',
      '--trust-time',
    ]);
    const port = await waitUntil('the wallet to say where it listens', () => {
      if (!program.isRunning) assert.fail(`the wallet has stopped: ${program.stderr}`);
      return /wallet RPC on 127\.0\.0\.1:(\d+)/.exec(program.stdout + program.stderr)?.[1];
    });
    const wallet = new WalletDaemon(chain, Number(port), readFileSync(site.path('wallet.json.token'), 'utf8').trim());
    await wallet.ask('set_password', 'a password');
    await wallet.ask('unlock', 'a password');
    for (const name of ['alice', 'bob']) await wallet.ask('import_key', wif(name));
    return wallet;
  }

  /** The text that comes back for a body. */
  async post(body: Json): Promise<string> {
    const response = await fetch(`http://127.0.0.1:${this.#port}/`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Connection: 'close', Authorization: `Bearer ${this.#token}` },
      body: JSON.stringify(body),
    });
    return await response.text();
  }

  /** The envelope of a command's answer. */
  async call(method: string, ...params: readonly Json[]): Promise<Json> {
    return JSON.parse(await this.post({ jsonrpc: '2.0', id: 1, method, params }));
  }

  /** The result of a command. */
  async ask(method: string, ...params: readonly Json[]): Promise<Json> {
    const envelope = await this.call(method, ...params);
    assert.equal(
      optionalMember(envelope, 'error'),
      undefined,
      `${method} is refused: ${JSON.stringify(envelope).slice(0, 1000)}`,
    );
    return at(envelope, 'result');
  }

  /** The result of a command that waits for its block, while blocks are made. */
  async sent(method: string, ...params: readonly Json[]): Promise<Json> {
    return await this.chain.whileBlocksCome(this.ask(method, ...params));
  }

  /** Returns the required refusal of a command. */
  async refusal(method: string, ...params: readonly Json[]): Promise<string> {
    return textMember(await this.call(method, ...params), 'error.message');
  }
}
