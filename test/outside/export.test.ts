import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { CLI, type Program } from './program.ts';
import { send, transfer } from './signer.ts';
import { Site, type Finished } from './site.ts';
import { waitUntil } from './wait_until.ts';
import { inLongForm, inShortForm } from '../builders/forms.ts';

const site = new Site();
const recorded = site.path('recorded_log');
const LAST = 300;
const CHAIN = [
  '--genesis',
  fileURLToPath(new URL('../../../test/lineage/genesis.json', import.meta.url)),
  '--profile',
  'lineage',
  '--initial-signing-key',
  'SPH6LLegbAgLAy28EHrffBVuANFWcFgmqRMW13wBmTExqFE9SCkg4',
];

before(async () => {
  writeFileSync(recorded, gunzipSync(readFileSync(new URL('../../../test/lineage/block_log.gz', import.meta.url))));
  const { code, stderr } = await importLog(recorded, 'lineage', '--stop-at', String(LAST));
  assert.equal(code, 0, stderr);
});

after(() => site.clear());

async function importLog(log: string, folder: string, ...flags: readonly string[]): Promise<Finished> {
  return await site.run(['import', ...CHAIN, '--block-log', log, '--data-dir', site.path(folder), ...flags]);
}

async function exported(log: string, ...flags: readonly string[]): Promise<Finished> {
  return await site.run(['export', '--block-log', site.path(log), ...flags]);
}

const headLine = (finished: Finished): string =>
  /head block .*$/m.exec(finished.stderr)?.[0] ?? assert.fail(finished.stderr);

test('an export of what was imported is the log of the lineage, byte by byte, and its import comes to the same state', async () => {
  const { code, stderr } = await exported('whole', '--data-dir', site.path('lineage'));
  assert.equal(code, 0, stderr);
  assert.match(stderr, /^blocks 1 to 300, \d+ bytes, are in /);
  const [log, index, original] = [
    readFileSync(site.path('whole')),
    readFileSync(site.path('whole.index')),
    readFileSync(recorded),
  ];
  assert(log.equals(original.subarray(0, log.length)));
  // Read by the index alone: each position is where the one before it ended, and stands again behind its block.
  assert.equal(index.length, 8 * LAST);
  for (let block = 0; block < LAST; block++) {
    const start = Number(index.readBigUInt64LE(8 * block));
    const end = block + 1 < LAST ? Number(index.readBigUInt64LE(8 * block + 8)) : log.length;
    assert.equal(Number(log.readBigUInt64LE(end - 8)), start);
    // A block begins with the id of the one before, which begins with its number.
    assert.equal(log.readUInt32BE(start), block);
  }
  const again = await importLog(site.path('whole'), 'again');
  assert.equal(headLine(again), headLine(await importLog(recorded, 'lineage', '--stop-at', String(LAST))));
});

test('a part of a log continues a chain that has the blocks before it, and no other', inLongForm, async () => {
  assert.equal((await exported('early', '--data-dir', site.path('lineage'), '--to', '120')).code, 0);
  const late = await exported('late', '--data-dir', site.path('lineage'), '--from', '121');
  assert.match(late.stderr, /blocks 121 to 300.*can be imported where blocks 1 to 120 are/);
  const alone = await importLog(site.path('late'), 'parts');
  assert.equal(alone.code, 2);
  assert.match(alone.stderr, /late begins with block 121, and .* ends at block 0: import blocks 1 to 120 first/);
  assert.equal((await importLog(site.path('early'), 'parts')).code, 0);
  const both = await importLog(site.path('late'), 'parts');
  assert.equal(headLine(both), headLine(await importLog(recorded, 'lineage', '--stop-at', String(LAST))));
});

test('what can not be exported is refused with what to do, and leaves no file', inShortForm, async () => {
  const namesBefore = readdirSync(site.folder);
  const expected: readonly (readonly [readonly string[], number, RegExp])[] = [
    [
      ['--data-dir', site.path('lineage'), '--to', '301'],
      2,
      /block 301 is not irreversible yet; the last one that is is 300/,
    ],
    [['--data-dir', site.path('lineage'), '--from', '20', '--to', '10'], 2, /no irreversible blocks from 20 to 10/],
    [['--data-dir', site.path('nowhere')], 2, /there is no folder/],
    [['--url', 'http://127.0.0.1:1'], 1, /no answer from the node/],
    [['--url', 'ws://127.0.0.1:1'], 2, /starts with http/],
    [['--url', 'http://127.0.0.1:1', '--data-dir', 'x'], 2, /either --data-dir/],
    [[], 2, /either --data-dir/],
  ];
  for (const [flags, code, text] of expected) {
    const done = await exported('refused', ...flags);
    assert.equal(done.code, code, done.stderr);
    assert.match(done.stderr, text);
  }
  assert.deepEqual(readdirSync(site.folder), namesBefore);
});

