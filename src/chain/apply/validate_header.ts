import { refusals } from '../../base/refusal.ts';
import type { VerifiedBlock } from '../../blocks/block.ts';
import type { CanonicalRule } from '../../crypto/canonical.ts';
import { hardforks } from '../../state/hardforks.ts';
import { requireRow } from '../../state/lookups.ts';
import type { ChainParameters } from '../../state/parameters.ts';
import { dynamicGlobalProperties } from '../../state/tables/dynamic_global_property.ts';
import { witnesses } from '../../state/tables/witness.ts';
import { witnessSchedule } from '../../state/tables/witness_schedule.ts';
import type { RowReader } from '../../storage/rows.ts';
import type { AccountName } from '../../values/account_name.ts';
import type { PublicKey } from '../../values/public_key.ts';
import { timeText, type Seconds } from '../../values/time.ts';
import type { SigningRound } from './branch_point.ts';
import { ownHardforksDue } from './hardforks.ts';
import type { KeyStanding } from './named_keys.ts';
import { requireSigner, signatureRules } from '../../blocks/signature_form.ts';
import { scheduledWitness, slotAtTime } from './slots.ts';

const refuse = refusals({
  block_not_on_head: 'the block follows {previous}, the head is {head}',
  block_too_early: 'the block is of {timestamp}, not later than the block before it, which is of {before}',
  block_signature: 'the block is not signed with the key of witness {witness}',
  time_over: 'the block is of {timestamp}, and no block can be later than {end}: the chain counts time in 32 bits',
  no_slot: 'the block is of {timestamp}, before the first slot behind the block of {before}',
  wrong_witness: {
    text: 'witness {witness} made a block for {timestamp}, a slot of {scheduled}',
    lineage: 'Witness produced block at wrong time',
  },
});

/**
 * Checks a header against the rows of the head that it follows (chain_rules.md#block-headers); without a rule for
 * signatures, its signature is not checked.
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
  if (timestamp <= properties.time) refuse.block_too_early(describeTimes(timestamp, properties.time));
  requireBlockTime(parameters, timestamp);
  const { signing_key } = requireRow(head, witnesses, witness, witness);
  if (rule !== undefined && requireSigner(rule, header.witness_signature, signer) !== signing_key)
    refuse.block_signature({ witness });
  const slot = slotAtTime(parameters, properties, timestamp);
  if (slot === 0) refuse.no_slot(describeTimes(timestamp, properties.time));
  const scheduled = scheduledWitness(head.only(witnessSchedule), properties, slot);
  if (scheduled !== witness) refuse.wrong_witness({ witness, timestamp: timeText(timestamp), scheduled });
}

function requireBlockTime({ lastBlockTime }: ChainParameters, timestamp: Seconds): void {
  if (timestamp > lastBlockTime) refuse.time_over({ timestamp: timeText(timestamp), end: timeText(lastBlockTime) });
}

function describeTimes(timestamp: Seconds, before: Seconds): { readonly timestamp: string; readonly before: string } {
  return { timestamp: timeText(timestamp), before: timeText(before) };
}

type SignedHeader = Pick<VerifiedBlock, 'header' | 'signer'>;

/** A block off the main branch, or on it below the head, with what is known about who may follow it. */
export interface Forerunner {
  readonly number: number;
  readonly time: Seconds;
  readonly aslot: number;
  readonly round: SigningRound;
  /**
   * True if the round continues: the witnesses of a later round's slots are known only where the branch was applied.
   */
  readonly isInRound: boolean;
}

/**
 * The form of signatures that a block must have on top of that one; the looser one where the witnesses may have agreed
 * on it meanwhile.
 */
export function branchRule(parameters: ChainParameters, before: Forerunner, timestamp: Seconds): CanonicalRule {
  if (parameters.rules.one_signature_form) return signatureRules.one;
  // The first block is judged after the hardforks that it applies.
  if (before.number === 0)
    return ownHardforksDue(parameters, timestamp) >= hardforks.interestVotes.id
      ? signatureRules.loose
      : signatureRules.first;
  return before.isInRound && before.time < before.round.loose_since ? signatureRules.first : signatureRules.loose;
}

/** Findings about a header off the main branch. */
export interface JudgedOnBranch {
  /** The number of its slot since the start of the chain. */
  readonly aslot: number;
  readonly standing: Exclude<KeyStanding, 'foreign'>;
}

/**
 * The same check against a block whose rows are not available: time, slot and turn as far as they are known, and a key
 * that is the witness's or may have become it.
 */
export function validateBranchHeader(
  before: Forerunner,
  parameters: ChainParameters,
  { header, signer }: SignedHeader,
  standingOf: (witness: AccountName, key: PublicKey) => KeyStanding,
): JudgedOnBranch {
  const { timestamp, witness } = header;
  if (timestamp <= before.time) refuse.block_too_early(describeTimes(timestamp, before.time));
  requireBlockTime(parameters, timestamp);
  const slot = slotAtTime(parameters, { head_block_number: before.number, time: before.time }, timestamp);
  if (slot === 0) refuse.no_slot(describeTimes(timestamp, before.time));
  const aslot = before.aslot + slot;
  const { signers } = before.round;
  const scheduled = before.isInRound ? (signers[aslot % signers.length]?.witness ?? '') : witness;
  if (scheduled !== witness) refuse.wrong_witness({ witness, timestamp: timeText(timestamp), scheduled });
  const rule = branchRule(parameters, before, timestamp);
  const standing = standingOf(witness, requireSigner(rule, header.witness_signature, signer));
  return standing === 'foreign' ? refuse.block_signature({ witness }) : { aslot, standing };
}
