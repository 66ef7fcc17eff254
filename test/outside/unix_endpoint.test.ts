import assert from 'node:assert/strict';
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { guideNamed } from '../pages/guides/guide.ts';
import { pastChain } from '../builders/past_chain.ts';
import { producing, run } from './network_nodes.ts';
import { Site, type Finished } from './site.ts';
import { waitUntil } from './wait_until.ts';

// webserver-unix-endpoint, as an operator uses it: with a proxy before the port, and after kill -9.

const site = new Site();
after(() => site.clear());

const KEYS = 'alexandria_api.get_public_key';
const KEYS_PARAMS = '{"private_key":"5HpHagT65TZzG1PH3CSu63k8DbpvD8s5ip4nEB3kEsreAnchuDf"}';

const PAST_BLOCKS = 20;
const SLOT_SECONDS = 1;

interface SocketNode {
  readonly config: string;
  readonly path: string;
  readonly node: Awaited<ReturnType<typeof run>>;
}

/** A node with a socket, whose settings are in a file too. */
async function startNode(name: string, ...flags: readonly string[]): Promise<SocketNode> {
  const past = await pastChain(site.path(`${name}-past`), PAST_BLOCKS, undefined, SLOT_SECONDS);
  const path = site.path(`${name}-run`, 'rpc.sock');
  const config = site.path(`${name}.ini`);
  writeFileSync(config, `webserver-unix-endpoint = ${path}\nwebserver-http-endpoint = 127.0.0.1:1\n`);
  const node = await run(
    site,
    past,
    `${name}-past/chain`,
    ...producing(past),
    '--webserver-unix-endpoint',
    path,
    '--p2p-endpoint',
    '127.0.0.1:0',
    ...flags,
  );
  return { config, path, node };
}

/** The answer to the guide's line for curl, which not every machine has. */
async function answerAt(line: string, socketPath: string): Promise<string> {
  const [, , target = '', body = ''] =
    /^curl -s --unix-socket (\S+) (http:\S+) -d '(.+)'$/.exec(line) ?? assert.fail(line);
  const asked = request({ socketPath, path: new URL(target).pathname, method: 'POST' }).end(body);
  const [answer] = await once(asked, 'response');
  return await text(answer);
}

function said({ code, stdout, stderr }: Finished): readonly [number | null, string] {
  return [code, code === 0 ? stdout : stderr];
}

test('commands use the socket that the settings name, whatever stands before the port', async () => {
  const { config, path, node } = await startNode('behind', '--trusted-proxy', '127.0.0.1', '--admin-endpoint', 'unix');
  assert.equal(statSync(path).mode & 0o777, 0o660);
  assert.match(node.stderr, new RegExp(`listening on \\d+, ${path}, served by node:http`));

  const [ask = '', ...more] = guideNamed('local_access').commands;
  assert.deepEqual(more, []);
  assert.match(await answerAt(ask, path), /"head_block_number":/);

  const byConfig = await site.run(['call', KEYS, KEYS_PARAMS, '--config', config]);
  assert.equal(byConfig.code, 0, byConfig.stderr);
  const url = `http://127.0.0.1:${node.port}`;
  const [code, why] = said(await site.run(['call', KEYS, KEYS_PARAMS, '--url', url]));
  assert.deepEqual([code, /private_keys_not_allowed/.test(why)], [5, true], why);

  const environment = { PHAROS_WEBSERVER_UNIX_ENDPOINT: path };
  assert.deepEqual(said(await site.run(['peers'], environment)), [0, 'no peers\n']);
  assert.equal((await site.run(['peers', '--url', url])).code, 5, 'the administration answers by the socket alone');
  const top = await site.run(['top', '--config', config]);
  assert.equal(top.code, 0, top.stderr);
  assert.match(top.stdout, /^unix /m);
  assert.equal((await site.run(['top', '--url', url])).code, 1);
  // A command takes as long as a hundred looks at the head.
  await waitUntil('a block', async () => (await node.health()).number > PAST_BLOCKS || undefined);
  // A slot that the machine was too busy for is told here, too.
  await waitUntil('the witness to make its blocks', async () => {
    const { stdout } = await site.run(['witness', 'status', 'initminer', '--config', config]);
    return /this node +makes its blocks/.test(stdout) || undefined;
  });
  assert.equal((await site.run(['witness', 'status', 'initminer'], environment)).code, 0);
  const wallet = await site.run(['wallet', '--wallet-file', site.path('w.json'), '--config', config, 'about']);
  assert.equal(wallet.code, 0, wallet.stderr);
  const again = await site.run(['wallet', '--wallet-file', site.path('w.json'), 'about'], environment);
  assert.equal(again.code, 0, again.stderr);
  const doctor = await site.run(['doctor', '--config', config, '--webserver-http-endpoint', `127.0.0.1:${node.port}`]);
  assert.match(doctor.stdout, /ports +ok +the node listens on \d+, \S+rpc\.sock/, doctor.stdout + doctor.stderr);
  assert.match(doctor.stdout, /it runs: head block/);

  for (const address of [`unix:${path}`, `ws+unix:${path}`]) {
    const version = await site.run(['call', 'alexandria_api.get_version', '--url', address]);
    assert.equal(version.code, 0, version.stderr);
    assert.match(version.stdout, /"chain_id"/);
  }
  assert.equal(
    (await node.http('GET', '/health', { 'x-forwarded-for': '203.0.113.9' })).body.includes('unix_endpoint'),
    false,
  );
});

