import type { Codec } from '../../codec/codec.ts';
import { mismatch } from '../../codec/decode_error.ts';
import { text, u64, u8 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { accountName } from '../../values/account_name.ts';

/** The kinds of prices by number; a number that is not valid for an application is shown as the last. */
const priceParams = ['permanent', 'time_based', 'none'] as const;

const priceParam: Codec<number, (typeof priceParams)[number]> = {
  write: u8.write,
  read: u8.read,
  initial: u8.initial,
  toJson: (value) => priceParams[value] ?? 'none',
  fromJson(json) {
    const at = priceParams.findIndex((name) => name === json);
    return at < 0 ? mismatch(`one of ${priceParams.join(', ')}`, json) : at;
  },
  describe: () => ({ type: 'string', enum: priceParams }),
};

/** A registered application. */
export const applicationRecord = struct({
  id: u64,
  name: accountName,
  author: accountName,
  url: text,
  metadata: text,
  price_param: priceParam,
});
