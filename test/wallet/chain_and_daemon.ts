import assert from 'node:assert/strict';
import { join } from 'node:path';
import {
  quietPort,
  startChain,
  startDaemon,
  temporaryFolder,
  writeWallet,
  type Daemon,
  type Started,
} from './programs.ts';

/** The private keys of accounts of a development chain. */
export const WIF = {
  alice: '5J9bWm2ThenDm3tjvmUgHtWCVMUdjRR1pxnRtnJjvKA4b2ut5WK',
  bob: '5JoQtsKQuH8hC9MyvfJAqo6qmKLm8ePYNucs7tPu2YxG12trzBt',
  carol: '5JPpmwpYMw1KcLrTVayeQgSLWGpZKBvvpyzgJkeRJBiC6P38PKS',
  initminer: '5J3yMruND2TADZ7cZc6Cnp4VePrnehei2wvGdnLgf3aEj2nDGhc',
};

/** A transaction as commands show it; the last three members only when it was sent. */
export interface Transaction {
  readonly operations: readonly (readonly [string, Record<string, unknown>])[];
  readonly signatures: readonly string[];
  readonly transaction_id: string;
  readonly block_num: number;
  readonly transaction_num: number;
}

/** Of every transaction; others only of those that were sent. */
export const MEMBERS = ['ref_block_num', 'ref_block_prefix', 'expiration', 'operations', 'extensions', 'signatures'];

/** The flags of a wallet for a development chain: its time is far ahead of the clock. */
export function chainFlags({ port }: Pick<Started, 'port'>): string[] {
  return ['--server', `http://127.0.0.1:${port}`, '--trust-time', '--yes'];
}

/** The real programs: a development chain, and a wallet that answers JSON-RPC. Its password is `pw`. */
export class ChainAndDaemon {
  readonly daemon: Daemon;
  readonly #folder: string;
  #chain: Started;

  constructor(folder: string, chain: Started, daemon: Daemon) {
    this.#folder = folder;
    this.#chain = chain;
    this.daemon = daemon;
  }

  /** Starts both; the wallet has these keys and is locked. */
  static async start(wifs: readonly string[], ...flags: readonly string[]): Promise<ChainAndDaemon> {
    const folder = temporaryFolder();
    const chain = await startChain(join(folder, 'chain'), await quietPort(), '--fresh');
    const file = join(folder, 'daemon.json');
    await writeWallet(file, ...wifs);
    return new ChainAndDaemon(folder, chain, await startDaemon('--wallet-file', file, ...chainFlags(chain), ...flags));
  }

  /** Sends a call to the wallet's RPC and returns the text of its answer. */
  async post(body: unknown, headers: Record<string, string> = {}): Promise<{ status: number; text: string }> {
    const response = await fetch(`http://127.0.0.1:${this.daemon.port}/`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Connection: 'close', ...this.daemon.headers, ...headers },
      body: JSON.stringify(body),
    });
    return { status: response.status, text: await response.text() };
  }

  /** Returns the result of a command, or throws the message of its error. */
  async ask<T = Transaction>(method: string, ...params: readonly unknown[]): Promise<T> {
    const { text } = await this.post({ jsonrpc: '2.0', id: 7, method, params });
    const answer = JSON.parse(text) as { id: number; result: T; error?: { message: string } };
    assert.equal(answer.id, 7);
    if (answer.error !== undefined) throw new Error(answer.error.message);
    assert.deepEqual(Object.keys(answer), ['id', 'result']);
    return answer.result;
  }

  /** Stops the chain, and starts it on the same port after `meanwhile`. */
  async restartChain(meanwhile: () => Promise<void>): Promise<void> {
    const { port } = this.#chain;
    await this.#chain.stop();
    await meanwhile();
    this.#chain = await startChain(join(this.#folder, 'chain'), port);
  }

  async stop(): Promise<void> {
    await this.daemon.stop();
    await this.#chain.stop();
  }
}
