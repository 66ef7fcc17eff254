import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { Relay } from '../outside/relay.ts';
import { waitUntil } from '../outside/wait_until.ts';
import { startChromium, WatchedPage, type Looks } from './browser.ts';
import { startChain, type DevChain } from './page_chain.ts';

// The explorer never shows what is not so: of a node that is gone, and of a chain whose head moves while a list is
// asked for.

let browser: Browser;

before(async () => {
  browser = await startChromium();
});

after(async () => {
  await browser.close();
});

/**
 * Runs in the page: which came first, the words that the node is gone, or the end of two block intervals by the page's
 * own timers.
 */
const firstScript = (intervalMs: number): string => `new Promise((resolve) => {
  const look = () => document.querySelector('.standing').classList.contains('silent') && resolve('told');
  new MutationObserver(look).observe(document.querySelector('.standing'), { attributes: true });
  look();
  setTimeout(() => resolve('late'), ${2 * intervalMs});
})`;

/** In this time the questions of a view have failed that are refused at once. */
const PATIENCE_MS = 500;

/** Keeps in the page each text of the standing from now on. */
const WATCH_STANDING = `(() => {
  const standing = document.querySelector('.standing');
  globalThis.standings = [];
  const look = () => void globalThis.standings.push(standing.textContent);
  new MutationObserver(look).observe(standing, { attributes: true, characterData: true, childList: true, subtree: true });
})()`;

const views: Readonly<Record<string, readonly [shownWhileThere: RegExp, shownWhileGone: RegExp]>> = {
  '#/': [/The chain now[^]*%\s*of the last \d+/, /The chain as of \d\d:\d\d:\d\d[^]*%\s*as of \d\d:\d\d:\d\d/],
  '#/blocks': [/\bnow\b|\d s ago/, /\d\d:\d\d:\d\d UTC/],
  '#/witnesses': [/\bnow\b|\d s ago/, /\d\d:\d\d:\d\d UTC/],
  '#/node': [/% of a core now|first figures come/, /% of a core as of|first figures come/],
};

const ways: Readonly<Record<string, (chain: DevChain, relay: Relay) => void>> = {
  'is frozen': ({ program }) => void process.kill(program.pid, 'SIGSTOP'),
  'is behind a connection that carries nothing any more': (_, relay) => relay.cut(),
  'has closed its connections and takes no new ones': (_, relay) => relay.close(),
  'is killed': ({ program }) => program.kill(),
};

for (const [way, end] of Object.entries(ways))
  for (const looks of (way === 'is frozen'
    ? ['wide and light', 'narrow and dark']
    : ['wide and light']) satisfies Looks[])
    test(`a node that ${way} is told within two block intervals, and all of its figures say as of when, ${looks}`, async () => {
      await loseNode(way, end, looks);
    });

async function loseNode(way: string, end: (chain: DevChain, relay: Relay) => void, looks: Looks): Promise<void> {
  const chain = await startChain(0, undefined, []);
  const relay = await Relay.open('127.0.0.1', () => chain.port, { delayMs: 0 });
  const watched = await WatchedPage.open(browser, `http://127.0.0.1:${relay.port}/`, looks);
  await chain.call('debug_api.produce_blocks', { count: 3 });
  await watched.page.locator('.standing.answers').waitFor();
  // Narrow pages do without some columns of the other views.
  for (const [view, [there]] of Object.entries(views).slice(0, looks === 'wide and light' ? undefined : 1)) {
    await watched.go(view);
    await waitUntil(`${view} to show ${there}`, async () => there.test(await watched.text()) || undefined);
  }
  await watched.go('#/');
  end(chain, relay);
  assert.equal(await watched.page.evaluate(firstScript(3000)), 'told');
  const [, since] = /^No connection since (\d\d:\d\d:\d\d)$/.exec(await watched.text('.standing')) ?? [];
  assert.ok(since !== undefined, await watched.text('.standing'));
  const text = await watched.text();
  assert.match(text, views['#/']?.[1] ?? /never/);
  const dot: unknown = await watched.page.evaluate(
    `getComputedStyle(document.querySelector('.standing'), '::before').content`,
  );
  assert.equal(dot, '"✕"');
  assert.ok(text.includes(`As of ${since}: the node has not answered since.`), text);
  // Nothing that reads as of this moment is left.
  assert.doesNotMatch(text, /\bnow\b|\bago\b|just now|of the last \d/);
  await watched.isAccessible(`gone, ${looks}`);
  await watched.page.evaluate(WATCH_STANDING);
  for (const [view, [, gone]] of looks === 'wide and light' ? Object.entries(views) : []) {
    await watched.page.evaluate(`location.hash = '${view}'`);
    await waitUntil(`${view} to show ${gone} or that nobody answers`, async () => {
      const shown = await watched.text();
      return gone.test(shown) || shown.includes('The node does not answer') || undefined;
    });
    await delay(PATIENCE_MS);
  }
  // A request that fails in the browser, or a view that needs none, is no answer: the dot must not turn green for it.
  const standings: unknown = await watched.page.evaluate('globalThis.standings');
  assert.deepEqual(standings, []);
  if (way === 'is frozen') process.kill(chain.program.pid, 'SIGCONT');
  chain.program.kill();
  relay.close();
  await watched.page.close();
}

