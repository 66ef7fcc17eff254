import type { ValueOf } from '../../codec/codec.ts';
import { vector } from '../../codec/collections.ts';
import { u32Key } from '../../codec/key.ts';
import { u16, u32 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { table } from '../../storage/table.ts';
import { accountName, nameKey } from '../../values/account_name.ts';

const pointer = struct({ trx_in_block: u32, op_in_trx: u16, virtual_op: u32 });

const row = struct({
  account: accountName,
  /** The sequence number of the first entry; the others follow consecutively. */
  first_sequence: u32,
  block: u32,
  entries: vector(pointer),
});

export type AccountHistory = ValueOf<typeof row>;
/** The position of an operation in its block. */
export type OperationPointer = ValueOf<typeof pointer>;

/** The history of accounts: a row holds the entries of one account in one block. Operations are read from the block. */
export const accountHistories = table({
  name: 'account_history',
  value: row,
  key: { account: nameKey, first_sequence: u32Key },
  column: 'history',
  writeOnly: true,
});