test('kill -9 leaves a socket that the next start replaces; a clean stop removes it', async () => {
  const first = await startNode('killed');
  first.node.kill();
  await first.node.exited;
  assert.ok(existsSync(first.path));
  const past = await pastChain(site.path('second-past'), 20);
  const second = await run(
    site,
    past,
    'second-past/chain',
    ...producing(past),
    '--webserver-unix-endpoint',
    first.path,
  );
  const call = ['call', 'alexandria_api.info', '--config', first.config];
  assert.equal((await site.run(call)).code, 0);
  const health = (await second.http('GET', '/health', {})).body;
  assert.match(health, /"unix_endpoint":".*rpc\.sock"/);

  const third = await pastChain(site.path('third-past'), 20);
  const late = site.start([
    'run',
    '--genesis-json',
    third.genesisFile,
    '--data-dir',
    site.path('third'),
    '--webserver-http-endpoint',
    '127.0.0.1:0',
    '--webserver-unix-endpoint',
    first.path,
  ]);
  assert.equal(await late.exited, 4, late.stderr);
  assert.match(late.stderr, /another process does/);
  assert.equal((await site.run(call)).code, 0, 'the one that listens goes on');
  assert.equal(await second.stop(), 0);
  assert.equal(existsSync(first.path), false);
  const [code, why] = said(await site.run(call));
  assert.equal(code, 1);
  assert.match(why, /ENOENT/);
});

test('private keys can be bound to the socket alone', async () => {
  const { config, node } = await startNode('keys', '--private-key-methods', 'unix');
  assert.equal((await site.run(['call', KEYS, KEYS_PARAMS, '--config', config])).code, 0);
  assert.equal((await site.run(['call', KEYS, KEYS_PARAMS, '--url', `http://127.0.0.1:${node.port}`])).code, 5);
  assert.equal((await site.run(['peers', '--config', config])).code, 0);
  assert.equal((await site.run(['peers', '--url', `http://127.0.0.1:${node.port}`])).code, 5);
});

test('wrong settings are refused by name', async () => {
  const start = async (...flags: readonly string[]): Promise<Finished> =>
    await site.run([
      'run',
      '--initminer-mining-pubkey',
      'PHR6MRyAjQq8ud7hVNYcfnVPJqcVpscN5So8BhtHuGYqET5GDW5CV',
      '--data-dir',
      site.path('wrong'),
      '--webserver-http-endpoint',
      '127.0.0.1:0',
      ...flags,
    ]);
  const taken = site.path('notes.txt');
  writeFileSync(taken, 'notes');
  mkdirSync(site.path('empty'));
  for (const [flags, code, words] of [
    [
      ['--webserver-unix-endpoint', `/${'x'.repeat(120)}`],
      2,
      /webserver-unix-endpoint: \/x+ has 121 bytes, .* at most 10[37]/,
    ],
    [['--webserver-unix-endpoint', taken], 2, /notes\.txt: something else than a socket/],
    [['--admin-endpoint', 'unix'], 2, /admin-endpoint: unix is the socket that webserver-unix-endpoint names/],
    [
      ['--private-key-methods', 'unix'],
      2,
      /private-key-methods: unix is the socket that webserver-unix-endpoint names/,
    ],
    [['--admin-endpoint', 'socket'], 2, /admin-endpoint: host:port or unix expected/],
  ] as const) {
    const finished = await start(...flags);
    assert.equal(finished.code, code, finished.stderr);
    assert.match(finished.stderr, words);
  }
});
