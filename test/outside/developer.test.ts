import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ownEnvironment } from '../builders/own_environment.ts';
import { splitSteps, typeSession } from '../builders/typed_session.ts';
import { inLongForm } from '../builders/forms.ts';
import { freePort } from './free_port.ts';
import { waitUntil, within } from './wait_until.ts';

// Types the commands that README.md and the guides to development chains show to a developer. Only the port is another
// one, which is free here.

const project = fileURLToPath(new URL('../../../', import.meta.url));
const readme = readFileSync(join(project, 'README.md'), 'utf8');
const page = ['development_chains', 'test_chain']
  .map((name) => readFileSync(join(project, `src/pages/guides/${name}.md`), 'utf8'))
  .join('\n');
const folder = mkdtempSync(join(tmpdir(), 'pharos-developer-'));
const running = new Set<number>();

after(() => {
  for (const group of running) process.kill(-group, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** A folder below that of this test. */
function made(...names: readonly string[]): string {
  const path = join(folder, ...names);
  mkdirSync(path, { recursive: true });
  return path;
}

/** Makes a clone with nobody's data in it. */
function checkout(): string {
  const path = made('checkout');
  for (const name of ['package.json', 'scripts', 'build', 'src', 'native', 'node_modules'])
    symlinkSync(join(project, name), join(path, name));
  return path;
}

/** A command of that folder's; `more` are words that it gets besides. */
function writeCommand(path: string, more = ''): void {
  writeFileSync(
    path,
    `#!/bin/sh\nexec "${process.execPath}" "${join(project, 'scripts', 'pharos.js')}" "$@" ${more}\n`,
  );
  chmodSync(path, 0o700);
}

/** A project that has nothing but the package. */
function ownProject(): string {
  const path = made('project');
  symlinkSync(project, join(made('project', 'node_modules'), 'pharos'));
  writeCommand(join(made('project', 'node_modules', '.bin'), 'pharos'));
  return path;
}

/** The blocks of the page in such a language, without their comments. */
function codeBlocks(language: string): readonly string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\``, 'gm'))].map(([, block = '']) => block);
}

function commandLines(block: string): readonly string[] {
  return block.trimEnd().split('\n');
}

interface Chain {
  readonly said: () => string;
  readonly stop: () => Promise<number | null>;
}

/** Types a line that starts a chain, and waits until the chain is there. npm and npx ask nobody in the network. */
async function typed(line: string, cwd: string, port: number): Promise<Chain> {
  const [command = '', comment = ''] = line.split('#');
  const dashes = command.startsWith('npm ') && !command.includes(' -- ') ? '-- ' : '';
  const env = { ...ownEnvironment, npm_config_offline: 'true', npm_config_update_notifier: 'false' };
  const child = spawn('sh', ['-c', `exec ${command.trimEnd()} ${dashes}--port ${port}`], { cwd, env, detached: true });
  const group = child.pid ?? assert.fail('no process');
  running.add(group);
  let said = '';
  const hear = (text: string): void => void (said += text);
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', hear);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve)).finally(() =>
    running.delete(group),
  );
  await waitUntil(`the chain of ${line}`, () => {
    if (child.exitCode !== null) assert.fail(`${line}\n${said}`);
    return said.includes('Ctrl-C stops') || undefined;
  });
  assertKeeps(said, command, comment);
  const stop = async (): Promise<number | null> => {
    process.kill(-group, 'SIGINT');
    return await within(`the end of ${line}`, ended);
  };
  return { said: () => said, stop };
}

