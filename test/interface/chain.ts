import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { at, listAt, numberAt, textAt, type Json } from '../outside/json.ts';
import { refusalIn, type Program, type Refused } from '../outside/program.ts';
import { chainIdOf, digestOf, objectOf, secretOf, sign, timeText, transactionOf, unsignedBytes } from '../outside/signer.ts';
import type { Site } from '../outside/site.ts';
import { publicKey } from './keys.ts';

/** Where a transaction ended up. */
export interface Sent {
  readonly id: string;
  readonly block: number;
  readonly place: number;
}

/** An account that a line made for itself: its name, and the label under which its keys sign. */
export interface Account {
  readonly name: string;
  readonly label: string;
}

export type Members = { readonly [name: string]: Json };

const DAY_SECONDS = 86_400;

/** A started development chain: blocks come when they are asked for, and days go by at once. */
export class Chain {
  readonly program: Program;
  readonly #made = new Map<string, Promise<unknown>>();

  constructor(program: Program) {
    this.program = program;
  }

  /** The chain that `pharos dev` makes by itself. */
  static async dev(site: Site): Promise<Chain> {
    return await startedIn(site, 'dev');
  }

  /**
   * A chain of another genesis. Its blocks are twenty minutes apart, so a day is 72 of them, and a round has ten: rewards, interest
   * and prices come soon. What isn't said here is as on every new chain, a year of vesting and protection against dilution included.
   */
  static async hurried(site: Site): Promise<Chain> {
    mkdirSync(site.path('hurried'));
    writeFileSync(site.path('hurried', 'genesis.json'), hurriedGenesis());
    return await startedIn(site, 'hurried');
  }

  /** The result of a call. */
  async ask(method: string, params: Json = {}): Promise<Json> {
    return await this.program.result(method, params);
  }

  /** What a call must be refused with. */
  async refusal(method: string, params: Json): Promise<Refused> {
    return await this.program.refusal(method, params);
  }

  /** The result of a call that waits for its block, while blocks are made. */
  async waited(method: string, params: Json): Promise<Json> {
    const envelope = await this.whileBlocksCome(this.program.call(method, params));
    assert.ok(!('error' in objectOf(envelope)), `${method} is refused: ${JSON.stringify(envelope).slice(0, 1000)}`);
    return at(envelope, 'result');
  }

  /** Makes blocks until something has come. */
  async whileBlocksCome<T>(promise: Promise<T>): Promise<T> {
    let isOver = false;
    const ended = promise.finally(() => (isOver = true));
    ended.catch(() => {}); // whoever waits for it hears of it
    for (;;) {
      await pause(2);
      if (isOver) return await ended;
      await this.produce();
    }
  }

  async produce(count = 1): Promise<Json> {
    return await this.ask('debug_api.produce_blocks', { count });
  }

  /** Lets days go by. */
  async days(count: number): Promise<void> {
    await this.seconds(Math.round(count * DAY_SECONDS));
  }

  async seconds(count: number): Promise<void> {
    await this.ask('debug_api.jump_ahead', { seconds: count });
  }

  /** The time of the head block, in seconds. */
  async now(): Promise<number> {
    return Date.parse(`${textAt(await this.ask('alexandria_api.info'), 'info.time')}Z`) / 1000;
  }

  /** That time and so many seconds, as text. */
  async timeIn(seconds: number): Promise<string> {
    return timeText((await this.now()) + seconds);
  }

  /** A transaction on top of the head, signed on this machine for these labels. */
  async signed(operations: readonly Json[], ...labels: readonly string[]): Promise<Members> {
    return await this.withSignatures(await transactionOf(this.program, operations), ...labels);
  }

  /** The same transaction with the signatures of these labels. */
  async withSignatures(transaction: Members, ...labels: readonly string[]): Promise<Members> {
    const digest = digestOf(await this.chainId(), await unsignedBytes(this.program, transaction));
    return { ...transaction, signatures: labels.map((label) => sign(digest, secretOf(label))) };
  }

  async chainId(): Promise<string> {
    return await this.once('chain id', () => chainIdOf(this.program));
  }

