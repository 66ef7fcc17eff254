import type { AccountName } from '../values/account_name.ts';
import type { PublicKey } from '../values/public_key.ts';
import type { Seconds } from '../values/time.ts';

/** The chain as production needs it. */
export interface ProductionView {
  /** The slot at a time, with its witness and start; undefined before the first slot after the head. */
  findProductionSlot(time: Seconds): ScheduledSlot | undefined;
  /** The time of the slot that is `slot` slots after the head. */
  slotTime(slot: number): Seconds;
  /** The time of the head block. */
  readonly headTime: Seconds;
  /** The key that a witness signs with; undefined when there is no such witness. */
  signingKeyOf(witness: AccountName): PublicKey | undefined;
  /** The share of the last 128 slots that were filled, in hundredths of a percent. */
  readonly participation: number;
}

/** A slot, its witness and the witness's current signing key, which is undefined when the witness is gone. */
export interface ScheduledSlot {
  readonly witness: AccountName;
  readonly timestamp: Seconds;
  readonly signingKey: PublicKey | undefined;
}

/** Witnesses of a node: which ones it may be asked, and those that are of interest it tells. */
export interface OwnWitnesses extends Iterable<AccountName> {
  readonly size: number;
  has(witness: AccountName): boolean;
}

/** The witnesses and keys that this node produces with. */
export interface Producer {
  readonly witnesses: OwnWitnesses;
  /** The keys that its signer has. */
  readonly keys: ReadonlySet<PublicKey>;
  /** Hundredths of a percent. */
  readonly requiredParticipation: number;
}

/** A slot in which this node must produce a block. */
export interface ProductionSlot {
  readonly kind: 'produce';
  readonly timestamp: Seconds;
  readonly witness: AccountName;
  readonly signingKey: PublicKey;
}

/** The reasons not to sign a slot although it is ours. */
export type HeldBack = 'paused' | 'foreign' | 'watching' | 'not_synced' | 'clock_unconfirmed';

/** The reason to produce no block: in the lineage's terms, or because the key is held back. */
export type NoSlot = {
  readonly kind:
    | 'not_synced'
    | 'not_time_yet'
    | 'not_my_turn'
    | 'no_private_key'
    | 'low_participation'
    | 'lag'
    | HeldBack;
};

/** A block produced later than this could cross the next one. */
const MAX_LAG_MS = 750;

/**
 * Decides whether the slot is this node's, and with which key (chain_rules.md#whether-to-produce). Blocks are produced
 * when their slot begins, not before. With few slots filled they are when enough witnesses are there.
 */
export function chooseProductionSlot(
  nowMs: number,
  chain: ProductionView,
  producer: Producer,
  areEnoughAlive: () => boolean = () => false,
): ProductionSlot | NoSlot {
  const slot = ownSlot(chain.findProductionSlot(Math.trunc(nowMs / 1000)), producer);
  if (slot.kind !== 'produce') return slot;
  if (chain.participation < producer.requiredParticipation && !areEnoughAlive()) return { kind: 'low_participation' };
  return nowMs - slot.timestamp * 1000 > MAX_LAG_MS ? { kind: 'lag' } : slot;
}

/** Returns the slot if it is this node's, regardless of the clock: development chains produce on request. */
export function ownSlot(scheduled: ScheduledSlot | undefined, producer: Producer): ProductionSlot | NoSlot {
  if (scheduled === undefined) return { kind: 'not_time_yet' };
  const { witness, timestamp, signingKey } = scheduled;
  if (!producer.witnesses.has(witness)) return { kind: 'not_my_turn' };
  if (signingKey === undefined || !producer.keys.has(signingKey)) return { kind: 'no_private_key' };
  return { kind: 'produce', timestamp, witness, signingKey };
}
