import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { MEBIBYTE } from '../../src/base/bytes.ts';
import { devGenesisText } from '../../src/dev_chain/dev_genesis.ts';
import { profileNamed } from '../../src/settings/chain_settings.ts';
import { Site } from '../outside/site.ts';
import { waitUntil } from '../outside/wait_until.ts';
import { project, run, succeed, temporaryFolder } from './commands.ts';
import { Datagrams } from './datagrams.ts';
import { installedNode, nodeVersions } from './nodes.ts';

// The unit of scripts/operate, as systemd's own programs see it, and what a node tells its service manager.

const site = new Site();
const folder = temporaryFolder();
const operate = (name: string): string => join(project, 'scripts', 'operate', name);

after(() => site.clear());

test('a node tells its service manager when it serves, regularly that it still does, and that it stops', async (t) => {
  const manager = await Datagrams.at(join(folder, 'notify'), folder);
  t.after(() => manager.end());
  const flags = ['dev', '--data-dir', site.path('data'), '--port', '0', '--block-interval-ms', '200'];
  const program = site.start(flags, { NOTIFY_SOCKET: manager.path, WATCHDOG_USEC: '300000' });
  const first = await waitUntil('the first word', () => manager.messages[0]);
  assert.match(first, /^READY=1 STATUS=head block \d+/);
  assert.equal((await program.http('GET', '/livez', {})).status, 200);
  const told = await waitUntil('words of a node whose chain goes on', () => {
    const heads = new Set(
      manager.messages.slice(1).map((line) => /^WATCHDOG=1 STATUS=head block (\d+)/.exec(line)?.[1]),
    );
    return heads.size >= 3 ? heads : undefined;
  });
  assert.ok(!told.has(undefined), 'nothing else is said');
  assert.equal(await program.stop(), 0);
  // Each word is sent by a process of its own, so an earlier one may come behind it.
  await waitUntil('the last word', () => manager.messages.some((words) => words.startsWith('STOPPING=1')) || undefined);
  assert.doesNotMatch(program.stderr, /systemd-notify/);
});

test('a node that nobody counts the words of says the first and the last only', async (t) => {
  const manager = await Datagrams.at(join(folder, 'unwatched'), folder);
  t.after(() => manager.end());
  const environment = { NOTIFY_SOCKET: manager.path, WATCHDOG_USEC: '20000', WATCHDOG_PID: '1' };
  const program = site.start(
    ['dev', '--data-dir', site.path('unwatched'), '--port', '0', '--block-interval-ms', '200'],
    environment,
  );
  await program.ready();
  await waitUntil('some blocks', async () => (await program.health()).number >= 5 || undefined);
  assert.equal(await program.stop(), 0);
  await waitUntil('the last word', () => manager.messages.length >= 2 || undefined);
  assert.deepEqual(
    manager.messages.map((line) => line.split('=')[0]),
    ['READY', 'STOPPING'],
  );
});

test('a node serves although its service manager can not be told, and says so once', async () => {
  const program = site.start(['dev', '--data-dir', site.path('deaf'), '--port', '0', '--block-interval-ms', '200'], {
    NOTIFY_SOCKET: site.path('nobody'),
    WATCHDOG_USEC: '300000',
  });
  await program.ready();
  await waitUntil('some blocks', async () => (await program.health()).number >= 10 || undefined);
  await waitUntil('a word of it', () => /systemd-notify has ended with code/.test(program.stderr) || undefined);
  assert.equal(await program.stop(), 0);
  assert.equal(program.stderr.match(/systemd-notify/g)?.length, 1, program.stderr);
});

/** A unit with a path to the program of this clone: systemd looks for `pharos` in the system's folders alone. */
function unitOfThisMachine(name = 'pharos.service'): string {
  const path = join(folder, name);
  const text = readFileSync(operate(name), 'utf8');
  writeFileSync(path, text.replaceAll('ExecStart=pharos ', `ExecStart=${join(project, 'scripts/pharos.js')} `));
  return path;
}

