import { Refusal } from '../base/refusal.ts';
import type { Json } from '../codec/json.ts';
import { blockReference } from '../values/block_reference.ts';
import { referenceId, type ChainStanding, type PreviousOf } from './block_ids.ts';
import { requireOperations } from './given_operations.ts';
import {
  addToTime,
  type GivenBodies,
  type GivenOperation,
  type GivenOperations,
  type GivenTransaction,
  type OperationName,
} from './transaction.ts';
import { requireWellFormed } from './well_formed.ts';

// Loaded when something is built, sent or awaited for the first time: programs that only read never need it.

export { Broadcast } from './broadcast.ts';
export { waitForTransaction } from './wait_for_transaction.ts';

/** The chain as far as a new transaction depends on it. */
export interface ChainForTransactions {
  readonly previousOf: PreviousOf;
  standing(): Promise<ChainStanding & { readonly time: string }>;
  /** The fee that the node names for an operation. */
  feeOf(operation: readonly [name: string, body: object]): Promise<Json>;
}

/** A name, and a body that was checked to belong to it. */
type NamedBody = readonly [name: OperationName, body: GivenBodies[OperationName]];

/** An unsigned transaction of these operations, with the fees that the node names. */
export async function buildTransaction<const N extends readonly OperationName[]>(
  operations: GivenOperations<N>,
  expirationSeconds: number,
  chain: ChainForTransactions,
): Promise<GivenTransaction> {
  requireOperations(operations);
  requireWellFormed(operations, 'operations');
  const standing = await chain.standing();
  return {
    ...blockReference(await referenceId(standing, async (number) => await keptPrevious(number, chain))),
    expiration: addToTime(standing.time, expirationSeconds),
    operations: await Promise.all(operations.map((operation) => withFee(operation, chain))),
    extensions: [],
    signatures: [],
  };
}

/** A node that has begun with a snapshot lately has no irreversible block yet. */
async function keptPrevious(number: number, { previousOf }: ChainForTransactions): ReturnType<PreviousOf> {
  try {
    return await previousOf(number);
  } catch (error) {
    if (error instanceof Refusal && error.code === 'pruned') return undefined;
    throw error;
  }
}

async function withFee(operation: NamedBody, chain: ChainForTransactions): Promise<GivenOperation>;
async function withFee([name, body]: NamedBody, chain: ChainForTransactions): Promise<unknown> {
  const { fee, ...rest } = body;
  // A fee that is there and undefined is none.
  return [name, fee === undefined ? { fee: await chain.feeOf([name, rest]), ...rest } : body];
}
