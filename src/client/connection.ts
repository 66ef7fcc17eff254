import type { Fault } from '../base/fault.ts';
import type { Json } from '../codec/json.ts';

/** Calls the methods of one node. */
export interface NodeConnection {
  /**
   * The result of `group.method`. Throws the node's Refusal, or Fault: a `NodeSilent` when there is no response within
   * `timeoutMs`. Repeats the call after a lost connection only when `repeatable`.
   */
  call(method: string, params: Json, timeoutMs: number, repeatable: boolean): Promise<Json>;
  close(): void;
  /** Exists where the node can send notices; the listener receives what is not a response. */
  listen?(listener: ConnectionListener): void;
}

/** Receives events that are not responses to calls. */
export interface ConnectionListener {
  /** A notice of a subscription. */
  notice(returnId: Json, pairs: Json): void;
  /** The connection is lost, and its subscriptions with it. */
  lost(): void;
  /** An item of a subscription can't be read. */
  unreadable(returnId: Json, error: Fault): void;
  /** A message can't be read, and nobody knows what it was for; the connection is lost next. */
  garbled(error: Fault): void;
}