for (const name of ['pharos.service', 'pharos-index.service', 'pharos-signer.service', 'pharos-standby.service'])
  test(`systemd finds nothing wrong with ${name}, and rates it as well protected`, async () => {
    const unit = unitOfThisMachine(name);
    const { code, stdout, stderr } = await run('systemd-analyze', ['verify', '--man=no', unit], { folder });
    assert.deepEqual([code, stdout, stderr], [0, '', '']);
    const rated = await run('systemd-analyze', ['security', '--offline=true', '--threshold=20', '--no-pager', unit], {
      folder,
    });
    assert.equal(rated.code, 0, rated.stdout);
    assert.match(rated.stdout, new RegExp(`Overall exposure level for ${name.replace('.', '\\.')}: [01]\\.\\d`));
  });

test('an index tells its service manager that it waits for a database, as the line of its unit has it, and that it stops', async (t) => {
  const manager = await Datagrams.at(join(folder, 'index'), folder);
  t.after(() => manager.end());
  const [, line = ''] = /^ExecStart=pharos (.*)$/m.exec(readFileSync(operate('pharos-index.service'), 'utf8')) ?? [];
  const flags = line
    .replace('$INDEX_FLAGS', '--postgres postgres://nobody@127.0.0.1:1/none')
    .replace(':9192', ':0')
    .split(' ');
  const program = site.start(flags, { NOTIFY_SOCKET: manager.path, WATCHDOG_USEC: '300000' });
  await waitUntil('the first word', () => manager.messages[0]?.startsWith('READY=1 STATUS=') || undefined);
  await waitUntil(
    'what it waits for',
    () =>
      manager.messages.some((words) => words.startsWith('WATCHDOG=1 STATUS=cannot connect to PostgreSQL')) || undefined,
  );
  assert.equal(await program.stop(), 0);
  // Each word is sent by a process of its own, so an earlier one may come behind it.
  await waitUntil('the last word', () => manager.messages.some((words) => words.startsWith('STOPPING=1')) || undefined);
});

test('a signer takes its key from a credential, as the line of its unit has it, and stops with code 0', async () => {
  const [, line = ''] = /^ExecStart=pharos (.*)$/m.exec(readFileSync(operate('pharos-signer.service'), 'utf8')) ?? [];
  const credentials = site.path('credentials');
  mkdirSync(credentials);
  const key = join(credentials, 'signing.key');
  assert.equal((await site.run(['keys', '--key-file', key])).code, 0);
  // As systemd's access list shows it.
  chmodSync(key, 0o440);
  const words = line
    .replace('%d', credentials)
    .replace('/run/pharos-signer', site.folder)
    .replace('/var/lib/pharos-signer', site.folder)
    .split(' ');
  const refused = await site.run(words);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /others than its owner may read/);
  const signer = site.start(words, { CREDENTIALS_DIRECTORY: credentials });
  await waitUntil('the signer to listen', () => /signs with PHR/.test(signer.stderr) || undefined);
  assert.equal(await signer.stop(), 0);
});

test('a standby takes its key from a credential and its settings from the lines in the head of its unit, and serves', async (t) => {
  const text = readFileSync(operate('pharos-standby.service'), 'utf8');
  const [, line = ''] = /^ExecStart=pharos (.*)$/m.exec(text) ?? [];
  const [, settings = ''] = /names the chain.*:\n#\n((?:# {3}\S.*\n)+)/.exec(text) ?? assert.fail('no settings');
  const credentials = site.path('standby-credentials');
  mkdirSync(credentials);
  const key = join(credentials, 'standby.key');
  assert.equal((await site.run(['keys', '--key-file', key])).code, 0);
  chmodSync(key, 0o440);
  const genesis = site.path('genesis.json');
  writeFileSync(genesis, devGenesisText(profileNamed('default'), Math.trunc(Date.now() / 1000)));
  writeFileSync(
    site.path('standby.ini'),
    `${settings.replaceAll(/^# {3}/gm, '')}webserver-http-endpoint = 127.0.0.1:0\ndata-dir = ${site.path('standby')}\n`
      .replace('/etc/pharos/genesis.json', genesis)
      .replace('WITNESS', 'initminer')
      .replace('ID@HOST:PORT', `${'0'.repeat(64)}@127.0.0.1:1`),
  );
  const manager = await Datagrams.at(join(folder, 'standby'), folder);
  t.after(() => manager.end());
  const words = line.replace('%d', credentials).replace('/etc/pharos', site.folder).split(' ');
  const standby = site.start(words, { CREDENTIALS_DIRECTORY: credentials, NOTIFY_SOCKET: manager.path });
  await waitUntil('the first word', () => manager.messages[0]?.startsWith('READY=1 STATUS=head block') || undefined);
  const { port } = await standby.ready().then(() => standby);
  const status = await site.run(['witness', 'status', 'initminer', '--url', `http://127.0.0.1:${port}`]);
  assert.match(status.stdout, /standby|stands by/i);
  assert.equal(await standby.stop(), 0);
});

