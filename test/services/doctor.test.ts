import assert from 'node:assert/strict';
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { encodeWif } from '../../src/crypto/wif.ts';
import { profileNamed } from '../../src/settings/chain_settings.ts';
import { devGenesisText, devSecret } from '../../src/dev_chain/dev_genesis.ts';
import { freePort } from '../outside/free_port.ts';
import { inStep, peerPort } from '../outside/network_nodes.ts';
import type { Machine, Program } from '../outside/program.ts';
import { Site, type Finished } from '../outside/site.ts';
import { waitUntil, within } from '../outside/wait_until.ts';
import { project, run } from './commands.ts';
import { faketimeLibrary } from './faketime.ts';
import { installedNode } from './nodes.ts';

// An operator's night: each fault is made for real, and `pharos doctor` has to name it.

const site = new Site();
const genesisFile = site.path('genesis.json');
const WITNESS = 'initminer';
const NOBODY = 65_534;

after(() => site.clear());

/** A block a second. */
const genesis: object = JSON.parse(devGenesisText(profileNamed('default'), Math.trunc(Date.now() / 1000) - 60));
writeFileSync(genesisFile, JSON.stringify({ ...genesis, block_interval: 1 }));

interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'look' | 'wrong';
  readonly found: string;
  readonly advice: string;
}

/** A settings file in the site's folder, with lines of its own. */
function settings(name: string, lines: readonly string[]): string {
  const file = site.path(`${name}.ini`);
  writeFileSync(file, [`genesis-json = ${genesisFile}`, `data-dir = ${site.path(name)}`, ...lines, ''].join('\n'));
  return file;
}

async function startNode(
  file: string,
  environment: Readonly<Record<string, string>> = {},
  machine?: Machine,
): Promise<Program> {
  const program = site.start(['run', '--config', file], environment, machine);
  await program.ready();
  return program;
}

interface Examined extends Finished {
  readonly findings: readonly Finding[];
}

async function doctor(
  file: string,
  environment: Readonly<Record<string, string>> = {},
  machine?: Machine,
): Promise<Examined> {
  const program = site.start(['doctor', '--config', file, '--json'], environment, machine);
  const code = await within('the end of pharos doctor', program.exited);
  const { stdout, stderr } = program;
  assert.ok(code === 0 || code === 7, `${code} ${stderr}`);
  const said = JSON.parse(stdout) as { readonly wrong: number; readonly findings: readonly Finding[] };
  assert.equal(said.wrong, said.findings.filter(({ state }) => state === 'wrong').length);
  assert.equal(code === 7, said.wrong > 0, stdout);
  return { code, stdout, stderr, findings: said.findings };
}

/** Requires one finding of that check and state that says this, and that tells what to do. */
function names({ findings, stdout }: Examined, check: string, state: Finding['state'], found: RegExp): void {
  const said = findings.find(
    (finding) => finding.check === check && finding.state === state && found.test(finding.found),
  );
  assert.ok(said !== undefined, `${check} ${state} ${found.source} in\n${stdout}`);
  assert.equal(said.advice === '', state === 'ok', stdout);
}

function assertSilent({ findings, stdout }: Examined, check: string): void {
  assert.deepEqual(
    findings.filter((finding) => finding.check === check && finding.state === 'wrong'),
    [],
    stdout,
  );
}

/** Returns the settings of a node of the chain's witness, its key in a file. */
function witnessLines(name: string): string[] {
  const keyFile = site.path(`${name}.key`);
  writeFileSync(keyFile, encodeWif(devSecret(WITNESS)), { mode: 0o600 });
  return [
    `witness = ${WITNESS}`,
    `private-key-file = ${keyFile}`,
    'enable-stale-production = true',
    'required-participation = 0',
    'accept-low-participation = true',
  ];
}

