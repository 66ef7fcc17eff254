import { Type } from '../../jsonrpc/typebox.ts';
import { feedPriceRecord, feedPriceRecordOf } from '../../queries/records/feed_history.ts';
import { assetSymbol } from '../../values/asset.ts';
import { feedRefusals, requireFeed } from '../../queries/feeds.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/params.ts';

/** Prices of the coin in a fiat symbol. */
export const getFeedHistory = method({
  name: 'alexandria_api.get_feed_history',
  doc: 'The median price of the coin in a fiat symbol (USD, EUR, CHF, CNY, GBP), and those of the last hours.',
  params: { symbol: coded(assetSymbol) },
  result: Type.Object({ feed_history: coded(feedPriceRecord) }),
  example: { params: { symbol: 'USD' } },
  stability: 'stable',
  refuses: feedRefusals,
  thread: 'read',
  handler: ({ symbol }, { rows }) => ({ feed_history: feedPriceRecordOf(requireFeed(rows, symbol)) }),
});
