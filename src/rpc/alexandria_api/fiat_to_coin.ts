import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { assert } from '../../base/assert.ts';
import { speaksLineage } from '../../codec/encoding_options.ts';
import { asset, fiatAsset, overflowRefusals, type Asset } from '../../values/asset.ts';
import { convert } from '../../values/price.ts';
import { currentFeedRefusals, refuseFeed, requireFeed } from '../../queries/feeds.ts';
import { method, type Method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import type { ReadContext } from '../../queries/read_context.ts';

/** The value of an amount of fiat in coins; the chain's profile names the method and the member of its result. */
export function fiatToCoin(names: { readonly method: string; readonly result: string }): Method {
  assert(/^[a-z_]+$/.test(names.result), 'a member of a result is a word');
  return method({
    name: `alexandria_api.${names.method}`,
    doc: 'How many coins an amount of fiat is worth at the current median price; refused while there is no price.',
    params: { fiat: coded(fiatAsset) },
    result: Type.Object({ [names.result]: coded(asset) }),
    example: { params: { fiat: '1.000000 USD' } },
    stability: 'stable',
    refuses: { ...currentFeedRefusals, ...overflowRefusals },
    thread: 'read',
    handler: ({ fiat }, call) => ({ [names.result]: inCoins(call, fiat) }),
  });
}

function inCoins({ rows, encoding }: ReadContext, fiat: Asset): Asset {
  const { current_median_history: price } = requireFeed(rows, fiat.symbol);
  const quotes = price.base.symbol === fiat.symbol || price.quote.symbol === fiat.symbol;
  if (quotes && price.base.amount > 0n && price.quote.amount > 0n) return convert(fiat, price);
  // The lineage returned the fiat amount, as if it were coins.
  return speaksLineage(encoding) ? fiat : refuseFeed.no_current_feed({ symbol: fiat.symbol });
}
