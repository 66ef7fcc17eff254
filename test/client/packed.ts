// The packages that npm run pack makes, installed into an empty project without a network: what they depend on is that
// of this project.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { ownEnvironment } from '../builders/own_environment.ts';

/** The folder of package.json. */
export const project = fileURLToPath(new URL('../../../', import.meta.url));

type Packed = 'pharos' | 'pharos-client';

const packed = new Set<Packed>();

/** Packs once a process, pharos only where it is asked for: it is large; where what is packed lies. */
export function packages(name: Packed = 'pharos'): string {
  if (!packed.has(name)) {
    const only = name === 'pharos' ? [] : ['--only', 'client'];
    const args = [join(project, 'scripts/pack.js'), ...only];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env: ownEnvironment });
    assert.equal(status, 0, stderr);
    packed.add(name).add('pharos-client');
  }
  return join(project, 'build/packages');
}

/** An empty project in which a package is installed. */
export function makeProject(name: Packed): string {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-packed-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  install(name, folder);
  return folder;
}

/** Installs a package in a project that is there. */
export function install(name: Packed, folder: string): void {
  const { version }: { version: string } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
  const installed = join(folder, 'node_modules', name);
  for (const [path, bytes] of listFiles(readFileSync(join(packages(name), `${name}-${version}.tgz`)))) {
    mkdirSync(dirname(join(installed, path)), { recursive: true });
    writeFileSync(join(installed, path), bytes);
  }
  const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(
    readFileSync(join(installed, 'package.json'), 'utf8'),
  );
  for (const library of Object.keys(dependencies)) link(library, folder);
}

/** Links a library of this project into another one. */
export function link(library: string, folder: string): void {
  const at = join(folder, 'node_modules', library);
  if (existsSync(at)) return;
  mkdirSync(dirname(at), { recursive: true });
  symlinkSync(join(project, 'node_modules', library), at, 'junction');
}

const BLOCK = 512;

/** The files of a tarball as npm writes it: `package/` before each path. */
function listFiles(tarball: Buffer): [string, Buffer][] {
  const archive = gunzipSync(tarball);
  const files: [string, Buffer][] = [];
  for (let at = 0; archive[at] !== undefined && archive[at] !== 0;) {
    const field = (from: number, length: number): string =>
      archive.toString('utf8', at + from, at + from + length).split('\0')[0] ?? '';
    const size = Number.parseInt(field(124, 12), 8);
    const path = [field(345, 155), field(0, 100)].filter(Boolean).join('/');
    if (['', '0'].includes(field(156, 1)))
      files.push([path.replace(/^package\//, ''), archive.subarray(at + BLOCK, at + BLOCK + size)]);
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return files;
}

/** Runs a program that must succeed, and returns its output. */
export async function run(folder: string, args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, args, { cwd: folder, env: ownEnvironment, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.err += text));
  const code = await new Promise((resolve) => child.once('close', resolve));
  assert.equal(code, 0, `${args.join(' ')}\n${said.out}\n${said.err}`);
  return said.out;
}

/**
 * Compiles programs as a stranger does: strictly, looking at the declarations of packages too, with nothing of Node or
 * of browsers.
 */
export async function compile(
  folder: string,
  programs: Readonly<Record<string, string>>,
  types: readonly string[] = [],
): Promise<void> {
  const options = {
    strict: true,
    module: 'nodenext',
    target: 'es2022',
    lib: ['es2023'],
    skipLibCheck: false,
    noEmitOnError: true,
  };
  const typeRoots = [join(project, 'node_modules/@types')];
  const config = { compilerOptions: { ...options, types, typeRoots }, files: Object.keys(programs) };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  for (const [name, text] of Object.entries(programs)) writeFileSync(join(folder, name), text);
  await run(folder, [join(project, 'node_modules/typescript/bin/tsc'), '-p', '.']);
}

/**
 * A test as a stranger writes it who has `pharos` installed: what must not compile doesn't, and it prints what the
 * sender has left.
 */
export const devProgram = `
  import { devChain, Refusal, type DevAccount, type DevChain, type DevHead } from 'pharos/dev';
  const chain: DevChain = await devChain({ mining: 'automine', accounts: 3 });
  const sender: DevAccount = chain.accounts['alice']!;
  await chain.send([['transfer', { from: sender.name, to: 'bob', amount: '1 COIN', memo: '' }]], [sender.key]);
  const head: DevHead = await chain.mine(2);
  const number: number = head.head_block_number;
  // @ts-expect-error: the memo is missing
  void (() => chain.send([['transfer', { from: 'alice', to: 'bob', amount: '1 COIN' }]], [sender.key]));
  // @ts-expect-error: no such way to make blocks
  void (() => devChain({ mining: 'sometimes' }));
  // @ts-expect-error: no such member
  void head.head_block_numbers;
  const refused = await chain.call('alexandria_api.get_account', { account_name: 'nobody' }).catch((error: unknown) => error instanceof Refusal);
  console.log(number > 2, refused);
  await chain.stop();
`;
/** The expected output. */
export const devPrinted = 'true true\n';
