import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { appFiles } from '../../src/cli/init/app_files.ts';
import { ownEnvironment } from '../builders/own_environment.ts';
import { waitUntil } from '../outside/wait_until.ts';
import { startChain } from '../wallet/programs.ts';
import { install, link, packages, project, run } from './packed.ts';

const folder = mkdtempSync(join(tmpdir(), 'pharos-init-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function init(...args: readonly string[]): { readonly status: number | null; readonly stderr: string } {
  const words = [join(project, 'scripts/pharos.js'), 'init', 'app', ...args];
  const { status, stderr } = spawnSync(process.execPath, words, { cwd: folder, encoding: 'utf8', env: ownEnvironment });
  return { status, stderr };
}

test('a folder with something in it, and a folder without packages, are refused with what to do, and nothing is written', () => {
  mkdirSync(join(folder, 'full'));
  writeFileSync(join(folder, 'full/mine.txt'), 'mine');
  const full = init('full', '--packages', packages());
  assert.deepEqual([full.status, full.stderr.includes('full has something in it: name a new folder')], [2, true]);
  const alone = init('alone');
  assert.equal(alone.status, 2);
  assert.match(alone.stderr, /run npm run pack in a clone of Pharos, and name its build\/packages by --packages/);
  assert.deepEqual(readdirSync(folder), ['full']);
  assert.deepEqual(readdirSync(join(folder, 'full')), ['mine.txt']);
});

test('the line of the guide makes the project beside the clone', () => {
  const guide = readFileSync(join(project, 'src/pages/guides/client.md'), 'utf8');
  const [, words = ''] = /^(?:node scripts\/pharos\.js|pharos) init app (\S+)$/m.exec(guide) ?? [];
  mkdirSync(join(folder, 'clone'));
  const made = init(join(folder, 'clone', words), '--packages', packages());
  assert.equal(made.status, 0, made.stderr);
  assert.ok(readdirSync(join(folder, 'my-app')).includes('package.json'));
});

const app = join(folder, 'My App');

interface Package {
  readonly devDependencies: Readonly<Record<string, string>>;
}

test('the project names the versions that it was tested with', () => {
  const ofProject: Package = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
  const ofApp: Package = JSON.parse(appFiles('app', '0.1.0')['package.json'] ?? '');
  for (const name of ['typescript', '@types/node'])
    assert.equal(ofApp.devDependencies[name], ofProject.devDependencies[name]);
});

test('the project compiles strictly', { timeout: 300_000 }, async () => {
  mkdirSync(app);
  const made = init('My App', '--packages', packages());
  assert.equal(made.status, 0, made.stderr);
  for (const name of ['pharos-client', 'pharos'] as const) install(name, app);
  for (const library of ['typescript', '@types/node']) link(library, app);
  await run(app, [join(project, 'node_modules/typescript/bin/tsc')]);
});

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const skip = major > 22 || (major === 22 && minor >= 18) ? false : 'this Node does not run TypeScript';

test('its tests pass, it pays, and it follows payments', { timeout: 300_000, skip }, async () => {
  assert.match(await run(app, ['--test']), /pass 2\n/);
  const chain = await startChain(join(folder, 'chain'));
  try {
    await paysAndFollows(app, { ...ownEnvironment, NODE_URL: `ws://127.0.0.1:${chain.port}` });
  } finally {
    await chain.stop();
  }
});

/** The program that follows hears payments from the time on at which it has subscribed: it is paid until it has. */
async function paysAndFollows(cwd: string, env: NodeJS.ProcessEnv): Promise<void> {
  const following = spawn(process.execPath, ['src/follow.ts'], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let heard = '';
  following.stdout.setEncoding('utf8').on('data', (text: string) => (heard += text));
  await waitUntil('a payment', () => {
    const { stdout, stderr } = spawnSync(process.execPath, ['src/pay.ts'], { cwd, encoding: 'utf8', env });
    assert.match(stdout, /^final in block \d+\n$/, stderr);
    return heard === '' ? undefined : true;
  });
  following.kill();
  assert.match(heard, /^alice 1\.500000 COIN for lunch \S+\n/);
}
