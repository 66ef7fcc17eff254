import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { waitUntil } from '../outside/wait_until.ts';
import { quietPort } from '../wallet/programs.ts';
import { temporaryFolder } from './commands.ts';
import { startChain, type DevChain } from './page_chain.ts';
import { startProxy, startChromium, WatchedPage, type Looks } from './browser.ts';
import { HOSTILE, liveThroughAll, PRICE_HOURS, PRIVATE_NET_ONLY } from './every_kind.ts';
import { connect, type Operation } from '../../src/client/index.ts';
import { operationKinds } from '../../src/operations/index.ts';
import { countBack } from '../../src/client/balance_steps.ts';
import { shortText } from '../../src/values/words.ts';
import { operationSentence, sentenceText } from '../../src/pages/explorer/sentences.ts';

// The pages in a real browser, on a chain that has seen everything and on one that has seen nothing.

let browser: Browser;
let full: DevChain;
let empty: DevChain;

/** A busy machine slows both, so their ratio stays. It was 2.4: 98 ms beside 41 (AMD EPYC, two cores, load 5). */
const TIMES_PLAIN = 5;

/** The CPU time of the browser's thread until an address shows this text, and its document then. */
async function drawingCost(url: string, shown: string): Promise<{ readonly seconds: number; readonly html: string }> {
  const page = await browser.newPage();
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.goto(url);
  await page.getByText(shown).waitFor();
  const { metrics }: { metrics: readonly { name: string; value: number }[] } =
    await session.send('Performance.getMetrics');
  const seconds = metrics.find(({ name }) => name === 'TaskDuration')?.value ?? assert.fail('no TaskDuration');
  const html = await page.content();
  await page.close();
  return { seconds, html };
}

function withoutPrograms(html: string): string {
  return html.replaceAll(/<script[^]*?<\/script>/g, '').replaceAll(/<link [^>]*>/g, '');
}

before(async () => {
  [browser, full, empty] = await Promise.all([startChromium(), startChain(0), startChain(0)]);
  await liveThroughAll(full.call);
});

after(async () => {
  await browser.close();
  for (const { program } of [full, empty]) program.kill();
});

const views = [
  ...[
    '#/',
    '#/blocks',
    '#/blocks?at=60',
    '#/block/12',
    '#/block/451',
    '#/block/999999',
    '#/block/x',
    '#/pending',
    '#/accounts',
    '#/account/alice',
  ],
  ...[
    '#/account/bob',
    '#/account/bob/history',
    '#/account/bob/history?kind=transfer&partner=alice',
    '#/account/bob/balance',
    '#/account/alice/balance',
    '#/account/erin/vesting',
    '#/account/bob/vesting',
    '#/account/alice/escrows',
  ],
  ...[
    '#/account/dave/documents',
    '#/account/heidi',
    '#/account/nobody-here',
    '#/witnesses',
    '#/applications',
    '#/application/chat',
  ],
  ...[
    '#/application/shop',
    '#/application?at=3',
    '#/application/none',
    '#/prices',
    '#/node',
    '#/search/nothing at all',
    '#/nowhere',
    `#/account/${'x'.repeat(256)}`,
    `#/application/${'x'.repeat(256)}`,
    `#/search/${'x'.repeat(2000)}`,
    `#/${'nowhere'.repeat(200)}`,
    '#/transaction/00',
  ],
];

async function showAll(chain: DevChain, looks: Looks): Promise<void> {
  const watched = await WatchedPage.open(browser, chain.url, looks);
  for (const view of views) {
    await watched.go(view);
    watched.isClean(view);
    await watched.isAccessible(`${view}, ${looks}`);
    assert.ok((await watched.text()).length > 20, `${view} says something`);
  }
  await watched.page.close();
}

test(
  'every view of a chain that has lived is shown without an error, wide and light, and axe finds nothing',
  { timeout: 240_000 },
  async () => {
    await showAll(full, 'wide and light');
  },
);

test(
  'every view of a chain without a block is shown without an error, wide and light, and axe finds nothing',
  { timeout: 240_000 },
  async () => {
    await showAll(empty, 'wide and light');
  },
);

test(
  'every view of a chain that has lived is shown without an error, narrow and dark, and axe finds nothing',
  { timeout: 240_000 },
  async () => {
    await showAll(full, 'narrow and dark');
  },
);

