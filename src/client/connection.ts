import type { Json } from '../codec/json.ts';

/** Calls the methods of one node. */
export interface NodeConnection {
  /**
   * The result of `group.method`. Throws the node's Refusal, or Fault: a `NodeSilent` when nothing came back within
   * `timeoutMs`. Asks again after a lost connection only when `repeatable`.
   */
  call(method: string, params: Json, timeoutMs: number, repeatable: boolean): Promise<Json>;
  close(): void;
  /** Where the node can speak first; the listener is told of what comes unasked. */
  listen?(listener: ConnectionListener): void;
}

/** Told of what comes without a call. */
export interface ConnectionListener {
  /** A notice of a subscription. */
  notice(returnId: Json, pairs: Json): void;
  /** The connection is gone, and with it its subscriptions. */
  lost(): void;
}
