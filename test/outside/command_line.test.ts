import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { freePort } from './free_port.ts';
import { hasUws } from './has_uws.ts';
import { at, numberMember, textMember, type Json } from './json.ts';
import { send, transfer } from './signer.ts';
import type { Program } from './program.ts';
import { Site, type Finished } from './site.ts';
import { waitUntil, within } from './wait_until.ts';
import { inLongForm, inShortForm } from '../builders/forms.ts';

const site = new Site();

after(() => site.clear());

test('help shows every command, examples and exit codes', async () => {
  const { code, stdout, stderr } = await site.run(['--help']);
  assert.deepEqual([code, stderr], [0, '']);
  for (const command of ['run', 'dev', 'import', 'export', 'verify', 'keys'])
    assert.match(stdout, new RegExp(`^ +${command}\\b`, 'm'));
  assert.match(stdout, /Examples:\n +\$ pharos /);
  for (const line of ['0  stopped cleanly', '3  damaged data', '4  port in use', '5  the node refused'])
    assert.ok(stdout.includes(`\n  ${line}\n`), line);
});

test('a command explains itself', async () => {
  const { code, stdout } = await site.run(['dev', '--help']);
  assert.equal(code, 0);
  assert.match(stdout, /^Usage: pharos dev/);
  assert.match(stdout, /--fresh.*\n/);
});

