import { measure, row, type Row } from './bench.ts';
import { nativeAddon } from './crypto/peers.ts';
import { signedBatch } from './crypto/signed_batch.ts';

const RECOVERED = 256;
/**
 * Microseconds of a recovery on the quiet machine for which the budgets are given: budgets shrink on dearer machines.
 */
export const QUIET_RECOVER_MICROS = 42;

/** Measures npm's native addon: CPU-µs to recover the key of one signature now; undefined where it has no binary. */
export function recoverMicros(): number | undefined {
  const recover = nativeAddon();
  const batch = signedBatch(RECOVERED, 16);
  return recover && measure(RECOVERED, 5, () => recover(batch, RECOVERED)).cpuMicros / RECOVERED;
}

/** The cheapest of some recoveries as a line to compare with; undefined when there are none. */
export function recoveryRow(recovered: readonly number[]): Row | undefined {
  if (recovered.length === 0) return undefined;
  const note = `between the loads, nothing else done: how busy the machine was; budgets are for ${QUIET_RECOVER_MICROS} µs and scaled by it`;
  return row('secp256k1 addon, recover alone', 'signature', { work: 1, cpuMicros: Math.min(...recovered) }, { note });
}
