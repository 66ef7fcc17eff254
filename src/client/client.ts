import type { Clock } from '../base/clock.ts';
import type { Fault } from '../base/fault.ts';
import { refusals } from '../base/refusal.ts';
import type { Json } from '../codec/json.ts';
import type { ChainSymbols } from '../codec/encoding_options.ts';
import type { MethodName, Params, Result } from '../rpc/method_types.ts';
import type { WaitFor } from '../rpc/wait_for.ts';
import { unlessAborted, type CallSignal } from './abort.ts';
import { idOfBlock, type ChainStanding, type PreviousOf } from './block_ids.ts';
import { callTerms, withRetries, type CallOptions } from './call_options.ts';
import { member } from './chain_of_node.ts';
import type { Closable } from './disposal.ts';
import type { NodeConnection } from './connection.ts';
import type { DocumentListener, ReadNotice, Subscription } from './document_subscription.ts';
import { ChainFollower, FOLLOWER_IDS, FollowerIds, type Following } from './follow.ts';
import {
  balanceTarget,
  blockTarget,
  operationTarget,
  transferListener,
  type BalanceListener,
  type BlockListener,
  type FollowOptions,
  type FollowTarget,
  type OperationListener,
  type OperationOptions,
  type ShowItem,
  type TransferListener,
} from './follow_targets.ts';
import { requireAwaited } from './awaited.ts';
import {
  Iteration,
  type Follow,
  type IterationOptions,
  type BalancesOptions,
  type BranchOptions,
  type IteratedBalance,
  type IteratedBlock,
  type IteratedOperation,
  type OperationsOptions,
} from './iterate.ts';
import { defineFunctions, type MethodFunctions } from './method_functions.ts';
import { methodShape, operationShapes } from './method_shapes.ts';
import { plainValue, type Shape } from './plain_values.ts';
import type { TransactionStanding, WaitOptions } from './wait_for_transaction.ts';
import { requireWellFormed } from './well_formed.ts';
import type { GivenOperations, GivenTransaction, OperationName } from './transaction.ts';

const refuse = refusals({
  no_notices: 'a node tells of news over a WebSocket only; connect to ws:// or wss://',
  follows_too_much: 'this client follows {most} things, as many as it can; connect once more',
});

/** Default lifetime of transactions: about as long as a user waits who was told to try again. */
const EXPIRATION_SECONDS = 300;

/**
 * Options for sending a transaction. `timeoutMs` limits the whole wait; a transaction that was sent by then goes its way.
 * `retries` repeats what fails although the transaction may still come, which can't carry it out twice.
 */
export interface BroadcastOptions extends CallOptions {
  /** When it counts as sent; `block` unless said. */
  readonly waitFor?: WaitFor | undefined;
}

/** Options for building a transaction. */
export interface BuildOptions extends CallOptions {
  /** The most that the fees which the node names may come to, in the coin; `1` unless said. */
  readonly maxFee?: string | undefined;
}

/** Options for trying operations. */
export interface SimulateOptions extends BuildOptions {
  /** Private keys (wallet import format) that sign; they stay in this program. */
  readonly keys?: readonly string[];
}

const CHECK = 'alexandria_api.check_transaction';
const FEE = 'alexandria_api.calculate_fee';

/** The effects of a transaction that was not sent. */
export type Simulation = Result<typeof CHECK>['check'];

/** The option of any subscription. It is kept up until then: an unreachable node is asked again, without a limit. */
type FollowSignal = Pick<FollowOptions, 'signal'>;

/** The chain that a node is on. */
export interface ChainOfClient {
  readonly chainId: string;
  readonly symbols: ChainSymbols;
}

/** Followers, over whatever connection there is. */
interface Followed {
  subscribe(): Promise<void>;
  receive(items: Json, returnId: number): void;
  receiveUnreadable(error: Fault, returnId: number): void;
  receiveGarbled(error: Fault): void;
  stop(): void;
}

/** The functions that are defined on the prototype of its class. */
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging -- a register defines them; a test walks over it
export interface Client extends MethodFunctions {}

/**
 * A client of one chain, by way of one node or several. Keys never leave this program: it builds and signs transactions
 * itself.
 */
export class Client implements Closable {
  static {
    defineFunctions(this.prototype);
  }

  readonly chainId: string;
  /** The symbols of the chain: its coin's symbol, and what its keys begin with. */
  readonly symbols: ChainSymbols;
  readonly #connection: NodeConnection;
  readonly #clock: Clock;
  readonly #followed = new Map<number, Followed>();
  readonly #ids = new FollowerIds();
  readonly #iterations = new Set<Closable>();