/** Asserts that a line's flags keep their promise, and the words of the page beside it. */
function assertKeeps(said: string, command: string, comment: string): void {
  const blocks = /^ {2}blocks +(.+)$/m.exec(said)?.[1];
  const expected = command.includes('--automine')
    ? 'as soon as there is a transaction'
    : command.includes('--no-mining')
      ? 'when debug_api.produce_blocks orders them'
      : 'every 3 seconds';
  assert.equal(blocks, expected, command);
  if (comment.includes('3 seconds')) assert.equal(blocks, 'every 3 seconds');
  if (comment.includes('each transaction')) assert.match(blocks, /there is a transaction/);
  const accounts = Number(/--accounts (\d+)/.exec(command)?.[1] ?? 10);
  const listed = said.match(/ (?:10000000|2000000)\.000000 COIN$/gm)?.length ?? 0;
  const unlisted = Number(/^ {2}and (\d+) more: --list-accounts shows all$/m.exec(said)?.[1] ?? 0);
  assert.deepEqual([listed, listed + unlisted], [2, accounts], command);
  if (command.includes('--seed')) assert.match(said, /the sha256 of the seed, a blank and its name/);
}

test('every block of the guides to development chains is typed here', () => {
  const languages = [...page.matchAll(/^```(\w*)\n[^]*?^```/gm)].map(([, language]) => language);
  // The second node's block is typed by second_node.test.ts.
  assert.deepEqual(languages, ['sh', 'sh', 'console', 'sh', 'js']);
});

test('the chain is started as the pages say, answers as README says, and does what it is told', async () => {
  const [starts = '', own = ''] = codeBlocks('sh');
  const [place, elsewhere, port] = [checkout(), ownProject(), await freePort()];
  const bin = made('bin');
  writeCommand(join(bin, 'pharos'), `--url http://127.0.0.1:${port}`);
  const env = { ...ownEnvironment, PATH: `${bin}:${process.env['PATH'] ?? ''}` };
  const lines = commandLines(starts);
  for (const [k, line] of lines.entries()) {
    const chain = await typed(line, place, port);
    if (k === 0) await askAsReadmeSays(port);
    if (k === lines.length - 1)
      for (const session of codeBlocks('console')) typeSession(splitSteps(session), elsewhere, env);
    if (k === lines.length - 1)
      await waitUntil('the line of what was sent', () => /transfer: from=carol to=bob/.test(chain.said()) || undefined);
    assert.equal(await chain.stop(), 0, line);
  }
  // The same folder, without --fresh: the chain of the last line is still there.
  const again = await typed('npm start', place, port);
  assert.match(again.said(), /^ {2}head +block 1\d$/m);
  assert.equal(await again.stop(), 0);
  // npx has no exit code of its own where a signal ends it.
  for (const line of commandLines(own)) await (await typed(line, elsewhere, port)).stop();
});

/** The line to try, without the program that sends it: not everybody has it. */
async function askAsReadmeSays(port: number): Promise<void> {
  const line = /^curl -s (http:\S+) -d '(.+)'$/m.exec(readme) ?? assert.fail('README has no line to try');
  const [, url = '', body = ''] = line;
  const answer = await (await fetch(url.replace('9193', String(port)), { method: 'POST', body })).text();
  assert.match(answer, /"name":"alice"/);
  assert.match(answer, /"balance":"10000000\.000000 COIN"/);
}

test('the test on the page passes as it stands there, ends by itself and leaves nothing behind', inLongForm, () => {
  const place = made('project');
  const [source = ''] = codeBlocks('js');
  const name = /`(\S+\.mjs)`/.exec(page)?.[1] ?? assert.fail('the page gives the file no name');
  writeFileSync(join(place, name), source);
  const before = readdirSync(place);
  const options = { cwd: place, encoding: 'utf8', timeout: 300_000, env: ownEnvironment } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--test', name], options);
  assert.equal(status, 0, `${stdout}\n${stderr}`);
  assert.match(stdout, /^# pass 1$|^ℹ pass 1$/m);
  assert.equal(stderr, '');
  assert.deepEqual(readdirSync(place), before);

  // Nor does one hang that fails.
  writeFileSync(join(place, name), source.replace(/'10000001\./, "'1."));
  const failed = spawnSync(process.execPath, ['--test', name], options);
  assert.equal(failed.status, 1, failed.stdout);
  assert.match(failed.stdout, /^# fail 1$|^ℹ fail 1$/m);
});
