import { orderedMap } from '../../codec/collections.ts';
import { u32 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { asset, assetSymbol, compareSymbols } from '../../values/asset.ts';
import { price } from '../../values/price.ts';

/** What witnesses vote on. */
export const chainProps = struct({ account_creation_fee: asset, maximum_block_size: u32 });

/** The same with the prices that a witness publishes; where records show it, they stand elsewhere and the list is empty. */
export const chainPropsWithFeeds = struct({ ...chainProps.fields, price_feeds: orderedMap(assetSymbol, price, compareSymbols) });