test(
  'every view of a chain without a block is shown without an error, narrow and dark, and axe finds nothing',
  { timeout: 240_000 },
  async () => {
    await showAll(empty, 'narrow and dark');
  },
);

test('each kind of operation that the chain has is told in the block that has it', { timeout: 240_000 }, async () => {
  const watched = await WatchedPage.open(browser, full.url);
  const found = new Map<string, { readonly block: number; readonly op: Operation }>();
  const client = await connect(full.url);
  const { head_block_number: head } = await full.call('database_api.get_dynamic_global_properties');
  for (let block = 1; block <= Number(head); block++) {
    const { ops } = await client.call('account_history_api.get_ops_in_block', { block_num: block });
    for (const { op } of ops) if (!found.has(op[0])) found.set(op[0], { block, op });
  }
  const paid = Object.values(operationKinds).filter(({ isVirtual, name }) => !isVirtual && name !== PRIVATE_NET_ONLY);
  assert.deepEqual(
    paid.map(({ name }) => name).filter((name) => !found.has(name)),
    [],
    'the chain has them all',
  );
  for (const [kind, { block, op }] of found) {
    await watched.go(`#/block/${block}`);
    // Quotation marks are drawn, keys cut, long texts folded.
    const told = sentenceText(operationSentence(op))
      .replaceAll(/[“”]/g, '')
      .replaceAll(/PHR\w{40,}/g, shortText)
      .slice(0, 150);
    const sentences = await watched.page.locator('.sentence').allInnerTexts();
    assert.ok(
      sentences.some((sentence) => sentence.startsWith(told)),
      `${kind}: ${told}\n${sentences.join('\n')}`,
    );
  }
  watched.isClean('blocks');
  client.close();
  await watched.page.close();
});

test('the first content takes the browser at most five times what the same content takes as plain HTML', async () => {
  const least = { page: Infinity, plain: Infinity };
  for (let round = 0; round < 3; round++) {
    const drawn = await drawingCost(full.url, 'Head block');
    least.page = Math.min(least.page, drawn.seconds);
    const { seconds } = await drawingCost(
      `data:text/html,${encodeURIComponent(withoutPrograms(drawn.html))}`,
      'Head block',
    );
    least.plain = Math.min(least.plain, seconds);
  }
  assert.ok(least.plain > 0 && least.page <= TIMES_PLAIN * least.plain, JSON.stringify(least));
});

test('the first page shows the last hour, the age of the newest final block, who is next and the newest transactions', async () => {
  const chain = await startChain(0, temporaryFolder(), ['--no-mining', '--witnesses', '5']);
  const transfer = { from: 'alice', to: 'bob', amount: '1.000000 COIN', memo: HOSTILE, fee: '0.010000 COIN' };
  await chain.call('debug_api.produce_blocks', { count: 60 });
  await chain.call('debug_api.send_unsigned', { op_vec: [['transfer', transfer]] });
  await chain.call('debug_api.produce_blocks', { count: 1 });
  const watched = await WatchedPage.open(browser, chain.url);
  await watched.page.locator('.course polyline').nth(1).waitFor();
  const text = await watched.text();
  assert.match(text, /0\.\d+ in the busiest minute/);
  assert.match(text, /Irreversible\s+\d+\s+\d+ \w+ ago; \d+ blocks? can still change/);
  assert.match(await watched.text('.operations'), /alice sent 1 COIN to bob/);
  await waitUntil('a round that runs', async () => {
    await chain.call('debug_api.produce_blocks', { count: 1 });
    return /Next: [a-z]/.test(await watched.text()) || undefined;
  });
  watched.isClean('first page');
  await watched.page.close();
  chain.program.kill();
});

test('prices that witnesses agree on are drawn, and stand beside as figures', async () => {
  const watched = await WatchedPage.open(browser, `${full.url}#/prices`);
  const { page } = watched;
  const charts = page.locator('.chart');
  assert.equal(await charts.count(), 2, 'USD and EUR');
  await charts.nth(1).locator('canvas').waitFor();
  const usd = charts.first();
  await usd.getByText('As figures').click();
  const figures = await usd.locator('tbody tr').allInnerTexts();
  assert.equal(figures.length, PRICE_HOURS);
  assert.match(figures.at(-1) ?? '', /^now\s+0\.1274 USD$/);
  assert.match(await watched.text('.chart'), /0\.1274 USD at present/);
  watched.isClean('prices');
  await page.close();
});

