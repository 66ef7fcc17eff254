import { refusals } from '../base/refusal.ts';
import { signTransaction } from '../blocks/sign_transaction.ts';
import { signedTransaction, transactionId, type SignedTransaction } from '../blocks/transaction.ts';
import type { Json } from '../codec/json.ts';
import type { ChainSymbols, EncodingOptions } from '../codec/encoding_options.ts';
import { decodeWif, wifFault } from '../crypto/wif.ts';
import type { GivenTransaction } from './transaction.ts';

// Loaded when something is signed for the first time: programs that only read never need it.

const refuse = refusals({ not_a_private_key: 'the private key {fault}' });

/** The chain's facts that a signature depends on. */
interface Signing {
  readonly chainId: string;
  readonly symbols: ChainSymbols;
}

/** The transaction with a signature of each key added, in the order that the chain may require. */
export function sign(
  transaction: GivenTransaction,
  keys: readonly string[],
  { chainId, symbols }: Signing,
): GivenTransaction {
  const secrets = keys.map((wif) => decodeWif(wif) ?? refuse.not_a_private_key({ fault: wifFault(wif) }));
  const read = readTransaction(transaction, symbols);
  const signed =
    signTransaction(chainId, read, secrets) ??
    refuse.not_a_private_key({ fault: 'is 0 or not below the order of the curve' });
  for (const secret of secrets) secret.fill(0);
  return { ...transaction, signatures: signed.signatures };
}

/** The id of a transaction, signed or not. */
export function computeTransactionId(transaction: GivenTransaction, { symbols }: Signing): string {
  return transactionId(readTransaction(transaction, symbols));
}

/** Members are named as in the types, which say `coin`, whatever the coin's name is. */
function readTransaction(transaction: GivenTransaction, symbols: ChainSymbols): SignedTransaction {
  return signedTransaction.fromJson(transactionJson(transaction), { ...signingEncoding(symbols), coinName: 'coin' });
}

function signingEncoding(symbols: ChainSymbols): EncodingOptions {
  return { ...symbols, dialect: 'default', operationForm: 'pair' };
}

/** The transaction as the node reads it: with the coin's name in names. */
export function wireForm(transaction: GivenTransaction, symbols: ChainSymbols): Json {
  return signedTransaction.toJson(readTransaction(transaction, symbols), signingEncoding(symbols));
}

function transactionJson(transaction: GivenTransaction): Json;
function transactionJson(transaction: GivenTransaction): unknown {
  return transaction;
}
