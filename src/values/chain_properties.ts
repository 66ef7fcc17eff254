import type { Codec } from '../codec/codec.ts';
import { orderedMap, withDefault } from '../codec/collections.ts';
import { u32 } from '../codec/primitives.ts';
import { struct } from '../codec/struct.ts';
import { asset, assetSymbol, compareSymbols, type Asset } from './asset.ts';
import { price } from './price.ts';

const DEFAULT_CREATION_FEE = 50_000n; // millionths; MIN_ACCOUNT_CREATION_FEE of the default genesis
const DEFAULT_BLOCK_BYTES = 50_331_648; // MAX_BLOCK_SIZE of the default genesis

const creationFee: Codec<Asset, string> = {
  ...asset,
  initial: (encoding) => ({ amount: DEFAULT_CREATION_FEE, symbol: encoding.coinSymbol }),
};

/** The chain properties that a witness votes for, and its price feeds. */
export const chainProperties = struct(
  {
    account_creation_fee: creationFee,
    maximum_block_size: withDefault(u32, DEFAULT_BLOCK_BYTES),
    price_feeds: orderedMap(assetSymbol, price, compareSymbols),
  },
  { mayLack: [] },
);
