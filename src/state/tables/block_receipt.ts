import type { ValueOf } from '../../codec/codec.ts';
import { vector } from '../../codec/collections.ts';
import { u32Key } from '../../codec/key.ts';
import { packedBytes, u16, u32 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { table } from '../../storage/table.ts';
import { accountName } from '../../values/account_name.ts';
import { time } from '../../values/time.ts';

/** `trx_in_block` of what happened outside transactions. */
export const OUTSIDE_TRANSACTIONS = 0xffff_ffff;

const sponsoredOperation = struct({ trx_in_block: u32, op_in_trx: u16, fee_payer: accountName });

const virtualOperation = struct({
  trx_in_block: u32,
  op_in_trx: u16,
  /** Counts from 1, anew in every transaction and after the last one. */
  virtual_op: u32,
  timestamp: time,
  /** Number of the kind, then the body. */
  packed: packedBytes,
});

const row = struct({
  number: u32,
  /** Head time while the block's transactions were applied: that of the block before. */
  time_before: time,
  /** Operations that somebody else paid for; all others were paid by their own fee account. */
  sponsored: vector(sponsoredOperation),
  virtual_operations: vector(virtualOperation),
});

export type BlockReceipt = ValueOf<typeof row>;
export type VirtualOperationRecord = ValueOf<typeof virtualOperation>;

/** What a block did besides what it says. Block 0 holds the hardforks that were applied at genesis. */
export const blockReceipts = table({ name: 'block_receipt', value: row, key: { number: u32Key }, column: 'block' });
