import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { numberMember, textMember, type Json } from './json.ts';
import type { Program } from './program.ts';
import { Site, type Finished } from './site.ts';
import { waitUntil } from './wait_until.ts';

const site = new Site();
let program: Program;

before(async () => {
  program = await site.dev('--fresh');
});

after(() => site.clear());

const at = (port: number, ...args: readonly string[]): string[] => [
  'load',
  '--url',
  `http://127.0.0.1:${port}`,
  '--threads',
  '1',
  ...args,
];
const load = (...args: readonly string[]): Promise<Finished> => site.run(at(program.port, '--until', 'block', ...args));

test('a node that is not there is said, in a line, whatever load was asked for', async () => {
  const closed = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => closed.once('listening', resolve));
  const address = closed.address();
  assert.ok(typeof address === 'object' && address !== null);
  await new Promise((resolve) => closed.close(resolve));
  for (const args of [
    [],
    ['--rate', '5'],
    ['--mix', 'reads', '--websocket'],
    ['--ramp', '5..10'],
    ['--prepare', '5'],
  ]) {
    const { code, stdout, stderr } = await site.run(at(address.port, ...args));
    assert.deepEqual([code, stdout], [1, ''], args.join(' '));
    assert.match(stderr, /^pharos: no answer from the node at http:\/\/127\.0\.0\.1:\d+: .*ECONNREFUSED[^\n]*\n$/);
  }
});

test('what is no node is said so, in a line, whatever it answers', async () => {
  let answer = '';
  const server = createServer((request, response) => request.resume().on('end', () => response.end(answer))).listen(
    0,
    '127.0.0.1',
  );
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  for (const [said, words] of [
    ['<html>Welcome</html>', /no JSON/],
    ['', /no JSON/],
    ['null', /no JSON-RPC answer/],
    ['{"jsonrpc":"2.0","id":1,"result":{"about":{"chain_id":7}}}', /does not tell its chain id/],
  ] as const) {
    answer = said;
    const { code, stdout, stderr } = await site.run(at(address.port, '--rate', '5', '--duration', '1s'));
    assert.deepEqual([code, stdout], [1, ''], said);
    assert.match(stderr, /^pharos: [^\n]*\n$/);
    assert.match(stderr, words);
  }
  server.close();
});

test('flags that contradict each other are refused in a line with exit code 2', async () => {
  const { code, stdout, stderr } = await site.run(at(program.port, '--ramp', '5..10', '--rate', '5'));
  assert.deepEqual([code, stdout], [2, '']);
  assert.match(stderr, /^pharos: [^\n]*leave --rate out[^\n]*\n$/);
});

test('a file that cannot be written is noticed before the load, and what a full disk does not take stands on the screen', async () => {
  const nowhere = site.path('none', 'report.json');
  const early = await load('--rate', '5', '--duration', '1h', '--json', nowhere);
  assert.deepEqual([early.code, early.stdout], [2, '']);
  assert.match(early.stderr, /report\.json cannot be written: ENOENT/);
  if (!existsSync('/dev/full')) return;
  const late = await load('--rate', '20', '--duration', '1s', '--json', '/dev/full');
  assert.equal(late.code, 1);
  assert.match(late.stdout, /^verdict {6}kept/m);
  assert.match(late.stderr, /\/dev\/full cannot be written: ENOSPC; what it was to hold is above/);
});

test('accounts without money are refused with the reason, and nothing of it is counted as acknowledged', async () => {
  // Keys of nobody on this chain, too: neither name nor money.
  const wif = '5JoQtsKQuH8hC9MyvfJAqo6qmKLm8ePYNucs7tPu2YxG12trzBt';
  const file = site.path('poor.json');
  const { code, stdout } = await load(
    '--rate',
    '10',
    '--duration',
    '1s',
    '--json',
    file,
    '--accounts',
    `nobody-1:${wif}`,
    `nobody-2:${wif}`,
  );
  assert.equal(code, 0, stdout);
  const json: Json = JSON.parse(readFileSync(file, 'utf8'));
  assert.equal(numberMember(json, 'audit.acknowledged'), 0);
  assert.equal(numberMember(json, 'refusedCalls'), numberMember(json, 'answered'));
  assert.match(stdout, /^refused {6}\d+ × \S+: .*nobody-/m);
});