  constructor(connection: NodeConnection, clock: Clock, { chainId, symbols }: ChainOfClient) {
    this.#connection = connection;
    this.#clock = clock;
    this.chainId = chainId;
    this.symbols = symbols;
    connection.listen?.({
      notice: (returnId, items) =>
        this.#followed.get(Number(returnId) % FOLLOWER_IDS)?.receive(items, Number(returnId)),
      unreadable: (returnId, error) =>
        this.#followed.get(Number(returnId) % FOLLOWER_IDS)?.receiveUnreadable(error, Number(returnId)),
      garbled: (error) => {
        for (const followed of this.#followed.values()) followed.receiveGarbled(error);
      },
      lost: () => {
        for (const followed of this.#followed.values()) void followed.subscribe();
      },
    });
  }

  /**
   * The result of a method, as plain values. Throws NodeRefusal when the node refuses, NodeSilent when none answers,
   * NodeNonsense when what it says is no answer. A read is repeated after a lost connection, and by the next node.
   * Methods that read are functions as well: `getAccount('alice')`.
   */
  async call<N extends MethodName>(name: N, params: Params<N>, options?: CallOptions): Promise<Result<N>>;
  async call(name: string, params: object, options: CallOptions = {}): Promise<unknown> {
    return await this.#called(name, params, options);
  }

  async #called(name: string, params: object, options: CallOptions): Promise<Json> {
    const shape = await methodShape(name);
    for (const [param, value] of Object.entries(params)) requireAwaited(value, param);
    requireWellFormed(params);
    const terms = callTerms(name, options);
    const ask = async (): Promise<Json> => await this.#connection.call(name, given(params), terms);
    return await this.#plain(await withRetries(this.#clock, options, terms.repeatable, ask), shape);
  }

  /**
   * The id of a block of the main branch; undefined where the node has none of that number. Refused where it isn't
   * kept.
   */
  async idOfBlock(number: number, options: CallOptions = {}): Promise<string | undefined> {
    return await idOfBlock(number, await this.#standing(options), this.#askPrevious(options));
  }

  #askPrevious(options: CallOptions): PreviousOf {
    return async (block_num) => (await this.call('block_api.get_block_header', { block_num }, options))?.previous;
  }

  /**
   * An unsigned transaction of these operations. It refers to the last irreversible block, so that no fork makes it
   * void. Refuses fees that the node names above `maxFee`.
   */
  async build<const N extends readonly OperationName[]>(
    operations: GivenOperations<N>,
    expirationSeconds = EXPIRATION_SECONDS,
    { maxFee, ...options }: BuildOptions = {},
  ): Promise<GivenTransaction> {
    const { buildTransaction } = await import('./sending.ts');
    const chain = {
      coinSymbol: this.symbols.coinSymbol,
      previousOf: this.#askPrevious(options),
      standing: async () => await this.#standing(options),
      feeOf: async (operation: readonly [name: string, body: object]) => await this.#fee(operation, options),
    };
    return await buildTransaction(operations, expirationSeconds, chain, maxFee);
  }

  /**
   * The transaction with a signature of each key (wallet import format) added. Refuses what is no private key or no
   * operation.
   */
  async sign(transaction: GivenTransaction, keys: readonly string[]): Promise<GivenTransaction> {
    requireAwaited(transaction, 'transaction');
    requireWellFormed(transaction);
    const { sign } = await import('./signing.ts');
    return sign(transaction, keys, this);
  }

  /** The id of a transaction, which signatures don't change. */
  async transactionId(transaction: GivenTransaction): Promise<string> {
    requireAwaited(transaction, 'transaction');
    const { computeTransactionId } = await import('./signing.ts');
    return computeTransactionId(transaction, this);
  }

  /**
   * Sends a signed transaction; resolves when it is in a block or has expired, or as `waitFor` says: when the node has
   * accepted it, or when its block or its expiration is final. When a connection is lost or a node stops it is sent
   * again, to the next node or when one is back, which can't carry it out twice; one that the chain knows already is
   * sent.
   */
  async broadcast(
    transaction: GivenTransaction,
    options: BroadcastOptions = {},
  ): Promise<Result<'network_broadcast_api.broadcast_transaction_synchronous'>> {
    requireAwaited(transaction, 'transaction');
    const computeId = async (): Promise<string> => await this.transactionId(transaction);
    const { Broadcast } = await import('./sending.ts');
    const broadcast = new Broadcast(this.#connection, this.#clock, computeId, options);
    const trx = await this.#wireForm(transaction);
    const send = async (): ReturnType<Client['broadcast']> =>
      await broadcast.send(trx, transaction.expiration, options.waitFor);
    return await withRetries(this.#clock, options, true, send);
  }

  /**
   * Says what operations would do if they were sent now: fees, balances, missing signatures, and the error that sending
   * them would have. Nothing is sent. Without `keys` the transaction is not signed, and `refusal_when_signed` counts.
   */
  async simulate<const N extends readonly OperationName[]>(
    operations: GivenOperations<N>,
    { keys = [], ...options }: SimulateOptions = {},
  ): Promise<Simulation> {
    const built = await this.build(operations, EXPIRATION_SECONDS, options);
    const { check } = await this.#check(keys.length === 0 ? built : await this.sign(built, keys), options);
    return check;
  }

  async #check(transaction: GivenTransaction, options: CallOptions): Promise<Result<typeof CHECK>>;
  async #check(transaction: GivenTransaction, options: CallOptions): Promise<unknown> {
    return await this.#called(CHECK, { tx: await this.#wireForm(transaction) }, options);
  }

  /**
   * Waits until a transaction is in a block, or where `waitFor` says, or until it gets nowhere any more: `status` tells
   * which. Nodes that are away meanwhile are asked again. Throws NodeTimeout when the time is over.
   */
  async waitForTransaction(id: string, options: WaitOptions = {}): Promise<TransactionStanding> {
    const { waitForTransaction } = await import('./sending.ts');
    const { expiration } = options;
    const params = { transaction_id: id, ...(expiration === undefined ? {} : { expiration }) };
    return await waitForTransaction(
      async (terms) => await this.call('transaction_status_api.find_transaction', params, terms),
      this.#clock,
      options,
    );
  }

  /** Builds, signs and sends. */
  async send<const N extends readonly OperationName[]>(
    operations: GivenOperations<N>,
    keys: readonly string[],
    expirationSeconds = EXPIRATION_SECONDS,
    options: BroadcastOptions & BuildOptions = {},
  ): ReturnType<Client['broadcast']> {
    const built = await this.build(operations, expirationSeconds, options);
    return await this.broadcast(await this.sign(built, keys), options);
  }

  /**
   * Subscribes to documents, existing ones first; resumes after a lost connection. Resolves when the node has accepted
   * it.
   */
  async follow(
    subscription: Subscription,
    listener: DocumentListener,
    { signal }: FollowSignal = {},
  ): Promise<Omit<Following, 'position'>> {
    if (this.#connection.listen === undefined) return refuse.no_notices();
    const { DocumentSubscription } = await import('./document_subscription.ts');
    const read = await this.#noticeReader();
    const returnId = this.#freeId();
    const followed = new DocumentSubscription(this.#connection, this.#clock, read, returnId, subscription, listener);
    const stop = await this.#begin(returnId, followed, signal);
    return { stop, [Symbol.dispose]: stop };
  }

  /**
   * Hears of blocks, in order and once each, over lost connections, restarts and from node to node. Resolves when a
   * node has accepted it; keep the position of what was heard last, and resume from it in the next run of the program.
   */
  async followBlocks(options: FollowOptions, listener: BlockListener): Promise<Following> {
    return await this.#followChain(blockTarget(listener, options), options);
  }

  /** The same for operations, the chain's own included. */
  async followOperations(options: OperationOptions, listener: OperationListener): Promise<Following> {
    const method = 'account_history_api.get_ops_in_block';
    const [shape, operations] = [await methodShape(method), await operationShapes()];
    const show: ShowItem = (json) =>
      firstOperation(plainValue({ ops: [json] }, shape, { symbols: this.symbols, operations }));
    return await this.#followChain(operationTarget(listener, options, show, 'operation'), options);
  }

  /** The same for the transfers that an account sends or receives. */
  async followTransfers(account: string, options: FollowOptions, listener: TransferListener): Promise<Following> {
    return await this.followOperations(
      { ...options, accounts: [account], kinds: ['transfer'] },
      transferListener(listener),
    );
  }

  /** Tells the balance of an account at once, and when a block has changed it. Of missed changes the last is told. */
  async followBalances(
    account: string,
    options: Pick<FollowOptions, 'resume' | 'signal'>,
    listener: BalanceListener,
  ): Promise<Following> {
    const show: ShowItem = (json, shape) => plainValue(json, shape, { symbols: this.symbols, operations: {} });
    return await this.#followChain(balanceTarget(listener, account, options, show), options);
  }

  /**
   * Blocks for a loop: `for await (const { block, position } of client.blocks())`. Only final blocks come, unless
   * `level` says `head`. When the loop ends, the subscription does.
   */
  blocks(options: BranchOptions = {}): Iteration<IteratedBlock> {
    const { level = 'irreversible' } = options;
    return this.#iteration(
      async (from, listener) =>
        await this.followBlocks(
          { ...from, level },
          { ...listener, block: (block, position) => listener.take({ block, position }) },
        ),
      options,
    );
  }

  /** Operations for a loop, in the same way. */
  operations(options: OperationsOptions = {}): Iteration<IteratedOperation> {
    const { account, accounts, kinds, level = 'irreversible' } = options;
    const named = account === undefined ? accounts : [account, ...(accounts ?? [])];
    return this.#iteration(
      async (from, listener) =>
        await this.followOperations(
          { ...from, level, accounts: named, kinds },
          { ...listener, operation: (operation, position) => listener.take({ operation, position }) },
        ),
      options,
    );
  }

  /** The balance of an account for a loop: as it is, and when a block has changed it. */
  balances({ account, ...options }: BalancesOptions): Iteration<IteratedBalance> {
    return this.#iteration(
      async (from, listener) =>
        await this.followBalances(account, from, {
          ...listener,
          balance: (balance, position) => listener.take({ balance, position }),
        }),
      options,
    );
  }

  #iteration<T extends { readonly position: string }>(follow: Follow<T>, options: IterationOptions): Iteration<T> {
    const iteration = new Iteration(follow, options, (closed) => this.#iterations.delete(closed));
    this.#iterations.add(iteration);
    return iteration;
  }

  async #followChain(target: FollowTarget, { signal }: FollowSignal): Promise<Following> {
    if (this.#connection.listen === undefined) return refuse.no_notices();
    const id = this.#freeId();
    const follower = new ChainFollower(this.#connection, this.#clock, target, id);
    const stop = await this.#begin(id, follower, signal);
    return {
      get position() {
        return follower.position;
      },
      stop,
      [Symbol.dispose]: stop,
    };
  }

  /** Subscribes under this id, and returns a function that ends it. So does the signal. */
  async #begin(id: number, followed: Followed, signal: CallSignal | undefined): Promise<() => void> {
    signal?.throwIfAborted();
    const stop = (): void => {
      signal?.removeEventListener('abort', stop);
      followed.stop();
      this.#followed.delete(id);
    };
    signal?.addEventListener('abort', stop);
    this.#followed.set(id, followed);
    await unlessAborted(followed.subscribe(), signal);
    return stop;
  }

  #freeId(): number {
    return this.#ids.next(this.#followed) ?? refuse.follows_too_much({ most: FOLLOWER_IDS - 1 });
  }

