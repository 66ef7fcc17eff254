import { Refusal, refusals } from '../base/refusal.ts';
import { millionthsText, parseMillionths } from './decimals.ts';
import { NodeNonsense } from './answer.ts';
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

const refuse = refusals({
  bad_max_fee: 'maxFee: a decimal number of coins such as "1.5" expected, got {given}',
  named_fees_too_large:
    'the node names fees of {fees} {coin}, more than the {most} of maxFee; nothing was signed: say a larger maxFee, or a fee in each body',
});

/** The most that the fees which a node names may come to in a transaction, unless said: operations cost far less. */
const MOST_FEES = '1';

/** The chain as far as a new transaction depends on it. */
export interface ChainForTransactions {
  readonly previousOf: PreviousOf;
  readonly coinSymbol: string;
  standing(): Promise<ChainStanding & { readonly time: string }>;
  /** The fee that the node names for an operation. */
  feeOf(operation: readonly [name: string, body: object]): Promise<Json>;
}

/** A name, and a body that was checked to belong to it. */
type NamedBody = readonly [name: OperationName, body: GivenBodies[OperationName]];

/**
 * An unsigned transaction of these operations, with the fees that the node names: `maxFee` of the coin at most, because
 * a node must not be able to invent high ones.
 */
export async function buildTransaction<const N extends readonly OperationName[]>(
  operations: GivenOperations<N>,
  expirationSeconds: number,
  chain: ChainForTransactions,
  maxFee = MOST_FEES,
): Promise<GivenTransaction> {
  requireOperations(operations);
  requireWellFormed(operations, 'operations');
  const mostMillionths = parseMillionths(maxFee) ?? refuse.bad_max_fee({ given: maxFee });
  const fees = new NamedFees(chain, mostMillionths);
  const standing = await chain.standing();
  return {
    ...blockReference(await referenceId(standing, async (number) => await keptPrevious(number, chain))),
    expiration: addToTime(standing.time, expirationSeconds),
    operations: await Promise.all(operations.map((operation) => withFee(operation, fees))),
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

async function withFee(operation: NamedBody, fees: NamedFees): Promise<GivenOperation>;
async function withFee([name, body]: NamedBody, fees: NamedFees): Promise<unknown> {
  const { fee, ...rest } = body;
  // A fee that is there and undefined is none.
  return [name, fee === undefined ? { fee: await fees.ask([name, rest]), ...rest } : body];
}

/** The fees that a node names for the operations of one transaction. */
class NamedFees {
  readonly #chain: ChainForTransactions;
  readonly #mostMillionths: bigint;
  #millionths = 0n;

  constructor(chain: ChainForTransactions, mostMillionths: bigint) {
    this.#chain = chain;
    this.#mostMillionths = mostMillionths;
  }

  async ask(operation: readonly [name: string, body: object]): Promise<Json> {
    const { coinSymbol: coin } = this.#chain;
    const fee = await this.#chain.feeOf(operation);
    const [number = '', symbol] = typeof fee === 'string' ? fee.split(' ', 2) : [];
    const millionths = parseMillionths(number);
    if (millionths === undefined || fee !== `${number} ${symbol}` || symbol !== coin)
      throw new NodeNonsense(`the node names a fee that is no amount of ${coin}: ${JSON.stringify(fee)}`);
    this.#millionths += millionths;
    if (this.#millionths > this.#mostMillionths)
      refuse.named_fees_too_large({
        fees: millionthsText(this.#millionths),
        coin,
        most: millionthsText(this.#mostMillionths),
      });
    return fee;
  }
}
