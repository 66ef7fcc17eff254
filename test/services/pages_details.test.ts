import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Locator } from 'playwright-core';
import { waitUntil } from '../outside/wait_until.ts';
import { startChromium, WatchedPage } from './browser.ts';
import { startChain, type DevChain } from './page_chain.ts';

// The details of every view of the explorer, in a real browser.

let browser: Browser;
let chain: DevChain;
/** A block with a payment. */
const PAID_BLOCK = 5;
const BLOCKS = 80;

function transfer(memo: string): readonly [string, object] {
  return ['transfer', { from: 'alice', to: 'bob', amount: '1.000000 COIN', memo, fee: '0.010000 COIN' }];
}

before(async () => {
  [browser, chain] = await Promise.all([startChromium(), startChain(0)]);
  await chain.call('debug_api.produce_blocks', { count: PAID_BLOCK - 1 });
  await chain.call('debug_api.send_unsigned', { op_vec: [transfer('rent')] });
  await chain.call('debug_api.produce_blocks', { count: BLOCKS - PAID_BLOCK });
});

after(async () => {
  await browser.close();
  chain.program.kill();
});

test('amounts of a column stand with their decimal points below each other, and are whole on a phone', async () => {
  for (const looks of ['wide and light', 'narrow and dark'] as const) {
    const watched = await WatchedPage.open(browser, `${chain.url}#/accounts`, looks);
    const { page } = watched;
    const fractions = page.locator('td:nth-child(2) [data-zeros]');
    await fractions.first().waitFor();
    const [points, texts] = [
      await fractions.evaluateAll((all) => all.map((each) => Math.round(each.getBoundingClientRect().left))),
      await fractions.allInnerTexts(),
    ];
    assert.ok(new Set(texts).size > 1, 'balances have different decimals');
    if (looks === 'wide and light') assert.equal(new Set(points).size, 1, points.join(' '));
    const bob = page.locator('tr', { hasText: 'bob' }).first();
    assert.match(await bob.innerText(), /[\d,]+(?:\.\d+)? COIN/);
    await watched.isAccessible(`accounts, ${looks}`);
    watched.isClean('accounts');
    await page.close();
  }
});

test('the name of an account is copied', async () => {
  const { page } = await WatchedPage.open(browser, `${chain.url}#/account/bob`);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Copy the name' }).click();
  await page.getByText('copied').waitFor();
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), 'bob');
  await page.close();
});

test('ids and keys are copied', async () => {
  const watched = await WatchedPage.open(browser, `${chain.url}#/account/bob`);
  const { page } = watched;
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const key = await page.locator('dd .id').first().innerText();
  await page.getByRole('button', { name: 'Copy the key' }).first().click();
  await page.getByText('copied').waitFor();
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), key);
  watched.isClean('copy');
  await page.close();
});

test('foreign texts fold in the line, keep to their row, and turn no other text around', async () => {
  const stacked = `Z${'\u0301'.repeat(80)}`;
  const turned = '\u202eevil \u2067right to left \u05d0';
  for (const memo of [stacked, turned, 'W'.repeat(900)])
    await chain.call('debug_api.send_unsigned', { op_vec: [transfer(memo)] });
  await chain.call('debug_api.produce_blocks', { count: 1 });
  for (const looks of ['wide and light', 'narrow and dark'] as const) {
    const watched = await WatchedPage.open(browser, `${chain.url}#/block/${BLOCKS}`, looks);
    const { page } = watched;
    const row = (text: string): Locator => page.locator('.operations li', { hasText: text });
    assert.equal(await page.evaluate(`getComputedStyle(document.querySelector('.operations li')).overflowY`), 'clip');
    const inside = await row('evil')
      .locator('q')
      .evaluate((quoted) => {
        const [around, text] = [quoted, quoted.querySelector('bdi')].map((each) => each?.getBoundingClientRect());
        return around && text && (around.height > 30 || (around.left < text.left && text.right < around.right));
      });
    assert.equal(inside, true, 'quotation marks stand at both ends');
    const long = row('WWW');
    await long.getByRole('button', { name: 'all 900 characters' }).click();
    assert.equal((await long.locator('q').innerText()).length, 900);
    await watched.isAccessible(`foreign texts, ${looks}`);
    await long.getByRole('button', { name: 'less' }).click();
    assert.ok((await long.locator('q').innerText()).length < 250);
    watched.isClean('foreign texts');
    await page.close();
  }
});

