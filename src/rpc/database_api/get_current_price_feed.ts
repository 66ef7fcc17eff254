import { speaksLineage } from '../../codec/encoding_options.ts';
import { isNullPrice, price } from '../../values/price.ts';
import { currentFeedRefusals, feedSymbol, refuseFeed, requireFeed } from '../../queries/feeds.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** The current median price of the coin in a fiat symbol. */
export const getCurrentPriceFeed = method({
  name: 'database_api.get_current_price_feed',
  doc: 'The current median price of the coin in a fiat symbol; refused while there is no price.',
  params: { symbol: coded(feedSymbol) },
  result: coded(price),
  example: { params: { symbol: 'USD' } },
  stability: 'experimental',
  refuses: currentFeedRefusals,
  thread: 'read',

  handler({ symbol }, { rows, encoding }) {
    const { current_median_history: current } = requireFeed(rows, symbol);
    // The lineage answered with zeros.
    return isNullPrice(current) && !speaksLineage(encoding) ? refuseFeed.no_current_feed({ symbol }) : current;
  },
});
