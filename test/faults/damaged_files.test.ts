import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import type { ChainHead } from '../../src/chain/chain_options.ts';
import { chooseDamages } from './damage.ts';
import { readFiles, fileKind, openOutcome, stoppedFolder, type Outcome } from './stopped_folder.ts';

// `npm run bench -- --only faults` goes through many more points.
const POINTS = 8;

const folder = mkdtempSync(join(tmpdir(), 'pharos-stopped-'));
const sound = join(folder, 'sound');
let head: ChainHead;

before(async () => {
  head = await stoppedFolder(sound);
});

after(() => rmSync(folder, { recursive: true, force: true }));

test('a stopped folder has every kind of file that a node makes', () => {
  const kinds = new Set(readFiles(sound).map(({ name }) => fileKind(name)));
  const expected = [
    'CURRENT',
    'IDENTITY',
    'MANIFEST-N',
    'N.log',
    'N.sst',
    'OPTIONS-N',
    'pharos-head.journal',
    'pharos-identity.json',
  ];
  assert.deepEqual([...kinds].toSorted(), expected);
});

test('a table whose rows a chain reads when it opens is refused before a file is changed', async () => {
  const outcomes: Outcome[] = [];
  for (const { kind, point, apply } of chooseDamages(sound, 64, 2026)) {
    if (kind === 'N.sst') outcomes.push(await openOutcome(sound, head, apply, point));
  }
  assert.ok(outcomes.includes('refused'));
  assert.ok(outcomes.includes('refused while reading'));
});

test('a damaged file is named or makes no difference: no chain is shorter in silence, and none is begun anew', async () => {
  const outcomes = new Map<string, Outcome[]>();
  for (const { kind, point, apply } of chooseDamages(sound, POINTS, 2026)) {
    outcomes.set(kind, [...(outcomes.get(kind) ?? []), await openOutcome(sound, head, apply, point)]);
  }
  // The sample has hit each of these kinds.
  for (const kind of ['CURRENT', 'MANIFEST-N', 'N.log', 'N.sst', 'pharos-identity.json', 'pharos-head.journal'])
    assert.ok(
      outcomes.get(kind)?.some((outcome) => outcome !== 'sound'),
      `${kind}: ${String(outcomes.get(kind))}`,
    );
  for (const kind of ['IDENTITY', 'OPTIONS-N']) assert.deepEqual(new Set(outcomes.get(kind)), new Set(['sound']), kind);
});
