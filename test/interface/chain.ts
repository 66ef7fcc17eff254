import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { at, listMember, optionalMember, numberMember, textMember, type Json } from '../outside/json.ts';
import { readRefusal, type Program, type Refused } from '../outside/program.ts';
import {
  fetchChainId,
  signingDigest,
  requireObject,
  testSecret,
  sign,
  timeText,
  unsignedBytes,
} from '../outside/signer.ts';
import type { Site } from '../outside/site.ts';
import { nameOfSeed, publicKey } from './keys.ts';

/** The place of a sent transaction. */
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

/** A JSON object. */
export type Members = { readonly [name: string]: Json };

const DAY_SECONDS = 86_400;
/** Nearly as long as the chain allows: longer than a block of the slowest chain here. */
const PATIENCE_SECONDS = 3000;

/** A started development chain: blocks come when they are asked for, and days go by at once. */
export class Chain {
  readonly program: Program;
  readonly #made = new Map<string, Promise<unknown>>();
  /** Nothing moves a chain here but this class. */
  #headTime: Json | undefined;

  constructor(program: Program) {
    this.program = program;
  }

  /**
   * A chain with the genesis that `pharos dev` makes by itself, but a day older: its blocks lie in the past, however
   * many are made.
   */
  static async dev(site: Site): Promise<Chain> {
    const owners = [...NAMES].map((name) => accountMembers(name, 10_000_000_000_000));
    return await startChain(site, 'dev', {
      ...commonGenesis(),
      initial_balace: 250_000_000_000_000,
      genesis_time: timeText(Math.trunc(Date.now() / 1000) - DAY_SECONDS),
      initial_accounts: owners,
      minimum_vesting_seconds: 0,
    });
  }

  /**
   * A chain of another genesis. Its blocks are twenty minutes apart, so a day is 72 of them, and a round has ten:
   * rewards, interest and prices come soon. Its first accounts have had their turn for interest, which comes only every
   * 2 400 blocks. What isn't said here is as on every new chain, a year of vesting and protection against dilution
   * included.
   */
  static async hurried(site: Site): Promise<Chain> {
    const chain = await startChain(site, 'hurried', {
      ...commonGenesis(),
      initial_balace: 50_000_000_000_000,
      genesis_time: timeText(Math.trunc(Date.now() / 1000)),
      initial_accounts: [...NAMES, ...STRANGERS].map((name) => accountMembers(name, 3_000_000_000_000)),
      block_interval: 1200,
      max_witnesses: 10,
      max_voted_witnesses: 8,
      max_runner_witnesses: 2,
    });
    await chain.produce(MORE_BLOCKS_THAN_ACCOUNTS);
    return chain;
  }

  /** The result of a call. */
  async ask(method: string, params: Json = {}): Promise<Json> {
    const result = await this.program.result(method, params);
    if (method.startsWith('debug_api.')) this.#headTime = optionalMember(result, 'time') ?? this.#headTime;
    return result;
  }

  /** Returns the required refusal of a call. */
  async refusal(method: string, params: Json): Promise<Refused> {
    return await this.program.refusal(method, params);
  }

  /** The result of a call that waits for its block, while blocks are made. */
  async waited(method: string, params: Json): Promise<Json> {
    const envelope = await this.whileBlocksCome(this.program.call(method, params));
    assert.ok(
      !('error' in requireObject(envelope)),
      `${method} is refused: ${JSON.stringify(envelope).slice(0, 1000)}`,
    );
    return at(envelope, 'result');
  }

  /** Makes blocks until something has come. */
  async whileBlocksCome<T>(promise: Promise<T>): Promise<T> {
    const ended = promise.then(
      () => true,
      () => true,
    );
    while (!(await Promise.race([ended, pause(2, false)]))) await this.produce();
    return await promise;
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
    const time = this.#headTime ?? at(await this.ask('alexandria_api.info'), 'info.time');
    return Date.parse(`${String(time)}Z`) / 1000;
  }

  /** That time and so many seconds, as text. */
  async futureTime(seconds: number): Promise<string> {
    return timeText((await this.now()) + seconds);
  }

  /** A transaction on top of the head, with the fees that the node names, signed on this machine for these labels. */
  async signed(operations: readonly Json[], ...labels: readonly string[]): Promise<Members> {
    return await this.withSignatures(await this.unsigned(operations), ...labels);
  }

  /** The same before it is signed; it may wait for so many seconds. */
  async unsigned(operations: readonly Json[], seconds = PATIENCE_SECONDS): Promise<Members> {
    const created = await this.ask('alexandria_api.create_transaction', { op_vec: operations });
    return { ...requireObject(at(created, 'tx')), expiration: await this.futureTime(seconds) };
  }

  /** The same transaction with the signatures of these labels. */
  async withSignatures(transaction: Members, ...labels: readonly string[]): Promise<Members> {
    const digest = signingDigest(await this.chainId(), await unsignedBytes(this.program, transaction));
    return { ...transaction, signatures: labels.map((label) => sign(digest, testSecret(label))) };
  }

  async chainId(): Promise<string> {
    return await this.once('chain id', () => fetchChainId(this.program));
  }

