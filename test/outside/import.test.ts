import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { after, before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { listMember, numberMember, type Json } from './json.ts';
import { requireObject } from './signer.ts';
import { Site, type Finished } from './site.ts';
import { inLongForm, inShortForm } from '../builders/forms.ts';

const site = new Site();
const LAST = 300;
const genesis = fileURLToPath(recording('genesis.json'));
const blockLog = site.path('block_log');

before(() => writeFileSync(blockLog, gunzipSync(readFileSync(recording('block_log.gz')))));

after(() => site.clear());

function recording(name: string): URL {
  return new URL(`../../../test/lineage/${name}`, import.meta.url);
}

/** The states of the lineage node after blocks 1 to 300 that were recorded. */
function recordedStates(): Json[] {
  const lines = gunzipSync(readFileSync(recording('state_trace.jsonl.gz')))
    .toString('utf8')
    .trim()
    .split('\n');
  return lines.map((line): Json => JSON.parse(line)).filter((state) => numberMember(state, 'block_num') <= LAST);
}

/** The recorded network began with another key than the genesis names. */
const CHAIN = [
  '--genesis',
  genesis,
  '--profile',
  'lineage',
  '--initial-signing-key',
  'SPH6LLegbAgLAy28EHrffBVuANFWcFgmqRMW13wBmTExqFE9SCkg4',
];

async function importLog(folder: string, ...flags: readonly string[]): Promise<Finished> {
  return await site.run(['import', ...CHAIN, '--block-log', blockLog, '--data-dir', site.path(folder), ...flags]);
}

/**
 * Without what the recording has on purpose otherwise: members that the lineage never filled in, its mark of the state.
 */
function comparable(state: Json): Json {
  const { tag: _mark, ...rest } = requireObject(state);
  const accounts = listMember(state, 'accounts').map((account) => Object.assign({}, account, { witness_votes: [] }));
  const operations = listMember(state, 'ops_in_block').map((operation) =>
    Object.assign({}, operation, { op_in_trx: 0 }),
  );
  return { ...rest, accounts, ops_in_block: operations };
}

test('an imported block log gives the states that the lineage node had', async () => {
  const states = recordedStates();
  assert(states.length > 100);
  const numbers = states.map((state) => numberMember(state, 'block_num'));
  const out = site.path('states.jsonl');
  const { code, stderr } = await importLog(
    'whole',
    '--stop-at',
    String(LAST),
    '--dump-state',
    numbers.join(),
    '--out',
    out,
  );
  assert.equal(code, 0, stderr);
  assert.match(stderr, new RegExp(`head block ${LAST} [0-9a-f]{40}, state hash [0-9a-f]{64}`));
  const dumped = readFileSync(out, 'utf8')
    .trim()
    .split('\n')
    .map((line): Json => JSON.parse(line));
  assert.equal(dumped.length, states.length);
  dumped.forEach((state, index) =>
    assert.deepEqual(comparable(state), comparable(states[index] ?? null), `after block ${numbers[index]}`),
  );
});

test('an import that was stopped goes on where it was, and comes to the same state hash', inLongForm, async () => {
  assert.equal((await importLog('halves', '--stop-at', '150')).code, 0);
  const halves = await importLog('halves', '--stop-at', String(LAST));
  const whole = await importLog('again', '--stop-at', String(LAST));
  assert.equal(halves.stderr, whole.stderr);
  const { code, stdout } = await site.run(['verify', '--data-dir', site.path('halves'), ...CHAIN]);
  assert.equal(code, 0);
  assert(stdout.includes(`${LAST} blocks`));
});

test('a log with a changed byte is refused at the block that has it, with exit code 3', async () => {
  const bytes = readFileSync(blockLog);
  const changed = site.path('changed_log');
  const start = Number(bytes.readBigUInt64LE(bytes.length - 8));
  assert(start > 0);
  // Byte 30 of the first block: in the middle of what its signature signs.
  bytes[30] = (bytes[30] ?? 0) ^ 1;
  writeFileSync(changed, bytes);
  const { code, stderr } = await site.run([
    'import',
    ...CHAIN,
    '--block-log',
    changed,
    '--data-dir',
    site.path('changed'),
  ]);
  assert.equal(code, 3, stderr);
  assert.match(
    stderr,
    /block 1 \(\S*changed_log, byte 0\) is refused: .*; name the genesis of its chain, or get another copy of the log: the import goes on from block 1$/m,
  );
  assert.doesNotMatch(stderr, /^\s+at /m);
});

test(
  'a log that is damaged inside names the file, the block and its byte, and goes on with another copy',
  inLongForm,
  async () => {
    const bytes = readFileSync(blockLog);
    const starts: number[] = [];
    for (let end = bytes.length; end > 0; end = starts[0] ?? 0) starts.unshift(Number(bytes.readBigUInt64LE(end - 8)));
    const start = starts[39] ?? 0;
    const changed = site.path('damaged_log');
    const run = async (log: string): Promise<{ readonly code: number | null; readonly stderr: string }> =>
      await site.run(['import', ...CHAIN, '--block-log', log, '--data-dir', site.path('damaged'), '--stop-at', '60']);
    // Zeros over the header, and a count of transactions that the block does not have.
    for (const [from, to, value] of [
      [0, 24, 0],
      [24, 60, 0xff],
      [100, 140, 0xff],
    ] as const) {
      writeFileSync(changed, Buffer.from(bytes).fill(value, start + from, start + to));
      const { code, stderr } = await run(changed);
      assert.equal(code, 3, stderr);
      assert.match(
        stderr,
        new RegExp(`block 40 \\(\\S*damaged_log, byte ${start}\\) .*; get another copy of the log`),
        stderr,
      );
      assert.doesNotMatch(stderr, /^\s+at |Error\b/m);
    }
    const whole = await run(blockLog);
    assert.equal(whole.code, 0, whole.stderr);
    assert.match(whole.stderr, /head block 60 /);
  },
);

test('a log that is cut off is refused with exit code 3', inShortForm, async () => {
  const cut = site.path('cut_log');
  writeFileSync(cut, readFileSync(blockLog).subarray(0, 100_001));
  const { code, stderr } = await site.run(['import', ...CHAIN, '--block-log', cut, '--data-dir', site.path('cut')]);
  assert.equal(code, 3, stderr);
  const [, last = ''] =
    /cut_log is damaged: block (\d+) is the last whole one .* --stop-at \1, /.exec(stderr) ?? assert.fail(stderr);
  const taken = await site.run([
    'import',
    ...CHAIN,
    '--block-log',
    cut,
    '--data-dir',
    site.path('cut'),
    '--stop-at',
    last,
  ]);
  assert.equal(taken.code, 0, taken.stderr);
  assert.match(taken.stderr, new RegExp(`head block ${last} `));
});

test('a log of another chain is refused as soon as it holds a transaction', inShortForm, async () => {
  const other = site.path('other.json');
  writeFileSync(other, `${readFileSync(genesis, 'utf8')} `);
  const chain = ['--genesis', other, ...CHAIN.slice(2)];
  const { code, stderr } = await site.run([
    'import',
    ...chain,
    '--block-log',
    blockLog,
    '--data-dir',
    site.path('other'),
  ]);
  assert.equal(code, 3, stderr);
  assert.match(stderr, /block \d+ \(\S+, byte \d+\) is refused: .*is missing: it asks for a signature by SPH/);
});

test('what import is told is checked before a folder is begun, and a file of states that is a folder is named', async () => {
  const importing = async (folder: string, ...flags: string[]): Promise<readonly [number | null, string]> => {
    const args = ['import', ...CHAIN, '--block-log', blockLog, '--data-dir', site.path(folder), ...flags];
    const { code, stderr } = await site.run(args);
    return [code, stderr];
  };
  const [code, stderr] = await importing('unbegun', '--dump-state', '5-1');
  assert.deepEqual([code, stderr], [2, 'pharos: --dump-state: block numbers such as 1-200,250 expected, got "5-1"\n']);
  assert.ok(!existsSync(site.path('unbegun')));
  const [failed, why] = await importing('states_in_folder', '--dump-state', '1', '--out', site.path('.'));
  assert.equal(failed, 1, why);
  assert.match(why, /^pharos: cannot write .*: it is a folder; EISDIR/m);
});
