// Runs one bench in a process of its own, so that none inherits another one's heap or compiled code, and sends its lines to run.ts.
// Started by hand, under a profiler for example, it prints them.
import { assert } from '../src/base/assert.ts';
import type { Bench } from './bench.ts';
import { table } from './table.ts';

const [, , file = '', form] = process.argv;
const loaded: unknown = await import(file);
assert(isBench(loaded), `${file} exports run`);
const rows = await loaded.run({ quick: form === 'quick' });
if (process.send === undefined) console.log(table(rows));
else process.send(rows);

function isBench(value: unknown): value is { run: Bench } {
  return typeof value === 'object' && value !== null && 'run' in value && typeof value.run === 'function';
}