test('documents stand with the newest first, whether their application is registered or not', async () => {
  const watched = await WatchedPage.open(browser, full.url);
  for (const view of ['#/application?at=3', '#/account/dave/documents?at=3']) {
    await watched.go(view);
    const listed = (await watched.page.locator('.operations li').allInnerTexts()).map((text) =>
      Number(/document (\d+) of/.exec(text)?.[1]),
    );
    assert.ok(listed.length > 3, view);
    assert.deepEqual(
      listed,
      listed.toSorted((a, b) => b - a),
      view,
    );
  }
  await watched.page.close();
});

test('a chain without a block is told as one: no link to block 0, no range of blocks, nobody silent', async () => {
  const watched = await WatchedPage.open(browser, empty.url);
  for (const view of ['#/', '#/block/12', '#/blocks', '#/blocks?at=60', '#/witnesses']) {
    await watched.go(view);
    assert.equal(await watched.page.locator('a[href$="#/block/0"], a[href="#/block/0"]').count(), 0, view);
    assert.doesNotMatch(await watched.text(), /to 0\b|silent|the last was/, view);
  }
  await watched.page.close();
});

test('what strangers wrote is text, whatever it looks like', async () => {
  const watched = await WatchedPage.open(browser, full.url);
  for (const view of [
    '#/account/alice/history',
    '#/account/heidi',
    '#/application/chat',
    '#/account/dave/documents',
    '#/witnesses',
  ]) {
    await watched.go(view);
    assert.equal(await watched.page.locator('main img, main script, main iframe').count(), 0, view);
    assert.equal(await watched.page.locator('a[href^="javascript:"]').count(), 0, view);
    assert.doesNotMatch(await watched.page.title(), /^[123]$/);
  }
  await watched.go('#/account/heidi');
  assert.ok((await watched.text()).includes(JSON.stringify({ about: HOSTILE })));
  await watched.go(`#/search/${encodeURIComponent(HOSTILE)}`);
  assert.ok((await watched.text()).includes(HOSTILE));
  watched.isClean('hostile texts');
  await watched.page.close();
});

test('a link into the chain works by itself, and so does the way back', async () => {
  const watched = await WatchedPage.open(browser, `${full.url}#/account/bob/history`);
  const { page } = watched;
  assert.equal(await watched.text('h1'), 'bob');
  await page.getByRole('link', { name: 'Older' }).click();
  await page.locator('.operations').getByRole('link', { name: 'alice' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'alice' }).waitFor();
  // Who hears the page is told where it begins.
  await page.locator('h1:focus').waitFor();
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'bob' }).waitFor();
  await page.goBack();
  await watched.isShown();
  assert.match(page.url(), /#\/account\/bob\/history$/);
  watched.isClean('links');
  await page.close();
});

