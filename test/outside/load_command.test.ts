import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { Program } from './program.ts';
import { Site } from './site.ts';

const site = new Site();
let program: Program;

before(async () => {
  program = await site.dev('--fresh');
});

after(() => site.clear());

const load = (...args: readonly string[]): ReturnType<Site['run']> => site.run(['load', '--threads', '1', ...args]);

test('a load is counted in blocks, in whole posts and in the last one', async () => {
  const { code, stdout } = await load(
    '--url',
    `http://127.0.0.1:${program.port}`,
    '--count',
    '250',
    '--connections',
    '3',
  );
  assert.equal(code, 0);
  assert.match(stdout, /^accepted {5}250$/m);
  assert.match(stdout, /^in blocks {4}250, blocks \d+ to \d+ of at most \d+ bytes$/m);
  assert.doesNotMatch(stdout, /^refused/m);
});

test('what the node refuses is counted by its reason', async () => {
  // Two accounts whose keys are those of each other.
  const keys = ['alice', 'bob'].map((name) => {
    const other = program.stdout
      .split('\n')
      .find((line) => line.trimStart().startsWith(name === 'alice' ? 'bob ' : 'alice '));
    return `${name}:${other?.trim().split(/\s+/)[1] ?? ''}`;
  });
  const { code, stdout } = await load(
    '--url',
    `http://127.0.0.1:${program.port}`,
    '--count',
    '120',
    '--accounts',
    ...keys,
  );
  assert.equal(code, 0);
  assert.match(stdout, /^accepted {5}0\nrefused {6}\d+ × missing_active_authority: .*\n/m);
});

test('a node that is not there and an address that is none are told in a line', async () => {
  const nobody = createServer().listen(0, '127.0.0.1');
  await once(nobody, 'listening');
  const url = `http://127.0.0.1:${(nobody.address() as AddressInfo).port}`;
  nobody.close();
  const silent = await load('--url', url, '--count', '10');
  assert.deepEqual([silent.code, silent.stdout], [1, '']);
  assert.match(silent.stderr, /^pharos: no answer from the node at http:.*ECONNREFUSED.*\n$/);
  const wrong = await load('--url', 'ftp://127.0.0.1:1', '--count', '10');
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /starts with http:\/\/, https:\/\//);
});
