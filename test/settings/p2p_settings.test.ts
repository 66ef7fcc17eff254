import assert from 'node:assert/strict';
import { test } from 'node:test';

import { readP2pSettings, type P2pSettings } from '../../src/settings/p2p_settings.ts';
import { readConfig } from '../../src/settings/read_config.ts';
import { usualLimits } from '../../src/p2p/peers/network_settings.ts';

const ID = 'ab'.repeat(32);

function parseSettings(flags: Readonly<Record<string, unknown>>): P2pSettings | undefined {
  return readP2pSettings(readConfig({ iniFile: undefined, environment: {}, flags }).values);
}

function refused(flags: Readonly<Record<string, unknown>>, message: RegExp): void {
  assert.throws(() => parseSettings(flags), { code: 'configuration', message });
}

test('a node speaks to others when it has a port for them or knows one', () => {
  assert.equal(parseSettings({}), undefined);
  assert.deepEqual(parseSettings({ 'p2p-endpoint': '0.0.0.0:9290' })?.endpoint, { host: '0.0.0.0', port: 9290 });
  const seeded = parseSettings({ 'p2p-seed-node': ['seed.example:9290', `${ID}@[2001:db8::1]:1`] });
  assert.equal(seeded?.endpoint, undefined);
  assert.deepEqual(seeded?.seeds, [
    { host: 'seed.example', port: 9290, id: undefined },
    { host: '2001:db8::1', port: 1, id: ID },
  ]);
});

test('what is not said has its usual value, and what is said counts', () => {
  const seed = { 'p2p-seed-node': 'a:1' };
  const usual = {
    endpoint: undefined,
    seeds: [{ host: 'a', port: 1, id: undefined }],
    trusted: [],
    publicEndpoints: [],
    allowed: [],
    maxConnections: 40,
    targetPeers: 8,
    exchangesPeers: true,
    takesTransactions: true,
    syncRate: 64 * 1024 * 1024,
    limits: usualLimits,
    poolBytes: 64 * 1024 * 1024,
    keyFile: undefined,
  };
  assert.deepEqual(parseSettings(seed), usual);
  const said = parseSettings({
    ...seed,
    'p2p-public-endpoint': ['192.0.2.1:9290', '[2001:db8::1]:9290'],
    'p2p-allowed-node': ID,
    'p2p-max-connections': '5',
    'p2p-target-peers': '0',
    'p2p-peer-exchange': 'false',
    'p2p-accept-transactions': 'no',
    'p2p-sync-rate': '1',
  });
  assert.deepEqual(said, {
    ...usual,
    publicEndpoints: ['192.0.2.1:9290', '[2001:db8::1]:9290'],
    allowed: [ID],
    maxConnections: 5,
    targetPeers: 0,
    exchangesPeers: false,
    takesTransactions: false,
    syncRate: 1024 * 1024,
  });
});

test('a trusted node is a seed, too', () => {
  const settings = parseSettings({ 'p2p-seed-node': 'a:1', 'p2p-trusted-node': `${ID}@b:2` });
  assert.deepEqual(settings?.trusted, [ID]);
  assert.deepEqual(settings.seeds.at(-1), { host: 'b', port: 2, id: ID });
  assert.equal(parseSettings({ 'p2p-trusted-node': `${ID}@b:2` })?.seeds.length, 1);
});

test('a setting of the network that can not be meant is refused, and the reason names it', () => {
  for (const text of ['a', 'a:0', 'a:65536', ':1', 'xy@a:1', `${ID}@a`, '[::1:1'])
    refused({ 'p2p-seed-node': text }, /^p2p-seed-node: host:port or id@host:port expected/);
  const seed = { 'p2p-seed-node': 'a:1' };
  refused({ ...seed, 'p2p-public-endpoint': 'name:1' }, /^p2p-public-endpoint: address:port expected/);
  refused(
    { ...seed, 'p2p-public-endpoint': ['1.1.1.1:1', '1.1.1.1:2', '1.1.1.1:3', '1.1.1.1:4', '1.1.1.1:5'] },
    /^p2p-public-endpoint: at most 4/,
  );
  for (const text of ['a:1', `${ID}@a`, 'alice'])
    refused({ ...seed, 'p2p-trusted-node': text }, /^p2p-trusted-node: id@host:port expected/);
  refused({ ...seed, 'p2p-allowed-node': 'alice' }, /^p2p-allowed-node: 64 hex digits expected/);
  refused({ ...seed, 'p2p-max-connections': '0' }, /^p2p-max-connections: a positive number/);
  refused({ ...seed, 'p2p-max-connections': '1001' }, /^p2p-max-connections: at most 1000/);
  refused({ ...seed, 'p2p-sync-rate': '0' }, /^p2p-sync-rate: a positive number/);
});

test('limits are read by the names of the lineage and by our own; others of the lineage are taken, and what is wrong is named', () => {
  const seed = { 'p2p-seed-node': 'a:1' };
  const of = (json: string): P2pSettings | undefined => parseSettings({ ...seed, 'p2p-parameters': json });
  const said = of(
    '{"desired_number_of_connections":3,"maximum_number_of_connections":9,"peer_connection_retry_timeout":30,"listen_endpoint":"x"}',
  );
  assert.deepEqual([said?.targetPeers, said?.maxConnections, said?.limits.longestRetryMs], [3, 9, 30_000]);
  const own = of('{"inbound_of_address":1,"inbound_of_group":3,"handshakes_per_second":5,"unfinished":7}');
  assert.deepEqual([own?.limits.ofAddress, own?.limits.ofGroup], [1, 3]);
  assert.deepEqual(own?.limits.gate, { ...usualLimits.gate, handshakesPerSecond: 5, unfinished: 7 });
  assert.equal(parseSettings({ ...seed, 'p2p-key-file': 'elsewhere' })?.keyFile, 'elsewhere');
  for (const [json, message] of [
    ['[]', /a JSON object expected/],
    ['{', /a JSON object expected/],
    ['{"inbound_of_adress":1}', /inbound_of_adress is unknown; the nearest known member is inbound_of_address/],
    ['{"unfinished":0}', /unfinished: a whole number from 1 to 1000 expected, got 0/],
    ['{"unfinished":"7"}', /unfinished: a whole number/],
  ] as const)
    refused({ ...seed, 'p2p-parameters': json }, new RegExp(`^p2p-parameters: .*${message.source}`));
});
