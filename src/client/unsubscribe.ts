import type { NodeConnection } from './connection.ts';

/** The time in which a node answers a subscription, and its end. */
export const SUBSCRIBE_MS = 15_000;

/** Ends a subscription at the node. A node that does not answer ends it with the connection. */
export async function unsubscribe(connection: NodeConnection, returnId: number): Promise<void> {
  const options = { timeoutMs: SUBSCRIBE_MS, repeatable: false };
  await connection.call('subscribe_api.unsubscribe', { return_id: returnId }, options).catch(() => undefined);
}
