import { refusals } from '../base/refusal.ts';
import {
  copyTransaction,
  packTransaction,
  signedTransaction,
  signingDigest,
  type SignedTransaction,
} from '../blocks/transaction.ts';
import { speaksLineage } from '../codec/encoding_options.ts';
import { struct } from '../codec/struct.ts';
import { requireValid, type Operation } from '../operations/operation.ts';
import { requiredFee, suffices } from '../state/fees.ts';
import type { ChainParameters } from '../state/parameters.ts';
import { dynamicGlobalProperties } from '../state/tables/dynamic_global_property.ts';
import { coded } from '../jsonrpc/envelope/params.ts';
import { blockReference } from '../values/block_reference.ts';
import type { Digest } from '../values/hash.ts';
import { MAX_SECONDS_UNTIL_EXPIRATION } from '../values/limits.ts';
import { addSeconds, type Seconds } from '../values/time.ts';
import type { Call } from './services.ts';

const refuse = refusals({
  no_operations: {
    text: 'a transaction has at least one operation, got none',
    lineage: 'operations.size() > 0: A transaction must have at least one operation',
  },
});

/** Refusals of building a transaction, besides those of its operations. */
export const transactionRefusals = refuse.texts;

/** A transaction as given by a client: members that result from processing may be present and are ignored. */
export const givenTransaction = struct(signedTransaction.fields, {
  ignored: /^(?:transaction_id|block_num|transaction_num)$/,
});

/** The same as a param of broadcast methods. */
export const broadcastTransactionParam = coded({ ...givenTransaction, fromPlain: copyTransaction });

/** The seconds that a transaction built here may wait for its block. */
const EXPIRATION_SECONDS = 30;

/**
 * An unsigned transaction on top of the head block that expires 30 seconds after it, or from now where the head has
 * stood for half of that. On a development chain, whose time may run ahead of the clock, it expires as late as
 * possible: 30 seconds may pass there before anyone has looked. Each operation offers its cost in COIN as the fee,
 * unless it offers a sufficient one; the lineage replaced every fee.
 */
export function buildTransaction(services: BuildingServices, operations: readonly Operation[]): SignedTransaction {
  const { rows } = services;
  if (operations.length === 0) refuse.no_operations();
  const { head_block_id, time } = rows.only(dynamicGlobalProperties);
  const paid = operations.map((operation) => withRequiredFee(services, operation));
  requireValid(services, paid);
  return {
    ...blockReference(head_block_id),
    expiration: defaultExpiration(time, services),
    operations: paid,
    extensions: [],
    signatures: [],
  };
}

/** The services that build a transaction. */
type BuildingServices = Pick<Call, 'rows' | 'parameters' | 'development' | 'encoding' | 'clock'>;

/**
 * No block that comes is of an earlier time than now, and none takes a transaction that expires too far behind the
 * head.
 */
function defaultExpiration(headTime: Seconds, { development, clock }: BuildingServices): Seconds {
  if (development.debug !== undefined) return addSeconds(headTime, MAX_SECONDS_UNTIL_EXPIRATION);
  const standsFor = Math.trunc(clock.nowMs() / 1000) - headTime;
  const lifetime = standsFor > EXPIRATION_SECONDS / 2 ? standsFor + EXPIRATION_SECONDS : EXPIRATION_SECONDS;
  return addSeconds(headTime, Math.min(lifetime, MAX_SECONDS_UNTIL_EXPIRATION));
}

function withRequiredFee({ rows, parameters, encoding }: BuildingServices, operation: Operation): Operation {
  const rule = operation.feeRule();
  const isKept = rule === 'own' || (!speaksLineage(encoding) && suffices(rows, parameters, rule, operation.fee));
  return isKept ? operation : operation.withFee(requiredFee(parameters, rule, parameters.coinSymbol));
}

/** The digest that the signatures of a transaction sign on this chain. */
export function transactionDigest({ chainId }: ChainParameters, transaction: SignedTransaction): Digest {
  return Buffer.from(signingDigest(chainId, packTransaction(transaction))).toString('hex');
}
