import type { Given, PlainOf } from '../codec/codec.ts';
import type { signedTransaction } from '../blocks/transaction.ts';
import type { PaidOperationName, PlainOperation } from '../operations/index.ts';

/** An operation as it stands in the chain: its name, and the body that belongs to this name. */
export type Operation = PlainOperation;

/** The names of the operations that a transaction can hold. */
export type OperationName = PaidOperationName;

/** An operation to be sent, as `[name, body]`. Without a `fee`, the one that the node names is offered. */
export type GivenOperation<N extends OperationName = OperationName> = Given<
  Extract<PlainOperation, readonly [N, unknown]>
>;

/** The bodies of operations as they are given, by name. */
export type GivenBodies = {
  readonly [N in OperationName]: GivenOperation<N> extends readonly [unknown, infer Body] ? Body : never;
};

/**
 * Operations, each of which is checked by its own name: the compiler names the member that is wrong, and not all kinds
 * of operations.
 */
export type GivenOperations<N extends readonly OperationName[]> = {
  readonly [I in keyof N]: readonly [name: N[I], body: GivenBodies[N[I]]];
};

/** A transaction, signed or not. It can be kept as JSON. */
export interface GivenTransaction extends Omit<Given<PlainOf<typeof signedTransaction>>, 'operations' | 'extensions'> {
  readonly operations: readonly GivenOperation[];
  readonly extensions: readonly [];
}

/** A time of the chain, so many seconds later. */
export function addToTime(time: string, seconds: number): string {
  return new Date(Date.parse(`${time}Z`) + seconds * 1000).toISOString().slice(0, 19);
}
