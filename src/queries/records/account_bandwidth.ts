import { u32, u64 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';

/** The free use of an account since its counters were reset: packed bytes, operations, and the block of the reset. */
export const accountBandwidthRecord = struct({
  act_fee_free_bandwidth: u64,
  act_fee_free_ops_count: u64,
  last_block_num_reset: u32,
});
