import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { startChromium, WatchedPage } from './browser.ts';
import { startChain, type DevChain } from './page_chain.ts';

// Names that several things have, numbers that are too high, and lists that are longer than a page, in Chromium.

const DOCUMENTS = 30;
const fee = '0.010000 COIN';

let browser: Browser;
let chain: DevChain;

before(async () => {
  [browser, chain] = await Promise.all([startChromium(), startChain(0)]);
  const application = { author: 'alice', url: 'https://example.com', metadata: '', price_param: 1 };
  for (const name of ['bob', 'shop'])
    await send(['application_create', { fee: '10.000000 COIN', ...application, name }]);
  const key = (
    (await chain.call('database_api.find_accounts', { accounts: ['bob'] })).accounts as [{ memo_key: string }]
  )[0];
  const props = { account_creation_fee: '0.500000 COIN', maximum_block_size: 131_072, price_feeds: [] };
  await send(['transfer_to_vesting', { fee, from: 'bob', to: 'bob', amount: '300000.000000 COIN' }]);
  await send(['witness_update', { fee, owner: 'bob', url: 'https', block_signing_key: key.memo_key, props }]);
  for (let number = 1; number <= DOCUMENTS; number++)
    await send(['custom_json', { fee, app_id: 1, sender: 'alice', recipients: ['bob'], json: `{"n":${number}}` }]);
  await chain.call('debug_api.produce_blocks', { count: 1 });
});

after(async () => {
  await browser.close();
  chain.program.kill();
});

async function send(operation: readonly [string, object]): Promise<void> {
  await chain.call('debug_api.send_unsigned', { op_vec: [operation] });
}

test('an account and an application of one name are both offered', async () => {
  const watched = await WatchedPage.open(browser, `${chain.url}#/search/Bob`);
  assert.match(await watched.text(), /Several have this name:\s+bob account\s+bob application/);
  await watched.page.getByRole('link', { name: 'bob' }).last().click();
  await watched.page.waitForURL(/#\/application\/bob$/);
  await watched.go('#/search/alice');
  await watched.page.waitForURL(/#\/account\/alice$/);
  await watched.go('#/search/documents of shop');
  await watched.page.waitForURL(/#\/application\/shop$/);
  await watched.go('#/search/documents of alice');
  await watched.page.waitForURL(/#\/account\/alice\/documents$/);
  watched.isClean('one name');
  await watched.page.close();
});

test('a number above the head is said to be no block yet, however it is written', async () => {
  const watched = await WatchedPage.open(browser, `${chain.url}#/search/173,000`);
  assert.match(await watched.text(), /The chain has no block 173,000 yet: its head is block 1\./);
  await watched.go('#/search/Block%20173 000');
  assert.match(await watched.text(), /no block 173,000 yet/);
  await watched.page.getByRole('link', { name: 'block 173,000' }).click();
  await watched.page.getByText('This page shows it once it is there.').waitFor();
  watched.isClean('a number too high');
  await watched.page.close();
});

test('an application by its number has its name, and all of its documents page by page', async () => {
  const watched = await WatchedPage.open(browser, `${chain.url}#/application?at=1`);
  assert.match(await watched.text('.facts'), /Name\s+shop/);
  assert.match(await watched.text(), new RegExp(`"n":${DOCUMENTS}\\b`));
  await watched.page.getByRole('link', { name: 'Earlier →' }).click();
  await watched.page.getByRole('heading', { name: 'Earlier documents' }).waitFor();
  assert.match(await watched.text(), /"n":5\b[^]*"n":1\b/);
  assert.equal(await watched.page.getByRole('link', { name: 'Earlier →' }).count(), 0);
  await watched.page.getByRole('link', { name: '← Latest' }).click();
  await watched.page.getByRole('heading', { name: 'Latest documents' }).waitFor();
  watched.isClean('documents of an application');
  await watched.isAccessible('documents of an application');
  await watched.page.close();
});

test('what can be no id or no name is said in words, wherever an address was typed by hand', async () => {
  const watched = await WatchedPage.open(browser, `${chain.url}#/transaction/abcd1234`);
  assert.match(await watched.text(), /“abcd1234” is not the id of a transaction, which has 40 digits/);
  await watched.page.getByRole('link', { name: 'search for' }).click();
  await watched.page.waitForURL(/#\/search\/abcd1234$/);
  for (const view of ['block', 'transaction', 'account', 'application'])
    for (const text of ['X Y', '1.5', '-1', 'é', 'f'.repeat(39), '<b>']) {
      await watched.go(`#/${view}/${text}`);
      assert.doesNotMatch(await watched.text(), /Invalid params|expected|undefined|NaN/, `${view} ${text}`);
      assert.match(await watched.text(), /no (account|application)|not the id|numbers from 1 on/i, `${view} ${text}`);
    }
  watched.isClean('odd names');
  await watched.page.close();
});

test('a witness that has not reported a version is said so, and ages have their exact times', async () => {
  const watched = await WatchedPage.open(browser, `${chain.url}#/witnesses`);
  const row = watched.page.locator('tbody tr', { hasText: 'bob' }).first();
  assert.equal((await row.locator('[data-name=Version]').innerText()).trim(), 'not reported');
  const other = watched.page.locator('tbody tr', { hasText: 'initminer' }).first();
  assert.match(await other.locator('[data-name=Version]').innerText(), /^\d+\.\d+\.\d+/);
  const block = other.locator('[data-name="Last block"] time');
  const { timestamp } = await chain.call('block_api.get_block_header', { block_num: 1 });
  assert.equal(await block.getAttribute('datetime'), `${String(timestamp)}Z`);
  assert.match((await block.getAttribute('title')) ?? '', /UTC/);
  watched.isClean('witnesses');
  await watched.page.close();
});
