import { Fault } from '../base/fault.ts';
import type { Json } from '../codec/json.ts';
import { unlessAborted } from './abort.ts';
import { behindAttempt, NodeNonsense, NodeSilent } from './answer.ts';
import { NodeRefusal } from './node_refusal.ts';
import type { CallTerms, ConnectionListener, NodeConnection } from './connection.ts';
import { findRecovery } from '../base/recovery.ts';

/** A node, and whether it is known to be of the chain. */
interface Candidate extends Address {
  isChecked: boolean;
}

/** A connection, and where it leads. */
interface Address {
  readonly connection: NodeConnection;
  readonly url: string;
}

/** Throws when a node is of another chain than the first one, or doesn't answer. */
export type CheckNode = (connection: NodeConnection, url: string) => Promise<void>;

/**
 * Several nodes as one: each call goes to the node that answered last. When that is silent, a call that may be
 * repeated, or that it has not received, goes to the next one.
 */
export class SeveralNodes implements NodeConnection {
  readonly #nodes: readonly Candidate[];
  readonly #check: CheckNode;
  #current = 0;
  #listener: ConnectionListener | undefined;
  /** Only where all of them can send notices. */
  readonly listen?: (listener: ConnectionListener) => void;

  constructor(addresses: readonly Address[], check: CheckNode) {
    this.#nodes = addresses.map((each) => ({ ...each, isChecked: false }));
    this.#check = check;
    for (const [index, { connection }] of this.#nodes.entries()) this.#hear(connection, index);
    if (addresses.every(({ connection }) => connection.listen !== undefined))
      this.listen = (listener) => void (this.#listener = listener);
  }

  async call(method: string, params: Json, terms: CallTerms): Promise<Json> {
    const first = this.#current;
    let failure: unknown;
    let hasArrived = false;
    for (let tried = 0; tried < this.#nodes.length; tried++) {
      const index = (first + tried) % this.#nodes.length;
      try {
        const answer = await this.#ask(index, method, params, terms);
        this.#moveTo(index);
        return answer;
      } catch (error) {
        if (terms.signal?.aborted === true || !isWorthAnother(error, terms.repeatable))
          throw behindAttempt(error, hasArrived);
        hasArrived ||= error instanceof NodeSilent && error.wasSent;
        // What the node said that should have answered tells more than that another one isn't there.
        failure ??= error;
      }
    }
    throw behindAttempt(failure, hasArrived);
  }

  close(): void {
    for (const { connection } of this.#nodes) connection.close();
  }

  async #ask(index: number, method: string, params: Json, terms: CallTerms): Promise<Json> {
    const node = this.#nodes[index];
    if (node === undefined) throw new Fault('configuration', 'at least one address of a node is needed');
    if (!node.isChecked) await unlessAborted(this.#check(node.connection, node.url), terms.signal);
    node.isChecked = true;
    return await node.connection.call(method, params, terms);
  }

  #moveTo(index: number): void {
    if (index === this.#current) return;
    this.#current = index;
    // What is followed is followed at the node that answers.
    this.#listener?.lost();
  }

  #hear(connection: NodeConnection, index: number): void {
    connection.listen?.({
      notice: (returnId, pairs) => {
        if (index === this.#current) this.#listener?.notice(returnId, pairs);
      },
      lost: () => {
        if (index === this.#current) this.#listener?.lost();
      },
      unreadable: (returnId, error) => {
        if (index === this.#current) this.#listener?.unreadable(returnId, error);
      },
      garbled: (error) => {
        if (index === this.#current) this.#listener?.garbled(error);
      },
    });
  }
}

function isWorthAnother(error: unknown, repeatable: boolean): boolean {
  // It can't answer now, and has done nothing.
  if (error instanceof NodeRefusal) return error.code !== 'internal_error' && findRecovery(error.code) === 'next_node';
  if (error instanceof NodeSilent) return repeatable || !error.wasSent;
  // A node of another chain, or none at all at that address, was asked for nothing but its chain.
  return error instanceof NodeNonsense ? repeatable : error instanceof Fault;
}
