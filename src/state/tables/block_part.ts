import type { ValueOf } from '../../codec/codec.ts';
import { vector } from '../../codec/collections.ts';
import { u32Key } from '../../codec/key.ts';
import { packedBytes, u16, u32 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { table } from '../../storage/table.ts';
import { accountName } from '../../values/account_name.ts';
import { time } from '../../values/time.ts';

/** `trx_in_block` for events outside transactions. */
export const OUTSIDE_TRANSACTIONS = 0xffff_ffff;

const sponsoredOperation = struct({ trx_in_block: u32, op_in_trx: u16, fee_payer: accountName });

const virtualOperation = struct({
  trx_in_block: u32,
  op_in_trx: u16,
  /** Counts from 1, restarting in every transaction and after the last one. */
  virtual_op: u32,
  timestamp: time,
  /** The number of the operation's kind, then its body. */
  packed: packedBytes,
});

export type SponsoredOperation = ValueOf<typeof sponsoredOperation>;
export type VirtualOperationRecord = ValueOf<typeof virtualOperation>;

/** Consecutive transactions, and their effects besides their content. */
export const partFields = {
  /** The end offset of each transaction in `packed`, so that one is found without reading those before it. */
  ends: vector(u32),
  /** The packed transactions. */
  packed: packedBytes,
  /** Operations paid for by a sponsor; all others were paid for by their own fee account. */
  sponsored: vector(sponsoredOperation),
  virtual_operations: vector(virtualOperation),
} as const;

const row = struct({ block: u32, first: u32, ...partFields });

export type BlockPart = Omit<ValueOf<typeof row>, 'block'>;

/** The transactions of a block starting with number `first`. The first part of a block is in the block's own row. */
export const blockParts = table({
  name: 'block_part',
  value: row,
  key: { block: u32Key, first: u32Key },
  column: 'block',
  writeOnly: true,
});
