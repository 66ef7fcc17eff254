import assert from 'node:assert/strict';
import {
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
  statSync,
  mkdirSync,
} from 'node:fs';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { copyJournals } from '../builders/stopped_chain.ts';
import { testWif, witnessChain } from '../builders/witness_chain.ts';
import { numberMember, type Json } from './json.ts';
import type { Program } from './program.ts';
import { Site } from './site.ts';
import { waitUntil } from './wait_until.ts';

// The guide for backups, typed as it stands there, of a witness that runs.

const site = new Site();
const page = readFileSync(fileURLToPath(new URL('../../../src/pages/guides/backup.md', import.meta.url)), 'utf8');
const WITNESS = 'initminer';
let node: Program;

before(async () => {
  const chain = await witnessChain(site.path('data/node'), 1);
  const lines = [
    `genesis-json = ${chain.genesisFile}`,
    `data-dir = ${chain.dataFolder}`,
    'webserver-http-endpoint = 127.0.0.1:0',
    `witness = ${WITNESS}`,
    `private-key = ${testWif(WITNESS)}`,
    'enable-stale-production = true',
    '',
  ];
  writeFileSync(site.path('node.ini'), lines.join('\n'), { mode: 0o600 });
  copyJournals(chain.dataFolder, WITNESS, site.path('data/node.signed'));
  mkdirSync(site.path('backup'));
  node = site.start(['run', '--config', site.path('node.ini'), '--signing-journal', site.path('data/node.signed')]);
  await node.ready();
});

after(() => site.clear());

/** The commands below a heading of the page, each as the words after `pharos`, for this site's files and node. */
function guideCommands(heading: string): string[][] {
  const section = page.split(/^## /m).find((each) => each.startsWith(`${heading}\n`)) ?? assert.fail(heading);
  const lines = [...section.matchAll(/^```sh\n([^]*?)^```$/gm)].flatMap(([, block = '']) => block.trim().split('\n'));
  return lines.map((line) => {
    const [program, ...words] = line.split(' ');
    assert.equal(program, 'pharos', line);
    return words.map((word) => {
      if (word.startsWith('http:')) return `http://127.0.0.1:${node.port}`;
      return /^(?:backup|data)\/|\.ini$/.test(word) ? site.path(word) : word;
    });
  });
}

/** The slots that a signing journal has. */
function readSlots(path: string): number[] {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const entry: Json = JSON.parse(line);
    return numberMember(entry, 'slot');
  });
}

async function succeed(args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await site.run(args);
  assert.equal(code, 0, stderr);
  return stdout;
}

test('a witness that runs is backed up, loses its folder, and goes on from the backup with the journal that it still has', async () => {
  const [create = [], verify = [], ...rest] = guideCommands('Each day');
  assert.deepEqual(rest, []);
  const file = site.path('backup/state.avro');
  writeFileSync(file, 'yesterday’s');
  await succeed(create);
  assert.ok(statSync(file).size > 1000, 'a name that is taken is replaced');
  await succeed(verify);
  const [log = [], ...others] = guideCommands('Once, and then what is new');
  assert.deepEqual(others, []);
  await succeed(log);
  assert.ok(statSync(site.path('backup/block_log')).size > 100);
  const { number } = await node.health();
  assert.equal(await node.stop(), 0);
  renameSync(site.path('data/node'), site.path('data/damaged'));
  const signed = readFileSync(site.path('data/node.signed'));

  const [load = [], run = [], ...more] = guideCommands('Restore');
  assert.deepEqual(more, []);
  await succeed(load);
  const restored = site.start(run);
  await restored.ready();
  const older = await restored.refusal('alexandria_api.get_block', { num: 1 });
  assert.equal(older.name, 'pruned', 'the file of each day has the last block alone');
  await waitUntil(
    'blocks of the witness beyond those that it had signed',
    async () => (await restored.health()).number > number || undefined,
  );
  assert.equal(await restored.stop(), 0);
  assert.notDeepEqual(readFileSync(site.path('data/node.signed')), signed, 'the journal that is still there goes on');
  const slots = readSlots(site.path('data/node.signed'));
  assert.equal(new Set(slots).size, slots.length, 'no slot was signed twice');
  assert.ok(!existsSync(site.path('data/restored.signed')));
});

test('a backup that was cut off is refused with what is wrong, and no folder is left', async () => {
  const [load = []] = guideCommands('Restore');
  const file = site.path('backup/state.avro');
  truncateSync(file, statSync(file).size - 1);
  rmSync(site.path('data/restored'), { recursive: true, force: true });
  const { code, stderr } = await site.run(load);
  assert.equal(code, 3, stderr);
  assert.match(stderr, /state\.avro/);
  assert.ok(!existsSync(site.path('data/restored')));
});
