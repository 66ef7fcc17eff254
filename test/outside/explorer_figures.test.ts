import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Program } from './program.ts';
import { Site } from './site.ts';
import { waitUntil } from './wait_until.ts';

// The pages of figures beside the calls, asked by a program that knows nothing but their paths.

const site = new Site();
const PER_SECOND = 20;
/** Two seconds' worth of calls, at the weight of a page. */
const BURST_PAGES = (2 * PER_SECOND) / 5;
/** A list of blocks and the first digits of an id, each in its smallest and its largest form. */
const PATHS = [
  '/chain/blocks/1-50.json',
  '/chain/transactions/00000000.json',
  '/chain/missed_week.json',
  `/chain/pending/${'0'.repeat(40)}.json`,
];
let node: Program;

before(async () => {
  node = await site.dev('--fresh');
  await waitUntil('three blocks', async () => {
    const { blocks } = JSON.parse((await get(node, '/chain/blocks/1-3.json')).text);
    return blocks.length === 3 || undefined;
  });
});

after(() => site.clear());

async function get(
  program: Program,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly text: string }> {
  const { status, body } = await program.http('GET', path, headers);
  return { status, text: body };
}

test('odd numbers, huge ranges and encoded paths are empty lists or no pages', async () => {
  const empty = ['9-1', '0-0', '0000000000-0000000000', '4294967295-4294967296', '9999999999-9999999999'];
  for (const range of empty) {
    const { status, text } = await get(node, `/chain/blocks/${range}.json`);
    assert.deepEqual([status, JSON.parse(text)], [200, { blocks: [] }], range);
  }
  const { blocks } = JSON.parse((await get(node, '/chain/blocks/1-9999999999.json')).text);
  assert.ok(Array.isArray(blocks) && blocks.length > 0 && blocks.length <= 50);
  const none = [
    ...[
      '-1-5',
      '1-5-9',
      '1e3-2e3',
      '0x1-0x9',
      '1.0-2.0',
      '+1-+5',
      '٣-٤',
      '%31-%35',
      '1-5%00',
      '11111111111-11111111112',
    ],
  ].map((range) => `/chain/blocks/${encodeURI(range)}.json`);
  const ids = [
    '0123456',
    'ABCDEF01',
    '%30%31%32%33%34%35%36%37',
    '0'.repeat(40),
    '../../health',
    'g'.repeat(8),
    `${'0'.repeat(8)}%2f`,
  ];
  const odd = [
    ...none,
    ...ids.map((digits) => `/chain/transactions/${digits}.json`),
    '/chain/%6dissed_week.json',
    '/chain/',
    '/chain//missed_week.json',
  ];
  for (const path of odd) {
    const { status, text } = await get(node, path);
    assert.equal(status, 404, path);
    assert.match(text, /^no such page(?:; the path is| of figures; there are) \/chain\/[^]*\.json/, path);
  }
  const { status, text } = await get(node, '/chain/finality/1.json');
  assert.equal(status, 404);
  assert.match(text, /^the witnesses of this chain do not vote for blocks/);
});

test('figures are JSON that no cache keeps, with the numbers that methods show', async () => {
  const { status, text } = await get(node, '/chain/blocks/1-2.json');
  assert.equal(status, 200);
  const [first] = JSON.parse(text).blocks;
  const next = await node.result('block_api.get_block_header', { block_num: 2 });
  assert.ok(JSON.stringify(next).includes(`"previous":"${first.id}"`));
  const week = JSON.parse((await get(node, '/chain/missed_week.json')).text);
  assert.match(week.since, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
  assert.ok(Object.values(week.missed).every((count) => Number.isSafeInteger(count)));
});

test('pages of figures count as calls: an address that asks for too many is refused, and others are served', async () => {
  const served = site.start([
    ...['run', '--genesis-json', site.path('data', 'genesis.json'), '--data-dir', site.path('limited')],
    ...['--webserver-http-endpoint', '127.0.0.1:0', '--trusted-proxy', '127.0.0.1'],
    ...['--max-calls-per-second', String(PER_SECOND)],
  ]);
  await served.ready();
  for (const [k, path] of PATHS.entries()) {
    const headers = { 'x-forwarded-for': `203.0.113.${k + 1}` };
    const answers = await Promise.all(
      Array.from({ length: 10 * PER_SECOND }, async () => await get(served, path, headers)),
    );
    const counts = new Map<number, number>();
    for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1);
    assert.ok((counts.get(200) ?? 0) >= BURST_PAGES, `${path}: ${JSON.stringify([...counts])}`);
    assert.ok((counts.get(429) ?? 0) > 0, `${path}: ${JSON.stringify([...counts])}`);
    const refused = answers.find(({ status }) => status === 429);
    assert.match(refused?.text ?? '', /max-calls-per-second/);
    const other = await get(served, path, { 'x-forwarded-for': '198.51.100.7' });
    assert.equal(other.status, 200, path);
  }
});
