import { systemClock } from '../base/clock.ts';
import { chainIdOf, wordsOfConfig } from './chain_of_node.ts';
import { Client } from './client.ts';
import { connectTo } from './connect.ts';

export { Refusal } from '../base/refusal.ts';
export { Fault } from '../base/fault.ts';
export { Client, type GivenOperation } from './client.ts';
export type { DocumentListener, Subscription } from './document_subscription.ts';
export type { MethodName, Params, Result } from '../rpc/method_types.ts';

/** Defaults for a node that doesn't give the words of its chain. */
const COMMON_WORDS = { coinSymbol: 'COIN', vestsSymbol: 'VESTS', keyPrefix: 'PHR', word: 'coin' };
const CALL_MS = 15_000;

/**
 * Connects to the node at an http, https, ws or wss address and reads which chain it is on. Throws Fault when there is no node.
 *
 *     const node = await connect('ws://127.0.0.1:9193');
 *     const { account } = await node.call('alexandria_api.get_account', { account_name: 'alice' });
 *     await node.send([['transfer', { from: 'alice', to: 'bob', amount: '1.000000 COIN', memo: '' }]], [key]);
 */
export async function connect(url: string): Promise<Client> {
  const connection = connectTo(url, systemClock);
  try {
    const chainId = chainIdOf(await connection.call('alexandria_api.get_version', {}, CALL_MS, true));
    const words = wordsOfConfig(await connection.call('database_api.get_config', {}, CALL_MS, true), COMMON_WORDS);
    return new Client(connection, systemClock, { chainId, notation: { ...words, dialect: 'legacy', operationForm: 'pair' } });
  } catch (error) {
    connection.close();
    throw error;
  }
}
