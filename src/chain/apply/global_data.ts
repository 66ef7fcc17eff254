import type { VerifiedBlock } from '../../blocks/block.ts';
import { replacing } from '../../codec/struct.ts';
import { shutdownWitness } from '../../operations/virtual/shutdown_witness.ts';
import { headProperties, type ChainState } from '../../state/chain_state.ts';
import { hardforkRules, currentRule } from '../../state/rules/index.ts';
import { WITNESS_VESTING_INCREASE_DAYS_HF0 } from '../../state/parameters.ts';
import {
  dynamicGlobalProperties,
  globalPropertiesRow,
  type DynamicGlobalProperties,
} from '../../state/tables/dynamic_global_property.ts';
import { witnesses, witnessRow, type Witness } from '../../state/tables/witness.ts';
import { witnessSchedule } from '../../state/tables/witness_schedule.ts';
import type { AccountName } from '../../values/account_name.ts';
import { NULL_KEY } from '../../values/public_key.ts';
import { scheduledNames, slotAtTime } from './slots.ts';

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

/** Makes the block the head: missed slots, slot history, number, id, time (chain_rules.md#slots-and-missed-blocks). */
export function updateGlobalData(state: ChainState, { number, id, header }: VerifiedBlock): void {
  const head = headProperties(state);
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
  state.rows.put(dynamicGlobalProperties, withHead(headProperties(state), after));
}

/** The block's own slot enters the history before the slots missed ahead of it, as in the lineage. */
function withSlots(history: bigint, missed: number): bigint {
  const shift = BigInt(Math.min(missed, REMEMBERED_SLOTS));
  return BigInt.asUintN(REMEMBERED_SLOTS, (history << (shift + 1n)) | (1n << shift));
}

/** Slots that are shifted out no longer count; the block's own does as long as it is in the history. */
function participation({ recent_slots_filled, participation_count }: DynamicGlobalProperties, missed: number): number {
  const shifted = Math.min(missed + 1, REMEMBERED_SLOTS);
  let lost = 0;
  for (let rest = recent_slots_filled >> BigInt(REMEMBERED_SLOTS - shifted); rest > 0n; rest >>= 1n)
    if ((rest & 1n) === 1n) lost++;
  return participation_count - lost + (missed < REMEMBERED_SLOTS ? 1 : 0);
}

/** The penalty of a witness of the round for the missed slots. */
interface Penalty {
  readonly witness: Witness;
  /** Its turns in the round, counted from the first missed slot. */
  readonly turns: readonly number[];
  readonly missed: number;
  /** It has produced no block for a day. */
  readonly isGone: boolean;
}

/**
 * Counts the missed slots of each witness, and removes its signing key after a day without a block; the producer itself
 * is exempt.
 */
function penalizeMissedSlots(state: ChainState, missed: number, producer: AccountName): void {
  if (missed === 0) return;
  const names = scheduledNames(state.rows.only(witnessSchedule));
  const penalties = schedulePenalties(state, names, missed, producer);
  const shutDown = penalties.filter(({ isGone }) => isGone);
  const isSpared = shutDown.length === 0 || !leavesProducer(state, names, shutDown);
  if (!isSpared) emitShutdowns(state, shutDown, names.length, missed);
  for (const { witness, missed: count, isGone } of penalties) {
    const signing_key = isGone && !isSpared ? NULL_KEY : witness.signing_key;
    state.rows.put(witnesses, { ...witness, total_missed: witness.total_missed + count, signing_key });
  }
}

function schedulePenalties(
  state: ChainState,
  names: readonly AccountName[],
  missed: number,
  producer: AccountName,
): Penalty[] {
  const { head_block_number, current_aslot } = headProperties(state);
  const firstTurn = Number((current_aslot + 1n) % BigInt(names.length));
  const turnNumber = (place: number): number => (place - firstTurn + names.length) % names.length;
  return [...new Set(names)].flatMap((name) => {
    const witness = name === producer ? undefined : state.rows.get(witnesses, name);
    const turns = names.flatMap((each, place) => (each === name ? turnNumber(place) : []));
    // Computed, not counted slot by slot: the chain may have stood still for years.
    const count = turns.reduce(
      (sum, turn) => sum + Math.max(Math.trunc((missed - turn + names.length - 1) / names.length), 0),
      0,
    );
    if (witness === undefined || count === 0) return [];
    const isGone = BigInt(head_block_number) - witness.last_confirmed_block_num > BigInt(state.parameters.blocksPerDay);
    return [{ witness, turns, missed: count, isGone }];
  });
}

/**
 * Returns whether any witness of the round can still sign when these are shut down; always true where the rules don't
 * require it.
 */
function leavesProducer(
  { rows, parameters }: ChainState,
  names: readonly AccountName[],
  shutDown: readonly Penalty[],
): boolean {
  if (!parameters.rules.round_keeps_a_producer) return true;
  const gone = new Set(shutDown.map(({ witness }) => witness.owner));
  return names.some((name) => !gone.has(name) && (rows.get(witnesses, name)?.signing_key ?? NULL_KEY) !== NULL_KEY);
}

/**
 * The most shutdowns recorded in a block: those of a quarter of all witnesses after a standstill of a day and a half.
 * Those of years would exhaust the memory, and the chain could never continue.
 */
const MOST_SHUTDOWNS = 10_000;

/** One event for each missed slot of a witness that is shut down, in slot order, as in the lineage. */
function emitShutdowns(state: ChainState, shutDown: readonly Penalty[], roundLength: number, missed: number): void {
  const turns = shutDown.flatMap((penalty) => penalty.turns.map((turn) => ({ turn, owner: penalty.witness.owner })));
  turns.sort((a, b) => a.turn - b.turn);
  let left = MOST_SHUTDOWNS;
  for (let round = 0; round < missed && left > 0; round += roundLength) {
    const ofRound = turns.filter(({ turn }) => round + turn < missed).slice(0, left);
    for (const { owner } of ofRound) state.emit(shutdownWitness.of({ owner }));
    left -= ofRound.length;
  }
}

function requiredVesting(state: ChainState, number: number, present: bigint): bigint {
  const { parameters } = state;
  if (parameters.isPrivateNet) return present;
  const { genesis } = parameters;
  const isFromGenesis = currentRule(state.rows, parameters.ruleSet, hardforkRules.genesis_sets_vesting_increase);
  const days = isFromGenesis ? genesis.witness_vesting_increase_days : WITNESS_VESTING_INCREASE_DAYS_HF0;
  return number >= days * parameters.blocksPerDay
    ? genesis.final_witness_req_vesting_balance
    : genesis.initial_witness_req_vesting_balance;
}

/** Records the producer's last slot and block. A producer that was stopped within its own block no longer exists. */
export function noteProducer(state: ChainState, { number, header }: VerifiedBlock): void {
  const witness = state.rows.get(witnesses, header.witness);
  if (witness === undefined) return;
  const last = { last_aslot: headProperties(state).current_aslot, last_confirmed_block_num: BigInt(number) };
  state.rows.put(witnesses, withLastBlock(witness, last));
}
