import { u8Key } from '../codec/key.ts';
import { u64, u8 } from '../codec/primitives.ts';
import { struct } from '../codec/struct.ts';
import { table } from './table.ts';

/** The next id of each table that assigns ids. Ordinary rows, so that undo restores them; always table number 0. */
export const idCounters = table({
  name: 'id_counter',
  value: struct({ table: u8, next: u64 }),
  key: { table: u8Key },
});

idCounters.assignNumber(0);
