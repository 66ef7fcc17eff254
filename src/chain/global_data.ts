import { refusals } from '../base/refusal.ts';
import type { ProvedBlock } from '../blocks/block.ts';
import { replacing } from '../codec/struct.ts';
import { shutdownWitness } from '../operations/virtual/shutdown_witness.ts';
import { headOf, type ChainState } from '../state/chain_state.ts';
import { hardforks, hasHardfork } from '../state/hardforks.ts';
import { MAX_UNDO_HISTORY, WITNESS_VESTING_INCREASE_DAYS_HF0 } from '../state/parameters.ts';
import { dynamicGlobalProperties, globalPropertiesRow, type DynamicGlobalProperties } from '../state/tables/dynamic_global_property.ts';
import { witnesses, witnessRow, type Witness } from '../state/tables/witness.ts';
import { witnessSchedule } from '../state/tables/witness_schedule.ts';
import type { AccountName } from '../values/account_name.ts';
import { NULL_KEY } from '../values/public_key.ts';
import { scheduledNames, slotAtTime } from './slots.ts';

const refuse = refusals({
  undo_history_exhausted: {
    text: 'The database does not have enough undo history to support a blockchain with so many missed blocks. Please add a checkpoint if you would like to continue applying blocks beyond this point.',
    lineageCode: 4_070_000,
  },
});

const REMEMBERED_SLOTS = 128;

const withHead = replacing(globalPropertiesRow, [
  'head_block_number',
  'head_block_id',
  'time',
  'current_witness',
  'current_aslot',
  'recent_slots_filled',
  'participation_count',
  'witness_required_vesting',
]);
const withLastBlock = replacing(witnessRow, ['last_aslot', 'last_confirmed_block_num']);

/** Makes the block the head: missed slots, slot history, number, id, time (chain.md 5.6). */
export function updateGlobalData(state: ChainState, { number, id, header }: ProvedBlock): void {
  const head = headOf(state);
  const missed = slotAtTime(state.parameters, head, header.timestamp) - 1;
  penalizeMissedSlots(state, missed, header.witness);
  const recent_slots_filled = withSlots(head.recent_slots_filled, missed);
  const after = {
    head_block_number: number,
    head_block_id: id,
    time: header.timestamp,
    current_witness: header.witness,
    current_aslot: head.current_aslot + BigInt(missed + 1),
    recent_slots_filled,
    participation_count: participation(head, missed),
    witness_required_vesting: requiredVesting(state, number, head.witness_required_vesting),
  };
  state.rows.put(dynamicGlobalProperties, withHead(headOf(state), after));
  if (number - head.last_irreversible_block_num >= MAX_UNDO_HISTORY) refuse.undo_history_exhausted();
}

/** The slot of the block enters the history before the slots that were missed ahead of it, as the original has it. */
function withSlots(history: bigint, missed: number): bigint {
  const shift = BigInt(Math.min(missed, REMEMBERED_SLOTS));
  return BigInt.asUintN(REMEMBERED_SLOTS, (history << (shift + 1n)) | (1n << shift));
}

/** The ones that are shifted out no longer count; the block's own does as long as it is remembered. */
function participation({ recent_slots_filled, participation_count }: DynamicGlobalProperties, missed: number): number {
  const shifted = Math.min(missed + 1, REMEMBERED_SLOTS);
  let lost = 0;
  for (let rest = recent_slots_filled >> BigInt(REMEMBERED_SLOTS - shifted); rest > 0n; rest >>= 1n) if ((rest & 1n) === 1n) lost++;
  return participation_count - lost + (missed < REMEMBERED_SLOTS ? 1 : 0);
}

/** Who missed a slot is counted, and loses the signing key after a day without a block; the producer itself is spared. */
function penalizeMissedSlots(state: ChainState, missed: number, producer: AccountName): void {
  if (missed === 0) return;
  const { head_block_number, current_aslot } = headOf(state);
  const names = scheduledNames(state.rows.only(witnessSchedule));
  const penalties = new Map<AccountName, { readonly witness: Witness; readonly isGone: boolean; missed: number }>();
  for (const name of new Set(names)) {
    const witness = state.rows.get(witnesses, name);
    if (witness === undefined || name === producer) continue;
    const isGone = BigInt(head_block_number) - witness.last_confirmed_block_num > BigInt(state.parameters.blocksPerDay);
    penalties.set(name, { witness, isGone, missed: 0 });
  }
  if (penalties.size === 0) return;
  const firstTurn = Number((current_aslot + 1n) % BigInt(names.length));
  for (let slot = 0; slot < missed; slot++) {
    const penalty = penalties.get(names[(firstTurn + slot) % names.length] ?? '');
    if (penalty === undefined) continue;
    penalty.missed++;
    if (penalty.isGone) state.emit(shutdownWitness.of({ owner: penalty.witness.owner }));
  }
  for (const { witness, isGone, missed: count } of penalties.values()) {
    if (count === 0) continue;
    const total_missed = witness.total_missed + count;
    state.rows.put(witnesses, { ...witness, total_missed, signing_key: isGone ? NULL_KEY : witness.signing_key });
  }
}

function requiredVesting(state: ChainState, number: number, present: bigint): bigint {
  const { parameters } = state;
  if (parameters.isPrivateNet) return present;
  const { genesis } = parameters;
  const days = hasHardfork(state.rows, hardforks.interestVotes) ? genesis.witness_vesting_increase_days : WITNESS_VESTING_INCREASE_DAYS_HF0;
  return number >= days * parameters.blocksPerDay ? genesis.final_witness_req_vesting_balance : genesis.initial_witness_req_vesting_balance;
}

/** The producer is alive: its last slot and block are noted. A producer that stopped inside its own block is gone. */
export function noteProducer(state: ChainState, { number, header }: ProvedBlock): void {
  const witness = state.rows.get(witnesses, header.witness);
  if (witness === undefined) return;
  const last = { last_aslot: headOf(state).current_aslot, last_confirmed_block_num: BigInt(number) };
  state.rows.put(witnesses, withLastBlock(witness, last));
}
