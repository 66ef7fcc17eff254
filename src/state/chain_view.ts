import { assert } from '../base/assert.ts';
import type { KeyValueReader } from '../storage/key_value.ts';
import { View } from '../storage/view.ts';
import { tables } from './tables/index.ts';

/** A view of the chain's rows. Ensures that the tables have their numbers, which every reading thread relies on. */
export function chainView(reader: KeyValueReader, cachedRows: number): View {
  assert(tables.tables.length > 0, 'the tables of the chain are registered');
  return new View(reader, cachedRows);
}
