import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { devPrinted, devProgram } from '../client/packed.ts';
import { waitUntil } from '../outside/wait_until.ts';
import { countBytes } from '../builders/folder_bytes.ts';
import { isLong, project, run, start, succeed, temporaryFolder } from './commands.ts';
import { installedNode, otherNodes } from './nodes.ts';

// npm pack, and what comes of it in a project that has nothing else.

const RUN_TIME_BYTES = 150e6;
const quietly = [
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--no-update-notifier',
  '--loglevel=error',
  '--prefer-offline',
];
const user = temporaryFolder();
const installed = (...path: string[]): string => join(user, 'node_modules', 'pharos', ...path);
let tarball = '';
/** No binary of uWebSockets.js is for this Node. */
const isHopeless = !['115', '127', '137'].includes(process.versions.modules);
/** The C library that its binaries are linked against, or a newer one. */
const hasNewGlibc = spawnSync('ldd', ['--version'], { encoding: 'utf8' })
  .stdout.match(/2\.(\d+)$/m)
  ?.slice(1)
  .map(Number)
  .some((minor) => minor >= 38);

before(async () => {
  const folder = temporaryFolder();
  const packed: unknown = JSON.parse(
    await succeed('npm', ['pack', '--json', '--pack-destination', folder], { folder: project }),
  );
  tarball = join(folder, firstFileName(packed));
  writeFileSync(join(user, 'package.json'), '{ "type": "module" }');
  await succeed('npm', ['install', tarball, ...quietly], { folder: user });
});

function firstFileName(packed: unknown): string {
  const text = JSON.stringify(packed);
  return /"filename":"([^"]+)"/.exec(text)?.[1] ?? assert.fail(text);
}

test('the package has what a user reads and runs, and nothing of the workshop', () => {
  for (const file of ['LICENSE', 'NOTICE', 'README.md', 'CHANGELOG.md', 'SECURITY.md', 'build/pharos_crypto.wasm'])
    assert.ok(existsSync(installed(file)), file);
  for (const folder of ['src', 'test', 'native', 'build/test', 'build/bench', 'node_modules'])
    assert.ok(!existsSync(installed(folder)), folder);
  const info: unknown = JSON.parse(readFileSync(installed('build/build_info.json'), 'utf8'));
  assert.doesNotMatch(JSON.stringify(info), /"revision":"0{40}"/);
});

test('it has the samples for operators, but for what is run in a clone alone', () => {
  const samples = readdirSync(join(project, 'scripts/operate')).filter(
    (name) => !/\.js$|^[Cc]ontainer|^compose$/.test(name),
  );
  assert.ok(samples.includes('pharos.service') && samples.includes('pharos.ini') && samples.includes('nginx.conf'));
  assert.deepEqual(readdirSync(installed('scripts/operate')).toSorted(), samples.toSorted());
});

test('installed with all that it needs, by no script, it takes at most 150 MB', () => {
  const bytes = countBytes(join(user, 'node_modules'));
  assert.ok(bytes > 10e6 && bytes <= RUN_TIME_BYTES, `${bytes} bytes`);
  for (const name of ['typescript', '@yowasp', 'secp256k1'])
    assert.ok(!existsSync(join(user, 'node_modules', name)), name);
});

test('npx pharos --version says the version', async () => {
  const { version }: { version: string } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
  assert.equal((await succeed('npx', ['pharos', '--version'], { folder: user })).trim(), version);
});

test('after the line of the guide, pharos is a command in every folder', async () => {
  const page = readFileSync(join(project, 'src/pages/guides/install.md'), 'utf8');
  const line = /^npm (install --global) \.\/pharos-[\d.]+\.tgz$/m.exec(page)?.[1] ?? assert.fail('no line');
  const { version }: { version: string } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
  const prefix = temporaryFolder();
  const environment = { npm_config_prefix: prefix, PATH: `${join(prefix, 'bin')}:${process.env['PATH'] ?? ''}` };
  await succeed('npm', [...line.split(' '), tarball, ...quietly], { folder: user, environment });
  const within = { folder: temporaryFolder(), environment };
  assert.equal((await succeed('sh', ['-c', 'pharos --version'], within)).trim(), version);
  const root = (await succeed('npm', ['root', '--global'], within)).trim();
  assert.ok(existsSync(join(root, 'pharos/scripts/operate/pharos.service')));
});

