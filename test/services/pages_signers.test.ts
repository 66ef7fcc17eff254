import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { connect } from '../../src/client/index.ts';
import { derivePublicKey, keyOfSeed } from '../../src/client/keys.ts';
import { startChromium, WatchedPage } from './browser.ts';
import { startChain, type DevChain } from './page_chain.ts';

// The signers of a transaction whose authorities need several, in Chromium.

const FIRST = keyOfSeed('first');
const SECOND = keyOfSeed('second');
const THIRD = keyOfSeed('third');
const HELPER = keyOfSeed('helper');
const KEY_PREFIX = 'PHR';
const publicKey = (wif: string): string => derivePublicKey(wif, KEY_PREFIX);

let browser: Browser;
let chain: DevChain;

before(async () => {
  [browser, chain] = await Promise.all([startChromium(), startChain(0)]);
  // Two of three keys act for alice.
  await setActive('alice', {
    weight_threshold: 3,
    account_auths: [],
    key_auths: sortedKeys([
      [publicKey(FIRST), 2],
      [publicKey(SECOND), 1],
      [publicKey(THIRD), 1],
    ]),
  });
  // Carol acts for bob, together with a key of his.
  await setActive('carol', { weight_threshold: 1, account_auths: [], key_auths: [[publicKey(HELPER), 1]] });
  await setActive('bob', {
    weight_threshold: 5,
    account_auths: [
      ['alice', 1],
      ['carol', 3],
    ],
    key_auths: sortedKeys([
      [publicKey(FIRST), 1],
      [publicKey(THIRD), 2],
    ]),
  });
  await chain.call('debug_api.produce_blocks', { count: 1 });
});

after(async () => {
  await browser.close();
  chain.program.kill();
});

function sortedKeys(keys: [string, number][]): [string, number][] {
  return keys.toSorted(([a], [b]) => (a < b ? -1 : 1));
}

async function setActive(account: string, active: object): Promise<void> {
  const { accounts } = await chain.call('database_api.find_accounts', { accounts: [account] });
  const [{ memo_key }] = accounts as [{ memo_key: string }];
  await chain.call('debug_api.send_unsigned', {
    op_vec: [['account_update', { fee: '0.100000 COIN', account, active, memo_key, json_metadata: '' }]],
  });
}

/** Sends a transfer with these signatures, and opens the page of its transaction. */
async function openSigned(from: string, keys: readonly string[]): Promise<WatchedPage> {
  const client = await connect(chain.url);
  const built = await client.build([['transfer', { from, to: 'dave', amount: '1.000000 COIN', memo: '' }]]);
  const transaction = await client.sign(built, keys);
  await client.broadcast(transaction, { waitFor: 'accepted' });
  client.close();
  await chain.call('debug_api.produce_blocks', { count: 1 });
  return await WatchedPage.open(browser, `${chain.url}#/transaction/${await client.transactionId(transaction)}`);
}

/** The signers that a page shows, in one line. */
async function told(watched: WatchedPage): Promise<string> {
  const section = watched.page.locator('section', { hasText: '2 signatures' });
  return (await section.locator('.operations').first().innerText()).replaceAll(/\s+/g, ' ');
}

test('a transaction that two of three keys signed shows the weight of each, the threshold, and the key that did not', async () => {
  const watched = await openSigned('alice', [FIRST, THIRD]);
  const signers = await told(watched);
  assert.match(signers, /^The active authority of alice: weight 3, and 3 is needed /);
  for (const [wif, word] of [
    [FIRST, 'has signed; weighs 2'],
    [SECOND, 'has not signed; would weigh 1'],
    [THIRD, 'has signed; weighs 1'],
  ] as const)
    assert.ok(signers.includes(`${publicKey(wif)} ${word}`), signers);
  watched.isClean('two of three keys');
  await watched.isAccessible('two of three keys');
  await watched.page.close();
});

test('a transaction that another account authorised shows that account, its keys, and the weights of both authorities', async () => {
  const watched = await openSigned('bob', [HELPER, THIRD]);
  const signers = await told(watched);
  assert.match(signers, /^The active authority of bob: weight 5, and 5 is needed /);
  for (const part of [
    `${publicKey(THIRD)} has signed; weighs 2`,
    'the account carol counts; weighs 3 through its active authority: weight 1, and 1 is needed ' +
      `${publicKey(HELPER)} has signed; weighs 1`,
    `${publicKey(FIRST)} has not signed; would weigh 1`,
    'the account alice does not count; would weigh 1',
  ])
    assert.ok(signers.includes(part), signers);
  watched.isClean('through an account');
  await watched.isAccessible('through an account');
  await watched.page.close();
});

test('a transaction whose authority has changed since says so, and names no signers', async () => {
  const watched = await openSigned('alice', [FIRST, SECOND]);
  await watched.page.getByText('The active authority of alice: weight 3, and 3 is needed').waitFor();
  await setActive('alice', { weight_threshold: 1, account_auths: [], key_auths: [[publicKey(HELPER), 1]] });
  await chain.call('debug_api.produce_blocks', { count: 1 });
  await watched.page.reload();
  await watched.page.getByText('keys or authorities have changed since').waitFor();
  watched.isClean('a changed authority');
  await watched.page.close();
});
