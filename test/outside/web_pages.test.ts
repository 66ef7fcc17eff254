import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { at, type Json } from './json.ts';
import type { Program } from './program.ts';
import { Site } from './site.ts';

const site = new Site();
let program: Program;
const JUMP = '{"jsonrpc":"2.0","id":1,"method":"debug_api.jump_ahead","params":{"seconds":31536000}}';
const VERSION = '{"jsonrpc":"2.0","id":1,"method":"alexandria_api.get_version"}';

before(async () => {
  program = await site.dev('--fresh', '--http-cors', 'https://wallet.example', '--allowed-host', 'node.example');
});

after(() => site.clear());

async function timeOfChain(): Promise<number> {
  const result: Json = await program.result('database_api.get_dynamic_global_properties');
  return Date.parse(`${String(at(result, 'time'))}Z`);
}

test('a page of a stranger does not move the time of a development chain, whatever it calls its body', async () => {
  const earlier = await timeOfChain();
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json'])
    for (const origin of ['https://evil.example', 'null'])
      assert.equal((await program.raw(JUMP, { origin, 'content-type': type })).status, 403, `${type} from ${origin}`);
  assert.ok((await timeOfChain()) - earlier < 86_400_000, 'no year has passed');
});

test('pages of this machine may call a development chain, and so may those that are named', async () => {
  for (const origin of ['http://localhost:3000', 'http://127.0.0.1:8080', 'https://wallet.example']) {
    const response = await fetch(`http://127.0.0.1:${program.port}/`, {
      method: 'POST',
      headers: { origin },
      body: VERSION,
    });
    assert.deepEqual([response.status, response.headers.get('access-control-allow-origin')], [200, origin]);
    await response.text();
    assert.equal((await program.http('OPTIONS', '/', { origin, 'access-control-request-method': 'POST' })).status, 204);
  }
  assert.equal((await program.http('POST', '/', { host: 'node.example' }, VERSION)).status, 200);
});

test('a flag that a refusal names is one that both kinds of nodes have', async () => {
  const texts = await Promise.all([
    program.raw(VERSION, { origin: 'https://evil.example' }),
    program.http('POST', '/', { host: 'evil.example' }, VERSION),
  ]);
  for (const { status, body } of texts) {
    assert.equal(status, 403);
    const [flag] = /--[a-z-]+/.exec(body) ?? [];
    assert.notEqual(flag, undefined, body);
    for (const command of ['run', 'dev'])
      assert.match((await site.run([command, '--help'])).stdout, new RegExp(`${flag} <`), command);
  }
});
