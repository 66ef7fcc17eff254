import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { connect } from '../../src/client/index.ts';
import { waitUntil } from '../outside/wait_until.ts';
import { startChromium, WatchedPage, type Looks } from './browser.ts';
import { HOSTILE } from './every_kind.ts';
import { startChain, type DevChain } from './page_chain.ts';

// Pending transactions in tabs that have not heard of them, in Chromium.

/** Key of alice on every development chain. */
const ALICE = '5J9bWm2ThenDm3tjvmUgHtWCVMUdjRR1pxnRtnJjvKA4b2ut5WK';
const transfer = { from: 'alice', to: 'bob', amount: '9223.000001 COIN', memo: HOSTILE };

let browser: Browser;
let chain: DevChain;

before(async () => {
  [browser, chain] = await Promise.all([startChromium(), startChain(0)]);
  await chain.call('debug_api.produce_blocks', { count: 2 });
});

after(async () => {
  await browser.close();
  chain.program.kill();
});

/** Sends a transfer that alice has signed, which waits until a block is made; returns its id. */
async function sendSigned(memo: string): Promise<string> {
  const client = await connect(chain.url);
  const built = await client.build([['transfer', { ...transfer, memo }]]);
  const transaction = await client.sign(built, [ALICE]);
  await client.broadcast(transaction, { waitFor: 'accepted' });
  client.close();
  return client.transactionId(transaction);
}

async function openTransaction(id: string, looks?: Looks): Promise<WatchedPage> {
  return await WatchedPage.open(browser, `${chain.url}#/transaction/${id}`, looks);
}

test('a link to a pending transaction shows its operations and signers in a fresh tab, and follows it until it is final', async () => {
  const id = await sendSigned(HOSTILE);
  const watched = await openTransaction(id);
  const { page } = watched;
  await page.getByText('It waits for a block at this node.').waitFor();
  const text = await watched.text();
  assert.match(text, /What will stand in the block\s+alice sent 9,223\.000001 COIN to bob/);
  assert.match(text, /Expires\s+20\d\d-/);
  assert.match(text, /1 signature\s+The active authority of alice: weight 1, and 1 is needed\s+PHR\w+/);
  assert.match(text, /they are today/);
  // The inside of a part is drawn after it was opened.
  await page.getByText('As JSON', { exact: true }).click();
  await page.locator('details[open]', { hasText: /"transfer"[^]*"amount": "9223\.000001 COIN"/ }).waitFor();
  await page.getByText('The transaction as JSON').click();
  await page.locator('details[open]', { hasText: `"transaction_id": "${id}"` }).waitFor();
  await watched.isAccessible('a pending transaction');
  await page.evaluate('window.loadedOnce = true');
  await chain.call('debug_api.produce_blocks', { count: 1 });
  await page.getByText('What it does').waitFor();
  await waitUntil('a final block', async () => {
    await chain.call('debug_api.produce_blocks', { count: 10 });
    const { status } = await chain.call('transaction_status_api.find_transaction', { transaction_id: id });
    return status === 'final' || undefined;
  });
  await page.locator('.steps [aria-current]', { hasText: 'Final' }).waitFor();
  assert.match(await watched.text(), /1 signature\s+The active authority of alice/);
  assert.equal(await page.evaluate('window.loadedOnce'), true, 'the page was not loaded anew');
  watched.isClean('a transaction from pending to final');
  await page.close();
});

test('a pending transaction fits a phone, and what it would have done stays when the node drops it', async () => {
  const { id: snapshot } = await chain.call('debug_api.snapshot');
  const id = await sendSigned('dropped');
  const watched = await openTransaction(id, 'narrow and dark');
  await watched.page.getByText('What will stand in the block').waitFor();
  await watched.isAccessible('a pending transaction on a phone');
  await chain.call('debug_api.revert', { id: snapshot });
  await chain.call('debug_api.produce_blocks', { count: 1 });
  await watched.page.getByText('This node has dropped it:').waitFor();
  assert.match(await watched.text(), /What would have stood in a block\s+alice sent 9,223\.000001 COIN/);
  watched.isClean('a dropped transaction');
  // A tab that has not seen it knows why it was dropped, and nothing of what it would have done.
  const fresh = await openTransaction(id);
  await fresh.page.getByText('This node has dropped it:').waitFor();
  assert.equal(await fresh.page.getByText('What would have stood in a block').count(), 0);
  fresh.isClean('a dropped transaction in a fresh tab');
  for (const { page } of [watched, fresh]) await page.close();
});

test('a view whose node does not pass the page on says that the pending transaction is missing', async () => {
  const id = await sendSigned('not passed on');
  const watched = await WatchedPage.open(browser, `${chain.url}#/blocks`);
  await watched.page.route(/\/chain\/pending\//, async (route) => await route.fulfill({ status: 404, body: '' }));
  await watched.go(`#/transaction/${id}`);
  await waitUntil(
    'a word of what is missing',
    async () => (await watched.text()).includes('The pending transaction: chain/pending/') || undefined,
  );
  assert.match(await watched.text(), /It waits for a block/);
  await watched.page.close();
});