  /** Writes operations to the chain, in one transaction. */
  async send(operations: readonly Json[], ...labels: readonly string[]): Promise<void> {
    await this.#write(await this.signed(operations, ...labels));
  }

  /** The same, and where they ended up. */
  async sent(operations: readonly Json[], ...labels: readonly string[]): Promise<Sent> {
    const trx = await this.signed(operations, ...labels);
    await this.#write(trx);
    const id = textMember(await this.ask('alexandria_api.get_transaction_id', { tx: trx }), 'tx_id');
    const found = await this.ask('alexandria_api.get_transaction', { tx_id: id });
    return { id, block: numberMember(found, 'tx.block_num'), place: numberMember(found, 'tx.transaction_num') };
  }

  async #write(trx: Json): Promise<void> {
    await this.ask('network_broadcast_api.broadcast_transaction', { trx });
    await this.produce();
  }

  /**
   * Requires that these operations are refused, when they are built or when they are sent; `reason` is its name, ''
   * any.
   */
  async refused(reason: string, operations: readonly Json[], ...labels: readonly string[]): Promise<Refused> {
    const refusal = readRefusal(await this.#tried(operations, labels));
    if (reason !== '') assert.equal(refusal.name, reason, refusal.message);
    return refusal;
  }

  async #tried(operations: readonly Json[], labels: readonly string[]): Promise<Json> {
    const built = await this.program.call('alexandria_api.create_transaction', { op_vec: operations });
    if ('error' in requireObject(built)) return built;
    const unsigned = { ...requireObject(at(built, 'result.tx')), expiration: await this.futureTime(PATIENCE_SECONDS) };
    const trx = await this.withSignatures(unsigned, ...labels);
    const sent = await this.program.call('network_broadcast_api.broadcast_transaction', { trx });
    assert.ok('error' in requireObject(sent), `accepted: ${JSON.stringify(operations)}`);
    return sent;
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
    const name = nameOfSeed(label);
    const present = Number(coins) > 0 ? [transfer('alice', name, coins)] : [];
    await this.send([accountCreate(label), ...present], 'alice');
    return { name, label };
  }

  /** The record of an account. */
  async record(account: string): Promise<Json> {
    return listMember(await this.ask('alexandria_api.get_account', { account_name: account }), 'account')[0] ?? null;
  }

  /** A member of that record that is an amount, in millionths. */
  async millionths(account: string, member = 'balance'): Promise<bigint> {
    return toMillionths(textMember(await this.record(account), member));
  }
}

/** Nothing is produced but what is asked for. */
const NEVER_MS = String(100_000_000);

async function startChain(site: Site, folder: string, genesis: Members): Promise<Chain> {
  mkdirSync(site.path(folder));
  writeFileSync(site.path(folder, 'genesis.json'), JSON.stringify(genesis));
  const program = site.start(['dev', '--data-dir', site.path(folder), '--port', '0', '--block-interval-ms', NEVER_MS]);
  await program.ready();
  return new Chain(program);
}

/** Accounts that every chain here begins with; the secret of each is the sha256 of its name. */
const NAMES = ['alice', 'bob', 'carol', 'dave', 'erin', 'frank', 'grace', 'heidi', 'ivan', 'judy'];
/** So many accounts that the turns for interest of the last come after the first day. */
export const STRANGERS = Array.from({ length: 90 }, (_, k) => `stranger-${k}`);
const MORE_BLOCKS_THAN_ACCOUNTS = 130;

function commonGenesis(): Members {
  return {
    initial_public_key: publicKey('initminer'),
    initial_signing_key: publicKey('initminer'),
    hardfork_req_witnesses: 1,
    // With one witness every block would be final at once, and nothing could be reverted.
    confirmations_from_block: 201_600,
    finality: false,
    rules: 'interface',
  };
}

function accountMembers(name: string, balance: number): Members {
  return { name, key: publicKey(name), balance };
}

/** The operation that makes an account of this seed, with keys of the same label. */
export function accountCreate(label: string, others: Members = {}): Json {
  const authority = authorityMembers(label);
  const body = {
    creator: 'alice',
    name_seed: label,
    owner: authority,
    active: authority,
    memo_key: publicKey(label),
    json_metadata: '{}',
  };
  return ['account_create', { fee: '0.050000 COIN', ...body, ...others }];
}

/** The authority of one key for each label, all of them needed. */
export function authorityMembers(...labels: readonly string[]): Members {
  const keys = labels.map((label) => [publicKey(label), 1] as const).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { weight_threshold: labels.length, account_auths: [], key_auths: keys };
}

/** A transfer with its base fee. */
export function transfer(from: string, to: string, coins: string, memo = ''): Json {
  return ['transfer', { fee: '0.010000 COIN', from, to, amount: `${coins} COIN`, memo }];
}

/** Millionths in an asset string, or in the number of one. */
export function toMillionths(amount: string): bigint {
  const [whole = '', fraction = ''] = (amount.split(' ')[0] ?? '').split('.');
  return BigInt(whole + fraction.padEnd(6, '0'));
}
