import { byName } from './names.ts';
import { require } from './refusal.ts';
import type { State } from './state.ts';

/**
 * chain_rules.md#operations-without-a-fee: what a transaction does for free counts against every account that had to
 * sign it.
 */
export function countBandwidth(
  state: State,
  accounts: ReadonlySet<string>,
  free: { readonly bytes: number; readonly operations: number },
): void {
  const { bandwidthBlocks, maxBandwidth, maxFreeOperations } = state.parameters;
  const { number } = state.globals;
  for (const name of [...accounts].sort(byName)) {
    const row = state.bandwidths.get(name);
    const goesOn = row !== undefined && number - row.lastReset <= bandwidthBlocks;
    const next = {
      bytes: (goesOn ? row.bytes : 0) + free.bytes,
      operations: (goesOn ? row.operations : 0) + free.operations,
      lastReset: goesOn ? row.lastReset : number,
    };
    state.bandwidths.set(name, next);
    require(next.bytes <= maxBandwidth, 'bandwidth [Bytes] exceeded');
    require(next.operations <= maxFreeOperations, 'bandwidth count exceeded');
  }
}
