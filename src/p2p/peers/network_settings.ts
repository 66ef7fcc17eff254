import type { Target } from '../../wire/addresses.ts';
import { usualGateLimits, type GateLimits } from './handshake_gate.ts';
import type { Introduction } from './own_hello.ts';
import type { WorkLimits } from './work_budget.ts';
import type { NodeId } from '../../wire/wire_values.ts';

/** Limits on strangers, and the patience with peers that can't be reached. */
export interface PeerLimits {
  /** Inbound peers of one address, and of one group of addresses: what one hand can easily have many of. */
  readonly ofAddress: number;
  readonly ofGroup: number;
  /** Between two attempts to connect, at most. */
  readonly longestRetryMs: number;
  readonly gate: GateLimits;
  readonly work: WorkBudgetLimits;
}

/**
 * Work that strangers may cause for the network thread, and for the verifiers by transactions that the chain refuses.
 */
export interface WorkBudgetLimits {
  readonly receiving: WorkLimits;
  readonly answering: WorkLimits;
  readonly verifying: WorkLimits;
}

/**
 * In milliseconds a second, with TLS, the kernel and garbage: below a tenth of a core each, as half a second's worth
 * may come at once, and handshakes take 30 ms. One peer has its own part.
 */
export const usualWorkLimits: WorkBudgetLimits = {
  receiving: { ofAll: 50, ofPeer: 20 },
  answering: { ofAll: 70, ofPeer: 50 },
  verifying: { ofAll: 100, ofPeer: 20 },
};

/** The defaults. */
export const usualLimits: PeerLimits = {
  ofAddress: 2,
  ofGroup: 8,
  longestRetryMs: 3 * 60_000, // a node that comes back is found within it
  gate: usualGateLimits,
  work: usualWorkLimits,
};

/** The operator's settings of the network. */
export interface NetworkSettings {
  readonly ownId: NodeId;
  readonly introduction: Introduction;
  /** The first peers to dial. One with an id is pinned: no other node is let in there. */
  readonly seeds: readonly Target[];
  /** Peers whose claims about signers are believed, and whose states are compared with ours. */
  readonly trusted: ReadonlySet<NodeId>;
  /** Nodes that may be peers; all when the set is empty. */
  readonly allowed: ReadonlySet<NodeId>;
  readonly maxConnections: number;
  /** The number of connections that this node dials. */
  readonly targetPeers: number;
  /** True if addresses are told and asked for. */
  readonly exchangesPeers: boolean;
  readonly limits: PeerLimits;
  /** Bytes of transactions that are kept for peers that come later. */
  readonly poolBytes: number;
}
