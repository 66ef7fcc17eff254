import type { SignedHeartbeat } from '../blocks/alive.ts';
import type { Seconds } from '../values/time.ts';
import type { WitnessFigures } from '../witness/production_watch.ts';
import type { PeersInStep, StandbyReport } from '../witness/standby.ts';
import type { OfferReport } from '../witness/standby_offers.ts';

/** A report of production to the front, as it happens. */
export type ProductionUpdate =
  /** This node has produced a block for a slot. */
  | { readonly kind: 'produced'; readonly slot: SlotTimes }
  /** A witness of this node has signed that it is there. */
  | { readonly kind: 'own_alive'; readonly alive: SignedHeartbeat }
  /** A switch for the standby with that id among peers. */
  | { readonly kind: 'standby_switch'; readonly node: string; readonly packed: Uint8Array }
  /** Problems for the operator, each as a sentence. */
  | { readonly kind: 'production'; readonly problems: readonly string[] };

/** The timing of a block relative to its slot, by this machine's clock. */
export interface SlotTimes {
  /** From the beginning of the slot until the work on the block began. */
  readonly startedLateMs: number;
  /** From the beginning of the slot until the block was on the disk. */
  readonly committedLateMs: number;
  /** When it was on the disk, in milliseconds since 1970. */
  readonly committedMs: number;
}

/** Peers whose head is ours, or near it. */
export interface SeenInStep extends PeersInStep {
  /**
   * Those of them that count: one for each address group that this node has dialled, and nodes that its operator has
   * named.
   */
  readonly sources: readonly string[];
}

/** The reports of standbys, and the readiness of this one. */
export interface StandbyReports {
  readonly standby: StandbyReport | undefined;
  readonly offers: readonly OfferReport[];
}

/** The state of this node's witnesses. */
export interface ProductionReport extends StandbyReports {
  readonly isPaused: boolean;
  readonly witnesses: readonly (WitnessFigures & { readonly nextSlot: Seconds })[];
}