/** A development chain of the installed package, from its start to its end; what it said. */
async function useDevChain(node: string, use: (url: string) => Promise<void> = async () => {}): Promise<string> {
  const isOutOfSupport = (await succeed(node, ['--version'], { folder: user })).startsWith('v20.');
  const flags = ['--data-dir', temporaryFolder(), '--port', '0'];
  const program = start(node, [installed('scripts/pharos.js'), 'dev', ...flags], { folder: user });
  await waitUntil('the development chain', () => program.said.stdout.includes('Ctrl-C stops') || undefined);
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(program.said.stdout)?.[0] ?? assert.fail(program.said.stdout);
  assert.match(await callAccount('alice', url), /"name":"alice"/);
  await use(url);
  program.interrupt();
  const { code, stdout, stderr } = await program.finished;
  // Not even a warning of Node; what the node itself says of a busy machine is a line of its log.
  const warnings = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{"level":40,'));
  assert.deepEqual(
    [code, warnings],
    [0, isOutOfSupport ? ['pharos: Node 20 is out of support: install Node 24 (supported: 24, 22 and 26)'] : []],
  );
  return stdout;
}

async function callAccount(account_name: string, url: string): Promise<string> {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'alexandria_api.get_account',
    params: { account_name },
  });
  return await (await fetch(url, { method: 'POST', body })).text();
}

for (const version of [undefined, ...otherNodes]) {
  test(`on Node ${version ?? process.versions.node} a development chain starts, answers by node:http, warns of nothing and stops`, async () => {
    const node = version === undefined ? process.execPath : installedNode(version);
    assert.match(await useDevChain(node), /served by node:http/);
  });
}

/** Compiles a program of the user as strictly as can be, declarations of packages included. */
async function compile(file: string, text: string): Promise<void> {
  const compiler = {
    ...{ strict: true, module: 'nodenext', target: 'es2023', skipLibCheck: false },
    ...{ types: ['node'], typeRoots: [join(project, 'node_modules/@types')] },
  };
  writeFileSync(join(user, 'tsconfig.json'), JSON.stringify({ compilerOptions: compiler, files: [file] }));
  writeFileSync(join(user, file), text);
  await succeed(process.execPath, [join(project, 'node_modules/typescript/bin/tsc'), '-p', '.'], { folder: user });
}

test('a test in TypeScript finds pharos/dev with its types, and has a chain of its own', async () => {
  await compile('own_test.ts', devProgram);
  assert.equal(await succeed(process.execPath, ['own_test.js'], { folder: user }), devPrinted);
});

test('a program in TypeScript finds pharos/client with its types, and speaks to a node', async () => {
  await compile(
    'account.ts',
    `import { connect } from 'pharos/client';
    const node = await connect(process.argv[2]!);
    const { account } = await node.call('alexandria_api.get_account', { account_name: 'bob' });
    const name: string = account[0]!.name;
    // @ts-expect-error: a name is no number
    const wrong: number = account[0]!.name;
    // @ts-expect-error: there is no such method
    void (() => node.call('alexandria_api.get_nothing', {}));
    console.log(name, wrong);
    node.close();`,
  );
  await useDevChain(process.execPath, async (url) => {
    assert.equal(await succeed(process.execPath, ['account.js', url], { folder: user }), 'bob bob\n');
  });
});

test('where uWebSockets.js can serve, it does once it is installed beside it; until then banner and doctor say how', async () => {
  const [, line = ''] =
    /`(npm install uWebSockets\.js@[^`]+)`/.exec(
      readFileSync(join(project, 'src/pages/guides/http_servers.md'), 'utf8'),
    ) ?? [];
  if (isHopeless) return;
  assert.ok(
    (await useDevChain(process.execPath)).includes(
      `served by node:http, because uWebSockets.js is not installed (${line})`,
    ),
  );
  const { stdout } = await run(process.execPath, [installed('scripts/pharos.js'), 'doctor'], { folder: user });
  assert.ok(stdout.includes(line), stdout);
  if (!isLong) return;
  const [, spec = ''] = /install (\S+)/.exec(line) ?? [];
  await succeed('npm', ['install', spec, ...quietly], { folder: user });
  const said = await useDevChain(process.execPath);
  if (hasNewGlibc) assert.match(said, /served by uWebSockets\.js, release/);
  else
    assert.match(
      said,
      /served by node:http, because uWebSockets\.js [\d.]+ needs glibc 2\.38, and this system has 2\.\d+/,
    );
});
