import { assetSymbol } from '../../values/asset.ts';
import { command } from '../command.ts';

/** The prices that witnesses have published for a currency, and their median. */
export const getFeedHistoryCommand = command({
  name: 'get_feed_history',
  doc: 'The prices that witnesses have published for a currency, and their median.',
  params: { symbol: assetSymbol },
  example: 'get_feed_history USD',
  handler: ({ symbol }, { node }) => node.ask('get_feed_history', { symbol }, 'feed_history'),
});
