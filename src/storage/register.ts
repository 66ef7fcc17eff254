import { assert } from '../base/assert.ts';
import { idCounters } from './id_counters.ts';
import type { SomeTable } from './table.ts';

/** All tables of a chain by their permanent numbers. */
export interface Register {
  readonly tables: readonly SomeTable[];
}

/**
 * Assigns each table its permanent number; a removed table leaves its name there as a string.
 * Numbers are 1 to 254, one byte on disk with room for a greater key; 0 is the table of id counters.
 */
export function register(numbered: Readonly<Record<number, SomeTable | string>>): Register {
  const tables: SomeTable[] = [idCounters];
  for (const [text, table] of Object.entries(numbered)) {
    if (typeof table === 'string') continue;
    const number = Number(text);
    assert(Number.isInteger(number) && number >= 1 && number <= 254, `table ${table.name} has a number from 1 to 254`);
    assert(!tables.some((other) => other.name === table.name), `one table is called ${table.name}`);
    table.assignNumber(number);
    tables.push(table);
  }
  return { tables };
}
