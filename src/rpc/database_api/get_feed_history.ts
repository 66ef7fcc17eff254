import { feedHistoryRecord } from '../../queries/records/feed_history.ts';
import { feedRefusals, feedSymbol, requireFeed } from '../../queries/feeds.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** The median prices of the coin in a fiat symbol, oldest first. */
export const getFeedHistory = method({
  name: 'database_api.get_feed_history',
  doc: 'The median prices of the coin in a fiat symbol, oldest first.',
  params: { symbol: coded(feedSymbol) },
  result: coded(feedHistoryRecord),
  example: { params: { symbol: 'USD' } },
  stability: 'experimental',
  refuses: feedRefusals,
  thread: 'read',
  handler: ({ symbol }, { rows }) => requireFeed(rows, symbol),
});
