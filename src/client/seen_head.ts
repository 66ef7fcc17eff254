import type { Clock } from '../base/clock.ts';
import type { Json } from '../codec/json.ts';
import { pause } from './abort.ts';
import { NodeRefusal } from './node_refusal.ts';
import { member } from './chain_of_node.ts';
import type { CallTerms, ConnectionListener, NodeConnection } from './connection.ts';

/** The highest head that this client knows of: of what it was answered, and of the blocks that have what it sent. */
export class SeenHead {
  #number = 0;

  get number(): number {
    return this.#number;
  }

  note(number: Json | undefined): void {
    if (typeof number === 'number' && number > this.#number) this.#number = number;
  }

  /** The chain has gone back, as development chains do. */
  forget(): void {
    this.#number = 0;
  }
}

/** The member of a call that asks for it; 0 asks for nothing but to be told. */
export function wantedHead(head: SeenHead | undefined): { readonly min_head?: number } {
  return head === undefined ? {} : { min_head: head.number };
}

/**
 * A node that lags this far is asked again, or another node behind the same proxy, which leaves out lagging ones by
 * then.
 */
const ATTEMPTS = 4;
const AGAIN_MS = 1000;

/** True when a node has refused a call because it lags behind another one: nothing was done. */
function isNodeBehind(error: unknown): boolean {
  return error instanceof NodeRefusal && (error.code === 'head_out_of_reach' || error.code === 'head_not_reached');
}

/** A connection by which nothing is read that is older than what was read or written before, whichever node answers. */
export class SteadyConnection implements NodeConnection {
  readonly #connection: NodeConnection;
  readonly #head: SeenHead;
  readonly #clock: Clock;
  readonly listen?: (listener: ConnectionListener) => void;

  /** `connection` tells each node of the head that was seen. */
  constructor(connection: NodeConnection, head: SeenHead, clock: Clock) {
    this.#connection = connection;
    this.#head = head;
    this.#clock = clock;
    if (connection.listen !== undefined) this.listen = (listener) => connection.listen?.(listener);
  }

  async call(method: string, params: Json, terms: CallTerms): Promise<Json> {
    for (let attempt = 1; ; attempt++) {
      try {
        const result = await this.#connection.call(method, params, terms);
        if (method.endsWith('.broadcast_transaction_synchronous')) this.#head.note(member(result, 'block_num'));
        return result;
      } catch (error) {
        if (attempt === ATTEMPTS) throw error;
        if (error instanceof NodeRefusal && error.code === 'head_undone') this.#head.forget();
        else if (isNodeBehind(error)) await pause(this.#clock, AGAIN_MS, terms.signal);
        else throw error;
      }
    }
  }

  close(): void {
    this.#connection.close();
  }
}
