import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { at, listMember, optionalMember, textMember, type Json } from './json.ts';
import type { Program } from './program.ts';
import { makeTransaction, transfer } from './signer.ts';
import { Site } from './site.ts';
import { inLongForm, inShortForm } from '../builders/forms.ts';

const site = new Site();
/** A key that stands on no banner. */
let secret: string;
/** The params of each method that takes a private key, with that key. */
let calls: readonly { readonly method: string; readonly params: { readonly [name: string]: Json } }[];
let program: Program;
let metricsUrl: string;

before(async () => {
  program = await site.dev('--fresh', '--metrics-port', '0');
  metricsUrl =
    /metrics +(\S+)/.exec(program.stdout)?.[1] ?? assert.fail('the program has printed where its figures are');
  secret = textMember(await program.result('alexandria_api.generate_key_pair'), 'key_pair.wif_priv_key');
  const document: Json = JSON.parse((await program.http('GET', '/openrpc.json', {})).body);
  calls = await Promise.all(
    listMember(document, 'methods')
      .filter((method) => optionalMember(method, 'x-needs-private-key') === true)
      .map(findCall),
  );
  assert.ok(calls.length >= 6, 'methods that take a private key');
});

after(() => site.clear());

/**
 * The example of a method with the key where its document shows dots, and with a transaction that somebody could sign.
 */
async function findCall(method: Json): Promise<(typeof calls)[number]> {
  const params = listMember(method, 'examples.0.params').map((param): [string, Json] => [
    textMember(param, 'name'),
    at(param, 'value') === '…' ? secret : at(param, 'value'),
  ]);
  const operation = transfer('alice', 'bob', '1.000000');
  const own = { op: operation, tx: await makeTransaction(program, [operation]) };
  return {
    method: textMember(method, 'name'),
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
  const without = (name: string): Json =>
    Object.fromEntries(Object.entries(params).filter(([member]) => member !== name));
  const wrong: Json[] = [
    { ...params, more: 1 },
    ...others.flatMap((name) => [{ ...params, [name]: [{}] }, without(name)]),
  ];
  const bodies = [...wrong, params].map((given) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: given }));
  return [...bodies.slice(0, -1), bodies.at(-1)?.slice(0, -1) ?? ''];
}

