// Runs one bench in a process of its own, so that none inherits another one's heap or compiled code, and sends its
// lines to run.ts. Started by hand, under a profiler for example, it prints them.
import { importBench } from './bench.ts';
import { table } from './table.ts';

const [, , file = '', form] = process.argv;
const run = await importBench(file);
const rows = await run({ quick: form === 'quick' });
if (process.send === undefined) console.log(table(rows));
else process.send(rows);
