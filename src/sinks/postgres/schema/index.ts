import { version1 } from './version_1.ts';
import { version2 } from './version_2.ts';
import { version3 } from './version_3.ts';
import { version4 } from './version_4.ts';
import { version5 } from './version_5.ts';
import { version6 } from './version_6.ts';
import { version7 } from './version_7.ts';

/** One step of the schema: what it is about, and its statements. Steps are never changed once released, only added. */
export interface Migration {
  readonly version: number;
  readonly about: string;
  readonly sql: string;
}

/**
 * All steps in order; a database of a version behind the last one is brought there, one of a later version is left
 * alone.
 */
export const migrations: readonly Migration[] = [
  { version: 1, about: 'tables and views', sql: version1 },
  { version: 2, about: 'what a stream does not tell, how far behind the index is, foreign keys', sql: version2 },
  { version: 3, about: 'which balances are exact', sql: version3 },
  { version: 4, about: 'indexes for who was paid by whom, withdrawals and witnesses', sql: version4 },
  { version: 5, about: 'what columns of views mean', sql: version5 },
  { version: 6, about: 'instalments that are rounded up', sql: version6 },
  { version: 7, about: 'texts that PostgreSQL can not hold are kept apart', sql: version7 },
];

/**
 * Tables with a row for each thing in a block, which is taken back with it; the column that has the number of the
 * block.
 */
export const blockTables = {
  blocks: 'number',
  transactions: 'block_number',
  operations: 'block_number',
  transfers: 'block_number',
  account_history: 'block_number',
  documents: 'block_number',
  witness_changes: 'block_number',
  vesting_withdrawals: 'block_number',
  escrow_changes: 'block_number',
} as const;

export type BlockTable = keyof typeof blockTables;
