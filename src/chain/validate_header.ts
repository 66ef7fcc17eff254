import { refusals } from '../base/refusal.ts';
import type { ProvedBlock } from '../blocks/block.ts';
import type { CanonicalRule } from '../crypto/canonical.ts';
import { requireRow } from '../state/lookups.ts';
import type { ChainParameters } from '../state/parameters.ts';
import { dynamicGlobalProperties } from '../state/tables/dynamic_global_property.ts';
import { witnesses } from '../state/tables/witness.ts';
import { witnessSchedule } from '../state/tables/witness_schedule.ts';
import type { RowReader } from '../storage/rows.ts';
import { requireTime } from '../values/time.ts';
import { requireSigner } from './signature_form.ts';
import { scheduledWitness, slotAtTime } from './slots.ts';

const refuse = refusals({
  block_not_on_head: 'the block follows {previous}, the head is {head}',
  block_too_early: 'the block is not later than the head',
  block_signature: 'the block is not signed with the key of witness {witness}',
  no_slot: 'the block comes before the first slot behind the head',
  wrong_witness: 'Witness produced block at wrong time',
});

/** Checks a header against the rows of the head that it follows (chain.md 5.5); without a rule for signatures, without its signature. */
export function validateHeader(
  head: RowReader,
  parameters: ChainParameters,
  rule: CanonicalRule | undefined,
  { header, signer }: SignedHeader,
): void {
  const properties = head.only(dynamicGlobalProperties);
  const { previous, timestamp, witness } = header;
  if (previous !== properties.head_block_id) refuse.block_not_on_head({ previous, head: properties.head_block_id });
  if (timestamp <= properties.time) refuse.block_too_early();
  requireTime(timestamp);
  const { signing_key } = requireRow(head, witnesses, witness, witness);
  if (rule !== undefined && requireSigner(rule, header.witness_signature, signer) !== signing_key) refuse.block_signature({ witness });
  const slot = slotAtTime(parameters, properties, timestamp);
  if (slot === 0) refuse.no_slot();
  if (scheduledWitness(head.only(witnessSchedule), properties, slot) !== witness) refuse.wrong_witness();
}

type SignedHeader = Pick<ProvedBlock, 'header' | 'signer'>;
