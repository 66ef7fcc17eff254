import { textWriter } from '../../codec/json_text.ts';
import type { EncodingOptions } from '../../codec/encoding_options.ts';
import { readHeader } from '../../blocks/block.ts';
import { historyEntry } from '../history_entry.ts';
import { optional } from '../../codec/collections.ts';
import { struct, type AnyCodec } from '../../codec/struct.ts';
import { text, u16, u32 } from '../../codec/primitives.ts';
import { operationCodec } from '../../operations/index.ts';
import type { ValueOf } from '../../codec/codec.ts';
import type { BlockRow } from '../../state/tables/block.ts';
import { accountName } from '../../values/account_name.ts';
import { asset, vestsAsset } from '../../values/asset.ts';
import { hash160 } from '../../values/hash.ts';
import { time } from '../../values/time.ts';
import { position } from './position.ts';

/** A block as a notice has it; `block_api.get_block` has the rest. */
const followedBlock = struct({
  number: u32,
  id: hash160,
  previous: hash160,
  timestamp: time,
  witness: accountName,
  transaction_count: u32,
});

/** The balances of an account. */
const followedBalance = struct({
  account: accountName,
  balance: optional(asset),
  vesting_shares: optional(vestsAsset),
});

/** A block that a branch and the one before it have in common. */
const commonBlock = struct({ number: u32, id: hash160 });

/**
 * A charge of an operation that doesn't follow from its members: a fee in another symbol, or the payment for a new
 * account.
 */
const followedCharge = struct({ paid: asset, given: asset });

const refusalRecord = struct({ name: text, message: text });

/** The reason of an end: a stable name, and a sentence. */
export type RefusalRecord = ValueOf<typeof refusalRecord>;

/** A transaction that waits for a block, or did. */
const waitingTransaction = struct({ trx_id: hash160, expiration: time });

/** One of its operations. Who pays as a sponsor, and what the chain adds, is known with the block. */
const waitingOperation = struct({
  trx_id: hash160,
  op_in_trx: u16,
  expiration: time,
  op: operationCodec,
  fee_payer: accountName,
});

/** The members of each type of notice besides its `type`. */
const noticeForms = {
  /** A block, once all of its operations were told. */
  block: struct({ position, block: followedBlock }),
  operation: struct({ position, operation: historyEntry, charge: optional(followedCharge) }),
  balance: struct({ position, balance: followedBalance }),
  /** Notices of blocks above this one are void. */
  undone: struct({ position, block: commonBlock }),
  /** The reader is too slow: what follows is read from the database at its speed. */
  behind: struct({ position }),
  /** Nothing more follows. */
  ended: struct({ position, error: refusalRecord }),
  /** This node has accepted it for a block to come. */
  pending: struct({ operation: waitingOperation }),
  pending_transaction: struct({ transaction: struct({ trx_id: hash160, expiration: time, operation_count: u32 }) }),
  /** No block has it, and this node doesn't wait for one any more. */
  dropped: struct({ transaction: waitingTransaction, error: refusalRecord }),
  /** Of so many transactions it was not told that they wait, or are dropped. */
  missed: struct({ count: u32 }),
} as const;

type NoticeType = keyof typeof noticeForms;

/** The text of an item. */
export function noticeText<T extends NoticeType>(
  type: T,
  content: ValueOf<(typeof noticeForms)[T]>,
  encoding: EncodingOptions,
): string;
export function noticeText(type: NoticeType, content: unknown, encoding: EncodingOptions): string {
  const form: AnyCodec = noticeForms[type];
  return `{"type":"${type}",${textWriter(form)(content, encoding).slice(1)}`;
}

/** The block of a notice, from its row. */
export function makeFollowedBlock(row: BlockRow): ValueOf<typeof followedBlock> {
  const { previous, timestamp, witness } = readHeader(row.head);
  return { number: row.number, id: row.id, previous, timestamp, witness, transaction_count: row.transaction_count };
}
