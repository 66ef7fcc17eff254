import { refusals, type Refuse } from '../base/refusal.ts';
import type { RowReader } from '../storage/rows.ts';
import type { Table } from '../storage/table.ts';
import type { AccountName } from '../values/account_name.ts';
import { accounts, type Account } from './tables/account.ts';

/** Refusals for missing rows, worded by table; an authority is missing if its account is. */
const noAccount = missing('no account is named {key}');
const noWitness = missing('{key} is no witness');
const noApplicationWithId = missing('no application has the id {key}');
const noRow: ReadonlyMap<string, Refuse> = new Map([
  ['account', noAccount.unknown_key],
  ['account_authority', noAccount.unknown_key],
  ['account_fee_sponsor', missing('nobody pays the fees of {key}').unknown_key],
  ['application', missing('no application is named {key}').unknown_key],
  ['application_buying', missing('there is no buying {key} (buyer/app_id)').unknown_key],
  ['escrow', missing('there is no escrow {key} (from/escrow_id)').unknown_key],
  ['witness', noWitness.unknown_key],
]);

/** Refusals for rows that already exist. */
const taken = {
  account: duplicate('an account named {key} exists already; choose another seed'),
  application: duplicate('an application named {key} exists already; choose another name'),
  escrow: duplicate('there is an escrow {key} (from/escrow_id) already; choose another escrow_id'),
} as const;

/** The refusals of reads that look up accounts, and of those that look up a witness. */
export const unknownAccountRefusals = noAccount.texts;
export const unknownWitnessRefusals = noWitness.texts;

function missing(text: string) {
  return refusals({ unknown_key: { text, lineage: 'unknown key', lineageCode: 13 } });
}

function duplicate(text: string): Refuse {
  const lineage = 'could not insert object, most likely a uniqueness constraint was violated';
  return refusals({ uniqueness: { text, lineage, lineageCode: 13 } }).uniqueness;
}

const noSuchRow = missing('there is no {table} {key}').unknown_key;

/** The row that an operation requires; refused as `unknown_key` if it is missing. */
export function requireRow<Key, Row>(rows: RowReader, table: Table<Key, Row>, key: Key, named: string): Row {
  return rows.get(table, key) ?? refuseUnknown(table.name, named);
}

/** The account with that name. */
export function requireAccount(rows: RowReader, name: AccountName): Account {
  return rows.get(accounts, name) ?? refuseUnknown('account', name);
}

function refuseUnknown(table: string, key: string): never {
  const refuse: Refuse = noRow.get(table) ?? noSuchRow;
  return refuse({ table, key });
}

/** Refuses an unknown application id. */
export function refuseUnknownApplication(id: bigint): never {
  return noApplicationWithId.unknown_key({ table: 'application', key: String(id) });
}

/** Refuses a row whose key already exists. */
export function refuseDuplicate(table: keyof typeof taken, key: string): never {
  const refuse: Refuse = taken[table];
  return refuse({ table, key });
}
