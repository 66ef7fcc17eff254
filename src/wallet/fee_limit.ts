import { refusals } from '../base/refusal.ts';
import type { Operation } from '../operations/operation.ts';
import { assetText, type AssetSymbol } from '../values/asset.ts';
import { chainSymbols, type Wallet } from './wallet.ts';

const refuse = refusals({
  fee_too_large: 'the fees come to {fee}, more than the limit of {limit}; nothing was signed (see --max-fee)',
  fee_symbol:
    'a fee of {fee} is in another symbol than {coin}, of which the limit is; nothing was signed (see --fee-symbol)',
});

/** The refusals about fees. */
export const feeRefusals = refuse.texts;

/**
 * Refuses fees that the person cannot have meant: those of a transaction must be within the limit together, and in
 * COIN. Nodes set the fees, and must not be able to invent high ones. Negative fees are refused when they are read.
 */
export async function requireFeesWithinLimit(wallet: Wallet, operations: readonly Operation[]): Promise<void> {
  const { maxFee: most, feeSymbol } = wallet.settings;
  const { coinSymbol: coin } = await chainSymbols(wallet);
  const sums = new Map<AssetSymbol, bigint>();
  for (const { fee } of operations) {
    if (fee === undefined || fee.amount === 0n) continue;
    if (fee.symbol !== coin && fee.symbol !== feeSymbol) refuse.fee_symbol({ fee: assetText(fee), coin });
    const amount = (sums.get(fee.symbol) ?? 0n) + fee.amount;
    sums.set(fee.symbol, amount);
    if (amount > most)
      refuse.fee_too_large({ fee: assetText({ ...fee, amount }), limit: assetText({ ...fee, amount: most }) });
  }
}
