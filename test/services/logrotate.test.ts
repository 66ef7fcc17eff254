import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { profileNamed } from '../../src/settings/chain_settings.ts';
import { devGenesisText } from '../../src/dev_chain/dev_genesis.ts';
import type { Program } from '../outside/program.ts';
import { Site } from '../outside/site.ts';
import { waitUntil } from '../outside/wait_until.ts';
import { project, succeed } from './commands.ts';

// The sample of scripts/operate, by Debian's logrotate, on the log of a node that runs.

const site = new Site();
const log = site.path('log', 'node.log');
const genesisFile = site.path('genesis.json');

after(() => site.clear());

/** A node that appends what it says to the log. */
async function startNode(): Promise<Program> {
  const machine = { command: ['/bin/sh', '-c', `exec "$@" 2>> ${log}`, 'sh'], host: '127.0.0.1' };
  const args = [
    'run',
    '--genesis-json',
    genesisFile,
    '--data-dir',
    site.path('data'),
    '--webserver-http-endpoint',
    '127.0.0.1:0',
  ];
  const from = readFileSync(log, 'utf8').length;
  const node = site.start(args, {}, machine);
  await waitUntil(
    'the node to say where it listens',
    () => readFileSync(log, 'utf8').includes('listening on', from) || undefined,
  );
  return node;
}

/** Rotates now, whatever the hour. */
async function rotate(): Promise<void> {
  const text = readFileSync(join(project, 'scripts', 'operate', 'pharos.logrotate'), 'utf8');
  const settings = site.path('pharos.logrotate');
  const here = text.replaceAll('/var/log/pharos', site.path('log')).replace(/^ *su pharos pharos\n/m, '');
  assert.equal(text.split('\n').length - here.split('\n').length, 1);
  writeFileSync(settings, here);
  chmodSync(settings, 0o644);
  await succeed('/usr/sbin/logrotate', ['--force', '--state', site.path('state'), settings], { folder: site.folder });
}

test('the log of a node that runs is rotated, and the node goes on writing at the beginning of it', async () => {
  mkdirSync(site.path('log'), { mode: 0o755 });
  writeFileSync(log, '');
  writeFileSync(genesisFile, devGenesisText(profileNamed('default'), Math.trunc(Date.now() / 1000) - 60));
  const first = await startNode();
  assert.equal(await first.stop(), 0);
  const node = await startNode();
  const before = readFileSync(log, 'utf8');
  assert.match(before, /\S/);
  await rotate();
  assert.equal(readFileSync(`${log}.1`, 'utf8'), before);
  assert.equal(readFileSync(log, 'utf8'), '');
  assert.equal(await node.stop(), 0);
  const later = readFileSync(log, 'utf8');
  assert.match(later, /\S/);
  assert.ok(!later.includes('\0'), 'no hole where the old lines were');
  await rotate();
  assert.ok(existsSync(`${log}.2.gz`), 'the one before is compressed');
  assert.equal(readFileSync(`${log}.1`, 'utf8'), later);
});
