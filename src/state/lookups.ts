import { refusals } from '../base/refusal.ts';
import type { RowReader } from '../storage/rows.ts';
import type { Table } from '../storage/table.ts';
import type { AccountName } from '../values/account_name.ts';
import { accounts, type Account } from './tables/account.ts';

const refuse = refusals({
  unknown_key: { text: 'unknown key', lineageCode: 13 },
  uniqueness: { text: 'could not insert object, most likely a uniqueness constraint was violated', lineageCode: 13 },
});

/** The row, which an operation takes for granted; refused as `unknown_key` when it is missing. */
export function requireRow<Key, Row>(rows: RowReader, table: Table<Key, Row>, key: Key, named: string): Row {
  return rows.get(table, key) ?? refuse.unknown_key({ table: table.name, key: named });
}

/** The account of that name. */
export function requireAccount(rows: RowReader, name: AccountName): Account {
  return rows.get(accounts, name) ?? refuse.unknown_key({ table: 'account', key: name });
}

/** Refuses a row that isn't there, when it was looked for by something else than its key. */
export function refuseUnknown(table: string, key: string): never {
  return refuse.unknown_key({ table, key });
}

/** Refuses a row whose key is taken. */
export function refuseDuplicate(table: string, key: string): never {
  return refuse.uniqueness({ table, key });
}
