import { refusals } from '../base/refusal.ts';
import type { VerifiedBlock } from '../blocks/block.ts';
import type { CanonicalRule } from '../crypto/canonical.ts';
import { requireRow } from '../state/lookups.ts';
import type { ChainParameters } from '../state/parameters.ts';
import { dynamicGlobalProperties } from '../state/tables/dynamic_global_property.ts';
import { witnesses } from '../state/tables/witness.ts';
import { witnessSchedule } from '../state/tables/witness_schedule.ts';
import type { RowReader } from '../storage/rows.ts';
import type { AccountName } from '../values/account_name.ts';
import type { PublicKey } from '../values/public_key.ts';
import { requireTime, timeText, type Seconds } from '../values/time.ts';
import type { SigningRound } from './branch_point.ts';
import { requireSigner } from '../blocks/signature_form.ts';
import { scheduledWitness, slotAtTime } from './slots.ts';

const refuse = refusals({
  block_not_on_head: 'the block follows {previous}, the head is {head}',
  block_too_early: 'the block is of {timestamp}, not later than the block before it, which is of {before}',
  block_signature: 'the block is not signed with the key of witness {witness}',
  no_slot: 'the block is of {timestamp}, before the first slot behind the block of {before}',
  wrong_witness: {
    text: 'witness {witness} made a block for {timestamp}, a slot of {scheduled}',
    lineage: 'Witness produced block at wrong time',
  },
});

/**
 * Checks a header against the rows of the head that it follows (chain.md 5.5); without a rule for signatures, its signature is not checked.
 */
export function validateHeader(
  head: RowReader,
  parameters: ChainParameters,
  rule: CanonicalRule | undefined,
  { header, signer }: SignedHeader,
): void {
  const properties = head.only(dynamicGlobalProperties);
  const { previous, timestamp, witness } = header;
  if (previous !== properties.head_block_id) refuse.block_not_on_head({ previous, head: properties.head_block_id });
  if (timestamp <= properties.time) refuse.block_too_early(timesOf(timestamp, properties.time));
  requireTime(timestamp);
  const { signing_key } = requireRow(head, witnesses, witness, witness);
  if (rule !== undefined && requireSigner(rule, header.witness_signature, signer) !== signing_key) refuse.block_signature({ witness });
  const slot = slotAtTime(parameters, properties, timestamp);
  if (slot === 0) refuse.no_slot(timesOf(timestamp, properties.time));
  const scheduled = scheduledWitness(head.only(witnessSchedule), properties, slot);
  if (scheduled !== witness) refuse.wrong_witness({ witness, timestamp: timeText(timestamp), scheduled });
}

function timesOf(timestamp: Seconds, before: Seconds): { readonly timestamp: string; readonly before: string } {
  return { timestamp: timeText(timestamp), before: timeText(before) };
}

type SignedHeader = Pick<VerifiedBlock, 'header' | 'signer'>;

/** A block off the main branch, or on it below the head, with what is known about who may follow it. */
export interface Forerunner {
  readonly number: number;
  readonly time: Seconds;
  readonly aslot: number;
  readonly round: SigningRound;
  /** Whether the round continues: the witnesses of a later round's slots are known only where the branch was applied. */
  readonly isInRound: boolean;
}

/**
 * The same check against a block whose rows are not available: time, slot and turn as far as they are known, and a key that may be the
 * witness's. Returns the number of the slot since the start of the chain.
 */
export function validateBranchHeader(
  before: Forerunner,
  parameters: ChainParameters,
  rule: CanonicalRule,
  { header, signer }: SignedHeader,
  mayBeKeyOf: (witness: AccountName, key: PublicKey) => boolean,
): number {
  const { timestamp, witness } = header;
  if (timestamp <= before.time) refuse.block_too_early(timesOf(timestamp, before.time));
  const slot = slotAtTime(parameters, { head_block_number: before.number, time: before.time }, timestamp);
  if (slot === 0) refuse.no_slot(timesOf(timestamp, before.time));
  const aslot = before.aslot + slot;
  const { signers } = before.round;
  const scheduled = before.isInRound ? (signers[aslot % signers.length]?.witness ?? '') : witness;
  if (scheduled !== witness) refuse.wrong_witness({ witness, timestamp: timeText(timestamp), scheduled });
  if (!mayBeKeyOf(witness, requireSigner(rule, header.witness_signature, signer))) refuse.block_signature({ witness });
  return aslot;
}
