import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser, Route } from 'playwright-core';
import { waitUntil } from '../outside/wait_until.ts';
import { startChromium, WatchedPage } from './browser.ts';
import { project } from './commands.ts';
import { startChain, type DevChain } from './page_chain.ts';

// Figures that a view can't get: each view says that they are missing.

let browser: Browser;
let chain: DevChain;

before(async () => {
  [browser, chain] = await Promise.all([startChromium(), startChain(0)]);
  await chain.call('debug_api.produce_blocks', { count: 5 });
});

after(async () => {
  await browser.close();
  chain.program.kill();
});

const VIEWS = ['', 'blocks', 'block/3', 'witnesses', 'account/alice', 'accounts', 'prices', 'search/0123456789'];
/** Pages of the node beside the calls; the node's own view says itself who gets its figures. */
const PAGES = /^\/(?:chain\/.*|health|docs\/search)(?:\.json)?$/;

async function walkViews(refuse: (route: Route) => Promise<void>): Promise<void> {
  const watched = await WatchedPage.open(browser, `${chain.url}#/accounts`);
  const asked = new Set<string>();
  await watched.page.route(
    (url) => PAGES.test(url.pathname),
    async (route) => {
      asked.add(new URL(route.request().url()).pathname);
      await refuse(route);
    },
  );
  for (const view of VIEWS) {
    asked.clear();
    await watched.go(`#/${view}`);
    await watched.page.waitForLoadState('networkidle');
    for (const path of asked)
      await waitUntil(
        `${view} says that ${path} is missing`,
        async () => (await watched.text()).includes(path.slice(1)) || undefined,
      );
    if (['', 'blocks', 'block/3', 'witnesses'].includes(view)) assert.ok(asked.size > 0, `${view} asks for a page`);
  }
  watched.forgive();
  await watched.isAccessible('missing figures');
  await watched.page.unroute(() => true);
  await watched.page.close();
}

for (const [how, refuse] of [
  ['answered with 404', async (route: Route) => await route.fulfill({ status: 404, body: '' })],
  ['not answered', async (route: Route) => await route.abort()],
  ['answered with another form', async (route: Route) => await route.fulfill({ json: 'none' })],
] as const)
  test(`a view says which figures are missing when a page of the node is ${how}`, async () => await walkViews(refuse));

test('the explorer reads pages of the node in one place, and no view takes an answer and leaves its error out', () => {
  const folder = join(project, 'src/pages/explorer');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
  const matching = (pattern: RegExp): string[] =>
    files.filter((file) => pattern.test(readFileSync(join(folder, file), 'utf8'))).toSorted();
  assert.deepEqual(matching(/\bfetch\(/), ['node_page.ts', 'views/node.tsx']);
  // The account and the transaction show the same answer with its error, too.
  assert.deepEqual(matching(/'answer' in/), ['asked.tsx', 'views/account.tsx', 'views/transaction.tsx']);
});
