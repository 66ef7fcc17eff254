import { hexKey } from '../../codec/key.ts';
import { u32 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { table } from '../../storage/table.ts';
import { hash160 } from '../../values/hash.ts';

const row = struct({ id: hash160, block: u32, index: u32 });

/**
 * The block that contains a transaction. Also used to detect duplicates: a transaction's id covers its expiration, so
 * one that is listed here and has not expired has already been applied.
 */
export const transactionLocations = table({
  name: 'transaction_location',
  value: row,
  key: { id: hexKey(20) },
  column: 'history',
});
