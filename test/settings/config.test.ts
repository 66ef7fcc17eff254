import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { nearest } from '../../src/base/nearest.ts';
import { readConfig, type Config } from '../../src/settings/read_config.ts';

const folder = mkdtempSync(join(tmpdir(), 'pharos-config-'));
const file = join(folder, 'node.ini');

after(() => rmSync(folder, { recursive: true, force: true }));

function parseConfig(
  ini: string,
  environment: Readonly<Record<string, string>> = {},
  flags: Readonly<Record<string, unknown>> = {},
): Config {
  writeFileSync(file, ini);
  return readConfig({ iniFile: file, environment, flags });
}

test('without any source every setting has its initial value, or none', () => {
  const { values, notices } = readConfig({ iniFile: undefined, environment: {}, flags: {} });
  assert.equal(values['data-dir'], 'data/node');
  assert.deepEqual(values['webserver-http-endpoint'], { host: '127.0.0.1', port: 9193 });
  assert.equal(values['enable-stale-production'], false);
  assert.equal(values['genesis-json'], undefined);
  assert.deepEqual(notices, []);
});

test('the environment is stronger than the file, and a flag stronger than both', () => {
  const ini = 'data-dir = file\nprofile = file\ngenesis-json = file\n';
  const environment = { PHAROS_PROFILE: 'environment', PHAROS_GENESIS_JSON: 'environment', HOME: '/elsewhere' };
  const { values } = parseConfig(ini, environment, { 'genesis-json': 'flag' });
  assert.deepEqual([values['data-dir'], values.profile, values['genesis-json']], ['file', 'environment', 'flag']);
});

test('the password of a wallet in the environment is no setting of a node', () => {
  assert.equal(
    parseConfig('', { PHAROS_WALLET_PASSWORD: 'secret', PHAROS_PROFILE: 'lineage' }).values.profile,
    'lineage',
  );
  assert.throws(() => parseConfig('', { PHAROS_WALLET: 'x' }), /unknown key "wallet" in the environment/);
});

test('a stronger source replaces all values of a repeated key', () => {
  assert.deepEqual(parseConfig('witness = a\nwitness = b\n', {}, { witness: ['c'] }).values.witness, ['c']);
});

test('a repeated key keeps its values in their order, and one line can hold several', () => {
  const { values } = parseConfig(
    '# the lineage\'s form\nplugin = chain p2p webserver\nplugin = witness\nwitness = "initminer"\nprivate-key = k1\nprivate-key = k2\n',
  );
  assert.deepEqual(values.plugin, ['chain', 'p2p', 'webserver', 'witness']);
  assert.deepEqual(values.witness, ['initminer']);
  assert.deepEqual(values['private-key'], ['k1', 'k2']);
});

test('a checkpoint is one value, blank and comma included', () => {
  const text = `[100, "${'0a'.repeat(20)}"]`;
  assert.deepEqual(parseConfig(`checkpoint = ${text}\n`).values.checkpoint, [text]);
});

test('the last of several lines counts for a key with one value', () => {
  assert.equal(parseConfig('profile = first\nprofile = second\n').values.profile, 'second');
});

test('an unknown key is refused in every source, with the nearest known one', () => {
  const refused = (run: () => unknown, message: RegExp): void => assert.throws(run, { code: 'configuration', message });
  refused(
    () => parseConfig('genesis-jsn = x\n'),
    /unknown key "genesis-jsn" in .*node\.ini, line 1; the nearest known key is "genesis-json"/,
  );
  refused(
    () => parseConfig('', { PHAROS_WITNES: 'x' }),
    /unknown key "witnes" in the environment; the nearest known key is "witness"/,
  );
  refused(
    () => parseConfig('', {}, { wintess: 'x' }),
    /unknown key "wintess" in the command line; the nearest known key is "witness"/,
  );
});

test('values of a wrong form are refused with their key', () => {
  const refused = (ini: string, message: RegExp): void =>
    assert.throws(() => parseConfig(ini), { code: 'configuration', message });
  refused('enable-stale-production = maybe\n', /enable-stale-production: true or false expected, got "maybe"/);
  refused('required-participation = most\n', /required-participation: a whole number expected/);
  for (const text of ['localhost', ':80', '1.2.3.4:', '1.2.3.4:65536', 'a b:1', '::1:80'])
    refused(`webserver-http-endpoint = ${text}\n`, /webserver-http-endpoint: host:port expected/);
});

test('flags and endpoints are read in all their forms', () => {
  for (const text of ['true', 'yes', '1', 'on'])
    assert.equal(parseConfig(`enable-stale-production = ${text}\n`).values['enable-stale-production'], true);
  for (const text of ['false', 'no', '0', 'off'])
    assert.equal(parseConfig(`enable-stale-production = ${text}\n`).values['enable-stale-production'], false);
  assert.equal(parseConfig('', {}, { 'enable-stale-production': true }).values['enable-stale-production'], true);
  assert.deepEqual(parseConfig('webserver-http-endpoint = [::1]:80\n').values['webserver-http-endpoint'], {
    host: '::1',
    port: 80,
  });
});

test('a key of the lineage that does nothing here is accepted and said', () => {
  const { notices } = parseConfig('shared-file-size = 24G\np2p-force-validate = 1\nflush-state-interval = 5\n');
  assert.deepEqual(
    notices.map((notice) => notice.split(' has no effect: ')[0]),
    ['shared-file-size', 'flush-state-interval', 'p2p-force-validate'],
  );
});

test('a section is refused with its line: settings have none', () => {
  for (const line of ['[pharos]', '  [log.console_appender.stderr]', '[]\r'])
    assert.throws(() => parseConfig(`profile = x\n${line}\nwitness = a\n`), {
      code: 'configuration',
      message: /node\.ini, line 2: "\[.*\]" begins a section, and settings have none; remove the line$/,
    });
  assert.deepEqual(parseConfig('checkpoint = [1, "00"]\n# [pharos]\n').values.checkpoint, ['[1, "00"]']);
});

test('a file that is not there is named', () => {
  const iniFile = join(folder, 'none.ini');
  assert.throws(() => readConfig({ iniFile, environment: {}, flags: {} }), {
    code: 'configuration',
    message: `cannot read the configuration file ${iniFile}: ENOENT: no such file or directory, open '${iniFile}'`,
  });
});

test('the nearest word is the one with the fewest edits', () => {
  assert.equal(nearest('witnes', ['plugin', 'witness', 'profile']), 'witness');
  assert.equal(nearest('', ['abc', 'a']), 'a');
  assert.equal(nearest('x', []), undefined);
});
