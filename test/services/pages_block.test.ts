import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { startChromium, WatchedPage } from './browser.ts';
import { startChain, type DevChain } from './page_chain.ts';

// The page of a block, in a real browser.

let browser: Browser;
let chain: DevChain;
const BLOCKS = 20;

before(async () => {
  [browser, chain] = await Promise.all([startChromium(), startChain(0)]);
  await chain.call('debug_api.produce_blocks', { count: BLOCKS });
});

after(async () => {
  await browser.close();
  chain.program.kill();
});

test('a block has its id, size and fullness, and the arrow keys lead to its neighbours', async () => {
  const { block_id: id } = (await chain.call('block_api.get_block', { block_num: 12 })) as { block_id: string };
  const watched = await WatchedPage.open(browser, `${chain.url}#/block/12`);
  const { page } = watched;
  const text = await watched.text('.facts');
  assert.ok(text.includes(id), text);
  assert.match(text, /Size\s+[\d,]+ bytes, [\d.]+ % of [\d,]+ bytes/);
  for (const [key, number] of [
    ['ArrowRight', 13],
    ['ArrowLeft', 12],
    ['ArrowLeft', 11],
  ] as const) {
    await page.keyboard.press(key);
    await page.getByRole('heading', { level: 1, name: `Block ${number}`, exact: true }).waitFor();
    await watched.isShown();
  }
  await page.locator('.search input').first().fill('12');
  await page.keyboard.press('ArrowLeft');
  assert.match(page.url(), /#\/block\/11$/, 'arrows move in a text that is typed');
  await watched.go('#/blocks?at=12');
  assert.match(await watched.text('tbody tr'), /^12\s[^]*bytes\s+[\d.]+ %/);
  watched.isClean('block');
  await page.close();
});

test('a block of 250 transactions is shown in pages, with the operations of a transaction together', async () => {
  const pay = (number: number): unknown => [
    'transfer',
    { from: 'alice', to: 'bob', amount: '0.000001 COIN', memo: String(number), fee: '0.010000 COIN' },
  ];
  for (let number = 0; number < 250; number++)
    await chain.call('debug_api.send_unsigned', { op_vec: number === 0 ? [pay(-1), pay(0)] : [pay(number)] });
  await chain.call('debug_api.produce_blocks', { count: 1 });
  const watched = await WatchedPage.open(browser, `${chain.url}#/block/${BLOCKS + 1}`);
  const told = new Set<string>();
  assert.match(await watched.text('.operations li'), /-1[^]*with 2 operations/);
  for (let pages = 1; ; pages++) {
    for (const sentence of await watched.page.locator('.sentence').allInnerTexts())
      if (sentence.startsWith('alice sent')) told.add(sentence);
    const next = watched.page.getByRole('link', { name: 'Next →' });
    if ((await next.count()) === 0) {
      assert.equal(pages, 3);
      break;
    }
    const url = watched.page.url();
    await next.click();
    await watched.page.waitForURL((to) => to.href !== url);
    await watched.isShown();
  }
  assert.equal(told.size, 251);
  watched.isClean('pages of a block');
  await watched.page.close();
});

test('a transaction that goes over two pages of a block is said to, and the block tells its transactions', async () => {
  const op_vec = Array.from({ length: 150 }, (_, number) => [
    'transfer',
    { from: 'alice', to: 'bob', amount: '0.000003 COIN', memo: `part ${number}`, fee: '0.010000 COIN' },
  ]);
  await chain.call('debug_api.send_unsigned', { op_vec });
  await chain.call('debug_api.produce_blocks', { count: 1 });
  const { head_block_number: number } = await chain.call('database_api.get_dynamic_global_properties');
  const watched = await WatchedPage.open(browser, `${chain.url}#/block/${String(number)}`);
  assert.match(await watched.text('.facts'), /Holds\s+1 transaction, more than 100 operations/);
  assert.match(await watched.text('.operations'), /with 100 operations on this page and others on another/);
  await watched.page.getByRole('link', { name: 'Next →' }).click();
  await watched.page.getByText('part 149').waitFor();
  assert.match(await watched.text('.operations'), /with 50 operations on this page and others on another/);
  watched.isClean('a transaction over two pages');
  await watched.page.close();
});

test('the latest transactions of the first view have the time of their block, not that of the one before', async () => {
  await chain.call('debug_api.send_unsigned', {
    op_vec: [['transfer', { from: 'alice', to: 'bob', amount: '0.000002 COIN', memo: 'late', fee: '0.010000 COIN' }]],
  });
  await chain.call('debug_api.produce_blocks', { count: 1 });
  const watched = await WatchedPage.open(browser, chain.url);
  const newest = watched.page.locator('.operations.brief li', { hasText: 'late' });
  const told = await newest.locator('time').getAttribute('datetime');
  const blocks = await watched.page.locator('table time').first().getAttribute('datetime');
  assert.equal(told, blocks);
  await watched.page.close();
});

const DAY = 86_400;
/** Shorter than the life of a transaction. */
const GAP = 20 * 60;

test('the history of an account has the times of the blocks, behind a gap and in the chart of the balance too', async () => {
  const { time: now } = await chain.call('database_api.get_dynamic_global_properties');
  const clock = Date.parse(`${String(now)}Z`) / 1000;
  // The block after the gap is the first of a day, and has a payment that the history has in the day before.
  await chain.call('debug_api.jump_ahead', { seconds: 2 * DAY - (clock % DAY) - GAP / 2 });
  const { time: earlier } = await chain.call('database_api.get_dynamic_global_properties');
  await chain.call('debug_api.send_unsigned', {
    op_vec: [['transfer', { from: 'carol', to: 'dave', amount: '7.000000 COIN', memo: '', fee: '0.010000 COIN' }]],
  });
  await chain.call('debug_api.jump_ahead', { seconds: GAP });
  const { head_block_number: number, time } = await chain.call('database_api.get_dynamic_global_properties');
  const watched = await WatchedPage.open(browser, `${chain.url}#/account/dave/history`);
  const item = watched.page.locator('.operations li', { hasText: 'carol sent 7 COIN' });
  assert.match(await item.innerText(), new RegExp(`block ${String(number)}\\b`));
  const told = async (): Promise<string | null> => await item.locator('time').getAttribute('datetime');
  assert.equal(await told(), `${String(time)}Z`);
  const [dayBefore, day] = [earlier, time].map((each) => String(each).slice(0, 'YYYY-MM-DD'.length));
  assert.notEqual(dayBefore, day);
  await watched.go(`#/account/dave/history?from=${day}`);
  await watched.page.getByText('1 entry found').waitFor();
  assert.equal(await told(), `${String(time)}Z`);
  await watched.go(`#/account/dave/history?until=${dayBefore}`);
  await watched.page.getByText('0 entries found').waitFor();
  await watched.go('#/account/dave/balance');
  await watched.page.getByText('As figures').click();
  const steps = await watched.page.locator('.chart tbody tr').allInnerTexts();
  const gap = `${GAP / 60} min ago`;
  assert.deepEqual(steps, [`${gap}\t10,000,000 COIN`, 'now\t10,000,007 COIN', 'now\t10,000,007 COIN']);
  const exact = await watched.page.locator('.chart tbody td[title]').last().getAttribute('title');
  assert.equal(exact?.split('\n')[0], `${String(time).replace('T', ' ')} UTC`);
  watched.isClean('times of a history');
  await watched.page.close();
});
