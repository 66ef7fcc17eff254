import type { ValueOf } from '../../codec/codec.ts';
import { hexKey, u32Key } from '../../codec/key.ts';
import { packedBytes, u32 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { table } from '../../storage/table.ts';
import { hash160 } from '../../values/hash.ts';

const row = struct({
  number: u32,
  id: hash160,
  /** The signed block as it travels. */
  packed: packedBytes,
});

export type StoredBlock = ValueOf<typeof row>;

/** The blocks of the main branch, from 1 on. */
export const blocks = table({
  name: 'block',
  value: row,
  key: { number: u32Key },
  column: 'block',
  orders: { by_block_id: { parts: [hexKey(20)], of: (block: StoredBlock) => [block.id] as const, unique: true } },
});
