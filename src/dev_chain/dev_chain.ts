import { present } from '../base/assert.ts';
import { systemClock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { openLog, type Log } from '../base/log.ts';
import { Client } from '../client/client.ts';
import type { GivenOperations, OperationName } from '../client/transaction.ts';
import { encodeWif } from '../crypto/wif.ts';
import { Dispatcher } from '../jsonrpc/dispatcher.ts';
import { chosenHttpServer } from '../jsonrpc/http/listen.ts';
import { makeHost } from '../rpc/host.ts';
import type { Methods } from '../rpc/method.ts';
import type { MethodName, Params, Result } from '../rpc/method_types.ts';
import { GROUP_OF_BARE_NAMES, listMethods } from '../rpc/methods.ts';
import type { Mining } from '../rpc/mining.ts';
import type { VerifierCall } from '../rpc/services.ts';
import type { KeyValueStore } from '../storage/key_value.ts';
import { MemoryStore } from '../storage/memory.ts';
import { profileNamed } from '../settings/chain_settings.ts';
import type { ServedNode } from '../node/front.ts';
import {
  devAccountNames,
  devGenesisText,
  devPublicKey,
  devSecret,
  IMPERSONATOR,
  listDevWitnesses,
} from './dev_genesis.ts';
import type { DevChainOptions } from './dev_chain_options.ts';
import { devSettings } from './dev_settings.ts';
import { DispatchedCalls } from './dispatched_calls.ts';
import { withServer, startInOwnThread, type OwnThreadNode } from './own_thread.ts';
import { readPlan, requireOptions } from './require_options.ts';

export { Refusal } from '../base/refusal.ts';
export { Fault } from '../base/fault.ts';
export type { Client } from '../client/client.ts';
export type { GivenOperation } from '../client/transaction.ts';
export type { Mining } from '../rpc/mining.ts';
export type { DevChainOptions } from './dev_chain_options.ts';
export { balanceMatchers, type BalanceMatch } from './balance_matchers.ts';

/** An account that the genesis funds, with the one key of its authorities. */
export interface DevAccount {
  readonly name: string;
  /** The private key, in wallet import format. */
  readonly key: string;
  readonly publicKey: string;
}

/** A method that sends transactions. */
export type SendingMethod = NonNullable<Params<'debug_api.refuse_broadcasts'>['methods']>[number];

/**
 * The head of the chain after a command: `head_block_number`, `head_block_id`, and `time` as the chain writes times.
 */
export type DevHead = Result<'debug_api.produce_blocks'>;

const PROFILE = 'default';
/** The largest amount there is: the node that names the fees is this program's own. */
const ANY_FEES = { maxFee: '9223372036854.775807' };

/**
 * Starts a development chain in this process: no thread, no file, a port of its own. Fault `port_in_use` or
 * `configuration`.
 *
 *     const chain = await devChain();
 *     const { alice } = chain.accounts;
 *     await chain.send([['transfer', { from: 'alice', to: 'bob', amount: '1.000000 COIN', memo: '' }]], [alice.key]);
 *     await chain.stop();
 */
export async function devChain(options: DevChainOptions = {}): Promise<DevChain> {
  requireOptions(options);
  const { mining = 'automine', blockIntervalMs, port = 0, seed = '' } = options;
  const { profileName, genesisText, store, names } = await chooseBeginning(options);
  const flags = { port, mining: mining !== 'none', ...(mining === 'automine' ? { automine: true as const } : {}) };
  const every = mining === 'interval' && blockIntervalMs !== undefined ? { blockIntervalMs } : {};
  const settings = devSettings({ ...flags, ...every }, { profileName, genesisText, seed }, {}, openLogOnce());
  const methods = methodsOnce(profileName);
  // uWebSockets.js keeps what belongs to a closed port until the process ends.
  const httpServer = chosenHttpServer({ named: 'node' });
  const parts = { store, clock: systemClock, log: openLogOnce() };
  const node = await startInOwnThread(withServer(settings, httpServer, methods), parts);
  const chain = makeChain(node, settings, methods, { names, seed });
  const witnesses = options.fork === undefined ? listDevWitnesses(genesisText) : [];
  if (witnesses.length > 0)
    await stoppingOnError(chain, async () => {
      const { makeDevWitnesses } = await import('./dev_witnesses.ts');
      await makeDevWitnesses(node.front.services, witnesses, seed);
      // From the end of the round on they share the slots.
      await chain.mine(2 * (witnesses.length + 1));
    });
  return chain;
}

/** A chain that nobody gets must not keep the process. */
async function stoppingOnError(chain: DevChain, begin: () => Promise<void>): Promise<void> {
  try {
    await begin();
  } catch (error) {
    await chain.stop();
    throw error;
  }
}

/** The beginning of a chain. */
interface ChainBeginning {
  readonly profileName: string;
  readonly genesisText: string;
  /** Empty, or with the state that it goes on from. */
  readonly store: KeyValueStore;
  /** Accounts whose keys are known. */
  readonly names: readonly string[];
}

async function chooseBeginning(options: DevChainOptions): Promise<ChainBeginning> {
  const { accounts, witnesses, seed = '', genesisTime = Math.trunc(systemClock.nowMs() / 1000), fork } = options;
  if (fork !== undefined) {
    const { loadFork } = await import('./loaded_fork.ts');
    return { ...loadFork(fork, seed, readPlan(options)), names: [] };
  }
  const genesisText = devGenesisText(profileNamed(PROFILE), genesisTime, {
    accounts,
    witnesses,
    seed,
    hardforks: readPlan(options),
    impersonator: true,
  });
  return {
    profileName: PROFILE,
    genesisText,
    store: new MemoryStore(),
    names: ['initminer', ...devAccountNames(accounts ?? 10)],
  };
}

/**
 * The constructor is private: its declaration would name parts of a node, whose types nobody who installs the package
 * has.
 */
let makeChain: (node: OwnThreadNode, settings: ServedNode, methods: Methods, keys: KeySource) => DevChain;

interface KeySource {
  readonly names: readonly string[];
  readonly seed: string;
}

/** A running development chain of this process. */
export class DevChain {
  readonly url: string;
  readonly chainId: string;
  /** By name: alice, bob, carol … and the witness, initminer; none of a fork, whose accounts have keys of their own. */
  readonly accounts: Readonly<Record<string, DevAccount>>;
  /** The key whose signature is as good as anybody's on this chain. */
  readonly impersonator: Omit<DevAccount, 'name'>;
  /** Calls with the types of the methods, and transactions that are built and signed here. */
  readonly client: Client;
  readonly #node: OwnThreadNode;
  #stopped: Promise<void> | undefined;
  /** The reason why it answers no more. */
  #end: string | undefined;

  static {
    makeChain = (...parts) => new DevChain(...parts);
  }

  private constructor(node: OwnThreadNode, settings: ServedNode, methods: Methods, { names, seed }: KeySource) {
    const { services, ports } = node.front;
    const { parameters, symbols } = services;
    const accountKeys = (name: string): Omit<DevAccount, 'name'> => ({
      key: encodeWif(devSecret(name, seed)),
      publicKey: devPublicKey(name, parameters.profile, seed),
    });
    this.#node = node;
    this.url = `http://127.0.0.1:${present(ports[0], 'an open port')}`;
    this.chainId = parameters.chainId;
    this.accounts = Object.fromEntries(names.map((name) => [name, { name, ...accountKeys(name) }]));
    this.impersonator = accountKeys(IMPERSONATOR);
    void node.failed.then(({ message }) => (this.#end ??= message));
    const host = makeHost(services, 'local');
    const dispatcher = new Dispatcher<VerifierCall>({
      methods,
      host,
      limits: settings.front.serving.limits,
      bareNamesOf: GROUP_OF_BARE_NAMES,
    });
    const calls = new DispatchedCalls(dispatcher, () => this.#end);
    this.client = new Client(calls, systemClock, { chainId: this.chainId, symbols });
  }

  /** An account of the genesis; Fault `configuration` where none is named so. */
  account(name: string): DevAccount {
    const account = this.accounts[name];
    if (account === undefined)
      throw new Fault(
        'configuration',
        `no key is known of an account of this chain that is named ${name}; there are ${Object.keys(this.accounts).join(', ') || 'none: it is a fork, where sendUnsigned and the key of impersonator act for all'}`,
      );
    return account;
  }

  /** The result of a method; rejects with its Refusal. */
  async call<N extends MethodName>(name: N, params: Params<N>): Promise<Result<N>> {
    return await this.client.call(name, params);
  }

  /**
   * Builds a transaction, signs it with these keys and resolves when it is in a block: with `none`, mine one meanwhile.
   */
  async send<const N extends readonly OperationName[]>(
    operations: GivenOperations<N>,
    keys: readonly string[],
  ): ReturnType<Client['send']> {
    return await this.client.send(operations, keys, undefined, ANY_FEES);
  }

  /**
   * The same for any accounts, whose keys nobody needs; resolves when it waits for a block, which `automine` makes at
   * once.
   */
  async sendUnsigned<const N extends readonly OperationName[]>(
    operations: GivenOperations<N>,
  ): Promise<{ readonly transaction_id: string }> {
    const { operations: op_vec } = await this.client.build(operations, undefined, ANY_FEES);
    return await this.client.call('debug_api.send_unsigned', { op_vec, wait: false });
  }

  /** Makes blocks at once, each in the next slot; the first one holds what is pending. */
  async mine(count = 1): Promise<DevHead> {
    return await this.client.call('debug_api.produce_blocks', { count });
  }

  /** Lets time pass and makes a block then; what vests, is withdrawn or expires meanwhile does so. */
  async jumpAhead(seconds: number): Promise<DevHead> {
    return await this.client.call('debug_api.jump_ahead', { seconds });
  }

  /** When blocks are made from now on. */
  async setMining(mode: Mining): Promise<DevHead> {
    return await this.client.call('debug_api.set_mining', { mode });
  }

  /**
   * Sets the coin's price in a fiat currency, such as `0.12 USD`, for fees and conversions: every witness publishes it,
   * and blocks are made up to the next price. The chain has several `witnesses`.
   */
  async setPrice(price: string): Promise<DevHead> {
    return await this.client.call('debug_api.set_price', { price });
  }

  /** The present head, for `revert`. */
  async snapshot(): Promise<string> {
    const { id } = await this.client.call('debug_api.snapshot', {});
    return id;
  }

  /** Takes back every block behind a snapshot and drops what is pending. */
  async revert(id: string): Promise<DevHead> {
    return await this.client.call('debug_api.revert', { id });
  }

  /** Runs `work`, and takes back all that it did to the chain, also when it fails: for one test of several on a chain. */
  async isolated<T>(work: () => Promise<T>): Promise<T> {
    const before = await this.snapshot();
    try {
      return await work();
    } finally {
      await this.revert(before);
    }
  }

  /** The balance of an account in the chain's coin, such as `1.000000 COIN`; Refusal `unknown_account`. */
  async balance(account: string): Promise<string> {
    const { account: found } = await this.call('alexandria_api.get_account', { account_name: account });
    return present(found[0], 'an account that was not refused').balance;
  }

  /** Lets so many slots pass without a block, as when the witness is down, and makes the next one. */
  async missSlots(count = 1): Promise<DevHead> {
    return await this.client.call('debug_api.miss_slots', { count });
  }

  /**
   * Has another branch turn out longer: the newest blocks are undone, and one more made, with their transactions unless
   * `keepTransactions` is false.
   */
  async fork(blocks = 1, { keepTransactions = true }: { readonly keepTransactions?: boolean } = {}): Promise<DevHead> {
    return await this.client.call('debug_api.fork', { blocks, keep_transactions: keepTransactions });
  }

  /**
   * The next answers to programs that speak to `url` come late, or the next of these methods; what they ask for is done
   * at once. 0 ms ends it.
   */
  async delayAnswers(
    delayMs: number,
    count = 1,
    { methods = [] }: { readonly methods?: readonly MethodName[] } = {},
  ): Promise<void> {
    await this.client.call('debug_api.delay_answers', { delay_ms: delayMs, count, methods: [...methods] });
  }

  /**
   * Every so many broadcasts, or those by these methods, one is refused as by a busy node: 1 refuses all, 0 none any
   * more.
   */
  async refuseBroadcasts(
    every: number,
    { methods = [] }: { readonly methods?: readonly SendingMethod[] } = {},
  ): Promise<void> {
    await this.client.call('debug_api.refuse_broadcasts', { every, methods: [...methods] });
  }

  /** Closes the port and forgets the chain; nothing of it keeps the process. May be called again. */
  async stop(): Promise<void> {
    this.#end ??= 'the development chain has stopped';
    this.#stopped ??= this.#node.stop();
    await this.#stopped;
  }

  /** For `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

let log: Log | undefined;
const served = new Map<string, Methods>();

/** One for all chains: a log holds on to its file for ever. */
function openLogOnce(): Log {
  return (log ??= openLog({ level: 'error' }, 'dev chain'));
}

/** The same for all chains: compiling what they declare takes most of a start. */
function methodsOnce(profileName: string): Methods {
  const methods = served.get(profileName) ?? listMethods(profileNamed(profileName), { debug: true });
  served.set(profileName, methods);
  return methods;
}