test('the help of run shows the default of each setting that has one, as the settings file has it', async () => {
  const [help, settings] = await Promise.all([site.run(['run', '--help']), site.run(['settings'])]);
  const defaults = [...settings.stdout.matchAll(/^# ([\w-]+) = (.+)$/gm)];
  assert.ok(defaults.length > 30, settings.stdout);
  for (const [, key = '', value = ''] of defaults) {
    const line = help.stdout.split('\n').find((each) => each.trimStart().startsWith(`--${key} `)) ?? assert.fail(key);
    assert.ok(line.endsWith(`(default: ${value})`), line);
  }
  const shown = [...help.stdout.matchAll(/^ +--([\w-]+) .*\(default: /gm)].map(([, key]) => key);
  assert.deepEqual(
    shown,
    defaults.map(([, key]) => key),
    'none is shown that is none',
  );
});

test('help names one default of an option at most, and none that is nothing', async () => {
  for (const command of ['wallet', 'checkpoint', 'signer', 'load']) {
    const { stdout } = await site.run([command, '--help']);
    // An option and its description, on one line.
    const options = stdout
      .replaceAll(/\n {20,}/g, ' ')
      .split('\n')
      .filter((line) => /^ +-/.test(line));
    assert.ok(options.length > 2, stdout);
    for (const option of options) assert.doesNotMatch(option, /\(default: .*\(default: |\(default: (?:""|\[\])\)/);
  }
});

test('whoever stops reading, as head does, ends no command and changes no exit code', inLongForm, async () => {
  const commands: readonly (readonly [readonly string[], number])[] = [
    [['--help'], 0],
    [['run', '--help'], 0],
    [['keys', '--seed', 'alice'], 0],
    [['dance'], 2],
  ];
  for (const [args, expected] of commands) {
    const program = site.start(args);
    program.stopReading();
    assert.equal(await program.exited, expected, args.join(' '));
    assertNoStack(program.stderr);
  }
});

test('a node goes on when nobody reads what it prints', async () => {
  const port = await freePort();
  const program = site.start([
    'dev',
    '--data-dir',
    site.path('unread'),
    '--port',
    String(port),
    '--block-interval-ms',
    '200',
  ]);
  program.stopReading();
  const health = async (): Promise<Response | undefined> =>
    await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined);
  await waitUntil('blocks of a node that nobody listens to', async () => {
    const json: Json = JSON.parse((await (await health())?.text()) ?? '{"head_block_number":0}');
    return numberMember(json, 'head_block_number') >= 2 || undefined;
  });
  assert.deepEqual([await program.stop(), program.stderr], [0, '']);
});

/** Blocks with lines of 75 KB each: a pipe holds 200 KB at most, the chain 256 KB more. */
async function sayMuch(program: Program, blocks: number): Promise<void> {
  const op_vec = Array.from({ length: 30 }, () => transfer('carol', 'bob', '0.000001', 'x'.repeat(200)));
  const calls = Array.from({ length: 12 }, () => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'debug_api.send_unsigned',
    params: { op_vec },
  }));
  for (let made = 0; made < blocks; made++) {
    await program.raw(JSON.stringify(calls));
    await program.result('debug_api.produce_blocks');
  }
}

test('a chain goes on behind a pipe that is full, and stops although nobody reads it', inLongForm, async () => {
  const program = site.start(['dev', '--data-dir', site.path('full'), '--port', '0', '--no-mining']);
  await program.ready();
  program.pauseReading();
  await sayMuch(program, 8);
  assert.equal((await program.health()).number, 8);
  program.resumeReading();
  await waitUntil('how many lines nobody has read', async () => {
    await program.result('debug_api.produce_blocks');
    return / lines were not read and left out$/m.test(program.stdout) || undefined;
  });
  program.pauseReading();
  await sayMuch(program, 5);
  program.interrupt();
  assert.equal(await within('its end, with lines that nobody has read', program.ended), 0);
  program.resumeReading();
  assert.equal(await program.exited, 0);
});

test('which HTTP server answers, and why, is said at start, on /health and by the metrics, and it is the one', async () => {
  const genesis = site.path('served', 'genesis.json');
  const dev = ['dev', '--data-dir', site.path('served'), '--port', '0', '--metrics-port', '0'];
  const endpoints = ['--webserver-http-endpoint', '127.0.0.1:0', '--metrics-endpoint', '127.0.0.1:0'];
  const run = ['run', '--genesis-json', genesis, '--data-dir', site.path('served', 'chain'), ...endpoints];
  const usual = hasUws
    ? /^uWebSockets\.js, release 20\.56\.0, the default$/
    : /^node:http, because uWebSockets\.js 20\.56\.0 has no binary/;
  const starts: [readonly string[], RegExp][] = [
    [dev, usual],
    [run, usual],
    [[...dev, '--webserver-http-server', 'node'], /^node:http, as webserver-http-server says$/],
    [[...run, '--trusted-proxy', '127.0.0.1'], /^node:http, because trusted-proxy is set$/],
    ...(hasUws
      ? [[[...dev, '--webserver-http-server', 'uws'], /^uWebSockets\.js, .* as webserver-http-server says$/] as const]
      : []),
  ].map(([args = [], says = usual]) => [args as readonly string[], says as RegExp]);
  for (const [args, says] of starts) {
    const program = site.start([...args]);
    await program.ready();
    const [, said = ''] = /served by ([^")]+)/.exec(program.stdout + program.stderr) ?? [];
    assert.match(said.trim(), says);
    const response = await fetch(`http://127.0.0.1:${program.port}/health`);
    const health: Json = JSON.parse(await response.text());
    const [server, reason] = [textMember(health, 'http_server'), textMember(health, 'http_server_reason')];
    assert.deepEqual(
      [`${server}, ${reason}`, response.headers.has('uwebsockets')],
      [said.trim(), server === 'uWebSockets.js'],
    );
    const [, metricsPort = ''] = /127\.0\.0\.1:(\d+)\/metrics/.exec(program.stdout) ?? [];
    if (metricsPort !== '') {
      const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
      assert.ok(
        metrics.includes(`pharos_http_server_info{server="${server}",reason="${reason}"} 1`),
        metrics.slice(0, 500),
      );
    }
    assert.equal(await program.stop(), 0);
  }
});

test('a node whose settings ask for node:http is served by it, to clients of HTTP/1.0 too', inShortForm, async () => {
  const genesis = site.path('served', 'genesis.json');
  const folder = ['--data-dir', site.path('served', 'another')];
  const program = site.start([
    'run',
    '--genesis-json',
    genesis,
    ...folder,
    '--webserver-http-endpoint',
    '127.0.0.1:0',
    '--webserver-http-server',
    'node',
  ]);
  await program.ready();
  assert.match(program.stdout + program.stderr, /served by node:http/);
  const socket = connect(program.port, '127.0.0.1');
  socket.write('GET /livez HTTP/1.0\r\nHost: localhost\r\n\r\n');
  const [answer]: unknown[] = await once(socket, 'data');
  assert.match(String(answer), /^HTTP\/1\.1 200 OK\r\n/);
  socket.destroy();
  assert.equal(await program.stop(), 0);
  assertUsage(
    await site.run(['run', '--genesis-json', genesis, ...folder, '--webserver-http-server', 'apache']),
    /uws or node expected, got "apache"/,
  );
});

test(
  'a build of uWebSockets.js that settings name is taken; a folder without one for this Node is refused with what is missing',
  inLongForm,
  async () => {
    const genesis = site.path('served', 'genesis.json');
    const run = [
      'run',
      '--genesis-json',
      genesis,
      '--data-dir',
      site.path('served', 'third'),
      '--webserver-http-endpoint',
      '127.0.0.1:0',
    ];
    const binary = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;
    const empty = site.path('empty');
    const broken = site.path('broken');
    for (const folder of [empty, broken]) mkdirSync(folder);
    assertUsage(
      await site.run([...run, '--webserver-uws-module', site.path('nowhere')]),
      /nowhere holds no uWebSockets\.js/,
    );
    const without = await site.run([...run, '--webserver-uws-module', empty]);
    assertUsage(
      without,
      new RegExp(`empty holds no uWebSockets\\.js for Node .*: a folder with ${binary} is expected`),
    );
    writeFileSync(join(broken, binary), 'no machine code');
    assertUsage(await site.run([...run, '--webserver-uws-module', broken]), /can't be loaded/);
    assertUsage(
      await site.run([...run, '--webserver-uws-module', empty, '--webserver-http-server', 'node']),
      /leave one of them out/,
    );

    const installed = new URL(`../../uws/${binary}`, import.meta.url);
    if (!existsSync(installed)) return;
    const release = site.path('release');
    mkdirSync(release);
    copyFileSync(installed, join(release, binary));
    for (const command of [run, ['dev', '--data-dir', site.path('module'), '--port', '0']]) {
      const program = site.start([...command, '--webserver-uws-module', 'release']);
      await program.ready();
      assert.match(
        program.stdout + program.stderr,
        /served by uWebSockets\.js, from release, as webserver-uws-module says/,
      );
      assert.ok((await fetch(`http://127.0.0.1:${program.port}/livez`)).headers.has('uwebsockets'));
      assert.equal(await program.stop(), 0);
    }
  },
);

test('the version is that of the package', async () => {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  const { code, stdout } = await site.run(['--version']);
  assert.deepEqual([code, stdout.trim()], [0, textMember(JSON.parse(text), 'version')]);
});

/** Refused before anything runs: exit code 2, one clear line, no stack. */
function assertUsage({ code, stderr }: Finished, text: RegExp): void {
  assert.equal(code, 2, stderr);
  assert.match(stderr, text);
  assertNoStack(stderr);
}

function assertNoStack(stderr: string): void {
  assert.doesNotMatch(stderr, /^\s+at .*[:(]\d+|node:internal|\.js:\d+/m);
}

test('wrong usage ends with exit code 2 and says what is wrong', inShortForm, async () => {
  const namedKeys = [
    ['run', '--genesis-json', 'any.json'],
    ['verify', '--data-dir', 'any'],
    ['import', '--genesis', 'any.json', '--block-log', 'any'],
  ];
  const wrong: readonly (readonly [readonly string[], RegExp])[] = [
    [['dance'], /unknown command/i],
    [['dev', '--fast'], /unknown option '--fast'/],
    [['snapshot', 'load'], /missing required argument|required option/],
    [
      ['stream', 'check', '--nats', 'nats://127.0.0.1:1', '--url', 'http://127.0.0.1:1', '--fast'],
      /unknown option '--fast'/,
    ],
    [['dev', '--port', '70000'], /port from 0 to 65535/],
    [['dev', '--profile', 'lineag'], /unknown profile "lineag".*"lineage"/],
    [['run'], /genesis-json is missing/],
    [['verify', '--data-dir', site.path('nothing')], /cannot read the genesis file .*nothing.* nor /],
    ...namedKeys.map((command): [string[], RegExp] => [
      [...command, '--initial-signing-key', 'PHR7'],
      /initial-signing-key: not a public key with prefix PHR/,
    ]),
  ];
  await Promise.all(wrong.map(async ([args, text]) => assertUsage(await site.run(args), text)));
});

test('an unknown key is an error that names the nearest known one, wherever it comes from', async () => {
  const ini = site.path('node.ini');
  writeFileSync(ini, 'data-dir = somewhere\nwebserver-http-endpont = 127.0.0.1:0\n');
  assertUsage(
    await site.run(['run', '--config', ini]),
    /unknown key "webserver-http-endpont" in .*node\.ini.*"webserver-http-endpoint"/,
  );
  assertUsage(
    await site.run(['run'], { PHAROS_DATA_DRI: 'x' }),
    /unknown key "data-dri" in the environment.*"data-dir"/,
  );
});

test('a value that makes no sense is named with its key', async () => {
  const ini = site.path('values.ini');
  writeFileSync(ini, 'webserver-http-endpoint = 127.0.0.1\n');
  assertUsage(await site.run(['run', '--config', ini]), /webserver-http-endpoint: host:port expected/);
});

/** The port that the server gets. */
async function listeningPort(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : assert.fail('no port');
}

test('a port in use ends with exit code 4 and names the port', async () => {
  const server = createServer();
  const port = String(await listeningPort(server));
  try {
    const { code, stderr } = await site.run(['dev', '--data-dir', site.path('busy'), '--port', port]);
    assert.equal(code, 4, stderr);
    assert.match(
      stderr,
      new RegExp(`^pharos: cannot listen on 127\\.0\\.0\\.1 port ${port}, .*use --port NUMBER, or --port 0`, 'm'),
    );
    assertNoStack(stderr);
  } finally {
    server.close();
  }
});

test('two nodes cannot share a data folder', async () => {
  const first = await site.dev('--data-dir', site.path('shared'));
  const { code, stderr } = await site.run(['dev', '--data-dir', site.path('shared'), '--port', '0']);
  assert.equal(code, 2);
  assert.match(stderr, /in use by another process.*pharos dev --port 0 --data-dir data\/second/);
  assertNoStack(stderr);
  assert.equal(await first.stop(), 0);
});

test('keys makes pairs: random ones, and those of a seed or a brain key', inShortForm, async () => {
  const pair = async (...flags: readonly string[]): Promise<Json> =>
    JSON.parse((await site.run(['keys', ...flags])).stdout);
  const [one, other] = [await pair(), await pair()];
  assert.match(textMember(one, 'pub_key'), /^PHR[1-9A-HJ-NP-Za-km-z]{50,51}$/);
  assert.match(textMember(one, 'wif_priv_key'), /^5[1-9A-HJ-NP-Za-km-z]{50}$/);
  assert.notDeepEqual(one, other);
  const alice = await pair('--seed', 'alice');
  assert.equal(at(alice, 'wif_priv_key'), '5J9bWm2ThenDm3tjvmUgHtWCVMUdjRR1pxnRtnJjvKA4b2ut5WK');
  const words = await pair('--brain-key', 'some words');
  const sameWords = await pair('--brain-key', 'some words', '--profile', 'lineage');
  assert.equal(at(sameWords, 'wif_priv_key'), at(words, 'wif_priv_key'));
  assert.equal(textMember(sameWords, 'pub_key'), textMember(words, 'pub_key').replace('PHR', 'SPH'));
  // Not seen by others on the machine: from a file, or from who types.
  writeFileSync(site.path('words'), 'some words\n', { mode: 0o600 });
  assert.deepEqual(await pair('--brain-key-file', site.path('words')), words);
  assert.deepEqual(JSON.parse((await site.runWith('some words\n', ['keys', '--brain-key'])).stdout), words);
});

test('settings come from the file, then the environment, then flags, and the later one wins', inShortForm, async () => {
  const genesis = site.path('own', 'genesis.json');
  const made = await site.dev('--data-dir', site.path('own'));
  assert.equal(await made.stop(), 0);
  const ini = site.path('order.ini');
  writeFileSync(
    ini,
    `genesis-json = ${genesis}\nwebserver-http-endpoint = 127.0.0.1:1\nhttp-cors = https://file.example\nshared-file-size = 24G\n`,
  );
  const environment = {
    PHAROS_WEBSERVER_HTTP_ENDPOINT: '127.0.0.1:2',
    PHAROS_HTTP_CORS: 'https://environment.example',
  };
  const node = site.start(
    ['run', '--config', ini, '--data-dir', site.path('ordered'), '--webserver-http-endpoint', '127.0.0.1:0'],
    environment,
  );
  await node.ready();
  assert.match(node.stdout + node.stderr, /shared-file-size has no effect/);
  const { status } = await node.http('OPTIONS', '/', { origin: 'https://environment.example' });
  assert.equal(status, 204);
  const chainId = createHash('sha256').update(readFileSync(genesis)).digest('hex');
  assert.equal(textMember(await node.result('alexandria_api.about'), 'about.chain_id'), chainId);
  assert.equal(await node.stop(), 0);
});

test('the data of one chain is not opened with the genesis of another', async () => {
  const folder = site.path('mixed');
  assert.equal(await (await site.dev('--data-dir', folder)).stop(), 0);
  const genesis = site.path('mixed', 'genesis.json');
  writeFileSync(genesis, `${readFileSync(genesis, 'utf8')} `);
  const { code, stderr } = await site.run(['dev', '--data-dir', folder, '--port', '0']);
  assert.equal(code, 2);
  assert.match(stderr, /the data is of chain [0-9a-f]{64}, the genesis of chain [0-9a-f]{64}/);
});

test(
  'verify finds an intact folder intact, and damaged files end node and verify with exit code 3',
  inLongForm,
  async () => {
    const folder = site.path('hurt');
    const program = await site.dev('--data-dir', folder);
    for (let round = 0; round < 3; round++) await send(program, [transfer('alice', 'bob', '1.000000')], 'alice');
    assert.equal(await program.stop(), 0);
    const verify = ['verify', '--data-dir', site.path('hurt', 'chain')];
    const intact = await site.run(verify);
    assert.deepEqual([intact.code, intact.stderr], [0, '']);
    assert.match(intact.stdout, /^chain [0-9a-f]{64}, \d+ blocks, state hash [0-9a-f]{64}: intact$/m);

    // Opening it moves the log into files.
    assert.equal(await (await site.dev('--data-dir', folder)).stop(), 0);
    const names = readdirSync(site.path('hurt', 'chain'));
    const tables = names.filter((name) => name.endsWith('.sst')).map((name) => site.path('hurt', 'chain', name));
    assert(tables.length > 0, names.join());
    const contents = new Map(tables.map((path) => [path, readFileSync(path)]));
    for (const [path, bytes] of contents) writeFileSync(path, overwritten(bytes, Math.trunc(bytes.length / 4), 16));
    assertDamaged(await site.run(verify));
    for (const [path, bytes] of contents) writeFileSync(path, bytes);
    assert.equal((await site.run(verify)).code, 0);

    const manifest =
      readdirSync(site.path('hurt', 'chain')).find((name) => name.startsWith('MANIFEST')) ?? assert.fail('no manifest');
    const path = site.path('hurt', 'chain', manifest);
    writeFileSync(path, overwritten(readFileSync(path), 20, 32));
    assertDamaged(await site.run(['dev', '--data-dir', folder, '--port', '0']));
  },
);

function assertDamaged({ code, stderr, stdout }: Finished): void {
  assert.equal(code, 3, stdout + stderr);
  assert.match(stderr, /damaged/);
  assertNoStack(stderr);
}

function overwritten(bytes: Buffer, start: number, length: number): Buffer {
  const changed = Buffer.from(bytes);
  for (let index = start; index < Math.min(start + length, changed.length); index++)
    changed[index] = (changed[index] ?? 0) ^ 0xa5;
  return changed;
}

test('a key alone makes a private net, with the chain id of the lineage', inLongForm, async () => {
  // The secrets are the sha256 of these names; the recorded network of the lineage was started with the first.
  const pair = async (seed: string): Promise<Json> =>
    JSON.parse((await site.run(['keys', '--seed', seed, '--profile', 'lineage'])).stdout);
  const [mining, account] = [await pair('init_key'), await pair('account_key')];
  const net = [
    'run',
    '--profile',
    'lineage',
    '--webserver-http-endpoint',
    '127.0.0.1:0',
    '--initminer-mining-pubkey',
    textMember(mining, 'pub_key'),
  ];
  const producing = ['--witness', 'initminer', '--private-key', textMember(mining, 'wif_priv_key')];
  const node = site.start([
    ...net,
    ...producing,
    '--enable-stale-production',
    'true',
    '--data-dir',
    site.path('private'),
  ]);
  await node.ready();
  const chainId = '1fe5b490e19652237e85b2665d09c7f8abbe62995d3e9cf4a17cfcb91f093488';
  assert.equal(textMember(await node.result('alexandria_api.about'), 'about.chain_id'), chainId);
  await waitUntil('a block of the private net', async () => ((await node.health()).number >= 1 ? true : undefined));
  assert.equal(await node.stop(), 0);

  const owned = site.start([
    ...net,
    '--initminer-account-pubkey',
    textMember(account, 'pub_key'),
    '--data-dir',
    site.path('owned'),
  ]);
  await owned.ready();
  const key = await owned.result('alexandria_api.get_memo_key', { account_name: 'initminer' });
  assert.equal(textMember(key, 'memo_key'), textMember(account, 'pub_key'));
  assert.notEqual(textMember(await owned.result('alexandria_api.about'), 'about.chain_id'), chainId);
  assert.equal(await owned.stop(), 0);
});