test('examples show dots in the place of keys, and a key that is sent shows nowhere else', async () => {
  for (const { method, params } of calls) {
    assert.ok(Object.values(params).includes(secret), `${method} shows where its key goes`);
    const { body } = await program.raw(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
    assert.ok(!body.includes(secret), body);
    for (const sent of mistaken(method, params)) {
      const { body: answer } = await program.raw(sent);
      assert.notEqual(optionalMember(JSON.parse(answer), 'error'), undefined, sent);
      assert.ok(!answer.includes(secret), answer);
    }
  }
  const figures = await (await fetch(metricsUrl)).text();
  assert.match(figures, /sign_digest/);
  for (const text of [figures, program.stdout, program.stderr]) assert.ok(!text.includes(secret));
});

function runArguments(name: string, ...flags: readonly string[]): Program {
  const genesis = site.path('genesis.json');
  writeFileSync(genesis, '{}');
  return site.start([
    'run',
    '--genesis-json',
    genesis,
    '--data-dir',
    site.path(name),
    '--webserver-http-endpoint',
    '0.0.0.0:0',
    ...flags,
  ]);
}

/** A node that strangers reach. */
async function publicNode(name: string, ...flags: readonly string[]): Promise<Program> {
  const node = runArguments(name, ...flags);
  await node.ready();
  return node;
}

const through = { via: '1.1 a proxy' };

/** Returns the refusal of a call with these headers; undefined when its key is not the reason. */
async function refused(
  node: Program,
  body: Json,
  headers: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const name = optionalMember(JSON.parse((await node.raw(JSON.stringify(body), headers)).body), 'error.data.name');
  return name === 'private_keys_not_allowed' ? name : undefined;
}

test(
  'private keys are taken from programs of this machine, from everybody or from nobody, as the operator says',
  inShortForm,
  async () => {
    const no = 'private_keys_not_allowed';
    for (const [mode, expected] of [
      ['local', [undefined, no]],
      ['always', [undefined, undefined]],
      ['never', [no, no]],
    ] as const) {
      const node = await publicNode(mode, '--private-key-methods', mode);
      for (const { method, params } of calls)
        for (const body of [
          { jsonrpc: '2.0', id: 1, method, params },
          { id: 1, method: method.split('.')[1] ?? '', params: Object.values(params) },
        ])
          assert.deepEqual(
            [await refused(node, body, {}), await refused(node, body, through)],
            expected,
            `${mode} ${method}`,
          );
      assert.ok(!(node.stdout + node.stderr).includes(secret));
      if (mode !== 'never') continue;
      const { message } = await node.refusal(calls[0]?.method ?? '', calls[0]?.params ?? {});
      assert.match(message, /--private-key-methods/);
    }
  },
);

test('with a port of the administration, the others take no private keys', async () => {
  const node = await publicNode('admin', '--admin-endpoint', '127.0.0.1:0');
  const [, open = '', admin = ''] =
    /listening on (\d+), (\d+)/.exec(node.stdout + node.stderr) ?? assert.fail(node.stderr);
  const refusalName = async (port: string, call: Json): Promise<Json | undefined> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...Object(call) });
    return optionalMember(
      JSON.parse(await (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body })).text()),
      'error.data.name',
    );
  };
  for (const call of calls) {
    assert.equal(await refusalName(open, call), 'private_keys_not_allowed', call.method);
    assert.notEqual(await refusalName(admin, call), 'private_keys_not_allowed', call.method);
  }
});

test(
  'the port of the administration knows its operator, whichever proxy of this machine is trusted',
  inLongForm,
  async () => {
    const flags = [
      '--admin-endpoint',
      '127.0.0.1:0',
      '--trusted-proxy',
      '127.0.0.1',
      '--trusted-proxy',
      '::1',
      '--p2p-endpoint',
      '127.0.0.1:0',
    ];
    const node = await publicNode('proxied', '--private-key-methods', 'never', ...flags);
    const [, open = '', admin = ''] =
      /listening on (\d+), (\d+)/.exec(node.stdout + node.stderr) ?? assert.fail(node.stderr);
    const snapshot = site.path('state.avro');
    for (const words of [['peers'], ['top'], ['snapshot', 'create', '--out', snapshot]]) {
      const [answered, refusedThere] = await Promise.all(
        [admin, open].map(async (port) => await site.run([...words, '--url', `http://127.0.0.1:${port}`])),
      );
      assert.equal(answered?.code, 0, `${words.join(' ')}: ${answered?.stderr}`);
      assert.notEqual(refusedThere?.code, 0, words.join(' '));
    }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'network_node_api.get_info', params: {} });
    const posted = await fetch(`http://127.0.0.1:${admin}/`, { method: 'POST', body, headers: through });
    assert.equal(
      optionalMember(JSON.parse(await posted.text()), 'error.data.name'),
      'operator_only',
      'nobody comes through a proxy',
    );
  },
);

test('settings of proxies and of the administration that make no sense are refused by name', async () => {
  for (const [flag, value, said] of [
    ['--trusted-proxy', '10.0.0.0/33', /trusted-proxy: .*10\.0\.0\.0\/33/],
    ['--private-key-methods', 'sometimes', /private-key-methods: .*sometimes/],
    ['--admin-endpoint', '0.0.0.0:0', /admin-endpoint: .*0\.0\.0\.0/],
  ] as const) {
    const node = runArguments(value.replaceAll(/\W/g, ''), flag, value);
    assert.equal(await node.exited, 2);
    assert.match(node.stderr, said);
  }
});