  /** Ends connections and subscriptions. Loops over items end. */
  close(): void {
    for (const iteration of this.#iterations) iteration[Symbol.dispose]();
    for (const followed of this.#followed.values()) followed.stop();
    this.#followed.clear();
    this.#connection.close();
  }

  /** The same, by `using` and `await using`. */
  [Symbol.dispose](): void {
    this.close();
  }

  async #wireForm(transaction: GivenTransaction): Promise<Json> {
    if (this.symbols.coinName === 'coin') return given(transaction);
    const { wireForm } = await import('./signing.ts');
    return wireForm(transaction, this.symbols);
  }

  async #plain(json: Json, shape: Shape | undefined): Promise<Json> {
    if (shape === undefined) return json;
    return plainValue(json, shape, { symbols: this.symbols, operations: await operationShapes() });
  }

  /** A notice holds what the list of documents holds. */
  async #noticeReader(): Promise<ReadNotice>;
  async #noticeReader(): Promise<(pair: Json) => unknown> {
    const shape = await methodShape('custom_api.list_received_documents');
    const context = { symbols: this.symbols, operations: {} };
    return (pair) => {
      const listed = plainValue([pair], shape, context);
      return Array.isArray(listed) ? listed[0] : undefined;
    };
  }

  async #standing(options: CallOptions): Promise<ChainStanding & { readonly time: string }> {
    const { properties } = await this.call('alexandria_api.get_dynamic_global_properties', {}, options);
    const { head_block_number: head, head_block_id: headId, last_irreversible_block_num: final, time } = properties;
    return { head, headId, final, time };
  }

  async #fee([name, body]: readonly [name: string, body: object], options: CallOptions): Promise<Json> {
    const params = given({ op: [name, body], symbol: this.symbols.coinSymbol });
    const terms = callTerms(FEE, options);
    const ask = async (): Promise<Json> => await this.#connection.call(FEE, params, terms);
    return member(await withRetries(this.#clock, options, true, ask), 'fee') ?? null;
  }
}

/** The only item of a list that is an only member. */
function firstOperation(json: Json): Json {
  const ops = member(json, 'ops');
  return (Array.isArray(ops) ? ops[0] : undefined) ?? null;
}

/** The members that are not undefined. */
function given(params: object): { [member: string]: Json };
function given(params: object): object {
  return Object.fromEntries(
    Object.entries(params).flatMap(([name, value]) => (value === undefined ? [] : [[name, givenValue(value)]])),
  );
}

function givenValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(givenValue);
  return typeof value === 'object' && value !== null ? given(value) : value;
}
