import { hexKey } from '../../codec/key.ts';
import { u32 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { table } from '../../storage/table.ts';
import { hash160 } from '../../values/hash.ts';

const row = struct({ id: hash160, block: u32, index: u32 });

/**
 * In which block a transaction stands. It is the duplicate list as well: a transaction carries its expiration in its id,
 * so one that stands here and has not expired was applied before.
 */
export const transactionLocations = table({ name: 'transaction_location', value: row, key: { id: hexKey(20) }, column: 'history' });
