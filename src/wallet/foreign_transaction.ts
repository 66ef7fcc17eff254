import type { SignedTransaction } from '../blocks/transaction.ts';
import { requireNearExpiration } from './expiration.ts';
import { requireFeesWithinLimit } from './fee_limit.ts';
import { showBeforeSigning } from './consent.ts';
import { prettyJson } from './pretty_json.ts';
import { shownTransaction } from './transaction_json.ts';
import { wordsAtHand, type Wallet } from './wallet.ts';

/** Holds a transaction that was made elsewhere to the limits of those that are made here, and shows it where somebody can look. */
export async function checkForeignTransaction(wallet: Wallet, transaction: SignedTransaction): Promise<void> {
  await requireFeesWithinLimit(wallet, transaction.operations);
  requireNearExpiration(wallet, transaction.expiration);
  await showBeforeSigning(wallet, prettyJson(shownTransaction(transaction, wordsAtHand(wallet))));
}
