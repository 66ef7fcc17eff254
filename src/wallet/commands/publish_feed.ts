import { feedPublish } from '../../operations/feed_publish.ts';
import { price } from '../../values/price.ts';
import { transactionCommand } from '../command.ts';
import { chainName } from '../params.ts';

/** As a witness, publishes the price of the coin in a currency. */
export const publishFeedCommand = transactionCommand({
  name: 'publish_feed',
  doc: 'As a witness, publishes the price of the coin in a currency.',
  params: { witness: chainName, exchange_rate: price },
  example: 'publish_feed alice {"base":"1 COIN","quote":"0.1 USD"} true',
  makes: feedPublish,
  operation: ({ witness: publisher, exchange_rate }, { fee }) => feedPublish.of({ fee, publisher, exchange_rate }),
});