/**
 * Runs a line of bash in the folder of the tests, where `pharos` is the program; what it writes, where it fails too.
 */
async function bash(line: string): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const args = ['-c', `pharos() { '${process.execPath}' '${CLI}' "$@"; }; ${line}`];
  return await new Promise((resolve) => {
    execFile('bash', args, { cwd: site.folder }, (_error, stdout, stderr) => resolve({ stdout, stderr }));
  });
}

test('behind | head an export ends without a word', async () => {
  const { stdout, stderr } = await bash(
    'pharos export --data-dir lineage --block-log - | head -c 100 | wc -c; echo "${PIPESTATUS[0]}"',
  );
  assert.deepEqual(stdout.trim().split(/\s+/), ['100', '0']);
  assert.equal(stderr, '');
});

test('on standard output the log is the same', inLongForm, async () => {
  assert.equal((await exported('file', '--data-dir', site.path('lineage'))).code, 0);
  const { stderr } = await bash('pharos export --data-dir lineage --block-log - > piped');
  assert.match(stderr, /are in standard output$/m);
  assert(readFileSync(site.path('file')).equals(readFileSync(site.path('piped'))));
});

/** The state hashes that a node shows as its blocks come, by number. */
async function watch(program: Program, hashes: Map<number, string>, until: () => boolean): Promise<void> {
  while (!until()) {
    const { number, stateHash } = await program.health();
    hashes.set(number, stateHash);
  }
}

test(
  'a node is exported while it produces; the log is that of its folder, and its import comes to the states that the node had',
  inLongForm,
  async () => {
    const folder = site.path('live');
    const program = await site.dev('--data-dir', folder, '--block-interval-ms', '50');
    const hashes = new Map<number, string>();
    let isOver = false;
    const watching = watch(program, hashes, () => isOver);
    for (let count = 0; count < 20; count++)
      await send(program, [transfer('alice', 'bob', '1.000000', `\u00e4\u20ac\u{1f600} ${count}`)], 'alice');
    const inUse = await exported('used', '--data-dir', site.path('live', 'chain'));
    assert.equal(inUse.code, 2);
    assert.match(inUse.stderr, /in use/);
    const whole = await waitUntil('irreversible blocks', async () => {
      const done = await exported('running', '--url', `http://127.0.0.1:${program.port}`);
      const [, last = '0'] = /^blocks 1 to (\d+)/.exec(done.stderr) ?? [];
      return Number(last) > 40 && hashes.has(Number(last)) ? { last: Number(last) } : undefined;
    });
    isOver = true;
    await watching;
    assert.equal(await program.stop(), 0);
    const stopped = await exported('stopped', '--data-dir', site.path('live', 'chain'), '--to', String(whole.last));
    assert.equal(stopped.code, 0, stopped.stderr);
    assert(readFileSync(site.path('running')).equals(readFileSync(site.path('stopped'))));
    assert(readFileSync(site.path('running.index')).equals(readFileSync(site.path('stopped.index'))));
    const genesis = ['--genesis', site.path('live', 'genesis.json')];
    const back = await site.run([
      'import',
      ...genesis,
      '--block-log',
      site.path('running'),
      '--data-dir',
      site.path('restored'),
    ]);
    assert.equal(back.code, 0, back.stderr);
    assert.match(back.stderr, new RegExp(`head block ${whole.last} .*state hash ${hashes.get(whole.last)}`));
  },
);

test('a block that is longer than an answer of its node is named, with what to do', inLongForm, async () => {
  const flags = ['--data-dir', site.path('short'), '--block-interval-ms', '50'];
  const first = await site.dev(...flags);
  const memo = '\u0001'.repeat(2000);
  const payments = ['1.000000', '2.000000', '3.000000'].map((amount) => transfer('alice', 'bob', amount, memo));
  await send(first, payments, 'alice');
  assert.equal(await first.stop(), 0);
  const program = await site.dev(...flags, '--max-answer-bytes', '20000');
  const refused = await waitUntil('an irreversible block that is too long', async () => {
    const done = await exported('cut', '--url', `http://127.0.0.1:${program.port}`);
    return done.code === 5 ? done : undefined;
  });
  assert.match(refused.stderr, /refuses: block \d+ is longer than an answer may be: .*--data-dir/);
  assert.equal(await program.stop(), 0);
});

test('of a folder with damaged files nothing is exported, with exit code 3', async () => {
  const folder = site.path('lineage');
  for (const name of readdirSync(folder).filter((each) => /\.(?:sst|log)$/.test(each))) {
    const bytes = readFileSync(site.path('lineage', name));
    for (let at = 50; at < bytes.length - 200; at += 5000) bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(site.path('lineage', name), bytes);
  }
  const { code, stderr } = await exported('damaged', '--data-dir', folder);
  assert.equal(code, 3, stderr);
  assert.doesNotMatch(stderr, /^\s+at /m);
  assert.equal(existsSync(site.path('damaged')), false);
});