test('a standby is held as tightly as a node', () => {
  const lines = (name: string): readonly string[] =>
    readFileSync(operate(name), 'utf8')
      .replaceAll(/pharos-standby|standby\.html|service\.html/g, 'pharos')
      .split('\n')
      .filter((line) => /^\w+=/.test(line) && !/^(?:Description|ExecStart|LoadCredential|Documentation)=/.test(line));
  assert.deepEqual(lines('pharos-standby.service'), lines('pharos.service'));
});

test('verify does refuse a unit with a key that there is not', async () => {
  const path = join(folder, 'wrong.service');
  writeFileSync(path, readFileSync(unitOfThisMachine(), 'utf8').replace('WatchdogSec=60', 'WatchdogSecs=60'));
  assert.match((await run('systemd-analyze', ['verify', '--man=no', path], { folder })).stderr, /WatchdogSecs/);
});

/** A room that the unit bounds is smaller: it has two halves of 8 MiB, and some pages more. */
const UNBOUNDED_BYTES = 24 * MEBIBYTE;

/**
 * Fills the room for new values with 50 000 that live on, strewn among dead ones, until it is larger than the unit
 * allows. Prints the largest that it was: Node 26 makes it smaller again between collections, and moves pages on which
 * all lives as a whole, so that neither its last size nor what lives side by side tells.
 */
const FILLING = `const { getHeapSpaceStatistics } = require('node:v8');
const kept = new Array(50_000).fill(undefined);
let largest = 0;
for (let made = 0; made < 2e7 && largest < ${UNBOUNDED_BYTES}; made++) {
  kept[(made * 7919) % kept.length] = [made];
  if (made % 50_000 > 0) continue;
  const { space_size } = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
  largest = Math.max(largest, space_size);
}
console.log(largest);`;

test('the environment of the unit bounds the main thread’s room for new values, on every Node', async () => {
  const units = [...readFileSync(operate('pharos.service'), 'utf8').matchAll(/^Environment=(.*)$/gm)];
  const environment = Object.fromEntries(units.flatMap(([, pairs = '']) => pairs.split(' ').map(pairOf)));
  for (const version of nodeVersions) {
    const bytesWith = async (given: Readonly<Record<string, string>>): Promise<number> =>
      Number(await succeed(installedNode(version), ['-e', FILLING], { folder, environment: given }));
    const bounded = await bytesWith(environment);
    assert.ok(bounded < UNBOUNDED_BYTES, `${version}: ${bounded} bytes with the environment of the unit`);
    const free = await bytesWith({});
    assert.ok(free >= UNBOUNDED_BYTES, `${version}: ${free} bytes without, so that nothing is bounded`);
  }
});

function pairOf(pair: string): readonly [string, string] {
  const [name = '', value = ''] = pair.split(/=(.*)/s);
  return [name, value];
}

test('the user of the unit is made by pharos.sysusers', async () => {
  const root = temporaryFolder();
  mkdirSync(join(root, 'etc'));
  await succeed('systemd-sysusers', [`--root=${root}`, operate('pharos.sysusers')], { folder });
  const [user = ''] = /^pharos:.*/m.exec(readFileSync(join(root, 'etc', 'passwd'), 'utf8')) ?? [];
  assert.match(user, /^pharos:x:\d+:\d+:Pharos blockchain node:\/var\/lib\/pharos:.*nologin$/);
  assert.match(readFileSync(operate('pharos.service'), 'utf8'), /^User=pharos$/m);
  assert.match(readFileSync(join(root, 'etc', 'passwd'), 'utf8'), /^pharos-signer:x:.*nologin$/m);
  assert.match(readFileSync(operate('pharos-signer.service'), 'utf8'), /^User=pharos-signer$/m);
});

test('the node takes the settings file as it is installed', async () => {
  const { stderr } = await run(
    process.execPath,
    [join(project, 'scripts', 'pharos.js'), 'run', '--config', operate('pharos.ini')],
    {
      folder,
    },
  );
  assert.match(stderr, /genesis/, 'the only thing that is missing is a chain');
  assert.doesNotMatch(stderr, /unknown key/);
});
