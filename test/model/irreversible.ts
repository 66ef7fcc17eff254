import type { State } from './state.ts';

const UNCONFIRMED = 2500n; // of 10 000: a quarter of the witnesses may be behind

/** chain_rules.md#irreversible-blocks. */
export function updateIrreversible(state: State): void {
  const { number, lastIrreversible } = state.globals;
  const { confirmationsFromBlock, maxWitnesses } = state.parameters;
  const final = number < confirmationsFromBlock ? number - maxWitnesses : confirmedByMost(state);
  if (final > lastIrreversible) state.changeGlobals({ lastIrreversible: final });
}

function confirmedByMost(state: State): number {
  const confirmed = state.round.map((owner) => state.witnesses.get(owner)?.lastConfirmed ?? 0).sort((a, b) => a - b);
  return confirmed[Number((UNCONFIRMED * BigInt(confirmed.length)) / 10_000n)] ?? 0;
}
