import type { SignedTransaction } from '../blocks/transaction.ts';
import { requireNearExpiration } from './expiration.ts';
import { requireFeesWithinLimit } from './fee_limit.ts';
import { showBeforeSigning } from './consent.ts';
import { prettyJson } from './pretty_json.ts';
import { shownTransaction } from './transaction_json.ts';
import { wordsAtHand, type Wallet } from './wallet.ts';

/** Applies the limits on fees and expiration to a transaction that was made elsewhere, and shows it to the person, if there is one. */
export async function checkForeignTransaction(wallet: Wallet, transaction: SignedTransaction): Promise<void> {
  await requireFeesWithinLimit(wallet, transaction.operations);
  requireNearExpiration(wallet, transaction.expiration);
  await showBeforeSigning(wallet, prettyJson(shownTransaction(transaction, wordsAtHand(wallet))));
}
