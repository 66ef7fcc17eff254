import { refusals } from '../../base/refusal.ts';
import type { VerifiedBlock } from '../../blocks/block.ts';
import { requireMerkleRoot } from '../../blocks/merkle.ts';
import { noteBlockId } from '../../state/block_ids.ts';
import { headProperties } from '../../state/chain_state.ts';
import { removeDeletedBuyings } from '../../state/deleted_applications.ts';
import { removeStoppedVotes } from '../../state/stopped_witnesses.ts';
import { finishVotes } from '../../state/votes.ts';
import { transactionLocations } from '../../state/tables/transaction_location.ts';
import { applyTransaction } from './apply_transaction.ts';
import { expireEscrows } from './escrow_ratification.ts';
import { noteProducer, updateGlobalData } from './global_data.ts';
import {
  applyDueHardforks,
  applyFirstHardforks,
  hardforksDue,
  requireKnownBeginning,
  type FirstHeader,
} from './hardforks.ts';
import { applyHeaderExtensions, requireCurrentSoftware } from './header_extensions.ts';
import { payInterest } from './interest.ts';
import { updateLastIrreversible } from './irreversible.ts';
import { clearNullAccount } from './null_account.ts';
import { updatePriceFeeds } from './price_feeds.ts';
import { payProducer } from './producer_reward.ts';
import { recordBlock, recordGenesisEvents } from './record_block.ts';
import { processRecovery } from './recovery.ts';
import { canonicalRule } from '../../blocks/signature_form.ts';
import { idOf } from '../../blocks/transaction.ts';
import { recordSupply } from './supply_record.ts';
import { validateHeader } from './validate_header.ts';
import { payVestingWithdrawals } from './vesting_withdrawals.ts';
import { updateWitnessSchedule } from './witness_schedule.ts';
import type { WorkingState } from './working_state.ts';

const refuse = refusals({
  block_too_big: {
    text: 'the block has {bytes} bytes; the witnesses agreed on {most} at most',
    lineage: 'Block Size is too Big',
  },
});

/** Checks that are left out because this program has applied the block before. */
export interface Trust {
  /** All signatures are valid, the transactions match the header, and none of them was in a block before. */
  readonly signatures: boolean;
}

/**
 * Applies a block on top of the rows: every step of chain_rules.md#applying-a-block in order. A refusal leaves the rows
 * partly changed.
 */
export function applyBlock(state: WorkingState, block: VerifiedBlock, trust: Trust): void {
  state.journal.clear();
  beginBlock(state, block.number, block.header);
  if (!trust.signatures) requireMerkleRoot(block);
  validateHeader(
    state.rows,
    state.parameters,
    trust.signatures ? undefined : canonicalRule(state.rows, state.parameters),
    block,
  );
  checkBlockSize(state, block);
  applyHeaderExtensions(state, block.header);
  requireCurrentSoftware(state, block.header);
  requireKnownBeginning(state, block.number, block.header);
  applyTransactions(state, block, trust);
  finishBlock(state, block);
}

function applyTransactions(state: WorkingState, block: VerifiedBlock, { signatures: isTrusted }: Trust): void {
  const { number, transactions, isUnverified = false } = block;
  // One call looks up on disk whether any of them is a duplicate, instead of one for each.
  if (!isTrusted) state.rows.prefetch(transactionLocations, transactions.map(idOf));
  for (const [index, transaction] of transactions.entries())
    applyTransaction(state, transaction, { block: number, index, isTrusted, isUnverified });
}

/** The first block applies past hardforks before anything else; they are recorded with block 0. */
export function beginBlock(state: WorkingState, number: number, header: FirstHeader): void {
  // A damaged log can have a block that follows none anywhere: it is refused by its header.
  if (number !== 1 || headProperties(state).head_block_number > 0) return;
  const time_before = headProperties(state).time;
  applyFirstHardforks(state, hardforksDue(state.parameters, header));
  recordGenesisEvents(state, time_before);
}

/** Everything that follows the transactions. */
export function finishBlock(state: WorkingState, block: VerifiedBlock): void {
  const time_before = headProperties(state).time;
  state.journal.leaveTransactions();
  state.consequences.begin();
  updateGlobalData(state, block);
  noteProducer(state, block);
  updateLastIrreversible(state);
  noteBlockId(state.rows, block.number, block.id);
  updateWitnessSchedule(state);
  if (!state.parameters.isPrivateNet) moveMoney(state, block);
  processRecovery(state);
  expireEscrows(state);
  finishVotes(state);
  removeStoppedVotes(state);
  removeDeletedBuyings(state);
  applyDueHardforks(state);
  if (!state.parameters.isPrivateNet) recordSupply(state);
  recordBlock(state, block, time_before);
}

/** The automatic payments of public nets. */
function moveMoney(state: WorkingState, { header }: VerifiedBlock): void {
  payInterest(state);
  updatePriceFeeds(state);
  clearNullAccount(state);
  payProducer(state, header);
  payVestingWithdrawals(state);
}

/** A block may not be larger than the witnesses of the round agreed on. */
export function checkBlockSize(state: WorkingState, block: VerifiedBlock): void {
  requireBlockSize(headProperties(state).maximum_block_size, block);
}

/** Refuses a block of more than `most` bytes. */
export function requireBlockSize(most: number, { packed }: VerifiedBlock): void {
  if (packed.length > most) refuse.block_too_big({ bytes: packed.length, most });
}
