import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { Site } from './site.ts';
import { waitUntil } from './wait_until.ts';

// V8 obeys its flags in all threads, whatever limits a thread is given. The units set one for the main thread.

const site = new Site();

after(() => site.clear());

const FLAG_MIB = 8;
/** The default of young-generation-mib. */
const SETTING_MIB = 48;
/** The thread numbers of Node: the main thread, and the writer, which a node starts first. */
const [MAIN, WRITER] = [0, 1];

/** Fills the room for young values in each thread, and writes down how much it was. */
const PROBE = `
const { threadId } = require('node:worker_threads');
const { writeFileSync } = require('node:fs');
const { join } = require('node:path');
setTimeout(() => {
  let some = [];
  for (let k = 0; k < 3_000_000; k++) if (some.push({ k }) > 100_000) some = [];
  const { space_size } = require('node:v8').getHeapSpaceStatistics().find((space) => space.space_name === 'new_space');
  writeFileSync(join(process.env.PROBED, String(threadId)), String(space_size / 2 ** 20));
}, 500).unref();
`;

const readTold = (thread: string): string =>
  existsSync(site.path(thread)) ? readFileSync(site.path(thread), 'utf8') : '';

test('a flag that bounds the main thread leaves the writer what young-generation-mib gives it', async () => {
  const probe = site.path('probe.cjs');
  writeFileSync(probe, PROBE);
  const program = site.start(['dev', '--data-dir', site.path('data'), '--port', '0'], {
    NODE_OPTIONS: `--max-semi-space-size=${FLAG_MIB} --require ${probe}`,
    PROBED: site.folder,
  });
  await program.ready();
  const told = (): string[] => [MAIN, WRITER].map((thread) => readTold(String(thread)));
  const spaces = await waitUntil('both threads have told', () => (told().includes('') ? undefined : told()));
  // V8 counts both halves; a third of the whole generation is what is in use.
  assert.deepEqual(spaces, [2 * FLAG_MIB, (2 * SETTING_MIB) / 3].map(String));
});
