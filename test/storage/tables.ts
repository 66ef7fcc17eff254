import { descending, i64Key, textKey, u32Key, u64Key } from '../../src/codec/key.ts';
import { i64, text, u32, u64 } from '../../src/codec/primitives.ts';
import { struct } from '../../src/codec/struct.ts';
import { register } from '../../src/storage/register.ts';
import { table } from '../../src/storage/table.ts';

export const accounts = table({
  name: 'account',
  value: struct({ name: text, balance: i64, proxy: text, due: u32 }),
  key: { name: textKey },
  indexes: {
    by_proxy: { parts: [textKey, textKey], of: (row) => [row.proxy, row.name], unique: true },
    by_due: {
      parts: [u32Key, textKey],
      of: (row) => (row.due === 0 ? undefined : [row.due, row.name]),
      writable: true,
      unique: true,
    },
    by_balance: { parts: [descending(i64Key)], of: (row) => [row.balance], writable: true },
  },
});

export const escrows = table({
  name: 'escrow',
  value: struct({ from: text, escrow_id: u32, id: u64, deadline: u32 }),
  key: { from: textKey, escrow_id: u32Key },
  indexes: {
    by_deadline: { parts: [u32Key, u64Key], of: (row) => [row.deadline, row.id], writable: true, unique: true },
  },
});

export const globals = table({ name: 'globals', value: struct({ head: u32 }), key: {} });

export const entries = table({
  name: 'entry',
  value: struct({ block: u32, position: u32, note: text }),
  key: { block: u32Key, position: u32Key },
  column: 'history',
});

/** Rows that are never changed or removed. */
export const documents = table({
  name: 'document',
  value: struct({ id: u32, author: text, body: text }),
  key: { id: u32Key },
  indexes: { by_author: { parts: [textKey, u32Key], of: (row) => [row.author, row.id], unique: true } },
  column: 'history',
  hashed: true,
  writeOnly: true,
});

export const testTables = register({
  1: accounts,
  2: 'removed_table',
  3: escrows,
  4: globals,
  5: entries,
  6: documents,
});
