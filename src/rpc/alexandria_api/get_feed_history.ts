import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { feedPriceRecord, makeFeedPriceRecord } from '../../queries/records/feed_history.ts';
import { feedRefusals, feedSymbol, requireFeed } from '../../queries/feeds.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** Prices of the coin in a fiat symbol. */
export const getFeedHistory = method({
  name: 'alexandria_api.get_feed_history',
  doc: 'The median price of the coin in a fiat symbol (USD, EUR, CHF, CNY, GBP), and those of the last hours.',
  params: { symbol: coded(feedSymbol) },
  result: Type.Object({ feed_history: coded(feedPriceRecord) }),
  example: { params: { symbol: 'USD' } },
  stability: 'stable',
  refuses: feedRefusals,
  thread: 'read',
  handler: ({ symbol }, { rows }) => ({ feed_history: makeFeedPriceRecord(requireFeed(rows, symbol)) }),
});
