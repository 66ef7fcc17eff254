import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { textMember } from './json.ts';
import { Site } from './site.ts';

const site = new Site();

after(() => site.clear());

test('a bundle for a report of a defect has settings without secrets, versions, metrics, log and profiles of all threads', async () => {
  const node = await site.dev();
  const [bundle, log, config] = [site.path('bundle.json'), site.path('log'), site.path('node.ini')];
  const [wif, password] = [textMember(JSON.parse((await site.run(['keys'])).stdout), 'wif_priv_key'), 'pass@word'];
  writeFileSync(log, `{"msg":"a line"}\n{"msg":"a key ${wif}"}\n`);
  writeFileSync(config, `private-key = ${wif}\nsink-nats = nats://user:${password}@10.0.0.1:4222\n`, { mode: 0o600 });
  const { stderr } = await site.run([
    ...['doctor', '--config', config, '--data-dir', site.path('data', 'chain'), '--log', log],
    ...['--url', `http://127.0.0.1:${node.port}`, '--bundle', bundle],
  ]);
  assert.match(stderr, /wrote .*bundle\.json; read it before/);
  const text = readFileSync(bundle, 'utf8');
  assert.equal(statSync(bundle).mode & 0o077, 0);
  assert.ok(!text.includes(wif) && !text.includes(password));
  const parts: Readonly<Record<string, object>> = JSON.parse(text);
  assert.deepEqual(
    ['private-key', 'sink-nats'].map((key) => Object.entries(parts['settings'] ?? {}).find(([name]) => name === key)),
    [
      ['private-key', ['(hidden)']],
      ['sink-nats', ['nats://(hidden)@10.0.0.1:4222']],
    ],
  );
  assert.deepEqual(parts['log'], ['{"msg":"a line"}', '{"msg":"a key (a private key)"}']);
  assert.ok('v8' in (parts['versions'] ?? {}) && 'head_block_number' in (parts['health'] ?? {}));
  const profiles = Object.entries(parts['profile'] ?? {});
  const names = profiles.map(([name]) => name.replace(/ \d+$/, ''));
  for (const name of ['front', 'writer_thread.js', 'worker.js']) assert.ok(names.includes(name), String(names));
  for (const [name, profile] of profiles) assert.ok(Object.hasOwn(Object(profile), 'nodes'), name);
  // The node goes on.
  assert.equal((await site.run(['top', '--url', `http://127.0.0.1:${node.port}`])).code, 0);
});