test('everything is found by keyboard: names, seeds, numbers, ids and keys', async () => {
  const watched = await WatchedPage.open(browser, full.url);
  const { page } = watched;
  const { account } = (await full.call('alexandria_api.get_account', { account_name: 'seed' })) as {
    account: { name: string }[];
  };
  const { account: carol } = (await full.call('alexandria_api.get_account', { account_name: 'carol' })) as {
    account: { memo_key: string }[];
  };
  const block = (await full.call('block_api.get_block', { block_num: 5 })) as {
    block_id: string;
    transaction_ids: string[];
  };
  const places: readonly (readonly [string, RegExp])[] = [
    ['bob', /#\/account\/bob$/],
    ['@bob', /#\/account\/bob$/],
    ['seed', /#\/account\/seed$/],
    ['12', /#\/block\/12$/],
    ['Block 13', /#\/block\/13$/],
    [' BOB ', /#\/account\/bob$/],
    [block.block_id.slice(0, 8), /#\/block\/5$/],
    [block.block_id, /#\/block\/5$/],
    [block.transaction_ids[0]?.slice(0, 10) ?? assert.fail(), /#\/transaction\/[0-9a-f]{40}$/],
    ['Documents of dave', /#\/account\/dave\/documents$/],
    [block.transaction_ids[0] ?? assert.fail(), /#\/transaction\/[0-9a-f]{40}$/],
    ['shop', /#\/application\/shop$/],
  ];
  for (const [text, url] of places) {
    await page.keyboard.press('/');
    await page.keyboard.type(text);
    await page.keyboard.press('Enter');
    await page.waitForURL(url);
    await watched.isShown();
    await page.locator('h1').focus();
  }
  await watched.go('#/account/seed');
  assert.equal(await watched.text('h1'), account[0]?.name);
  await watched.go(`#/search/${carol[0]?.memo_key}`);
  assert.match(await watched.text(), /may act for\s+carol/);
  await watched.go('#/search/nobody at all');
  assert.match(await watched.text(), /An account is found by its whole name/);
  await watched.go('#/search/Ali');
  assert.match(await watched.text(), /What begins with this:\s+alice account/);
  await page.locator('.search input').first().fill('sho');
  await page.locator('#suggestions option[value=shop]').waitFor({ state: 'attached' });
  const suggested: readonly (readonly [string, string])[] = [
    ['bo', 'bob, witness'],
    ['12', 'Block 12, block'],
    ['dav', 'Documents of dave, documents'],
    ['documents er', 'Documents of erin, documents'],
    [block.transaction_ids[0]?.slice(0, 8) ?? assert.fail(), `${block.transaction_ids[0]}, transaction`],
    ['follow', 'Follow the chain, docs page'],
  ];
  for (const [typed, label] of suggested) {
    await page.locator('.search input').first().fill(typed);
    await page.locator(`#suggestions option[label="${label}"]`).waitFor({ state: 'attached' });
  }
  await page.locator('.search input').first().press('Enter');
  await page.getByRole('link', { name: 'Follow the chain' }).waitFor();
  watched.isClean('search');
  await page.close();
});

test('filters of a history stand in the address, so that a link and the way back restore them', async () => {
  const watched = await WatchedPage.open(browser, `${full.url}#/account/bob/history`);
  const { page } = watched;
  await page.locator('.filters summary').click();
  await page.locator('[name=kind]').selectOption('transfer');
  await page.locator('[name=partner]').fill('alice');
  await page.locator('[name=least]').fill('1000');
  await page.keyboard.press('Enter');
  await page.waitForURL(/#\/account\/bob\/history\?kind=transfer&partner=alice&least=1000$/);
  await page.getByText('1 entry found').waitFor();
  assert.deepEqual(await page.locator('.sentence').allInnerTexts(), [
    'alice sent 1,234.5 COIN to bob with the memo for the order of Monday',
  ]);
  await page.locator('.filters').getByText('Show all').click();
  await page.waitForURL(/#\/account\/bob\/history$/);
  await page.goBack();
  await page.getByText('1 entry found').waitFor();
  assert.equal(await page.locator('[name=partner]').inputValue(), 'alice');
  assert.equal(await page.locator('[name=kind]').inputValue(), 'transfer');
  // An account that has a part in nothing of that time.
  const linked = await WatchedPage.open(browser, `${full.url}#/account/bob/history?until=2020-01-01`);
  await linked.page.getByText('0 entries found').waitFor();
  for (const each of [watched, linked]) {
    each.isClean('filters');
    await each.page.close();
  }
});

test('balances counted back from histories end with those of the genesis', async () => {
  const client = await connect(full.url);
  const { properties } = await client.call('alexandria_api.get_dynamic_global_properties', {});
  for (const account of ['alice', 'bob', 'carol', 'dave', 'erin', 'grace', 'heidi']) {
    const { history } = await client.call('account_history_api.get_account_history', {
      ...{ account, start: -1, limit: 999 },
    });
    const { account: found } = await client.call('alexandria_api.get_account', { account_name: account });
    const entries = history.map(([, entry]) => entry);
    const of = { account, coin: 'COIN', isFree: false };
    const { steps, unknown } = countBack(found[0]?.balance ?? '', entries, of, properties.time);
    assert.deepEqual([account, unknown, steps[0]?.millionths], [account, undefined, 10_000_000_000_000n]);
  }
  client.close();
  const watched = await WatchedPage.open(browser, `${full.url}#/account/alice/balance`);
  assert.match(await watched.text(), /It begins with the first entry[^]*at most 10,000,000 COIN/);
  await watched.page.locator('.uplot canvas').waitFor();
  watched.isClean('balance');
  await watched.page.close();
});

test('an account shows who may sign as a picture, where its keys are used besides, and each instalment to come', async () => {
  const watched = await WatchedPage.open(browser, `${full.url}#/account/alice`);
  // The account of the seed, and another after its recovery, have alice's key.
  await watched.page.locator('.uses').first().waitFor();
  assert.match(await watched.text('.uses'), /also acts for .*heidi/);
  assert.equal(await watched.page.locator('.authority svg rect').count(), 2);
  await watched.go('#/account/erin/vesting');
  const rows = await watched.page.locator('tbody tr').allInnerTexts();
  const coming = rows.filter((row) => row.includes('to come'));
  assert.deepEqual([rows.length, coming.length], [27, 25], rows.join('\n'));
  const days = coming.map((row) => /\d{4}-\d\d-\d\d/.exec(row)?.[0] ?? '');
  assert.equal(new Set(days).size, 25);
  const { history } = (await full.call('account_history_api.get_account_history', {
    ...{ account: 'erin', start: -1, limit: 249, filter: ['fill_vesting_withdraw'] },
  })) as { history: [number, { block: number }][] };
  const paid = rows.filter((row) => row.includes('paid'));
  assert.equal(paid.length, 2);
  for (const [at, [, { block }]] of history.slice(-paid.length).entries()) {
    const { timestamp } = await full.call('block_api.get_block_header', { block_num: block });
    assert.ok(
      paid[at]?.includes(String(timestamp).replace('T', ' ')),
      `${paid[at]}, block ${block} of ${String(timestamp)}`,
    );
  }
  assert.match(await watched.text(), /2,000 VESTS of 27,000 VESTS/);
  watched.isClean('authorities');
  await watched.page.close();
});

test('witnesses show the round as it runs, what they missed in a week, their versions and hardfork votes', async () => {
  const watched = await WatchedPage.open(browser, `${full.url}#/witnesses`);
  await watched.page.getByText('Missed slots, day by day').click();
  await watched.page.getByText('Until (UTC)').first().waitFor();
  const text = await watched.text();
  for (const told of [
    /Missed in a week/,
    /Version/,
    /The running round/,
    /Hardfork votes[^]*Active version/,
    /Slots\s+Missed/,
  ])
    assert.match(text, told);
  // The chain has jumped more than a day ahead, so whole days were missed.
  const days = await watched.page.locator('table').last().locator('tbody tr').allInnerTexts();
  assert.equal(days.length, 7, days.join('\n'));
  watched.isClean('witnesses');
  await watched.page.close();
});

test('every part is reached from the keyboard alone', async () => {
  const watched = await WatchedPage.open(browser, full.url);
  const { page } = watched;
  // The docs are pages of their own.
  const places = await page.locator('.places a[href^="#"]').allInnerTexts();
  assert.equal(places.length, 8);
  for (const place of places) {
    const isThere = `document.activeElement.closest('.places') !== null && document.activeElement.textContent === ${JSON.stringify(place)}`;
    for (let presses = 0; presses < 30 && (await page.evaluate(isThere)) !== true; presses++)
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator(`.places a[aria-current=page]`, { hasText: place }).waitFor();
    await watched.isShown();
    // Back to the top, as a reader goes.
    await page.locator('.skip').focus();
  }
  watched.isClean('keyboard');
  await page.close();
});

test('what waits is told while it waits, in every tab, and its own page goes on to the block that takes it', async () => {
  const chain = await startChain(0);
  const [watched, other] = [
    await WatchedPage.open(browser, `${chain.url}#/pending`),
    await WatchedPage.open(browser, `${chain.url}#/pending`),
  ];
  const transfer = {
    from: 'alice',
    to: 'bob',
    amount: '9223.000001 COIN',
    memo: `${HOSTILE}${' unbroken'.repeat(30)}`,
    fee: '0.010000 COIN',
  };
  // Whether both listen by now is not to be seen: they are sent until they are told of one.
  await waitUntil('word of what waits', async () => {
    await chain.call('debug_api.send_unsigned', { op_vec: [['transfer', transfer]] });
    const told = await Promise.all(
      [watched, other].map(async ({ page }) => await page.locator('.operations li').count()),
    );
    return told.every((count) => count > 0) || undefined;
  });
  await watched.isAccessible('pending');
  assert.match(await watched.text('.operations'), /alice sent 9,223\.000001 COIN to bob/);
  await watched.page.locator('.operations .id').first().click();
  await watched.page.getByText('It waits for a block at this node.').waitFor();
  assert.match(
    await watched.text(),
    /Pending[^]*In a block[^]*What will stand in the block\s+alice sent 9,223\.000001 COIN to bob/,
  );
  await chain.call('debug_api.produce_blocks', { count: 1 });
  await watched.page.getByText('What it does').waitFor();
  await watched.page.locator('.steps [aria-current]', { hasText: 'In a block' }).waitFor();
  await other.page.getByText('Nothing has come').waitFor();
  for (const each of [watched, other]) {
    each.isClean('pending');
    await each.page.close();
  }
  chain.program.kill();
});

test('peers are listed for the operator', { timeout: 120_000 }, async () => {
  const p2p = await quietPort();
  const chain = await startChain(0, temporaryFolder(), ['--no-mining', '--p2p-endpoint', `127.0.0.1:${p2p}`]);
  const follower = await startChain(0, temporaryFolder(), ['--join', `127.0.0.1:${p2p}`]);
  for (const looks of ['wide and light', 'narrow and dark'] as const) {
    const watched = await WatchedPage.open(browser, `${chain.url}#/node`, looks);
    await waitUntil('the peer', async () => {
      await chain.call('debug_api.produce_blocks', { count: 1 });
      return (await watched.text()).includes('127.0.0.1:') || undefined;
    });
    await watched.isAccessible(`peers, ${looks}`);
    watched.isClean('peers');
    await watched.page.close();
  }
  for (const { program } of [follower, chain]) program.kill();
});

test('versions that witnesses run and vote for, and what is planned, stand on the page of the node', async () => {
  const plan = ['--hardfork', 'interestVotes@2', '--hardfork', 'bandwidth@6'];
  const chain = await startChain(0, temporaryFolder(), ['--no-mining', ...plan]);
  const watched = await WatchedPage.open(browser, `${chain.url}#/node`);
  const firstRow = async (caption: string): Promise<string> =>
    (await watched.page.locator('table', { hasText: caption }).locator('tbody tr').first().innerText()).trim();
  const shows = async (text: RegExp): Promise<void> => {
    await waitUntil(String(text), async () => text.test(await watched.text()) || undefined);
  };
  await chain.call('debug_api.produce_blocks', { count: 3 });
  await shows(/Active version\s+1\.1\.0\b/);
  await shows(
    /This program knows\s+1\.2\.0\b[^]*Planned: bandwidth\s+version 1\.2\.0, with block 6\b[^]*Votes needed\s+\d/,
  );
  assert.match(await firstRow('Versions of the scheduled witnesses'), /^initminer\s+1\.2\.0\s/);
  await chain.call('debug_api.produce_blocks', { count: 4 });
  await shows(/Active version\s+1\.2\.0\b/);
  assert.doesNotMatch(await watched.text(), /Planned:/);
  watched.isClean('hardforks');
  await watched.page.close();
  chain.program.kill();
});

test('behind a proxy that has a path for the node the pages are the same', async () => {
  const { url, server } = await startProxy('/chains/first/', full.port);
  const watched = await WatchedPage.open(browser, `${url}#/account/bob`);
  assert.match(await watched.text(), /COIN/);
  for (const view of ['#/', '#/prices', '#/witnesses', '#/node']) await watched.go(view);
  watched.isClean('behind a proxy');
  await watched.page.close();
  server.close();
  server.closeAllConnections();
});

test(
  'the page goes along with the chain, says when the node is gone, and goes on when it is back',
  { timeout: 120_000 },
  async () => {
    const [port, folder] = [await quietPort(), temporaryFolder()];
    const first = await startChain(port, folder);
    const watched = await WatchedPage.open(browser, first.url);
    const standing = watched.page.locator('.standing');
    const count = randomInt(2, 6);
    await first.call('debug_api.produce_blocks', { count });
    await standing.getByText(`Block ${count}`, { exact: true }).waitFor();
    assert.equal(await watched.page.locator('.strip li').count(), count);
    await watched.go('#/block/9');
    assert.match(await watched.text(), /no block 9 yet/);
    await first.call('debug_api.produce_blocks', { count: 9 - count });
    await watched.page.getByText('What happened').waitFor();
    watched.isClean('live');
    first.program.kill();
    await first.program.finished;
    await standing.getByText(/^No connection since \d\d:\d\d:\d\d$/).waitFor();
    await watched.go('#/account/alice');
    await watched.page.getByText('The node does not answer').first().waitFor({ timeout: 60_000 });
    const second = await startChain(port, folder);
    await watched.page.getByRole('heading', { level: 1, name: 'alice' }).waitFor({ timeout: 60_000 });
    await second.call('debug_api.produce_blocks', { count: 1 });
    await standing.getByText('Block 10', { exact: true }).waitFor({ timeout: 60_000 });
    second.program.kill();
    await watched.page.close();
  },
);
