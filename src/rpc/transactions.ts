import { refusals } from '../base/refusal.ts';
import { copyTransaction, packTransaction, signedTransaction, signingDigest, type SignedTransaction } from '../blocks/transaction.ts';
import { speaksLineage } from '../codec/notation.ts';
import { struct } from '../codec/struct.ts';
import type { Operation } from '../operations/operation.ts';
import { requiredFee, suffices } from '../state/fees.ts';
import type { ChainParameters } from '../state/parameters.ts';
import { dynamicGlobalProperties } from '../state/tables/dynamic_global_property.ts';
import { coded } from '../jsonrpc/params.ts';
import { blockReference } from '../values/block_reference.ts';
import type { Digest } from '../values/hash.ts';
import { MAX_SECONDS_UNTIL_EXPIRATION } from '../values/limits.ts';
import { secondsAfter } from '../values/time.ts';
import type { Call } from './services.ts';

const refuse = refusals({
  no_operations: {
    text: 'a transaction has at least one operation, got none',
    lineage: 'operations.size() > 0: A transaction must have at least one operation',
  },
});

/** What building a transaction may refuse, besides the refusals of its operations. */
export const transactionRefusals = refuse.texts;

/** A transaction as given by a client: members that result from processing may be present and are ignored. */
export const givenTransaction = struct(signedTransaction.fields, { ignored: /^(?:transaction_id|block_num|transaction_num)$/ });

/** The same as a param of broadcast methods. */
export const broadcastTransactionParam = coded({ ...givenTransaction, fromPlain: copyTransaction });

/** How long a transaction built here may wait for its block. */
const EXPIRATION_SECONDS = 30;

/**
 * An unsigned transaction on top of the head block that expires 30 seconds after it, or as late as possible on a development chain, whose
 * time may run ahead of the clock: there, 30 seconds may pass before anyone has looked. Each operation offers its cost in COIN as the fee,
 * unless it offers a sufficient one; the lineage replaced every fee.
 */
export function buildTransaction(services: BuildingServices, operations: readonly Operation[]): SignedTransaction {
  const { rows, parameters } = services;
  if (operations.length === 0) refuse.no_operations();
  const { head_block_id, time } = rows.only(dynamicGlobalProperties);
  const paid = operations.map((operation) => withRequiredFee(services, operation));
  for (const operation of paid) operation.validate(parameters);
  return {
    ...blockReference(head_block_id),
    expiration: secondsAfter(time, lifetimeSeconds(services)),
    operations: paid,
    extensions: [],
    signatures: [],
  };
}

/** What building a transaction needs. */
type BuildingServices = Pick<Call, 'rows' | 'parameters' | 'debug' | 'notation'>;

function lifetimeSeconds({ debug }: BuildingServices): number {
  return debug === undefined ? EXPIRATION_SECONDS : MAX_SECONDS_UNTIL_EXPIRATION;
}

function withRequiredFee({ rows, parameters, notation }: BuildingServices, operation: Operation): Operation {
  const rule = operation.feeRule();
  const isKept = rule === 'own' || (!speaksLineage(notation) && suffices(rows, parameters, rule, operation.fee));
  return isKept ? operation : operation.withFee(requiredFee(parameters, rule, parameters.coinSymbol));
}

/** The digest that the signatures of a transaction sign on this chain. */
export function digestOf({ chainId }: ChainParameters, transaction: SignedTransaction): Digest {
  return Buffer.from(signingDigest(chainId, packTransaction(transaction))).toString('hex');
}
