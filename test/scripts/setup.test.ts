import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { countBytes } from '../builders/folder_bytes.ts';
import { inLongForm } from '../builders/forms.ts';

const project = fileURLToPath(new URL('../../../', import.meta.url));

const INSTALLED_BYTES = 220e6;

test('what set-up leaves takes at most 220 MB', () => {
  // Benches and tests of services keep other people's programs in build/ too, once they have run.
  const built = ['src', 'test', 'bench', 'scripts', 'program', 'pages'].map((name) =>
    countBytes(join(project, 'build', name)),
  );
  const bytes = built.reduce((sum, each) => sum + each, countBytes(join(project, 'node_modules')));
  assert.ok(bytes <= INSTALLED_BYTES, `${bytes} bytes`);
});

/** Returns the output of a script that uses parts of set-up, which are no TypeScript. */
function script(text: string): string {
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', text], {
    cwd: project,
    encoding: 'utf8',
  });
  return stdout + stderr;
}

const BINARIES = "import { findBinary, thisMachine } from './scripts/setup/uws_binaries.js';";

test('of uWebSockets.js only a binary for each Node that has set up stays, and nothing of its package', () => {
  const wanted = script(`${BINARIES} process.stdout.write(findBinary(thisMachine()).file ?? '')`);
  const binaries = existsSync(join(project, 'build/uws')) ? readdirSync(join(project, 'build/uws')) : [];
  if (wanted !== '') assert.ok(binaries.includes(wanted), `${binaries.join(' ')}, ${wanted}`);
  const name = new RegExp(`^uws_${process.platform}_${process.arch}_(?:115|127|137)\\.node$`);
  for (const binary of binaries) assert.match(binary, name);
  for (const path of ['node_modules/uWebSockets.js', 'build/uws_package'])
    assert.ok(!existsSync(join(project, path)), path);
  assert.ok(!existsSync(join(project, 'node_modules/@nxtedition/rocksdb/deps')));
});

test('a binary of uWebSockets.js that is not the pinned one is refused', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-setup-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const [file, to] = [join(folder, 'uws.node'), join(folder, 'taken.node')];
  writeFileSync(file, 'other machine code');
  const take = (from: string): string =>
    script(`import { takeBinary } from './scripts/setup/web_server.js';
    try {
      takeBinary({ file: 'uws.node', sha256: '${'0'.repeat(64)}' }, '${from}', '${to}');
    } catch (error) {
      process.stdout.write(error.constructor.name + ': ' + error.message);
    }`);
  assert.match(take(file), /^SetupFailure: uws\.node is not the file .* sha256 [0-9a-f]{64}, expected 0{64}$/);
  assert.match(take(join(folder, 'nothing')), /lacks uws\.node$/);
  assert.ok(!existsSync(to));
});

test('each machine gets its binary of uWebSockets.js, a copy for an older glibc, or the reason why not', () => {
  const outcome = (machine: object): string => {
    const here = { platform: 'linux', arch: 'x64', abi: '137', node: '24.21.0', glibc: '2.41', ...machine };
    return script(`${BINARIES}
      const { file, changedSha256, why } = findBinary(${JSON.stringify(here)});
      process.stdout.write(why ?? file + (changedSha256 === undefined ? '' : ', changed'));`);
  };
  assert.equal(outcome({}), 'uws_linux_x64_137.node');
  assert.equal(outcome({ glibc: '2.38' }), 'uws_linux_x64_137.node');
  assert.equal(outcome({ glibc: '2.36', abi: '115' }), 'uws_linux_x64_115.node, changed');
  assert.equal(outcome({ glibc: '2.36', arch: 'arm64' }), 'uws_linux_arm64_137.node, changed');
  assert.equal(outcome({ platform: 'darwin', arch: 'arm64', glibc: undefined }), 'uws_darwin_arm64_137.node');
  assert.match(outcome({ glibc: '2.31' }), /needs glibc 2\.36, and this system has 2\.31$/);
  assert.match(outcome({ glibc: undefined }), /needs glibc, which this system does not have$/);
  assert.match(outcome({ abi: '147', node: '26.12.1' }), /has no binary for Node 26\.12\.1$/);
  assert.match(outcome({ arch: 'riscv64' }), /has no binary for linux-riscv64$/);
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

test('without a network, and with nothing in npm’s cache, set-up says so in one line', inLongForm, (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-setup-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const path of ['scripts', 'native', 'package.json', 'package-lock.json'])
    cpSync(join(project, path), join(folder, path), { recursive: true });
  const { status, stderr } = spawnSync(process.execPath, ['scripts/setup.js'], {
    cwd: folder,
    encoding: 'utf8',
    env: {
      ...process.env,
      npm_config_registry: 'http://127.0.0.1:1',
      npm_config_cache: join(folder, 'cache'),
      XDG_CACHE_HOME: folder,
    },
  });
  assert.equal(status, 1, stderr);
  assert.match(
    stderr,
    /^pharos: no network: the package registry can't be reached \(.*ECONNREFUSED.*\), and npm's cache lacks packages/m,
  );
});
