import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { textMember } from './json.ts';
import { CLI, type Program } from './program.ts';
import { fetchBalance, send, transfer } from './signer.ts';
import { Site, type Finished } from './site.ts';
import { waitUntil } from './wait_until.ts';
import { inLongForm, inShortForm } from '../builders/forms.ts';

const site = new Site();

after(() => site.clear());

const STANDSTILL = ['--block-interval-ms', '900000000'];

/**
 * A development chain in a folder of its own, with some blocks and a transfer in it, stopped by a signal that leaves it
 * no time.
 */
async function killedChain(
  name: string,
): Promise<{ readonly folder: string; readonly number: number; readonly stateHash: string }> {
  const folder = site.path(name);
  const program = await site.dev('--data-dir', folder);
  for (let payment = 0; payment < 8; payment++) await send(program, [transfer('alice', 'bob', '1.000000')], 'alice');
  const { number, stateHash } = await program.health();
  program.kill();
  await program.exited;
  return { folder, number, stateHash };
}

async function start(folder: string, ...flags: readonly string[]): Promise<Finished> {
  return await site.run(['dev', '--data-dir', folder, '--port', '0', ...flags]);
}

function assertStopped({ code, stderr }: Finished, expected: number, text: RegExp): void {
  assert.equal(code, expected, stderr);
  assert.match(stderr, text);
  assert.match(stderr, /^pharos: [^\n]+\n$/, 'one line');
}

function readLog(folder: string): string {
  const logs = readdirSync(join(folder, 'chain')).filter((name) => name.endsWith('.log'));
  return join(folder, 'chain', logs.toSorted().at(-1) ?? assert.fail('no log'));
}

test(
  '--fresh on a running chain is refused with the number of its process, and nothing of it is lost',
  inShortForm,
  async () => {
    const folder = site.path('running');
    const program = await site.dev('--data-dir', folder);
    await send(program, [transfer('alice', 'bob', '7.000000')], 'alice');
    const chain = join(folder, 'chain');
    const id = textMember(await program.result('alexandria_api.about'), 'about.chain_id');
    for (const command of [
      ['dev', '--fresh', '--data-dir', folder, '--port', '0'],
      ['run', '--genesis-json', join(folder, 'genesis.json'), '--data-dir', chain],
      [
        'import',
        '--genesis',
        join(folder, 'genesis.json'),
        '--block-log',
        join(folder, 'genesis.json'),
        '--data-dir',
        chain,
      ],
      ['verify', '--data-dir', chain],
    ]) {
      const finished = await site.run(command);
      // The import looks at its block log first.
      if (command[0] === 'import') assert.notEqual(finished.code, 0);
      else assertStopped(finished, 2, /is in use by another process: process \d+ \(pharos dev\) has it/);
    }
    assert.equal(await program.stop(), 0);
    const again = await site.dev('--data-dir', folder, ...STANDSTILL);
    assert.equal(textMember(await again.result('alexandria_api.about'), 'about.chain_id'), id);
    assert.equal(await fetchBalance(again, 'bob'), 10_000_007_000_000n);
    assert.equal(await again.stop(), 0);

    // Of the same time it may have the same id.
    const fresh = await site.dev('--fresh', '--data-dir', folder, ...STANDSTILL);
    assert.equal(await fetchBalance(fresh, 'bob'), 10_000_000_000_000n);
    assert.equal(await fresh.stop(), 0);
  },
);

test(
  'a lost CURRENT never makes a new chain, however often the node is started, and verify finds it lost',
  inLongForm,
  async () => {
    const { folder, number, stateHash } = await killedChain('current');
    const current = join(folder, 'chain', 'CURRENT');
    renameSync(current, site.path('CURRENT'));
    for (let time = 0; time < 2; time++) assertStopped(await start(folder), 3, /CURRENT is missing.*backup/);
    for (let time = 0; time < 2; time++)
      assertStopped(await site.run(['verify', '--data-dir', join(folder, 'chain')]), 3, /CURRENT is missing/);
    renameSync(site.path('CURRENT'), current);
    const { code, stdout } = await site.run(['verify', '--data-dir', join(folder, 'chain')]);
    assert.deepEqual([code, stdout.includes('intact')], [0, true], stdout);
    const still = await site.dev('--data-dir', folder, ...STANDSTILL);
    const health = await still.health();
    assert.ok(health.number >= number);
    if (health.number === number) assert.equal(health.stateHash, stateHash);
    assert.equal(await still.stop(), 0);
  },
);

