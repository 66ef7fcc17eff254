import { emitVirtual } from './history.ts';
import { scheduledWitness, slotNumber } from './slots.ts';
import type { State } from './state.ts';
import { NULL_KEY, u128 } from './values.ts';

// chain_rules.md#slots-and-missed-blocks.

const TOP_BIT = 1n << 127n;

export interface BlockHeader {
  readonly number: number;
  readonly id: string;
  readonly timestamp: number;
  readonly witness: string;
  /** From the header's extensions. */
  readonly version?: string;
  readonly hardforkVote?: { readonly version: string; readonly time: number };
}

export function updateGlobals(state: State, header: BlockHeader): void {
  const missed = slotNumber(state, header.timestamp) - 1;
  punishMissed(state, header.witness, missed);
  fillSlots(state, missed);
  const { finalRequiredVesting, initialRequiredVesting, isPrivate, vestingIncreaseDays, blocksPerDay } =
    state.parameters;
  const days = state.hasHardfork(1) ? vestingIncreaseDays : 96;
  state.changeGlobals({
    number: header.number,
    id: header.id,
    time: header.timestamp,
    slot: state.globals.slot + missed + 1,
    ...(isPrivate
      ? {}
      : { requiredVesting: header.number >= days * blocksPerDay ? finalRequiredVesting : initialRequiredVesting }),
  });
}

function punishMissed(state: State, producer: string, missed: number): void {
  const idle = Array.from({ length: missed }, (_, index) => scheduledWitness(state, index + 1)).filter(
    (owner) => owner !== producer,
  );
  const isStale = (owner: string): boolean =>
    state.globals.number - (state.witnesses.get(owner)?.lastConfirmed ?? 0) > state.parameters.blocksPerDay;
  const shutDown = new Set(idle.filter((owner) => state.witnesses.has(owner) && isStale(owner)));
  const mayShutDown = !state.rules.lastKeyStays || someoneElseSigns(state, shutDown);
  for (const owner of idle) {
    const witness = state.witnesses.get(owner);
    // A witness that was deleted has a slot until the round ends.
    if (witness === undefined) continue;
    state.changeWitness(owner, { totalMissed: witness.totalMissed + 1 });
    if (!shutDown.has(owner) || !mayShutDown) continue;
    state.changeWitness(owner, { signingKey: NULL_KEY });
    emitVirtual(state, 'shutdown_witness', { owner });
  }
}

function someoneElseSigns(state: State, shutDown: ReadonlySet<string>): boolean {
  return state.round.some(
    (owner) => !shutDown.has(owner) && (state.witnesses.get(owner)?.signingKey ?? NULL_KEY) !== NULL_KEY,
  );
}

function fillSlots(state: State, missed: number): void {
  let { recentSlots, participation } = state.globals;
  for (let i = 0; i <= missed; i++) {
    if ((recentSlots & TOP_BIT) !== 0n) participation--;
    recentSlots = u128(recentSlots << 1n);
    if (i > 0) continue;
    recentSlots += 1n;
    participation++;
  }
  state.changeGlobals({ recentSlots, participation });
}

/** Step 13; a producer that stopped in its own block is no witness any more. */
export function confirm(state: State, owner: string): void {
  if (!state.witnesses.has(owner)) return;
  state.changeWitness(owner, { lastSlot: state.globals.slot, lastConfirmed: state.globals.number });
}
