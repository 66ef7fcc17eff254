import { refusals } from '../base/refusal.ts';
import { signTransaction } from '../blocks/sign_transaction.ts';
import { signedTransaction, transactionId, type SignedTransaction } from '../blocks/transaction.ts';
import type { Json } from '../codec/json.ts';
import type { ChainWords, Notation } from '../codec/notation.ts';
import { decodeWif, wifFault } from '../crypto/wif.ts';
import type { GivenTransaction } from './transaction.ts';

// Loaded when something is signed for the first time: programs that only read never need it.

const refuse = refusals({ not_a_private_key: 'the private key {fault}' });

/** What a signature depends on besides the transaction. */
interface Signing {
  readonly chainId: string;
  readonly words: ChainWords;
}

/** The transaction with a signature of each key added, in the order that the chain may require. */
export function sign(transaction: GivenTransaction, keys: readonly string[], { chainId, words }: Signing): GivenTransaction {
  const secrets = keys.map((wif) => decodeWif(wif) ?? refuse.not_a_private_key({ fault: wifFault(wif) }));
  const read = transactionOf(transaction, words);
  const signed = signTransaction(chainId, read, secrets) ?? refuse.not_a_private_key({ fault: 'is 0 or not below the order of the curve' });
  for (const secret of secrets) secret.fill(0);
  return { ...transaction, signatures: signed.signatures };
}

/** The id of a transaction, signed or not. */
export function idOf(transaction: GivenTransaction, { words }: Signing): string {
  return transactionId(transactionOf(transaction, words));
}

/** Members are named as in the types, which say `coin`, whatever the chain's own word is. */
function transactionOf(transaction: GivenTransaction, words: ChainWords): SignedTransaction {
  return signedTransaction.fromJson(jsonOf(transaction), { ...notationOf(words), word: 'coin' });
}

function notationOf(words: ChainWords): Notation {
  return { ...words, dialect: 'default', operationForm: 'pair' };
}

/** The transaction as the node reads it: with the chain's own word in names. */
export function wireForm(transaction: GivenTransaction, words: ChainWords): Json {
  return signedTransaction.toJson(transactionOf(transaction, words), notationOf(words));
}

function jsonOf(transaction: GivenTransaction): Json;
function jsonOf(transaction: GivenTransaction): unknown {
  return transaction;
}
