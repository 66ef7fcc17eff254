import type { State } from './state.ts';

// chain_rules.md#slots-and-missed-blocks: slots.

export function slotTime(state: State, slot: number): number {
  if (slot === 0) return 0;
  const { interval, genesisTime } = state.parameters;
  const base = state.globals.number === 0 ? genesisTime : Math.floor(state.headTime / interval) * interval;
  return base + slot * interval;
}

export function slotNumber(state: State, time: number): number {
  const first = slotTime(state, 1);
  return time < first ? 0 : Math.floor((time - first) / state.parameters.interval) + 1;
}

export function scheduledWitness(state: State, slot: number): string {
  const { witnesses, scheduled } = state.schedule;
  return witnesses[(state.globals.slot + slot) % scheduled] ?? '';
}
