import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { programFiles } from '../../src/base/program_files.ts';
import { profileNamed } from '../../src/settings/chain_settings.ts';
import { DataFolder } from '../../src/data_folder/data_folder.ts';
import { chainFolder, openDevChain } from '../../src/dev_chain/dev_folder.ts';
import { damageInAllWays, folder, place } from './damaged/kind.ts';
import { nodeKinds } from './damaged/node_kinds.ts';
import { peopleKinds } from './damaged/people_kinds.ts';
import { notDamaged, readFiles } from './damaged/read_files.ts';

// Every file that a person or a disk can damage, each damaged in ten ways and more, read by the reader that the program
// uses. Either nothing is lost, or the reader names the file, the place in it where there is one, and what to do.

const all = { ...(await nodeKinds()), ...(await peopleKinds()) };

for (const [name, kind] of Object.entries(all))
  test(`a damaged file is told by its name and with what to do, or nothing is lost: ${name}`, async () => {
    await damageInAllWays(name, kind);
  });

const sources = fileURLToPath(new URL('../../../src/', import.meta.url));
const OPENING = /(?<![.\w])(?:promises\.)?(?:readFileSync|readFile|openSync|createReadStream)\(/g;

/** Counts the calls that open files in each file of src; the pages run in browsers. */
function openings(): Readonly<Record<string, number>> {
  const names = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.startsWith('pages/'),
  );
  const counted = names.map((name): [string, number] => [
    name,
    readFileSync(`${sources}${name}`, 'utf8').match(OPENING)?.length ?? 0,
  ]);
  return Object.fromEntries(counted.filter(([, count]) => count > 0).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

test('every place of the program that opens a file is registered with the kind of file that is damaged here, or why none is', () => {
  const registered = Object.entries(readFiles).map(([name, kinds]): [string, number] => [name, kinds.length]);
  assert.deepEqual(
    openings(),
    Object.fromEntries(registered.toSorted(([a], [b]) => (a < b ? -1 : 1))),
    'see test/data_folder/damaged/read_files.ts',
  );
  const named = new Set(Object.values(readFiles).flat(2));
  for (const name of named) assert.ok(name in all || name in notDamaged, `no damage case "${name}"`);
  for (const name of Object.keys(all)) assert.ok(named.has(name), `nothing reads "${name}"`);
  for (const name of Object.keys(notDamaged)) assert.ok(named.has(name), `nothing reads "${name}"`);
});

/** Kinds that nobody keeps or restores. */
const NO_FILES = ['of the system', 'of the program', 'only written', 'only shown', 'of this run'];

test('the page of files has every kind of file that the program opens, and no other', () => {
  const kinds = new Set([...Object.keys(all), ...Object.keys(notDamaged)]);
  for (const name of NO_FILES) kinds.delete(name);
  assert.deepEqual(Object.keys(programFiles).toSorted(), [...kinds].toSorted());
});

/** Files of a data folder that nobody reads back for what is in them, or that the database keeps sums of. */
const ELSEWHERE = /^(?:LOG|LOCK|CURRENT|IDENTITY|OPTIONS-|MANIFEST-|.*\.(?:sst|log|blob|old)|.*\.kept)/;

test('every file below the folder of a development chain is damaged here, or is one of the database', async () => {
  const dataDir = place('walked');
  const data = await DataFolder.lock(chainFolder(dataDir), 'dev');
  openDevChain({ dataDir, fresh: false, accounts: 3, seed: 'words' }, profileNamed('default'), data);
  data.release();
  const known = new Set(Object.values(all).map(({ path }) => basename(path)));
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const strange = files.map(({ name }) => name).filter((name) => !known.has(name) && !ELSEWHERE.test(name));
  assert.deepEqual(strange, []);
  assert.ok(dirname(dataDir) === folder);
});
