import type { Target } from './addresses.ts';
import { usualGateLimits, type GateLimits } from './handshake_gate.ts';
import type { Introduction } from './own_hello.ts';
import type { WorkLimits } from './work_budget.ts';
import type { NodeId } from './wire_values.ts';

/** What strangers may take, and how patient a node is with those that it doesn't reach. */
export interface PeerLimits {
  /** Inbound peers of one address, and of one group of addresses: what one hand can easily have many of. */
  readonly ofAddress: number;
  readonly ofGroup: number;
  /** Between two attempts to connect, at most. */
  readonly longestRetryMs: number;
  readonly gate: GateLimits;
  readonly work: WorkBudgetLimits;
}

/** What strangers may take of the network's thread, and of the verifiers by transactions that the chain refuses. */
export interface WorkBudgetLimits {
  readonly receiving: WorkLimits;
  readonly answering: WorkLimits;
  readonly proving: WorkLimits;
}

/** In milliseconds a second: with what metering itself takes a tenth of a core each, of which one peer has half at most, or a fifth of receiving. */
export const usualWorkLimits: WorkBudgetLimits = {
  receiving: { ofAll: 90, ofPeer: 20 },
  answering: { ofAll: 90, ofPeer: 50 },
  proving: { ofAll: 100, ofPeer: 20 },
};

/** What holds unless the operator says otherwise. */
export const usualLimits: PeerLimits = {
  ofAddress: 2,
  ofGroup: 8,
  longestRetryMs: 3 * 60_000, // a node that comes back is found within it
  gate: usualGateLimits,
  work: usualWorkLimits,
};

/** What an operator says of the network. */
export interface NetworkSettings {
  readonly ownId: NodeId;
  readonly introduction: Introduction;
  /** Where to begin; those with an id are pinned: nobody else is let in there. */
  readonly seeds: readonly Target[];
  /** Whose word is taken for who signed transactions, and whose states are compared with ours. */
  readonly trusted: ReadonlySet<NodeId>;
  /** Who may be a peer; everybody when nobody is named. */
  readonly allowed: ReadonlySet<NodeId>;
  readonly maxConnections: number;
  /** How many connections this node makes itself. */
  readonly targetPeers: number;
  /** Whether addresses are told and asked for. */
  readonly exchangesPeers: boolean;
  readonly limits: PeerLimits;
  /** Bytes of transactions that are kept for peers that come later. */
  readonly poolBytes: number;
}
