import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { at, numberMember, textMember, type Json } from './json.ts';
import type { Program } from './program.ts';
import { Site, type Finished } from './site.ts';

const guide = readFileSync(fileURLToPath(new URL('../../../src/pages/guides/load_test.md', import.meta.url)), 'utf8');
const site = new Site();
let program: Program;

before(async () => {
  program = await site.dev('--fresh', '--metrics-port', '0');
});

after(() => site.clear());

const load = (...args: readonly string[]): Promise<Finished> =>
  site.run(['load', '--url', `http://127.0.0.1:${program.port}`, '--threads', '1', '--until', 'block', ...args]);

/** A load that succeeds, with its report. */
async function report(...args: readonly string[]): Promise<{ readonly stdout: string; readonly json: Json }> {
  const file = site.path('report.json');
  const { code, stdout, stderr } = await load('--json', file, ...args);
  assert.equal(code, 0, stdout + stderr);
  return { stdout, json: JSON.parse(readFileSync(file, 'utf8')) };
}

function assertAllThere(json: Json, calls: number): void {
  assert.deepEqual(
    [numberMember(json, 'sent.calls'), numberMember(json, 'answered'), numberMember(json, 'refusedCalls')],
    [calls, calls, 0],
  );
  assert.equal(numberMember(json, 'included'), calls);
  assert.equal(numberMember(json, 'audit.irreversible') + numberMember(json, 'audit.reversible'), calls);
  assert.deepEqual(
    ['acknowledged', 'twice', 'lost', 'stillValid'].map((name) => numberMember(json, `audit.${name}`)),
    [calls, 0, 0, 0],
  );
}

test('an open loop sends what is due in its time, and tells latencies, blocks and both programs’ CPU time', async () => {
  const { stdout, json } = await report('--rate', '100', '--duration', '2s', '--batch', '5');
  assertAllThere(json, 200);
  assert.ok(numberMember(json, 'seconds') >= 1.9, 'the last post was due at the end');
  for (const kind of ['acceptance', 'service', 'inclusion']) {
    const [half, most] = [numberMember(json, `latencies.${kind}.p50`), numberMember(json, `latencies.${kind}.p99`)];
    assert.equal(numberMember(json, `latencies.${kind}.count`), 200);
    assert.ok(half > 0 && most >= half, kind);
  }
  assert.match(
    stdout,
    /^acknowledged 200: \d+ in irreversible blocks, \d+ in others, 0 still valid, 0 forgotten, 0 expired, 0 twice, 0 revoked, 0 lost$/m,
  );
  assert.match(stdout, /^verdict {6}kept: each is in a block, once$/m);
  assert.match(
    stdout,
    /^load tester {2}[\d.]+ CPU-seconds, \d+ % of the machine; \d+ % of the posting thread, \d+ MiB at most; with [\d.]+ before the clock \d+ calls a CPU-second$/m,
  );
  if (process.platform === 'linux') assert.match(stdout, /^node {9}[\d.]+ CPU-seconds of process \d+/m);
});

test('what the node says of itself is told where it can be read, and where not that is said', async () => {
  const { stdout } = await report('--rate', '100', '--duration', '2s', '--batch', '5');
  assert.match(stdout, /^health {7}ready, head -?[\d.e-]+ s old, clock -?[\d.]+ s off$/m);
  assert.match(stdout, /^metrics {6}not readable at http:\S+\/metrics \(HTTP 404\); --metrics says where they are$/m);
  const url =
    /metrics +(\S+)/.exec(program.stdout)?.[1] ?? assert.fail('the program has printed where its figures are');
  const told = await report('--rate', '100', '--duration', '2s', '--batch', '5', '--metrics', url);
  assert.match(
    told.stdout,
    /^at most {6}\d+ broadcasts waiting for a verifier, .*\d+ transactions waiting for a block, .*\d+ open files$/m,
  );
  assert.match(told.stdout, /^block {8}on the disk p50 ≤ [\d.]+ ms after its slot, /m);
  assert.ok(
    numberMember(told.json, 'told.metrics.cpuSeconds') > 0 &&
      numberMember(told.json, 'told.metrics.mostBytes') > 10_000_000,
  );
  assert.ok(numberMember(told.json, 'timeline.0.pending') >= 0);
});

test('the mix of a real network, in its smallest form', async () => {
  const { stdout, json } = await report('--mix', 'real', '--count', '150');
  assertAllThere(json, numberMember(json, 'sent.calls'));
  for (const name of ['transfers with memos', 'custom_json', 'transfers, one a post'])
    assert.match(stdout, new RegExp(`^form {9}${name}: [1-9]`, 'm'));
});

/** Of the account that pays, in millionths. */
async function balance(): Promise<number> {
  const text = textMember(
    await program.result('alexandria_api.get_account', { account_name: 'initminer' }),
    'account.0.balance',
  );
  return Math.round(Number.parseFloat(text) * 1e6);
}