void describe('an operator at three in the morning', { concurrency: true }, () => {
  void test('of a node that is well nothing is wrong, before its first start, while it runs and when it has stopped', async () => {
    const port = await freePort();
    const file = settings('well', [`webserver-http-endpoint = 127.0.0.1:${port}`, ...witnessLines('well')]);
    const [fresh, program] = [await doctor(file), await startNode(file)];
    await waitUntil('a block', async () => ((await program.health()).number > 0 ? true : undefined));
    const running = await doctor(file);
    assert.equal(await program.stop(), 0);
    const stopped = await doctor(file);
    for (const examined of [fresh, stopped]) assert.equal(examined.code, 0, examined.stdout);
    // Its chain began a moment ago.
    const bad = running.findings.filter(
      ({ state, found }) => state === 'wrong' && !/^only \d+ of the last 51 slots have a block/.test(found),
    );
    assert.deepEqual(bad, [], running.stdout);
    names(running, 'witness', 'ok', /initminer makes its blocks/);
    names(running, 'node', 'ok', /it runs: head block \d+/);
    names(stopped, 'data_folder', 'ok', /holds the chain, with block [1-9]/);
  });

  void test('a full disk', async () => {
    const folder = site.path('full');
    mkdirSync(folder);
    const filled = 'mount -t tmpfs -o size=2m none "$0" && (cat /dev/zero > "$0/others" 2>/dev/null; exec "$@")';
    const machine = { command: ['unshare', '--mount', 'sh', '-c', filled, folder], host: '127.0.0.1' };
    names(await doctor(settings('full', []), {}, machine), 'disk', 'wrong', /has 0 MiB left/);
  });

  void test('a clock that is behind, of a node that has stopped', async () => {
    const file = settings('late', [`webserver-http-endpoint = 127.0.0.1:${await freePort()}`, ...witnessLines('late')]);
    const program = await startNode(file);
    await waitUntil('a block', async () => ((await program.health()).number > 0 ? true : undefined));
    await program.stop();
    const anHourAgo = { LD_PRELOAD: faketimeLibrary(), FAKETIME: '-3600', NO_FAKE_STAT: '1' };
    names(await doctor(file, anHourAgo), 'clock', 'wrong', /was written (?:3[56]\d\d) seconds from now/);
    assertSilent(await doctor(file), 'clock');
  });

  void test('a clock that is ahead of the blocks of others, of a node that runs; a peer that has stopped to follow', async () => {
    const source = await startNode(
      settings('source', [
        `webserver-http-endpoint = 127.0.0.1:${await freePort()}`,
        'p2p-endpoint = 127.0.0.1:0',
        ...witnessLines('source'),
      ]),
    );
    const linked = async (name: string): Promise<string> =>
      settings(name, [
        `webserver-http-endpoint = 127.0.0.1:${await freePort()}`,
        `p2p-seed-node = 127.0.0.1:${peerPort(source)}`,
      ]);
    const ahead = await linked('ahead');
    await startNode(ahead, {
      LD_PRELOAD: faketimeLibrary(),
      FAKETIME: '+600',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
    });
    await waitUntil('a clock that is found out', async () => {
      const examined = await doctor(ahead);
      const clock = examined.findings.find(({ check }) => check === 'clock');
      return clock?.state === 'wrong' && /it is (?:59|60)\d seconds ahead of the times of blocks/.test(clock.found)
        ? true
        : undefined;
    });
    const stopped = await startNode(await linked('frozen'));
    await inStep(stopped, 1);
    stopped.freeze();
    const file = site.path('source.ini');
    await waitUntil('a peer that stays behind', async () => {
      const examined = await doctor(file);
      return examined.findings.some(
        ({ check, found }) => check === 'peers' && /behind this node: 127\.0\.0\.1:\d+ \(\d+ blocks\)/.test(found),
      )
        ? true
        : undefined;
    });
    source.kill();
    await waitUntil('a node that is left alone', async () => {
      const { findings } = await doctor(ahead);
      return findings.some(({ check, found }) => check === 'peers' && found === 'it is connected with none')
        ? true
        : undefined;
    });
  });

  void test('a port that another program has, by the number of its process', async (t) => {
    const taken = await listening();
    t.after(() => taken.server.close());
    const file = settings('port', [`webserver-http-endpoint = 127.0.0.1:${taken.port}`]);
    const examined = await doctor(file);
    const { code, stderr } = await site.run(['run', '--config', file]);
    assert.deepEqual([code, /^pharos: .*\n$/.test(stderr)], [4, true], stderr);
    names(
      examined,
      'ports',
      'wrong',
      new RegExp(
        `webserver-http-endpoint, 127\\.0\\.0\\.1:${taken.port}: the port is taken by process ${process.pid} \\(`,
      ),
    );
  });

  void test('a key that others can read, one that is none, one whose password nothing names', async () => {
    const file = settings('keys', witnessLines('keys'));
    assertSilent(await doctor(file), 'keys');
    chmodSync(site.path('keys.key'), 0o644);
    const readable = await doctor(file);
    names(readable, 'keys', 'wrong', /keys\.key: others than its owner may read or write it/);
    assert.doesNotMatch(readable.stdout, new RegExp(encodeWif(devSecret(WITNESS))));
    chmodSync(site.path('keys.key'), 0o600);
    writeFileSync(site.path('keys.key'), 'nonsense');
    names(await doctor(file), 'keys', 'wrong', /keys\.key: a WIF key/);
  });

  void test('too few descriptors, for a node that is to start and for one that runs', async () => {
    const file = settings('few', [`webserver-http-endpoint = 127.0.0.1:${await freePort()}`]);
    const few = (count: number): Machine => ({ command: ['prlimit', `--nofile=${count}:${count}`], host: '127.0.0.1' });
    names(
      await doctor(file, {}, few(200)),
      'descriptors',
      'wrong',
      /started from here may open 200 files, and a node needs 256/,
    );
    await startNode(file, {}, few(1000));
    names(
      await doctor(file),
      'descriptors',
      'look',
      /may open 1000 files and has \d+ open; max-connections is \d+, and it takes 750 at most/,
    );
  });

  void test('a folder of another chain, files of another user, a witness without a key', async () => {
    const file = settings('other', [`webserver-http-endpoint = 127.0.0.1:${await freePort()}`]);
    const program = await startNode(file);
    await program.stop();
    writeFileSync(site.path('other genesis.json'), JSON.stringify({ ...genesis, block_interval: 2 }));
    const other = site.path('elsewhere.ini');
    writeFileSync(
      other,
      `genesis-json = ${site.path('other genesis.json')}\ndata-dir = ${site.path('other')}\nwitness = initminer\n`,
    );
    const examined = await doctor(other);
    names(examined, 'data_folder', 'wrong', /the data is of chain [0-9a-f]{64}, the genesis of chain/);
    names(examined, 'witness', 'wrong', /no key that signs its blocks/);
    chownSync(join(site.path('other'), 'CURRENT'), NOBODY, NOBODY);
    names(await doctor(file), 'data_folder', 'wrong', /CURRENT belongs to another user than .*, which is root's/);
  });

  void test('settings that nobody can read, with a key that there is not, or without a genesis', async () => {
    const nowhere = site.path('nowhere');
    const unknown = settings('unknown', ['p2p-seed-nod = 127.0.0.1:1']);
    for (const [file, said] of [
      [nowhere, /^pharos: cannot read the configuration file .*nowhere: ENOENT: no such file or directory.*\n$/],
      [unknown, /^pharos: unknown key "p2p-seed-nod" in .*; the nearest known key is "p2p-seed-node"\n$/],
    ] as const)
      for (const command of ['doctor', 'run']) {
        const { code, stderr } = await site.run([command, '--config', file]);
        assert.deepEqual([code, said.test(stderr)], [2, true], stderr);
      }
    const lost = site.path('lost.ini');
    writeFileSync(lost, `genesis-json = ${nowhere}\ndata-dir = ${site.path('lost')}\n`);
    names(
      await doctor(lost),
      'settings',
      'wrong',
      /cannot read the genesis file .*nowhere: ENOENT: no such file or directory/,
    );
  });

  void test('a second node with the same data', async () => {
    const first = settings('same', [`webserver-http-endpoint = 127.0.0.1:${await freePort()}`]);
    await startNode(first);
    const second = site.path('second.ini');
    const lines = [`genesis-json = ${genesisFile}`, `data-dir = ${site.path('same')}`];
    writeFileSync(second, [...lines, `webserver-http-endpoint = 127.0.0.1:${await freePort()}`, ''].join('\n'));
    names(await doctor(second), 'node', 'wrong', /process \d+ \(pharos run\) has .*same, and no node answers at/);
    const { code, stderr } = await site.run(['run', '--config', second]);
    assert.deepEqual([code, stderr.trim().split('\n').length], [2, 1], stderr);
    assert.match(stderr, /same is in use by another process: process \d+ \(pharos run\) has it/);
  });

  void test('seeds that nobody reaches, before a start and while the node has no peers', async () => {
    const lines = [`webserver-http-endpoint = 127.0.0.1:${await freePort()}`, 'p2p-seed-node = 127.0.0.1:1'];
    const file = settings('seedless', lines);
    names(await doctor(file), 'peers', 'look', /127\.0\.0\.1:1 takes no connection: .*ECONNREFUSED/);
    await startNode(file);
    const running = await doctor(file);
    names(running, 'peers', 'wrong', /connected with none/);
    names(running, 'peers', 'look', /127\.0\.0\.1:1 takes no connection: .*ECONNREFUSED/);
  });

  void test('a snapshot of another chain, or one that is none, for a node that has no chain yet', async () => {
    const program = await startNode(settings('donor', [`webserver-http-endpoint = 127.0.0.1:${await freePort()}`]));
    await program.stop();
    const file = site.path('donor.avro');
    const made = await site.run([
      'snapshot',
      'create',
      '--data-dir',
      site.path('donor'),
      '--genesis',
      genesisFile,
      '--out',
      file,
    ]);
    assert.equal(made.code, 0, made.stderr);
    const lines = [
      `snapshot = ${file}`,
      'snapshot-own = true',
      `webserver-http-endpoint = 127.0.0.1:${await freePort()}`,
    ];
    names(await doctor(settings('heir', lines)), 'snapshot', 'ok', /has the state of this chain after block 0/);
    const genesisOfOthers = site.path('genesis of others.json');
    writeFileSync(genesisOfOthers, JSON.stringify({ ...genesis, block_interval: 4 }));
    const others = site.path('others.ini');
    writeFileSync(
      others,
      [`genesis-json = ${genesisOfOthers}`, `data-dir = ${site.path('others')}`, ...lines, ''].join('\n'),
    );
    names(
      await doctor(others),
      'snapshot',
      'wrong',
      /donor\.avro is of chain [0-9a-f]{64}, and chain [0-9a-f]{64} is wanted/,
    );
    writeFileSync(file, 'nonsense');
    names(await doctor(others), 'snapshot', 'wrong', /donor\.avro/);
  });

  void test('a clock that nothing keeps right', async () => {
    const folder = site.path('programs');
    mkdirSync(folder);
    const file = settings('unkept', [`webserver-http-endpoint = 127.0.0.1:${await freePort()}`]);
    // What systemd says of a machine without NTP; this one has its own clock, which tests leave alone.
    for (const [said, found] of [
      ['NTP=no\nNTPSynchronized=no', /nothing keeps it right: NTP is off/],
      ['NTP=yes\nNTPSynchronized=no', /NTP is on, and has not set it/],
    ] as const) {
      writeFileSync(join(folder, 'timedatectl'), `#!/bin/sh\n[ "$1" = show ] && printf '${said}\n'\n`, { mode: 0o755 });
      names(await doctor(file, { PATH: `${folder}:${process.env['PATH']}` }), 'clock', 'look', found);
    }
  });

  void test('calls that come without TLS, and a proxy that does not run', async () => {
    const alone = {
      command: ['unshare', '--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'],
      host: '127.0.0.1',
    };
    const open = settings('open', ['webserver-http-endpoint = 0.0.0.0:9193']);
    names(
      await doctor(open, {}, alone),
      'proxy',
      'look',
      /0\.0\.0\.0:9193 takes calls of other machines as they are, without TLS/,
    );
    const proxied = settings('proxied', ['webserver-http-endpoint = 127.0.0.1:9193', 'trusted-proxy = 127.0.0.1']);
    names(await doctor(proxied, {}, alone), 'proxy', 'look', /nothing on this machine listens on port 443/);
  });

  void test('a Node that is too old', async () => {
    const { code, stderr } = await run(installedNode('18.20.8'), [join(project, 'scripts/pharos.js'), 'doctor'], {
      folder: site.folder,
    });
    const [, oldest = ''] = /"node": ">=([\d.]+)"/.exec(readFileSync(join(project, 'package.json'), 'utf8')) ?? [];
    assert.deepEqual(
      [code, stderr],
      [
        2,
        `pharos: this is Node 18.20.8; Pharos needs ${oldest} or newer: install Node 24 (supported: 24, 22 and 26)\n`,
      ],
    );
  });
});

async function listening(): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return { server, port: address.port };
}