test('JSON has colours that axe can read, wide and light, narrow and dark', async () => {
  const { transaction_ids: ids } = (await chain.call('block_api.get_block', { block_num: PAID_BLOCK })) as {
    transaction_ids: string[];
  };
  for (const looks of ['wide and light', 'narrow and dark'] as const) {
    const watched = await WatchedPage.open(browser, `${chain.url}#/transaction/${ids[0]}`, looks);
    await watched.page.locator('.raw summary').last().click();
    for (const kind of ['name', 'text', 'number']) await watched.page.locator(`.json .${kind}`).first().waitFor();
    const json: unknown = JSON.parse(await watched.text('pre.json'));
    assert.ok(typeof json === 'object' && json !== null && 'operations' in json);
    await watched.isAccessible(`JSON, ${looks}`);
    watched.isClean('JSON');
    await watched.page.close();
  }
});

test('times are told in UTC or by the reader’s clock, with both in the title, and the browser keeps the choice', async () => {
  const watched = await WatchedPage.open(browser, `${chain.url}#/block/12`);
  const { page } = watched;
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setTimezoneOverride', { timezoneId: 'Asia/Kolkata' });
  await page.reload();
  await watched.isShown();
  assert.match(await watched.text('.facts'), /\d\d:\d\d:\d\d UTC,/);
  assert.match(
    (await page.locator('.facts time').first().getAttribute('title')) ?? '',
    /^[\d-]+ [\d:]+ UTC\n[\d-]+ [\d:]+ UTC\+5:30$/,
  );
  await page.getByRole('button', { name: 'local time' }).click();
  assert.match(await watched.text('.facts'), /\d\d:\d\d:\d\d UTC\+5:30,/);
  await page.reload();
  await watched.isShown();
  assert.match(await watched.text('.facts'), /UTC\+5:30,/);
  watched.isClean('times');
  await page.close();
});

test('the way back leads to the place that was read, and so does loading anew', async () => {
  const watched = await WatchedPage.open(browser, `${chain.url}#/blocks?at=60`);
  const { page } = watched;
  const place = async (): Promise<number> => Number(await page.evaluate('scrollY'));
  const last = page.locator('tbody tr').last();
  await last.scrollIntoViewIfNeeded();
  const read = await place();
  assert.ok(read > 100, String(read));
  await last.getByRole('link').first().click();
  await page.getByText('What happened').waitFor();
  assert.equal(await place(), 0, 'a view that is opened begins at its top');
  const returns = async (): Promise<void> => {
    await waitUntil('the place', async () => Math.abs((await place()) - read) < 3 || undefined);
  };
  await page.goBack();
  await returns();
  await page.reload();
  await returns();
  await page.goForward();
  await page.getByText('What happened').waitFor();
  assert.equal(await place(), 0);
  watched.isClean('places');
  await page.close();
});

test('on a phone each row of a table is a card with all columns', async () => {
  for (const view of ['#/blocks', '#/witnesses', '#/accounts']) {
    const watched = await WatchedPage.open(browser, `${chain.url}${view}`, 'narrow and dark');
    const names = await watched.page.locator('thead th').allTextContents();
    const cells = watched.page.locator('tbody tr').first().locator('td');
    assert.equal(await cells.count(), names.length, view);
    for (const [index, name] of names.entries()) {
      assert.ok(await cells.nth(index).isVisible(), `${view} ${name}`);
      const label: unknown = await watched.page.evaluate(
        `getComputedStyle(document.querySelectorAll('tbody td')[${index}], '::before').content`,
      );
      assert.equal(label, JSON.stringify(name), view);
    }
    await watched.page.close();
  }
});