test('a number of transfers is sent from prepared accounts without a mix, too', async () => {
  for (const flags of [
    ['--count', '40'],
    ['--count', '40', '--batch', '1', '--connections', '2'],
    ['--connections', '2', '--count', '40'],
  ]) {
    const { code, stdout, stderr } = await load('--prepare', '10', '--seed', 'counted', ...flags);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^sent +40 calls [^]*\nin blocks +40\n/m, flags.join(' '));
  }
});

test('prepared accounts are made and funded once, and send what needs several signatures', async () => {
  const made = await load('--prepare', '25', '--seed', 'tests', '--fund', '7');
  assert.deepEqual([made.code, made.stdout], [0, ''], made.stderr);
  const before25 = await balance();
  // Five more; those that are there stay as they are.
  const more = await load('--prepare', '30', '--seed', 'tests', '--fund', '7');
  assert.equal(more.code, 0, more.stderr);
  const paid = before25 - (await balance());
  assert.equal(paid, 5 * 7_050_000, 'five accounts with 7 coins each');
  const { stdout, json } = await report(
    '--mix',
    'real',
    '--count',
    '150',
    '--prepare',
    '30',
    '--seed',
    'tests',
    '--fund',
    '7',
  );
  assertAllThere(json, numberMember(json, 'sent.calls'));
  assert.equal(numberMember(json, 'settings.accounts'), 31, 'thirty, and the witness for its feeds');
  assert.doesNotMatch(stdout, /^left out/m);
  const mix = site.path('acted_for.json');
  writeFileSync(mix, JSON.stringify({ forms: [{ authority: 'account', batch: 5 }] }));
  const actedFor = await report('--mix', mix, '--count', '20', '--prepare', '30', '--seed', 'tests', '--fund', '7');
  assertAllThere(actedFor.json, 20);
});

test('an account that cannot pay makes no others', async () => {
  const { code, stderr } = await load('--prepare', '5', '--seed', 'poor', '--fund', '900000000');
  assert.equal(code, 1);
  assert.match(stderr, /initminer cannot make the accounts of a load: /);
});

test('the plain mix over WebSockets, with a count', async () => {
  const { json } = await report('--mix', 'plain', '--count', '200', '--websocket', '--connections', '2');
  assertAllThere(json, 200);
});

test('the mix of reads', async () => {
  const { stdout, json } = await report('--mix', 'reads', '--count', '100');
  assert.deepEqual(
    [numberMember(json, 'answered'), numberMember(json, 'refusedCalls'), numberMember(json, 'audit.acknowledged')],
    [100, 0, 0],
  );
  assert.match(stdout, /^form {9}alexandria_api\.get_account: /m);
});

test('a mix of one’s own, answered when it is in a block, at two addresses of a node', async () => {
  const file = site.path('mix.json');
  const forms = [
    { operation: 'transfer', share: 3, bytes: [5, 200], wait_for: 'block', batch: 2 },
    { operation: 'custom_binary', share: 1, bytes: 5000, wait_for: 'block' },
  ];
  writeFileSync(file, JSON.stringify({ forms }));
  const { json } = await report('--mix', file, '--count', '40', '--url', `http://localhost:${program.port}`);
  assertAllThere(json, numberMember(json, 'sent.calls'));
  assert.equal(at(json, 'settings.urls.1'), `http://localhost:${program.port}`);
});

test('a chain with the rules and words of the lineage is loaded in its own form', async () => {
  const other = site.start([
    'dev',
    '--profile',
    'lineage',
    '--data-dir',
    site.path('lineage'),
    '--port',
    '0',
    '--block-interval-ms',
    '200',
  ]);
  await other.ready();
  const file = site.path('lineage.json');
  const args = [
    '--url',
    `http://127.0.0.1:${other.port}`,
    '--profile',
    'lineage',
    '--threads',
    '1',
    '--until',
    'block',
    '--json',
    file,
  ];
  const { code, stdout, stderr } = await site.run([
    'load',
    ...args,
    '--prepare',
    '10',
    '--mix',
    'real',
    '--count',
    '120',
  ]);
  assert.equal(code, 0, stdout + stderr);
  const json: Json = JSON.parse(readFileSync(file, 'utf8'));
  assertAllThere(json, numberMember(json, 'sent.calls'));
  assert.doesNotMatch(stdout, /^left out/m);
  await other.stop();
});

test('an account sends more than what it has free of charge', async () => {
  const file = site.path('votes.json');
  writeFileSync(file, JSON.stringify({ forms: [{ operation: 'account_witness_vote', batch: 50 }] }));
  const { json } = await report('--mix', file, '--count', '700');
  assertAllThere(json, 700);
});

test('a load tester that cannot keep up says that the limit is its own', async () => {
  const { stdout } = await report('--mix', 'reads', '--rate', '40000', '--duration', '300ms');
  assert.match(stdout, /^LIMIT {8}(?:posting|signing) was too slow: /m);
});

