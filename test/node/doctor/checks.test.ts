import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { exitCodes } from '../../../src/base/exit_codes.ts';
import { checks } from '../../../src/node/doctor/checks/index.ts';
import { placeOfNode, type Facts } from '../../../src/node/doctor/facts.ts';
import type { Finding } from '../../../src/node/doctor/finding.ts';
import { holderOfPort } from '../../../src/node/doctor/port_holder.ts';
import type { RunningNode } from '../../../src/node/doctor/running_node.ts';
import { readConfig } from '../../../src/node/config/read_config.ts';
import { PROGRAM_VERSION } from '../../../src/node/program_version.ts';

// What can't be made in a test with real programs in reasonable time; the rest is in test/services.

const project = fileURLToPath(new URL('../../../../', import.meta.url));
const textOf = (path: string): string => readFileSync(join(project, path), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'pharos-doctor-'));

after(() => rmSync(folder, { recursive: true }));

const well: RunningNode = {
  isReady: true,
  problems: [],
  head: 100,
  headAgeSeconds: 1,
  clockOffsetSeconds: 0,
  peers: 3,
  blocksBehind: 0,
  version: PROGRAM_VERSION,
  diskFullInHours: undefined,
  peerHeads: [],
  witnesses: [],
};

function factsOf(flags: Readonly<Record<string, unknown>>, running: Partial<RunningNode> | undefined, rest: Partial<Facts> = {}): Facts {
  const { values } = readConfig({ iniFile: undefined, environment: {}, flags: { 'data-dir': folder, ...flags } });
  const node = running && { ...well, ...running };
  return {
    values,
    notices: [],
    dataFolder: folder,
    holder: undefined,
    running: node,
    url: 'http://127.0.0.1:1',
    runningPid: undefined,
    ...rest,
  };
}

async function foundBy(check: string, facts: Facts): Promise<readonly Finding[]> {
  return (await checks[check]?.(facts)) ?? assert.fail(`a check ${check}`);
}

async function saysOf(check: string, facts: Facts): Promise<string[]> {
  return (await foundBy(check, facts)).map(({ state, found }) => `${state}: ${found}`);
}

test('a node that lacks blocks is behind, one whose peers lack them names those', async () => {
  assert.deepEqual(await saysOf('peers', factsOf({}, { blocksBehind: 40 })), ['wrong: it lacks 40 blocks that its 3 peers have']);
  const peerHeads = [99, 97, 50, 98].map((head, k) => ({ address: `10.0.0.${k}:9290`, head }));
  assert.deepEqual(await saysOf('peers', factsOf({}, { peerHeads })), [
    'ok: it is connected with 3, and has what they have',
    'look: behind this node: 10.0.0.1:9290 (3 blocks), 10.0.0.2:9290 (50 blocks)',
  ]);
  const many = Array.from({ length: 7 }, (_, k) => ({ address: `10.0.1.${k}:9290`, head: 1 }));
  assert.match((await saysOf('peers', factsOf({}, { peerHeads: many }))).at(-1) ?? '', /10\.0\.1\.4:9290 \(99 blocks\) and 2 more$/);
});

test('a node of another version than the program is told to be restarted', async () => {
  assert.equal((await foundBy('versions', factsOf({}, {}))).length, 1);
  assert.equal((await saysOf('versions', factsOf({}, { version: '0.0.9' }))).at(-1), 'look: the node that runs is of version 0.0.9');
});

test('a clock that a node has found out counts, ahead or behind', async () => {
  assert.deepEqual(await saysOf('clock', factsOf({}, { clockOffsetSeconds: -9 })), ['wrong: it is 9 seconds behind the times of blocks']);
  assert.deepEqual(await saysOf('clock', factsOf({}, { clockOffsetSeconds: 7 })), ['wrong: it is 7 seconds ahead of the times of blocks']);
  assert.deepEqual(await saysOf('clock', factsOf({}, {})), ['ok: it agrees with the times of blocks']);
});

test('a clock and an old head have one answer', async () => {
  const age = 280_901_373;
  assert.deepEqual(await saysOf('clock', factsOf({}, { headAgeSeconds: age })), [
    `look: the head block is ${age} seconds old by it: either no block has come since, or the clock is ahead`,
  ]);
  assert.deepEqual(await saysOf('clock', factsOf({}, { headAgeSeconds: 4 })), ['ok: it agrees with the times of blocks']);
});

test('nobody is told to stop a node that answers, whatever folder it has', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const address = server.address();
    assert.ok(typeof address === 'object' && address !== null);
    const flags = { 'webserver-http-endpoint': `127.0.0.1:${address.port}`, 'p2p-endpoint': '127.0.0.1:0' };
    const [stranger] = await foundBy('ports', factsOf(flags, undefined));
    assert.match(stranger?.advice ?? '', /^stop that one/);
    assert.deepEqual(await saysOf('ports', factsOf(flags, {}, { runningPid: process.pid })), [`ok: the node listens on ${address.port}`]);
  } finally {
    server.close();
  }
});

