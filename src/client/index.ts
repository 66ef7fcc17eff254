import { systemClock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { CALL_MS } from './call_limits.ts';
import { chainIdOf, symbolsInConfig } from './chain_of_node.ts';
import { Client } from './client.ts';
import { connectTo } from './connect.ts';
import type { NodeConnection } from './connection.ts';
import { SeenHead, SteadyConnection } from './seen_head.ts';
import { SeveralNodes } from './several_nodes.ts';

export { Refusal } from '../base/refusal.ts';
export { Fault } from '../base/fault.ts';
export { NodeNonsense, NodeRefusal, NodeSilent, NodeTimeout } from './answer.ts';
export type { CallOptions } from './call_options.ts';
export { Client } from './client.ts';
export type { Document, DocumentListener, Subscription } from './document_subscription.ts';
export type { Following } from './follow.ts';
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
export { recoveryFrom, recoveryOf, type Recovery } from '../base/recovery.ts';
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
export type { MethodName, Params, Result } from '../rpc/method_types.ts';
export type { HexText } from '../values/hex_text.ts';
export type { GivenOperation, GivenTransaction, Operation, OperationName } from './transaction.ts';

/** How a client is connected. */
export interface ConnectOptions {
  /** Whether each call asks for at least the head that was seen before; true by default. */
  readonly minHead?: boolean;
}

/** Defaults for a node that doesn't give the symbols of its chain. */
const COMMON_SYMBOLS = { coinSymbol: 'COIN', vestsSymbol: 'VESTS', keyPrefix: 'PHR', coinName: 'coin' };

/**
 * Connects to the node at an http, https, ws or wss address and reads which chain it is on. Of several addresses the
 * first that answers is asked, and the next one when it falls silent; they must be nodes of one chain. Throws Fault
 * when there is no node. Nothing is read that is older than what this client has read or written before, whichever node
 * answers; `minHead: false` switches that off.
 *
 *     const node = await connect('ws://127.0.0.1:9193');
 *     const { account } = await node.call('alexandria_api.get_account', { account_name: 'alice' });
 *     await node.send([['transfer', { from: 'alice', to: 'bob', amount: '1.000000 COIN', memo: '' }]], [key]);
 */
export async function connect(
  address: string | readonly string[],
  { minHead = true }: ConnectOptions = {},
): Promise<Client> {
  const urls = typeof address === 'string' ? [address] : address;
  const connection = minHead ? steadyConnectionTo(urls) : connectionTo(urls);
  try {
    const chainId = await chainOf(connection);
    const symbols = symbolsInConfig(
      await connection.call('database_api.get_config', {}, { timeoutMs: CALL_MS, repeatable: true }),
      COMMON_SYMBOLS,
    );
    return new Client(connection, systemClock, { chainId, symbols });
  } catch (error) {
    connection.close();
    throw error;
  }
}

function steadyConnectionTo(urls: readonly string[]): NodeConnection {
  const head = new SeenHead();
  return new SteadyConnection(connectionTo(urls, head), head, systemClock);
}

function connectionTo(urls: readonly string[], head?: SeenHead): NodeConnection {
  const [url] = urls;
  if (url === undefined) throw new Fault('configuration', 'at least one address of a node is needed');
  if (urls.length === 1) return connectTo(url, systemClock, head);
  const connections = urls.map((each) => ({ url: each, connection: connectTo(each, systemClock, head) }));
  let common: string | undefined;
  return new SeveralNodes(connections, async (connection, at) => {
    const chainId = await chainOf(connection);
    common ??= chainId;
    if (chainId !== common) throw new Fault('configuration', `the node at ${at} is on another chain, ${chainId}`);
  });
}

async function chainOf(connection: NodeConnection): Promise<string> {
  return chainIdOf(await connection.call('alexandria_api.get_version', {}, { timeoutMs: CALL_MS, repeatable: true }));
}