/** A line of the guide, for a smaller node and a shorter time. */
function smaller(given: string): string[] {
  const quick = given
    .replace(/--prepare \d+/, '--prepare 20')
    .replace(/--rate \d+/, '--rate 20')
    .replace(/--ramp \S+/, '--ramp 10..20')
    .replace(/--p99 \d+/, '--p99 60000')
    .replace(/--duration \S+/, '--duration 1s');
  const args = quick.split(' ').slice(2);
  return args[0] === 'compare'
    ? args
    : [...args, '--url', `http://127.0.0.1:${program.port}`, '--threads', '1', '--until', 'block'];
}

test('a load test in five minutes, as the guide says', async () => {
  const lines = /## Your first five minutes[^]*?```sh\n([^]*?)```/.exec(guide)?.[1]?.trim().split('\n') ?? [];
  assert.ok(lines.length >= 5);
  for (const one of lines) {
    assert.match(one, /^pharos load /);
    const { code, stderr } = await site.run(['load', ...smaller(one)]);
    assert.equal(code, 0, `${one}: ${stderr}`);
  }
});

test('the mix that the guide shows', async () => {
  const file = site.path('guide.json');
  writeFileSync(file, /```json\n([^]*?)```/.exec(guide)?.[1] ?? '');
  const { stdout, json } = await report('--mix', file, '--count', '60');
  assert.equal(numberMember(json, 'refusedCalls'), 0);
  for (const form of ['transfer', 'custom_json', 'alexandria_api.get_account'])
    assert.match(stdout, new RegExp(`^form {9}${form}: [1-9]`, 'm'));
});

test('a ramp doubles the rate as long as it holds, and tells the highest that did', async () => {
  const { code, stdout, stderr } = await load(
    '--ramp',
    '20..40',
    '--p99',
    '60000',
    '--duration',
    '500ms',
    '--batch',
    '1',
  );
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^step {9}20 a second hold: p99 [\d.]+ ms, 0 refused/m);
  assert.match(stdout, /^highest {6}40 a second/m);
});

test('what strangers send is refused, and counted apart from the honest load', async () => {
  const { stdout, json } = await report(
    '--mix',
    'plain',
    '--batch',
    '2',
    '--count',
    '300',
    '--hostile',
    '40%',
    '--connections',
    '4',
  );
  assertAllThere(json, 300);
  assert.equal(numberMember(json, 'latencies.acceptance.count'), 300);
  assert.match(stdout, /^strangers {4}[1-9]/m);
  assert.doesNotMatch(stdout, /TAKEN/);
  for (const kind of ['broken JSON', 'wrong signature', 'duplicate', 'expired', 'giant body'])
    assert.equal(
      numberMember(json, `hostile.kinds.${kind}.refused`),
      numberMember(json, `hostile.kinds.${kind}.sent`),
      kind,
    );
  assert.ok(numberMember(json, 'hostile.kinds.slow reader.sent') > 0);
});

test('two reports are compared figure by figure, and a page shows one without any other host', async () => {
  const [first, second, page] = ['first.json', 'second.json', 'page.html'].map((name) => site.path(name));
  assert.ok(first !== undefined && second !== undefined && page !== undefined);
  assert.equal(
    (await load('--rate', '50', '--duration', '1s', '--batch', '5', '--json', first, '--report', page)).code,
    0,
  );
  assert.equal((await load('--rate', '100', '--duration', '1s', '--batch', '5', '--json', second)).code, 0);
  const both = site.path('both.html');
  const compared = await site.run(['load', 'compare', first, second, '--report', both]);
  assert.equal(compared.code, 0, compared.stderr);
  assert.match(compared.stdout, /^answered +[\d.]+ +[\d.]+ +[12]\.\d\d +a second$/m);
  assert.match(compared.stdout, /^lost +0 +0 +1\.00 +transactions$/m);
  assert.match(compared.stdout, /^not the same load: perSecond is 50 and 100$/m);
  assert.match(readFileSync(both, 'utf8'), /Two loads side by side[^]*not the same load: perSecond is 50 and 100/);
  const html = readFileSync(page, 'utf8');
  assert.ok((html.match(/<polyline/g) ?? []).length >= 4);
  assert.doesNotMatch(html, /<script|<link|src=|url\(|@import/);
  const wrong = await site.run(['load', 'compare', first, page]);
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /page\.html/);
});

test('what no account can send is left out, said, and nothing but that is a mistake', async () => {
  const file = site.path('shared.json');
  writeFileSync(file, JSON.stringify({ forms: [{ signers: 2 }] }));
  const { code, stderr } = await load('--mix', file);
  assert.equal(code, 2);
  assert.match(stderr, /none of the accounts can send what the mix .* holds/);
});

test('a flag that says nothing sensible is refused with exit code 2', async () => {
  const { code, stderr } = await load('--duration', '10 parsecs');
  assert.equal(code, 2, stderr);
  assert.match(stderr, /a duration such as/);
});
