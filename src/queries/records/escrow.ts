import type { ValueOf } from '../../codec/codec.ts';
import { withCoinName } from '../../codec/collections.ts';
import { bool, u32, u64 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { accountName } from '../../values/account_name.ts';
import { asset } from '../../values/asset.ts';
import { time } from '../../values/time.ts';
import { coins, type ChainParameters } from '../../state/parameters.ts';
import type { Escrow } from '../../state/tables/escrow.ts';

/** Coins held between two parties. */
export const escrowRecord = struct({
  id: u64,
  escrow_id: u32,
  from: accountName,
  to: accountName,
  agent: accountName,
  ratification_deadline: time,
  escrow_expiration: time,
  coin_balance: withCoinName(asset),
  pending_fee: asset,
  to_approved: bool,
  agent_approved: bool,
  disputed: bool,
});

export type EscrowRecord = ValueOf<typeof escrowRecord>;

export function makeEscrowRecord(parameters: ChainParameters, escrow: Escrow): EscrowRecord {
  return {
    ...escrow,
    coin_balance: coins(parameters, escrow.coin_balance),
    pending_fee: coins(parameters, escrow.pending_fee),
  };
}
