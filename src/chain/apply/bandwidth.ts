import { refusals } from '../../base/refusal.ts';
import { headProperties, type ChainState } from '../../state/chain_state.ts';
import { accountBandwidths, type AccountBandwidth } from '../../state/tables/account_bandwidth.ts';
import type { AccountName } from '../../values/account_name.ts';

const refuse = refusals({
  bandwidth_exceeded: {
    text: 'operations of {account} without a fee have {used} bytes; {most} are free, and they count from zero again after block {block}',
    lineage:
      'Fee-free operations max. allowed bandwidth [Bytes] exceeded.Wait for the next counter reset, which happens after block# {block}',
    lineageCode: 3_070_000,
  },
  operations_exceeded: {
    text: '{account} has authorised {used} operations without a fee; {most} are free, and they count from zero again after block {block}',
    lineage:
      'Fee-free operations max. allowed count exceeded.Wait for the next counter reset, which happens after block# {block}',
    lineageCode: 3_070_000,
  },
});

/** The free use of a transaction: packed bytes, and operations. */
export interface FreeUse {
  readonly bytes: bigint;
  readonly operations: bigint;
}

/**
 * Charges the free use to every account that authorised the transaction, and refuses what exceeds the limit
 * (chain_rules.md#operations-without-a-fee).
 */
export function countFreeUse(state: ChainState, names: Iterable<AccountName>, use: FreeUse): void {
  const { genesis } = state.parameters;
  for (const account of names) {
    const counters = withUse(state, account, use);
    state.rows.put(accountBandwidths, counters);
    const block = counters.last_block_num_reset + genesis.limit_bandwidth_blocks;
    const { act_fee_free_bandwidth: bytes, act_fee_free_ops_count: operations } = counters;
    const { max_allowed_bandwidth: mostBytes, max_allowed_ops: mostOperations } = genesis;
    if (bytes > mostBytes) refuse.bandwidth_exceeded({ account, used: bytes, most: mostBytes, block });
    if (operations > mostOperations)
      refuse.operations_exceeded({ account, used: operations, most: mostOperations, block });
  }
}

function withUse(state: ChainState, account: AccountName, { bytes, operations }: FreeUse): AccountBandwidth {
  const number = headProperties(state).head_block_number;
  const before = state.rows.get(accountBandwidths, account);
  if (before === undefined || number - before.last_block_num_reset > state.parameters.genesis.limit_bandwidth_blocks) {
    return { account, act_fee_free_bandwidth: bytes, act_fee_free_ops_count: operations, last_block_num_reset: number };
  }
  const act_fee_free_bandwidth = before.act_fee_free_bandwidth + bytes;
  return { ...before, act_fee_free_bandwidth, act_fee_free_ops_count: before.act_fee_free_ops_count + operations };
}
