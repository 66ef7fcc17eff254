import type { Fault } from '../base/fault.ts';
import type { Json } from '../codec/json.ts';
import type { CallSignal } from './abort.ts';

/** Terms of one call. */
export interface CallTerms {
  /** Time limit for the answer of one node. */
  readonly timeoutMs: number;
  /** The call may be sent twice, after a lost connection or to the next node: nothing is done twice by it. */
  readonly repeatable: boolean;
  /** Ends the wait. What was sent by then may be done all the same. */
  readonly signal?: CallSignal | undefined;
}

/** Calls the methods of one node. */
export interface NodeConnection {
  /**
   * The result of `group.method`. Throws the node's Refusal, or Fault: a `NodeSilent` when there is no response in
   * time. Rejects with the reason of an aborted signal.
   */
  call(method: string, params: Json, terms: CallTerms): Promise<Json>;
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
