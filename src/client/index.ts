import { systemClock } from '../base/clock.ts';
import { callTerms, withRetries, type CallOptions } from './call_options.ts';
import { askedChainId, symbolsInConfig } from './chain_of_node.ts';
import { Client } from './client.ts';
import type { NodeConnection } from './connection.ts';
import { SeenHead, SteadyConnection } from './seen_head.ts';
import { addressTransport, type Transport } from './transports.ts';

export { Refusal } from '../base/refusal.ts';
export { Fault } from '../base/fault.ts';
export { NodeNonsense, NodeSilent, NodeTimeout } from './answer.ts';
export { NodeRefusal, type RefusalName } from './node_refusal.ts';
export type { CallOptions } from './call_options.ts';
export { Client, type BuildOptions, type SimulateOptions, type Simulation } from './client.ts';
export type { TransactionStanding, WaitOptions } from './wait_for_transaction.ts';
export type { Document, DocumentListener, Subscription } from './document_subscription.ts';
export type { Closable } from './disposal.ts';
export type { Following } from './follow.ts';
export type {
  BalancesOptions,
  BranchOptions,
  IteratedBalance,
  IteratedBlock,
  IteratedOperation,
  IterateOptions,
  Iteration,
  OperationsOptions,
} from './iterate.ts';
export type {
  BalanceListener,
  BlockListener,
  FollowOptions,
  FollowedBalance,
  FollowedBlock,
  FollowedOperation,
  FollowedTransfer,
  DroppedTransaction,
  DropReason,
  PendingOperation,
  PendingTransaction,
  PendingTransfer,
  OperationListener,
  OperationOptions,
  TransferListener,
} from './follow_targets.ts';
export { errorRecovery, findRecovery, type Recovery } from '../base/recovery.ts';
export { UnreadableItem } from './unreadable.ts';
export {
  addAmounts,
  coin,
  compareAmounts,
  comparePrices,
  convertAmount,
  formatAmount,
  formatCoin,
  multiplyAmount,
  parseAmount,
  parseCoin,
  subtractAmounts,
  vests,
  type Amount,
  type Price,
} from './amounts.ts';
export {
  custom,
  fallback,
  http,
  unixSocket,
  webSocket,
  withMiddleware,
  type Middleware,
  type NodeRequest,
  type Transport,
} from './transports.ts';
export type { CallSignal } from './abort.ts';
export type { Fetch, FetchRequest, FetchResponse, HttpOptions } from './http_options.ts';
export type { MethodName, Params, Result } from '../rpc/method_types.ts';
export type { HexText } from '../values/hex_text.ts';
export type { GivenOperation, GivenTransaction, Operation, OperationName } from './transaction.ts';

/** Options of a connection. Those of a call are for the two calls that `connect` makes. */
export interface ConnectOptions extends CallOptions {
  /** True, the default, when each call asks for at least the head that was seen before. */
  readonly minHead?: boolean;
}

/** The same, by a transport instead of addresses. */
export interface TransportOptions extends ConnectOptions {
  readonly transport: Transport;
}

const CONFIG = 'database_api.get_config';

/** Defaults for a node that doesn't give the symbols of its chain. */
const COMMON_SYMBOLS = { coinSymbol: 'COIN', vestsSymbol: 'VESTS', keyPrefix: 'PHR', coinName: 'coin' };

/**
 * Connects to the node at an http, https, ws or wss address and reads which chain it is on. Of several addresses the
 * first that answers is asked, and the next one when it falls silent; they must be nodes of one chain. Throws Fault
 * when there is no node. Nothing is read that is older than what this client has read or written before, whichever node
 * answers; `minHead: false` switches that off. `{ transport }` takes a way of your own in place of the address.
 *
 *     const node = await connect('ws://127.0.0.1:9193');
 *     const { account } = await node.call('alexandria_api.get_account', { account_name: 'alice' });
 *     await node.send([['transfer', { from: 'alice', to: 'bob', amount: '1.000000 COIN', memo: '' }]], [key]);
 */
export async function connect(
  target: string | readonly string[] | TransportOptions,
  options: ConnectOptions = {},
): Promise<Client> {
  const {
    transport,
    minHead = true,
    ...call
  } = isOptions(target) ? target : { ...options, transport: addressTransport(target) };
  const terms = callTerms(CONFIG, call);
  const connection = minHead ? steadyConnection(transport) : transport.open(systemClock);
  try {
    const chain = await withRetries(systemClock, call, true, async () => ({
      chainId: await askedChainId(connection, terms),
      symbols: symbolsInConfig(await connection.call(CONFIG, {}, terms), COMMON_SYMBOLS),
    }));
    return new Client(connection, systemClock, chain);
  } catch (error) {
    connection.close();
    throw error;
  }
}

function isOptions(target: string | readonly string[] | TransportOptions): target is TransportOptions {
  return typeof target === 'object' && 'transport' in target;
}

function steadyConnection(transport: Transport): NodeConnection {
  const head = new SeenHead();
  return new SteadyConnection(transport.open(systemClock, head), head, systemClock);
}
