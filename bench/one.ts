// Runs one bench in a process of its own, so that none inherits another one's heap or compiled code, and sends its lines to run.ts.
import { assert } from '../src/base/assert.ts';
import type { Bench } from './bench.ts';

const [, , file = '', form] = process.argv;
const loaded: unknown = await import(file);
assert(isBench(loaded), `${file} exports run`);
process.send?.(await loaded.run({ quick: form === 'quick' }));

function isBench(value: unknown): value is { run: Bench } {
  return typeof value === 'object' && value !== null && 'run' in value && typeof value.run === 'function';
}
