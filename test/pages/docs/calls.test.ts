import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { connect, NodeRefusal } from '../../../src/client/index.ts';
import { readJsonText } from '../../../src/codec/json_reader.ts';
import { devChain, type DevChain } from '../../../src/dev_chain/dev_chain.ts';
import { callTexts, operationTexts, makeRequest, USUAL_URL, type Value } from '../../../src/pages/docs/calls.ts';
import { plain } from '../../../src/pages/docs/form.ts';
import { prettyText } from '../../../src/pages/docs/pretty.ts';
import { catalogue, samples } from './built.ts';

const folder = mkdtempSync(join(tmpdir(), 'pharos-docs-'));
let chain: DevChain;
before(async () => {
  chain = await devChain();
});
after(async () => {
  await chain.stop();
  rmSync(folder, { recursive: true });
});

/** The words that a shell makes of each line. */
function splitWords(lines: readonly string[]): string[][] {
  const script = lines.map((line) => `say ${line}`).join('\n');
  const { stdout, stderr } = spawnSync('sh', ['-c', `say() { printf '%s\\0' "$@"; printf '\\n\\0'; }\n${script}`], {
    encoding: 'utf8',
  });
  assert.equal(stderr, '');
  return stdout
    .split('\n\0')
    .slice(0, -1)
    .map((line) => line.split('\0').slice(0, -1));
}

test('what the lines for a shell say is the call, whatever its params hold', () => {
  const hostile = fc
    .sample(fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4, noNullPrototype: true }), 60)
    .map((value) => plain(readJsonText(JSON.stringify(value))));
  const all: readonly Value[] = [{}, { name: `it's "$(id)" \`id\` \\ $HOME !\n;` }, ...hostile];
  for (const [k, words] of splitWords(all.map((params) => callTexts('a.b', params).curl)).entries()) {
    const [curl, silent, url, data, body = '', ...more] = words;
    assert.deepEqual([curl, silent, url, data, more], ['curl', '-s', USUAL_URL, '-d', []]);
    assert.deepEqual(JSON.parse(body), JSON.parse(JSON.stringify(makeRequest('a.b', all[k] ?? null))));
  }
  for (const [k, words] of splitWords(
    all.map((params) => callTexts('a.b', params, 'http://host/path?a&b').cli),
  ).entries()) {
    const [pharos, call, method, ...rest] = words;
    assert.deepEqual(
      [pharos, call, method, ...rest.slice(-2)],
      ['pharos', 'call', 'a.b', '--url', 'http://host/path?a&b'],
    );
    assert.deepEqual(rest.length === 3 ? JSON.parse(rest[0] ?? '') : {}, JSON.parse(JSON.stringify(all[k])));
  }
});

test('readable JSON is the same JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) =>
      assert.deepEqual(JSON.parse(prettyText(JSON.parse(JSON.stringify(value)))), JSON.parse(JSON.stringify(value))),
    ),
  );
});

/** Runs a program of a page, with what it imports at hand; what it printed. */
async function runProgram(text: string): Promise<unknown[]> {
  const [first, ...lines] = text.split('\n');
  assert.equal(first, "import { connect } from 'pharos-client';");
  const printed: unknown[] = [];
  const clients: { close(): void }[] = [];
  const noting = async (url: string): Promise<{ close(): void }> => {
    const client = await connect(url);
    clients.push(client);
    return client;
  };
  const path = join(folder, `${randomUUID()}.mjs`);
  writeFileSync(path, `export default async (connect, console) => {\n${lines.join('\n')}\n};`);
  const { default: program }: { default: (connect: unknown, console: unknown) => Promise<void> } = await import(path);
  try {
    await program(noting, { log: (...values: unknown[]) => printed.push(...values) });
  } finally {
    for (const client of clients) client.close();
  }
  return printed;
}

test('the program of every method calls it: a node that serves it answers, or refuses what the sample speaks of', async () => {
  const without: string[] = [];
  for (const { name, effect } of catalogue.methods) {
    const sample = samples.methods[name];
    if (sample === undefined || effect === 'moves' || effect === 'administers') continue;
    const { client } = callTexts(name, plain(sample.params), chain.url);
    if (client === undefined) {
      without.push(name);
      continue;
    }
    try {
      await runProgram(client);
    } catch (error) {
      assert.ok(error instanceof NodeRefusal && error.rpcCode !== -32602, `${name}: ${String(error)}\n${client}`);
    }
  }
  assert.deepEqual(without, [
    'alexandria_api.fiat_to_coin',
    'gethelp',
    'help',
    'jsonrpc.get_methods',
    'jsonrpc.get_signature',
    'rpc.discover',
  ]);
});

test('the program of a call prints the result, and that of an operation sends it', async () => {
  const { client = '' } = callTexts('alexandria_api.get_account_balance', { account_name: 'alice' }, chain.url);
  assert.deepEqual(await runProgram(client), [
    await chain.call('alexandria_api.get_account_balance', { account_name: 'alice' }),
  ]);
  const body = { fee: '0.010000 COIN', sender: 'alice', recipients: ['bob'], app_id: 1, json: `{"it's":"\\"so\\""}` };
  const sent = operationTexts('custom_json', body, chain.url).client ?? '';
  const [said] = await runProgram(sent.replace("key = ''", `key = '${chain.account('alice').key}'`));
  assert.match(String(said), /^in block \d+: [0-9a-f]{40}$/);
  const [[, document] = assert.fail()] = await chain.call('custom_api.list_received_documents', {
    ...{ app_id: 1, account_name: 'bob', search_type: 'by_recipient_reverse', start: '-1', count: 1 },
  });
  assert.equal(document.data, body.json);
});

test('what follows news hears it', async () => {
  const { client = '' } = callTexts(
    'subscribe_api.subscribe_operations',
    { return_id: 2, kinds: ['transfer'], level: 'head' },
    chain.url,
  );
  const paying = `await node.send([['transfer', { from: 'alice', to: 'bob', amount: '1 COIN', memo: 'news' }]], ['${chain.account('alice').key}']);`;
  const program = client
    .replace('await node', 'let tell;\nconst told = new Promise((resolve) => (tell = resolve));\nawait node')
    .replace('console.log(operation, position)', '(console.log(operation.op[1].memo), tell())');
  assert.deepEqual(await runProgram(`${program}${paying}\nawait told;`), ['news']);
});
