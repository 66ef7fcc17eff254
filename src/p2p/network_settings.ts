import type { Target } from './addresses.ts';
import type { Introduction } from './own_hello.ts';
import type { NodeId } from './wire_values.ts';

/** What an operator says of the network. */
export interface NetworkSettings {
  readonly ownId: NodeId;
  readonly introduction: Introduction;
  /** Where to begin; those with an id are pinned: nobody else is let in there. */
  readonly seeds: readonly Target[];
  /** Who may be a peer; everybody when nobody is named. */
  readonly allowed: ReadonlySet<NodeId>;
  readonly maxConnections: number;
  /** How many connections this node makes itself. */
  readonly targetPeers: number;
  /** Whether addresses are told and asked for. */
  readonly exchangesPeers: boolean;
}
