import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { at, listAt, maybeAt, textAt, type Json } from './json.ts';
import type { Program } from './program.ts';
import { transactionOf, transfer } from './signer.ts';
import { Site } from './site.ts';

const site = new Site();
/** A key that stands on no banner. */
let secret: string;
/** What each method that takes a private key is asked, with that key. */
let calls: readonly { readonly method: string; readonly params: { readonly [name: string]: Json } }[];
let program: Program;
let metricsUrl: string;

before(async () => {
  program = await site.dev('--fresh', '--metrics-port', '0');
  metricsUrl = /metrics +(\S+)/.exec(program.stdout)?.[1] ?? assert.fail('the program has printed where its figures are');
  secret = textAt(await program.result('alexandria_api.generate_key_pair'), 'key_pair.wif_priv_key');
  const document: Json = JSON.parse((await program.http('GET', '/openrpc.json', {})).body);
  calls = await Promise.all(
    listAt(document, 'methods')
      .filter((method) => maybeAt(method, 'x-needs-private-key') === true)
      .map(callOf),
  );
  assert.ok(calls.length >= 6, 'methods that take a private key');
});

after(() => site.clear());

/** The example of a method with the key where its document shows dots, and with a transaction that somebody could sign. */
async function callOf(method: Json): Promise<(typeof calls)[number]> {
  const params = listAt(method, 'examples.0.params').map((param): [string, Json] => [
    textAt(param, 'name'),
    at(param, 'value') === '…' ? secret : at(param, 'value'),
  ]);
  const operation = transfer('alice', 'bob', '1.000000');
  const own = { op: operation, tx: await transactionOf(program, [operation]) };
  return {
    method: textAt(method, 'name'),
    params: {
      ...Object.fromEntries(params),
      ...pick(
        own,
        params.map(([name]) => name),
      ),
    },
  };
}

function pick(values: { readonly [name: string]: Json }, names: readonly string[]): { [name: string]: Json } {
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));
}

/** Calls with the key that fail: a member too many, each other one of a wrong kind or missing, text that is no JSON. */
function mistaken(method: string, params: { readonly [name: string]: Json }): string[] {
  const others = Object.keys(params).filter((name) => params[name] !== secret);
  const without = (name: string): Json => Object.fromEntries(Object.entries(params).filter(([member]) => member !== name));
  const wrong: Json[] = [{ ...params, more: 1 }, ...others.flatMap((name) => [{ ...params, [name]: [{}] }, without(name)])];
  const bodies = [...wrong, params].map((given) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: given }));
  return [...bodies.slice(0, -1), bodies.at(-1)?.slice(0, -1) ?? ''];
}

test('examples show dots in the place of keys, and a key that is sent shows nowhere else', async () => {
  for (const { method, params } of calls) {
    assert.ok(Object.values(params).includes(secret), `${method} shows where its key goes`);
    const { body } = await program.raw(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
    assert.ok(!body.includes(secret), body);
    for (const sent of mistaken(method, params)) {
      const { body: refused } = await program.raw(sent);
      assert.notEqual(maybeAt(JSON.parse(refused), 'error'), undefined, sent);
      assert.ok(!refused.includes(secret), refused);
    }
  }
  const figures = await (await fetch(metricsUrl)).text();
  assert.match(figures, /sign_digest/);
  for (const text of [figures, program.stdout, program.stderr]) assert.ok(!text.includes(secret));
});

/** A node that strangers reach. */
async function publicNode(...flags: readonly string[]): Promise<Program> {
  const genesis = site.path('genesis.json');
  writeFileSync(genesis, '{}');
  const own = site.path(`public${flags.length}`);
  const node = site.start(['run', '--genesis-json', genesis, '--data-dir', own, '--webserver-http-endpoint', '0.0.0.0:0', ...flags]);
  await node.ready();
  return node;
}

test('beyond loopback a node takes no private keys, by their full and their bare names, unless it is told to', async () => {
  const [closed, open] = [await publicNode(), await publicNode('--allow-private-keys')];
  for (const { method, params } of calls) {
    const { name, message } = await closed.refusal(method, params);
    assert.equal(name, 'private_keys_not_allowed', method);
    assert.match(message, /--allow-private-keys/);
    const bare = { id: 1, method: method.split('.')[1], params: Object.values(params) };
    const { body } = await closed.raw(JSON.stringify(bare));
    assert.equal(at(JSON.parse(body), 'error.data.name'), 'private_keys_not_allowed', method);
    const taken = await open.call(method, params);
    assert.notEqual(maybeAt(taken, 'error.data.name'), 'private_keys_not_allowed', method);
  }
  for (const node of [closed, open]) assert.ok(!(node.stdout + node.stderr).includes(secret));
});
