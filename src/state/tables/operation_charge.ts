import type { ValueOf } from '../../codec/codec.ts';
import { u16Key, u32Key } from '../../codec/key.ts';
import { i64, u16, u32 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { table } from '../../storage/table.ts';

const row = struct({
  block: u32,
  trx_in_block: u32,
  op_in_trx: u16,
  /** The charge to the payer, in units of the smallest coin. */
  paid: i64,
  /** Of it to the account that the operation creates. */
  given: i64,
});

export type OperationCharge = ValueOf<typeof row>;

/**
 * Charges that follow from prices and votes of their time and not from blocks: fees in other symbols, and payments for
 * new accounts. Blocks that were applied before this table came have no rows here.
 */
export const operationCharges = table({
  name: 'operation_charge',
  value: row,
  key: { block: u32Key, trx_in_block: u32Key, op_in_trx: u16Key },
  column: 'block',
  writeOnly: true,
});