test('relative paths are those of the running node, where its process has a folder of that name', async () => {
  const [here, there] = [process.cwd(), mkdtempSync(join(folder, 'started-'))];
  const program = `
    import { DataFolder } from ${JSON.stringify(new URL('../../../src/node/data_folder/data_folder.js', import.meta.url).href)};
    import { createServer } from 'node:http';
    await DataFolder.lock('data', 'run');
    const server = createServer((_, answer) => answer.end('{"head_block_number":1}'));
    server.listen(0, '127.0.0.1', () => console.log(server.address().port));`;
  const node = spawn(process.execPath, ['--input-type=module', '-e', program], { cwd: there, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [line] = (await once(node.stdout, 'data')) as [Buffer];
    const pid = holderOfPort(Number(line.toString()))?.pid;
    assert.equal(pid, node.pid);
    assert.equal(placeOfNode(node.pid ?? 0, 'data'), realpathSync(there));
    assert.equal(placeOfNode(node.pid ?? 0, 'other'), undefined);
    assert.equal(placeOfNode(process.pid, 'data'), undefined);
    assert.equal(process.cwd(), here);
  } finally {
    node.kill();
  }
});

test('a disk that is full within a day is worth a look', async () => {
  assert.match((await saysOf('disk', factsOf({}, { diskFullInHours: 5 })))[0] ?? '', /^look: .* MiB left, and none in 5 hours/);
  assert.match((await saysOf('disk', factsOf({}, { diskFullInHours: 48 })))[0] ?? '', /^ok/);
});

test('a node that has its folder and does not answer is told by the number of its process, one that has problems by these', async () => {
  const holder = { pid: 12, command: 'run' };
  assert.deepEqual(await saysOf('node', factsOf({}, undefined, { holder })), [
    `wrong: process 12 (pharos run) has ${folder}, and no node answers at http://127.0.0.1:1`,
  ]);
  assert.deepEqual(await saysOf('node', factsOf({}, { problems: ['this', 'that'] }, { holder })), [
    'ok: it runs: head block 100, 1 seconds old',
    'wrong: this',
    'wrong: that',
  ]);
  assert.match((await saysOf('node', factsOf({}, { isReady: false }, { holder })))[0] ?? '', /^wrong: it runs and is behind/);
  assert.match((await saysOf('node', factsOf({}, {})))[1] ?? '', /^look: the node at .* has another data folder/);
});

test('a witness that produces on an old head, or below a safe participation, is worth a look; a locked key is wrong', async () => {
  const journal = join(folder, 'journal');
  const hex = (digit: string, bytes: number): string => digit.repeat(2 * bytes);
  const foreign = { chain: hex('a', 32), key: hex('2', 33), foreign: 7, digest: hex('b', 32), id: hex('c', 20) };
  writeFileSync(journal, `${JSON.stringify(foreign)}\n`);
  const flags = {
    witness: ['alice'],
    'private-key-file': ['alice.key'],
    'signing-journal': journal,
    'enable-stale-production': true,
    'required-participation': '10',
  };
  assert.deepEqual(
    (await foundBy('witness', factsOf(flags, undefined))).map(({ state }) => state),
    ['wrong', 'look', 'look'],
  );
  assert.match((await saysOf('witness', factsOf(flags, undefined)))[0] ?? '', /another machine has signed with a key of this one$/);
  assert.match((await saysOf('witness', factsOf(flags, {}))).at(-1) ?? '', /^wrong: the chain knows no witness alice$/);
});

test('a setting that a node would not start with is wrong, one without effect worth a look', async () => {
  assert.match((await saysOf('settings', factsOf({ checkpoint: '[1]' }, undefined)))[0] ?? '', /^wrong: /);
  const notices = ['shared-file-size has no effect: RocksDB grows'];
  assert.equal((await saysOf('settings', factsOf({}, undefined, { notices }))).at(-1), `look: ${notices[0]}`);
});

test('the guide for a node that is down has a line for each code that a node ends with', () => {
  const { refused, alarm, ...ofNodes } = exitCodes;
  const codes = [...textOf('src/pages/guides/down.md').matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
  assert.deepEqual(codes, [0, ...Object.values(ofNodes)]);
  assert.ok(!codes.includes(refused) && !codes.includes(alarm), 'those of commands that ask a node');
});

test('every guide that an advice names is there under that title', () => {
  const guides = readdirSync(join(project, 'src/pages/guides'));
  const titles = new Set(guides.map((file) => /^# (.*)$/m.exec(textOf(`src/pages/guides/${file}`))?.[1]));
  const named = readdirSync(join(project, 'src/node/doctor/checks')).flatMap((file) =>
    [...textOf(`src/node/doctor/checks/${file}`).matchAll(/guide "([^"]*)"/g)].map(([, title]) => title),
  );
  assert.ok(named.length > 3);
  assert.deepEqual(
    named.filter((title) => !titles.has(title)),
    [],
  );
});