for (const view of ['#/blocks', '#/witnesses', '#/account/alice', '#/account/bob/history'])
  test(`figures of ${view} that were heard before the node froze say so, and those after it was woken are new`, async () => {
    await freezeAndWake(view);
  });

async function freezeAndWake(view: string): Promise<void> {
  const chain = await startChain(0, undefined, []);
  await chain.call('debug_api.send_unsigned', { op_vec: [['transfer', transfer(1)]] });
  await chain.call('debug_api.produce_blocks', { count: 2 });
  const watched = await WatchedPage.open(browser, `${chain.url}${view}`);
  process.kill(chain.program.pid, 'SIGSTOP');
  await watched.page.locator('.stale').waitFor();
  assert.doesNotMatch(await watched.text(), /\bnow\b|\bago\b/);
  process.kill(chain.program.pid, 'SIGCONT');
  await watched.page.locator('.standing.answers').waitFor();
  await watched.page.locator('.stale').waitFor({ state: 'detached' });
  chain.program.kill();
  await watched.page.close();
}

const transfer = (number: number): object => ({
  from: 'alice',
  to: 'bob',
  amount: `0.${String(number).padStart(6, '0')} COIN`,
  memo: '',
  fee: '0.010000 COIN',
});

/**
 * Keeps in the page each moment at which a link to a block, or a count of blocks, was above the head of the masthead.
 */
const WATCH_NUMBERS = `(() => {
  globalThis.ahead = [];
  globalThis.looks = 0;
  const numberIn = (text) => Number(text.replaceAll(',', ''));
  new MutationObserver(() => {
    globalThis.looks++;
    const head = numberIn(/Block ([\\d,]+)/.exec(document.querySelector('.standing').textContent)?.[1] ?? '0');
    const links = [...document.querySelectorAll('main a[href^="#/block/"]')].map(({ hash }) => Number(/\\d+/.exec(hash)?.[0] ?? 0));
    const counts = [...document.querySelector('main').textContent.matchAll(/The chain has ([\\d,]+) block/g)].map(([, text]) => numberIn(text));
    const most = Math.max(0, ...links, ...counts);
    if (most > head) globalThis.ahead.push(location.hash + ': ' + most + ' beside block ' + head);
  }).observe(document.querySelector('#app'), { subtree: true, childList: true, characterData: true, attributes: true });
})()`;

test('no list is ahead of the head that the masthead names, however fast blocks come and when the chain is taken back', async () => {
  const chain = await startChain(0);
  const watched = await WatchedPage.open(browser, chain.url);
  await watched.page.evaluate(WATCH_NUMBERS);
  let sent = 0;
  const live = async (): Promise<void> => {
    await chain.call('debug_api.send_unsigned', { op_vec: [['transfer', transfer(++sent)]] });
    await chain.call('debug_api.produce_blocks', { count: 1 });
  };
  for (const view of [
    '#/',
    '#/blocks',
    '#/account/bob/history',
    '#/account/bob',
    '#/witnesses',
    '#/block/40',
    '#/prices',
    '#/applications',
  ]) {
    await watched.go(view);
    for (let block = 0; block < 5; block++) await live();
    const { head_block_number: head } = await chain.call('database_api.get_dynamic_global_properties');
    const { id } = await chain.call('debug_api.snapshot');
    for (let block = 0; block < 7; block++) await live();
    await watched.page
      .locator('.standing')
      .getByText(`Block ${Number(head) + 7}`, { exact: true })
      .waitFor();
    await chain.call('debug_api.revert', { id });
    await watched.page
      .locator('.standing')
      .getByText(`Block ${String(head)}`, { exact: true })
      .waitFor();
    await watched.isShown();
  }
  assert.deepEqual(await watched.page.evaluate('globalThis.ahead'), []);
  assert.ok(Number(await watched.page.evaluate('globalThis.looks')) > 20);
  watched.isClean('lists');
  chain.program.kill();
  await watched.page.close();
});
