import { updateFeeds } from './feeds.ts';
import { confirm, updateGlobals, type BlockHeader } from './global_data.ts';
import { applyFirstHardforks, processHardforks } from './hardforks.ts';
import { payInterest, recordSupply } from './interest.ts';
import { checkInvariants } from './invariants.ts';
import { updateIrreversible } from './irreversible.ts';
import { clearNone } from './none_account.ts';
import { processRecovery } from './recovery.ts';
import { known, require } from './refusal.ts';
import { rewardProducer } from './rewards.ts';
import { updateSchedule } from './schedule.ts';
import { scheduledWitness, slotNumber } from './slots.ts';
import { expireEscrows } from './escrow_expiry.ts';
import type { State } from './state.ts';
import { applyTransaction, type ModelTransaction } from './transaction.ts';
import { payWithdrawals } from './withdrawals.ts';

const BLOCK_LEVEL = 0xffff_ffff;
const SUMMARIES = 65_536;

export interface ModelBlock {
  readonly header: BlockHeader;
  readonly transactions: readonly ModelTransaction[];
}

/** chain_rules.md#applying-a-block, in its order. */
export function applyBlock(state: State, { header, transactions }: ModelBlock): void {
  beginBlock(state, header);
  for (const [index, transaction] of transactions.entries()) {
    state.single.place = { ...state.single.place, transaction: index };
    applyTransaction(state, transaction);
  }
  finishBlock(state, header);
}

/** Everything before the transactions. */
export function beginBlock(state: State, header: BlockHeader): void {
  state.single.place = { block: 0, transaction: 0, operation: 0, virtual: 0 };
  if (header.number === 1) applyFirstHardforks(state, header.timestamp);
  checkHeader(state, header);
  state.single.place = { block: header.number, transaction: 0, operation: 0, virtual: 0 };
  state.changeGlobals({ witness: header.witness });
  readExtensions(state, header);
}

function checkHeader(state: State, { timestamp, witness }: BlockHeader): void {
  require(timestamp > state.headTime, 'block not behind the head');
  known(state.witnesses.get(witness));
  const slot = slotNumber(state, timestamp);
  require(slot > 0 && scheduledWitness(state, slot) === witness, 'Witness produced block at wrong time');
}

function readExtensions(state: State, { witness, version, hardforkVote }: BlockHeader): void {
  if (version !== undefined) state.changeWitness(witness, { runningVersion: version });
  if (hardforkVote !== undefined)
    state.changeWitness(witness, { hardforkVersionVote: hardforkVote.version, hardforkTimeVote: hardforkVote.time });
  const { runningVersion } = known(state.witnesses.get(witness));
  const isCurrent = runningVersion.localeCompare(state.single.hardforks.current, 'en', { numeric: true }) >= 0;
  require(isCurrent, 'Block produced by witness that is not running current hardfork');
}

/** Everything behind the transactions. */
function finishBlock(state: State, header: BlockHeader): void {
  const { isPrivate, maxWitnesses } = state.parameters;
  state.single.place = { block: header.number, transaction: BLOCK_LEVEL, operation: 0, virtual: 0 };
  updateGlobals(state, header);
  confirm(state, header.witness);
  updateIrreversible(state);
  state.blockIds.set(header.number % SUMMARIES, header.id);
  for (const [id, expiration] of [...state.transactions])
    if (state.headTime > expiration) state.transactions.delete(id);
  if (header.number % maxWitnesses === 0) updateSchedule(state);
  if (!isPrivate) {
    payInterest(state);
    updateFeeds(state);
    clearNone(state);
    rewardProducer(state, header.witness);
    payWithdrawals(state);
  }
  processRecovery(state);
  expireEscrows(state);
  processHardforks(state);
  if (isPrivate) return;
  recordSupply(state);
  checkInvariants(state);
}
