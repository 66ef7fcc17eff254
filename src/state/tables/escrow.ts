import type { ValueOf } from '../../codec/codec.ts';
import { u32Key, u64Key, boolKey } from '../../codec/key.ts';
import { u32, u64, i64, bool } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { table } from '../../storage/table.ts';
import { accountName, nameKey } from '../../values/account_name.ts';
import { time } from '../../values/time.ts';

const row = struct({
  id: u64,
  escrow_id: u32,
  from: accountName,
  to: accountName,
  agent: accountName,
  ratification_deadline: time,
  escrow_expiration: time,
  coin_balance: i64,
  pending_fee: i64,
  to_approved: bool,
  agent_approved: bool,
  disputed: bool,
});

export type Escrow = ValueOf<typeof row>;

/** Coins held between two parties until they or their agent release them. */
export const escrows = table({
  name: 'escrow',
  value: row,
  key: { from: nameKey, escrow_id: u32Key },
  indexes: {
    by_from_id: {
      parts: [nameKey, u32Key],
      of: (escrow: Escrow) => [escrow.from, escrow.escrow_id] as const,
      writable: true,
      unique: true,
    },
    by_ratification_deadline: {
      parts: [boolKey, u32Key, u64Key],
      of: (escrow: Escrow) =>
        [escrow.to_approved && escrow.agent_approved, escrow.ratification_deadline, escrow.id] as const,
      writable: true,
      unique: true,
    },
  },
});
