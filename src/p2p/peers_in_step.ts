import type { ChainView } from './chain_access.ts';
import type { Peer } from './peer.ts';
import type { NodeId } from './wire_values.ts';

/** A block is on its way for a moment, and a status is said each second. */
const NEAR_BLOCKS = 2;

/** Peers whose head is ours, or at most two blocks from it: those from whom a chain that moves comes. */
export function peersInStep(view: Pick<ChainView, 'head' | 'idAt'>, live: readonly Pick<Peer, 'id' | 'status'>[]): NodeId[] {
  const { number } = view.head;
  return live.flatMap(({ id, status }) => {
    if (status === undefined || Math.abs(status.head_number - number) > NEAR_BLOCKS) return [];
    return status.head_number > number || view.idAt(status.head_number) === status.head_id ? [id] : [];
  });
}
