import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Fault } from '../../src/base/fault.ts';
import { readConfig } from '../../src/settings/read_config.ts';
import { readStandbySettings, type StandbySettings } from '../../src/settings/standby_settings.ts';
import { testKey, testKeyText } from '../builders/chain.ts';

const ID = 'ab'.repeat(32);
const SEEDS = [
  { host: 'a', port: 1, id: ID },
  { host: 'b', port: 2 },
];

function parseSettings(
  flags: Readonly<Record<string, unknown>>,
  seeds: typeof SEEDS | undefined = SEEDS,
): StandbySettings | undefined {
  const { values } = readConfig({ iniFile: undefined, environment: {}, flags });
  return readStandbySettings(values, values.witness ?? [], seeds);
}

function refused(
  flags: Readonly<Record<string, unknown>>,
  text: RegExp,
  seeds: typeof SEEDS | undefined = SEEDS,
): void {
  assert.throws(
    () => parseSettings(flags, seeds),
    (error) => error instanceof Fault && error.code === 'configuration' && text.test(error.message),
  );
}

test('a standby keeps its switch beside the data folder, and of its seeds those with an id are the ones it counts on', () => {
  assert.equal(parseSettings({}), undefined);
  assert.deepEqual(parseSettings({ 'standby-for': 'alice', 'data-dir': 'data/one/' }), {
    ...{ standbyFor: 'alice', file: 'data/one.standby', pinned: [ID], standbys: [] },
  });
  assert.deepEqual(parseSettings({ witness: ['alice'], 'standby-node': [`${testKeyText('bob')}@${ID}`] })?.standbys, [
    { key: testKey('bob'), node: ID },
  ]);
});

test('what can not work is refused at the start', () => {
  const node = `${testKeyText('bob')}@${ID}`;
  assert.throws(
    () =>
      readStandbySettings(
        readConfig({ iniFile: undefined, environment: {}, flags: { 'standby-for': 'alice' } }).values,
        [],
        undefined,
      ),
    /standby-for: a standby needs peers/,
  );
  refused({ 'standby-for': 'alice', witness: ['bob'] }, /has no witness of its own/);
  refused({ witness: ['alice', 'bob'], 'standby-node': [node] }, /one witness a node/);
  refused({ witness: ['alice'], 'standby-node': Array.from({ length: 9 }, () => node) }, /at most 8/);
  for (const text of [ID, `PHR123@${ID}`, `${testKeyText('bob')}@${ID.slice(1)}`, `${ID}@${testKeyText('bob')}`])
    refused({ witness: ['alice'], 'standby-node': [text] }, /^standby-node: PHR…@ and 64 hex digits expected/);
});
