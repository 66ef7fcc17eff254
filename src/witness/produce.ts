import type { AccountName } from '../values/account_name.ts';
import type { PublicKey } from '../values/public_key.ts';
import type { Seconds } from '../values/time.ts';

/** What production asks of the chain. */
export interface ProductionView {
  /** Whose slot it is at a time, and when that slot began; undefined before the first slot behind the head. */
  productionSlotAt(time: Seconds): ScheduledSlot | undefined;
  /** The time of the slot that is `slot` slots behind the head. */
  slotTime(slot: number): Seconds;
  /** The time of the head block. */
  readonly headTime: Seconds;
  /** The key that a witness signs with; undefined when there is no such witness. */
  signingKeyOf(witness: AccountName): PublicKey | undefined;
  /** Hundredths of a percent of the last 128 slots that were filled. */
  readonly participation: number;
}

/** A slot, its witness, and the key that the witness has now; undefined when the witness is gone. */
export interface ScheduledSlot {
  readonly witness: AccountName;
  readonly timestamp: Seconds;
  readonly signingKey: PublicKey | undefined;
}

/** What this node produces with. */
export interface Producer {
  readonly witnesses: ReadonlySet<AccountName>;
  /** Secrets by the public key that they belong to. */
  readonly secrets: ReadonlyMap<PublicKey, Uint8Array>;
  /** Hundredths of a percent. */
  readonly requiredParticipation: number;
}

/** A block that it is this node's turn to make. */
export interface ProductionSlot {
  readonly kind: 'produce';
  readonly timestamp: Seconds;
  readonly witness: AccountName;
  readonly secret: Uint8Array;
}

/** Why there is no block to make, in the lineage's words. */
export type NoSlot = { readonly kind: 'not_synced' | 'not_time_yet' | 'not_my_turn' | 'no_private_key' | 'low_participation' | 'lag' };

/** A block that is made later than this would meet the next one on its way. */
const MAX_LAG_MS = 750;

/** Whether it is this node's turn, and with which key (chain.md 14.2). Blocks are made when their slot begins, not before. */
export function productionSlotAt(nowMs: number, chain: ProductionView, producer: Producer): ProductionSlot | NoSlot {
  const turn = ownSlot(chain.productionSlotAt(Math.trunc(nowMs / 1000)), producer);
  if (turn.kind !== 'produce') return turn;
  if (chain.participation < producer.requiredParticipation) return { kind: 'low_participation' };
  return nowMs - turn.timestamp * 1000 > MAX_LAG_MS ? { kind: 'lag' } : turn;
}

/** Whether a slot is this node's, whatever the clock says: development chains produce when they are told to. */
export function ownSlot(scheduled: ScheduledSlot | undefined, producer: Producer): ProductionSlot | NoSlot {
  if (scheduled === undefined) return { kind: 'not_time_yet' };
  const { witness, timestamp, signingKey } = scheduled;
  if (!producer.witnesses.has(witness)) return { kind: 'not_my_turn' };
  const secret = signingKey === undefined ? undefined : producer.secrets.get(signingKey);
  return secret === undefined ? { kind: 'no_private_key' } : { kind: 'produce', timestamp, witness, secret };
}
