import type { SignedTransaction } from '../blocks/transaction.ts';
import { expirationRefusals, requireNearExpiration } from './expiration.ts';
import { feeRefusals, requireFeesWithinLimit } from './fee_limit.ts';
import { consentRefusals, showBeforeSigning } from './consent.ts';
import { prettyJson } from './pretty_json.ts';
import { revealedKeyRefusals } from './revealed_keys.ts';
import { shownTransaction } from './transaction_json.ts';
import { knownChainSymbols, type Wallet } from './wallet.ts';

const { expires_too_late } = expirationRefusals;
/** The refusals of a transaction that was made elsewhere, before it is signed. */
export const foreignRefusals = { ...feeRefusals, expires_too_late, ...revealedKeyRefusals, ...consentRefusals };

/**
 * Applies the limits on fees and expiration to a transaction that was made elsewhere, and shows it to the person, if
 * there is one.
 */
export async function checkForeignTransaction(wallet: Wallet, transaction: SignedTransaction): Promise<void> {
  await requireFeesWithinLimit(wallet, transaction.operations);
  requireNearExpiration(wallet, transaction.expiration);
  await showBeforeSigning(wallet, prettyJson(shownTransaction(transaction, knownChainSymbols(wallet))));
}
