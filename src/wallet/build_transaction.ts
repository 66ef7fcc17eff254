import { refusals } from '../base/refusal.ts';
import { writeJson } from '../codec/json_writer.ts';
import type { ChainSymbols } from '../codec/encoding_options.ts';
import type { SignedTransaction } from '../blocks/transaction.ts';
import { operationCodec } from '../operations/index.ts';
import type { Operation } from '../operations/operation.ts';
import { chooseExpiration, expirationRefusals } from './expiration.ts';
import { feeRefusals, requireFeesWithinLimit } from './fee_limit.ts';
import { requireNoKeys, revealedKeyRefusals } from './revealed_keys.ts';
import { transactionInput } from './transaction_json.ts';
import { inputEncoding, outputEncoding, chainSymbols, type Wallet } from './wallet.ts';

const refuse = refusals({
  node_changed_operations: 'the node changed the operations that it was given; nothing was signed',
});

const { chain_ahead_of_clock, no_head_time } = expirationRefusals;
/** The refusals of building a transaction. */
export const transactionRefusals = {
  ...refuse.texts,
  ...feeRefusals,
  chain_ahead_of_clock,
  no_head_time,
  ...revealedKeyRefusals,
};

/**
 * An unsigned transaction. The node validates the operations and says their fees and the reference block; of all that
 * it answers only these are taken, and the expiration within what this machine's clock allows. Texts that reveal a
 * private key never reach the node.
 */
export async function buildTransaction(wallet: Wallet, operations: readonly Operation[]): Promise<SignedTransaction> {
  await requireNoKeys(wallet, operations);
  const symbols = await chainSymbols(wallet);
  const op_vec = operations.map((operation) => operationCodec.toJson(operation, outputEncoding(symbols)));
  const built = transactionInput.fromJson(
    await wallet.node.ask('create_transaction', { op_vec }, 'tx'),
    inputEncoding(symbols),
  );
  requireSame(operations, built.operations, symbols);
  const paid = operations.map((operation, k) => keepFee(operation, built.operations[k]));
  await requireFeesWithinLimit(wallet, paid);
  const { ref_block_num, ref_block_prefix } = built;
  const expiration = await chooseExpiration(wallet, built.expiration);
  return { ref_block_num, ref_block_prefix, expiration, operations: paid, extensions: [], signatures: [] };
}

/** Requires that the node understood the request: another operation would have another fee. */
function requireSame(asked: readonly Operation[], built: readonly Operation[], symbols: ChainSymbols): void {
  const withoutFee = (operation: Operation): string =>
    writeJson(
      operationCodec.toJson(operation.withFee({ amount: 0n, symbol: symbols.coinSymbol }), outputEncoding(symbols)),
    );
  const isSame =
    asked.length === built.length &&
    asked.every((operation, k) => withoutFee(operation) === withoutFee(built[k] ?? operation));
  if (!isSame) refuse.node_changed_operations();
}

/** A fee that was given stays. */
function keepFee(asked: Operation, { fee }: Pick<Operation, 'fee'> = { fee: undefined }): Operation {
  return fee === undefined || asked.fee?.amount !== 0n ? asked : asked.withFee(fee);
}