test(
  'a damaged log stops the start with exit code 3 and the numbers of the blocks; with its head accepted the chain goes on',
  inLongForm,
  async () => {
    const { folder, number } = await killedChain('log');
    const log = readLog(folder);
    const bytes = readFileSync(log);
    const damaged = Buffer.from(bytes);
    // Behind the genesis, before the last block.
    const place = Math.trunc(bytes.length * 0.85);
    damaged[place] = (damaged[place] ?? 0) ^ 4;
    writeFileSync(log, damaged);
    for (let time = 0; time < 2; time++)
      assertStopped(await start(folder), 3, /lacks blocks \d+ to \d+, which this node had/);
    const verified = await site.run(['verify', '--data-dir', join(folder, 'chain')]);
    assert.equal(verified.code, 3);
    const [, first, last, accepted] =
      /lacks blocks (\d+) to (\d+), .*--accept-head (\d+)/.exec(verified.stderr) ?? assert.fail(verified.stderr);
    assert.ok(Number(last) >= number);
    assert.equal(Number(first), Number(accepted) + 1);
    assert.deepEqual(readFileSync(log), damaged, 'the log waits for somebody who can save more of it');

    const shorter = await site.dev('--data-dir', folder, ...STANDSTILL, '--accept-head', accepted ?? '');
    assert.equal((await shorter.health()).number, Number(accepted));
    assert.equal(await shorter.stop(), 0);
    const goesOn = await site.dev('--data-dir', folder);
    await send(goesOn, [transfer('alice', 'bob', '1.000000')], 'alice');
    assert.equal(await goesOn.stop(), 0);
  },
);

test('a genesis that is gone makes no new chain in the place of the one that was', inLongForm, async () => {
  const { folder } = await killedChain('genesis');
  renameSync(join(folder, 'genesis.json'), site.path('genesis.json'));
  for (let time = 0; time < 2; time++) assertStopped(await start(folder), 3, /genesis\.json is missing.*--fresh/);
  assert.equal(existsSync(join(folder, 'genesis.json')), false);
  renameSync(site.path('genesis.json'), join(folder, 'genesis.json'));
  const again = await site.dev('--data-dir', folder, ...STANDSTILL);
  assert.equal(await again.stop(), 0);
});

test(
  'a table that is damaged under a running node stops it with exit code 3 and the name of the file, at the first read that meets it',
  inLongForm,
  async () => {
    const { folder, number } = await killedChain('table');
    // So many blocks that a start has read few of them; at the next one, the log moves into tables.
    const grows = await site.dev('--data-dir', folder, ...STANDSTILL);
    await grows.result('debug_api.produce_blocks', { count: 500 });
    assert.equal(await grows.stop(), 0);
    assert.equal(await (await site.dev('--data-dir', folder, ...STANDSTILL)).stop(), 0);
    const chain = join(folder, 'chain');
    const program = await site.dev('--data-dir', folder, ...STANDSTILL);
    for (const name of readdirSync(chain).filter((each) => each.endsWith('.sst'))) overwrite(join(chain, name));
    const { code, stderr } = await reading(program, number + 500);
    assert.equal(code, 3, stderr);
    assert.match(stderr, /^pharos: the database in .* is damaged: .*\.sst[^\n]*\n$/m);
    assert.doesNotMatch(stderr, /Seen error/);
  },
);

/** Asks for blocks until the program is gone. */
async function reading(program: Program, blocks: number): Promise<Finished> {
  void waitUntil('the end of the program', async () => {
    for (let num = 1; num <= blocks && program.isRunning; num++)
      await program.call('alexandria_api.get_block', { num }).catch(() => undefined);
    return program.isRunning ? undefined : true;
  });
  return { code: await program.exited, stdout: program.stdout, stderr: program.stderr };
}

function overwrite(path: string): void {
  const bytes = readFileSync(path);
  for (let at = 8; at < bytes.length; at += 16) bytes[at] = (bytes[at] ?? 0) ^ 0x55;
  writeFileSync(path, bytes, { flag: 'r+' });
}

test('a file in the place of the data folder, and one that may not be written, are said in a line, with exit code 1', async () => {
  writeFileSync(site.path('file'), '');
  assertStopped(await start(site.path('file')), 1, /cannot make the data folder .*file/);
  assertStopped(
    await start(site.path('file', 'below')),
    1,
    /cannot make the data folder .*a part of the path is a file/,
  );
  // Nobody may write there, whoever it is.
  assertStopped(await start('/sys/pharos'), 1, /cannot make the data folder/);
  mkdirSync(site.path('odd', 'genesis.json'), { recursive: true });
  assertStopped(await start(site.path('odd')), 1, /cannot read .*genesis\.json/);
  rmSync(site.path('odd'), { recursive: true });
});

test('a process that may open too few files says so in a line, with exit code 1', async () => {
  for (const files of [40, 100]) {
    const command = `ulimit -n ${files} && exec "$0" "$@"`;
    const node = spawn('sh', [
      '-c',
      command,
      process.execPath,
      CLI,
      'dev',
      '--data-dir',
      site.path('few'),
      '--port',
      '0',
    ]);
    let stderr = '';
    node.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const [code]: unknown[] = await once(node, 'close');
    assert.equal(code, 1, stderr);
    assert.match(
      stderr,
      /^pharos: (?:EMFILE: too many open files|this process may open \d+ files.*ulimit -n)[^\n]*\n$/,
    );
  }
});
