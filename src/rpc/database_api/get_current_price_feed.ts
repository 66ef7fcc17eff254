import { assetSymbol } from '../../values/asset.ts';
import { price } from '../../values/price.ts';
import { feedRefusals, requireFeed } from '../../queries/feeds.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/params.ts';

/** The current median price of the coin in a fiat symbol. */
export const getCurrentPriceFeed = method({
  name: 'database_api.get_current_price_feed',
  doc: 'The current median price of the coin in a fiat symbol.',
  params: { symbol: coded(assetSymbol) },
  result: coded(price),
  example: { params: { symbol: 'USD' } },
  stability: 'experimental',
  refuses: feedRefusals,
  thread: 'read',
  handler: ({ symbol }, { rows }) => requireFeed(rows, symbol).current_median_history,
});
