import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { bytesBelow } from '../builders/folder_bytes.ts';

const project = fileURLToPath(new URL('../../../', import.meta.url));

const INSTALLED_BYTES = 220e6;

test('what set-up leaves takes at most 220 MB', () => {
  // Benches and tests of services keep other people's programs in build/ too, once they have run.
  const built = ['src', 'test', 'bench', 'scripts', 'program', 'pages'].map((name) => bytesBelow(join(project, 'build', name)));
  const bytes = built.reduce((sum, each) => sum + each, bytesBelow(join(project, 'node_modules')));
  assert.ok(bytes <= INSTALLED_BYTES, `${bytes} bytes`);
});

test('of uWebSockets.js only the binary of this machine stays, and it is there for Node 20', () => {
  const binaries = readdirSync(join(project, 'node_modules/uWebSockets.js/binaries'));
  assert.deepEqual(binaries, [`uws_${process.platform}_${process.arch}_115.node`]);
  assert.ok(!existsSync(join(project, 'node_modules/@nxtedition/rocksdb/deps')));
});

test('the compiler of native/ is gone when set-up has ended, and its packages are those that benches compare with', () => {
  for (const path of ['node_modules/@yowasp', 'build/compiler']) assert.ok(!existsSync(join(project, path)), path);
  const pinned = (folder: string): string => {
    const lock: { packages: Record<string, { version: string }> } = JSON.parse(
      readFileSync(join(project, folder, 'package-lock.json'), 'utf8'),
    );
    return lock.packages['node_modules/secp256k1']?.version ?? assert.fail(folder);
  };
  assert.equal(pinned('native'), pinned('.'));
});

test('the types of every package stay, whatever its name', () => {
  const types = join(project, 'node_modules/@types');
  for (const name of readdirSync(types)) assert.ok(existsSync(join(types, name, 'index.d.ts')), name);
});

test('without a network, and with nothing in npm’s cache, set-up says so in one line', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-setup-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const path of ['scripts', 'native', 'package.json', 'package-lock.json'])
    cpSync(join(project, path), join(folder, path), { recursive: true });
  const { status, stderr } = spawnSync(process.execPath, ['scripts/setup.js'], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, npm_config_registry: 'http://127.0.0.1:1', npm_config_cache: join(folder, 'cache'), XDG_CACHE_HOME: folder },
  });
  assert.equal(status, 1, stderr);
  assert.match(stderr, /^pharos: no network: the package registry can't be reached \(.*ECONNREFUSED.*\), and npm's cache lacks packages/m);
});
