import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { waitUntil } from '../outside/wait_until.ts';
import { project } from './commands.ts';
import { FreshRoot } from './fresh_root.ts';
import { installedNode } from './nodes.ts';

// Debian 13 has the C library that the binaries of uWebSockets.js are linked against: there set-up leaves them as they
// are. This machine may run the other one, a copy for an older glibc.

const CLONE = '/clone';
const inClone = { folder: CLONE };
const PINNED = /uws_linux_x64_137: '([0-9a-f]{64})'/;
let root: FreshRoot;

before(async () => {
  root = await FreshRoot.ofDebian();
  for (const folder of ['/usr/local/bin', '/usr/local/lib/node_modules'])
    mkdirSync(join(root.path, folder), { recursive: true });
  await root.copyTree(installedNode('24.21.0'), '/usr/local/bin/node');
  const npm = dirname(dirname(realpathSync(execFileSync('which', ['npm'], { encoding: 'utf8' }).trim())));
  await root.copyTree(npm, '/usr/local/lib/node_modules/npm');
  await root.succeed(['ln', '-s', '../lib/node_modules/npm/bin/npm-cli.js', '/usr/local/bin/npm']);
  await root.succeed(['apt-get', 'install', '--yes', '--no-install-recommends', 'ca-certificates'], { fetches: true });
  // As it is set up here, without what set-up has chosen for the library of this machine.
  await root.lay(project, CLONE);
  await root.succeed(['sh', '-c', 'rm -r build/uws build/.stamp_uws_*'], inClone);
});

after(() => root.remove());

test('set-up takes the binary as its authors have built it', { skip: process.arch !== 'x64' }, async () => {
  const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();
  const environment = { npm_config_registry: registry, NODE_EXTRA_CA_CERTS: '/etc/ssl/certs/ca-certificates.crt' };
  const { code, stderr } = await root.run(['node', 'scripts/setup.js'], { ...inClone, environment, fetches: true });
  assert.equal(code, 0, stderr);
  assert.doesNotMatch(stderr, /glibc/);
  const [, pinned = ''] = PINNED.exec(readFileSync(join(project, 'scripts/setup/uws_binaries.js'), 'utf8')) ?? [];
  const sum = await root.succeed(['sha256sum', 'build/uws/uws_linux_x64_137.node'], inClone);
  assert.equal(sum.split(' ')[0], pinned);
});

test('it holds its part of the table of exchanges', { skip: process.arch !== 'x64' }, async () => {
  const files = ['exchanges', 'socket_exchanges', 'pipelining', 'http_server'].map(
    (name) => `build/test/jsonrpc/http/${name}.test.js`,
  );
  const { code, stdout } = await root.run(['node', '--test', '--test-reporter=tap', ...files], inClone);
  assert.equal(
    code,
    0,
    stdout
      .split('\n')
      .filter((line) => /^\s*not ok/.test(line))
      .join('\n'),
  );
  assert.match(stdout, /ok \d+ - uWebSockets\.js: HTTP\/1\.0$/m);
});

test('a development chain on it stands a load', { skip: process.arch !== 'x64' }, async () => {
  const node = root.start(['node', 'scripts/pharos.js', 'dev', '--block-interval-ms', '500', '--silent'], inClone);
  await waitUntil('the development chain', () => node.said.stdout.includes('Ctrl-C stops') || undefined);
  assert.match(node.said.stdout, /served by uWebSockets\.js, release/);
  const said = await root.succeed(['node', 'scripts/pharos.js', 'load', '--count', '3000'], inClone);
  assert.match(said, /3.?000/);
  node.interrupt();
  assert.equal((await node.finished).code, 0, node.said.stderr);
});