  /** Writes operations to the chain. */
  async send(operations: readonly Json[], ...labels: readonly string[]): Promise<Sent> {
    const trx = await this.signed(operations, ...labels);
    const [id] = await Promise.all([
      this.ask('alexandria_api.get_transaction_id', { tx: trx }),
      this.ask('network_broadcast_api.broadcast_transaction', { trx }),
    ]);
    await this.produce();
    const { tx } = objectOf(await this.ask('alexandria_api.get_transaction', { tx_id: textAt(id, 'tx_id') }));
    const found = tx ?? null;
    return { id: textAt(id, 'tx_id'), block: numberAt(found, 'block_num'), place: numberAt(found, 'transaction_num') };
  }

  /** What the chain refuses these operations with. */
  async refused(operations: readonly Json[], ...labels: readonly string[]): Promise<Refused> {
    const envelope = await this.program.call('network_broadcast_api.broadcast_transaction', {
      trx: await this.signed(operations, ...labels),
    });
    assert.ok('error' in objectOf(envelope), `accepted: ${JSON.stringify(operations)}`);
    return refusalIn(envelope);
  }

  /** Something that several lines use, made when the first of them needs it. */
  async once<T>(name: string, make: () => Promise<T>): Promise<T>;
  async once(name: string, make: () => Promise<unknown>): Promise<unknown> {
    const made = this.#made.get(name) ?? make();
    this.#made.set(name, made);
    return await made;
  }

  /** An account of alice's making; the label is its seed, and the label of all its keys. */
  async account(label: string, coins = '0'): Promise<Account> {
    await this.send([accountCreate(label)], 'alice');
    const name = textAt(await this.ask('alexandria_api.get_account_name_from_seed', { seed: label }), 'account_name');
    if (Number(coins) > 0) await this.send([transfer('alice', name, coins)], 'alice');
    return { name, label };
  }

  /** The record of an account. */
  async record(account: string): Promise<Json> {
    return listAt(await this.ask('alexandria_api.get_account', { account_name: account }), 'account')[0] ?? null;
  }

  /** A member of that record that is an amount, in millionths. */
  async millionths(account: string, member = 'balance'): Promise<bigint> {
    return millionthsOf(textAt(await this.record(account), member));
  }
}

async function startedIn(site: Site, folder: string): Promise<Chain> {
  const program = site.start(['dev', '--data-dir', site.path(folder), '--port', '0']);
  await program.ready();
  return new Chain(program);
}

/** Accounts that every chain here begins with; the secret of each is the sha256 of its name. */
const NAMES = ['alice', 'bob', 'carol', 'dave', 'erin', 'frank', 'grace', 'heidi', 'ivan', 'judy'];
/** So many accounts that the turns for interest of the last come after the first day. */
export const STRANGERS = Array.from({ length: 90 }, (_, k) => `stranger-${k}`);
const BALANCE = 3_000_000_000_000;

function hurriedGenesis(): string {
  const genesis = {
    initial_public_key: publicKey('initminer'),
    initial_signing_key: publicKey('initminer'),
    initial_balace: 50_000_000_000_000,
    max_witnesses: 10,
    max_voted_witnesses: 8,
    max_runner_witnesses: 2,
    hardfork_req_witnesses: 1,
    block_interval: 1200,
    genesis_time: timeText(Math.trunc(Date.now() / 1000)),
    confirmations_from_block: 201_600,
    initial_accounts: [...NAMES, ...STRANGERS].map((name) => ({ name, key: publicKey(name), balance: BALANCE })),
    rules: 'interface',
  };
  return JSON.stringify(genesis);
}

/** The operation that makes an account of this seed, with keys of the same label. */
export function accountCreate(label: string, others: Members = {}): Json {
  const authority = authorityOf(label);
  const body = { creator: 'alice', name_seed: label, owner: authority, active: authority, memo_key: publicKey(label), json_metadata: '{}' };
  return ['account_create', { fee: '0.050000 COIN', ...body, ...others }];
}

/** The authority of one key for each label, all of them needed. */
export function authorityOf(...labels: readonly string[]): Members {
  const keys = labels.map((label) => [publicKey(label), 1] as const).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { weight_threshold: labels.length, account_auths: [], key_auths: keys };
}

export function transfer(from: string, to: string, coins: string, memo = ''): Json {
  return ['transfer', { fee: '0.010000 COIN', from, to, amount: `${coins} COIN`, memo }];
}

/** Millionths in an asset string, or in the number of one. */
export function millionthsOf(amount: string): bigint {
  const [whole = '', fraction = ''] = (amount.split(' ')[0] ?? '').split('.');
  return BigInt(whole + fraction.padEnd(6, '0'));
}