test('strangers may be as many as the honest ones, and these are not hurt', async () => {
  const file = site.path('hostile.json');
  const { code, stdout } = await load('--count', '200', '--batch', '1', '--hostile', '100%', '--json', file);
  assert.equal(code, 0, stdout);
  const json: Json = JSON.parse(readFileSync(file, 'utf8'));
  assert.deepEqual([numberMember(json, 'answered'), numberMember(json, 'refusedCalls')], [200, 0]);
  assert.match(stdout, /^strangers {4}[1-9]/m);
});

/** Folders of loads that run, or were left behind. */
function foldersOfLoads(): string[] {
  return readdirSync(site.path('tmp')).filter((name) => name.startsWith('pharos-load-'));
}

async function blocksPass(): Promise<void> {
  const { number } = await program.health();
  await waitUntil('some blocks', async () => ((await program.health()).number > number + 5 ? true : undefined));
}

test('Ctrl-C ends a load with its report, however often, and nothing is left behind', async () => {
  mkdirSync(site.path('tmp'));
  for (const [times, lines] of [
    [
      1,
      /^sent {9}\d+ calls in \d+ posts in [\d.]+ s, when it was interrupted$[^]*^verdict {6}kept: each is in a block, once$/m,
    ],
    [2, /^sent {9}.* interrupted$[^]*^acknowledged /m],
  ] as const) {
    const running = site.start(at(program.port, '--rate', '50', '--duration', '1h'), { TMPDIR: site.path('tmp') });
    await waitUntil('the load to run', () => (foldersOfLoads().length > 0 ? true : undefined));
    await blocksPass();
    for (let time = 0; time < times; time++) running.interrupt();
    assert.equal(await running.exited, 0, running.stderr);
    assert.match(running.stdout, lines);
    assert.deepEqual(foldersOfLoads(), []);
  }
  const running = site.start(at(program.port, '--rate', '50', '--duration', '1h'), { TMPDIR: site.path('tmp') });
  await waitUntil('the load to run', () => (foldersOfLoads().length > 0 ? true : undefined));
  // Signals of one kind that come together are one.
  while ((await Promise.race([running.exited, new Promise((resolve) => setTimeout(resolve, 50, 'runs'))])) === 'runs')
    running.interrupt();
  assert.ok([0, 130].includes((await running.exited) ?? -1));
  assert.deepEqual(foldersOfLoads(), []);
});

test('a ramp that nothing is too fast for ends at its upper end, and says that no more was asked for', async () => {
  const file = site.path('ramp.json');
  const { code, stdout } = await load(
    '--ramp',
    '10..20',
    '--p99',
    '60000',
    '--duration',
    '500ms',
    '--batch',
    '1',
    '--json',
    file,
  );
  assert.equal(code, 0);
  assert.match(stdout, /^highest {6}20 a second, and no higher one was asked for/m);
  const json: Json = JSON.parse(readFileSync(file, 'utf8'));
  assert.equal(numberMember(json, 'highest'), 20);
});

test('a wrong member of a mix is named in a line with exit code 2', async () => {
  const file = site.path('mix.json');
  writeFileSync(file, JSON.stringify({ forms: [{ operation: 7 }] }));
  const { code, stderr } = await load('--mix', file);
  assert.equal(code, 2);
  assert.ok(stderr.startsWith(`pharos: the mix ${file}: `) && stderr.includes('forms[0].operation'), stderr);
  assert.match(stderr, /^[^\n]*\n$/);
});

test('a page of a load escapes what its author has named', async () => {
  const [file, page, report] = ['<b>.json', 'page.html', 'hostile_names.json'].map((name) => site.path(name));
  assert.ok(file !== undefined && page !== undefined && report !== undefined);
  const name = '<img src=x onerror=alert(1)>"&';
  writeFileSync(file, JSON.stringify({ forms: [{ name }, { method: '</pre><script>alert(1)</script>' }] }));
  const { code } = await load('--mix', file, '--count', '20', '--report', page, '--json', report);
  assert.equal(code, 0);
  const html = readFileSync(page, 'utf8');
  assert.doesNotMatch(html, /<img|<script|<b>/);
  assert.match(html, /&lt;img src=x onerror=alert\(1\)&gt;&quot;&amp;: /);
  const json: Json = JSON.parse(readFileSync(report, 'utf8'));
  assert.equal(textMember(json, 'forms.0.name'), name);
});
