import { refusals } from '../../base/refusal.ts';

/** Refusals of orders to write a snapshot. */
export const refuseSnapshot = refusals({
  snapshot_under_way: 'a snapshot is being written already: ask again when it is done',
  snapshot_without_genesis: 'this chain has no genesis file but a key alone, and a snapshot has the genesis in it',
});
