import type { ByteBudget } from '../../wire/link/byte_budget.ts';
import type { MessageRouter } from './message_router.ts';
import type { NetworkCounts } from './network_counts.ts';
import type { Environment } from '../environment/environment.ts';
import type { Introduction } from './own_hello.ts';
import type { WorkBudgets } from './peer_credit.ts';
import type { NodeId } from '../../wire/wire_values.ts';

/** Hears of a peer's offences and of its end. */
export interface PeerKeeper<Peer> {
  /** It has said hello, and its chain is ours. False when it can't stay; then it has been closed. */
  greeted(peer: Peer): boolean;
  /** It said where its chain stands. */
  moved(peer: Peer): void;
  /** Bans a peer for something that nobody does by accident. */
  ban(peer: Peer, why: string): void;
  /** The link is gone; once. */
  gone(peer: Peer, reason: string): void;
}

/** The parts that all peers share. */
export interface PeerParts<Peer> {
  readonly environment: Environment;
  readonly introduction: Introduction;
  readonly ownId: NodeId;
  readonly budget: ByteBudget;
  readonly router: MessageRouter<Peer>;
  readonly keeper: PeerKeeper<Peer>;
  readonly counts: NetworkCounts;
  readonly budgets: WorkBudgets;
  /** True if the operator has chosen it: then it takes nothing of what strangers have. */
  readonly isChosen: boolean;
}
