import { refusals } from '../base/refusal.ts';
import { struct } from '../codec/struct.ts';
import { asset, assetObject, checkedInt64, shownAsset, type Asset, type AssetSymbol } from './asset.ts';
import { fiatSymbols, type FiatSymbol } from './profile.ts';

/** An exchange rate: `base` is worth as much as `quote`. */
export interface Price {
  readonly base: Asset;
  readonly quote: Asset;
}

const refuse = refusals({
  invalid_price: 'a price has two amounts above zero in different symbols, got {base} and {quote}',
  price_does_not_fit: {
    text: '{amount} cannot be converted at a price of {base} for {quote}',
    lineage: 'invalid asset * price',
  },
});

/** Base, then quote. */
export const price = struct({ base: asset, quote: asset }, { mayLack: [] });

/** A price whose assets the default dialect writes as objects. */
export const priceObject = struct({ base: assetObject, quote: assetObject }, { mayLack: [] });

/** True when both amounts are positive and the symbols differ. */
export function isValidPrice({ base, quote }: Price): boolean {
  return base.amount > 0n && quote.amount > 0n && base.symbol !== quote.symbol;
}

/** The fiat currency that a valid price quotes the coin against, in either direction; undefined for any other price. */
export function quotedFiat(quotation: Price, coinSymbol: AssetSymbol): FiatSymbol | undefined {
  const { base, quote } = quotation;
  if (!isValidPrice(quotation)) return undefined;
  return fiatSymbols.find(
    (fiat) =>
      (base.symbol === coinSymbol && quote.symbol === fiat) || (base.symbol === fiat && quote.symbol === coinSymbol),
  );
}

/** Both sides for display. */
export function shownPrice({ base, quote }: Price): { readonly base: string; readonly quote: string } {
  return { base: shownAsset(base), quote: shownAsset(quote) };
}

/** True when both amounts are zero: a price that was never set. */
export function isNullPrice({ base, quote }: Price): boolean {
  return base.amount === 0n && quote.amount === 0n;
}

/** The same price with base and quote swapped. */
export function invertPrice({ base, quote }: Price): Price {
  return { base: quote, quote: base };
}

/** The amount in the price's other symbol, rounded down. */
export function convert(value: Asset, { base, quote }: Price): Asset {
  const [from, to] = value.symbol === base.symbol ? [base, quote] : [quote, base];
  if (value.symbol !== from.symbol || from.amount <= 0n)
    return refuse.price_does_not_fit({ amount: shownAsset(value), ...shownPrice({ base, quote }) });
  return { amount: checkedInt64((value.amount * to.amount) / from.amount), symbol: to.symbol };
}

/**
 * Compares prices of the same pair of symbols, in either direction; undefined if the pairs differ
 * (wire_format.md#prices).
 */
export function comparePrices(left: Price, right: Price): number | undefined {
  if (!isValidPrice(left)) return refuse.invalid_price(shownPrice(left));
  const turned = left.base.symbol === right.base.symbol ? left : invertPrice(left);
  if (turned.base.symbol !== right.base.symbol || turned.quote.symbol !== right.quote.symbol) return undefined;
  const a = turned.base.amount * right.quote.amount;
  const b = right.base.amount * turned.quote.amount;
  return a < b ? -1 : a > b ? 1 : 0;
}
