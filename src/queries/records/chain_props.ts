import { orderedMap } from '../../codec/collections.ts';
import { u32 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { asset, assetSymbol, compareSymbols } from '../../values/asset.ts';
import { price } from '../../values/price.ts';

/** The properties that witnesses vote on. */
export const chainProps = struct({ account_creation_fee: asset, maximum_block_size: u32 });

/**
 * The same with the prices that a witness publishes; in records that show it, these are elsewhere and the list is
 * empty.
 */
export const chainPropsWithFeeds = struct({
  ...chainProps.fields,
  price_feeds: orderedMap(assetSymbol, price, compareSymbols),
});
