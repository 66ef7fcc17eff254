import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Route } from 'playwright-core';
import { startChromium, WatchedPage } from './browser.ts';
import { startChain, type DevChain } from './page_chain.ts';

// Somebody who goes on before the part of the page has loaded that they went to first, as over a slow line.

let browser: Browser;
let chain: DevChain;

before(async () => {
  [browser, chain] = await Promise.all([startChromium(), startChain(0)]);
});

after(async () => {
  await browser.close();
  chain.program.kill();
});

const views = [
  ...['blocks', 'block', 'transaction', 'pending', 'account', 'accounts', 'witnesses', 'applications', 'application'],
  ...['prices', 'node', 'search'],
];

for (const view of views)
  test(`what is shown stays when ${view} loads after it, and was gone to before it`, async () => {
    const other = view === 'accounts' ? 'applications' : 'accounts';
    const watched = await WatchedPage.open(browser, chain.url);
    const asked = new Promise<Route>((resolve) => {
      void watched.page.route(new RegExp(`/assets/${view}-[A-Z0-9]+\\.js$`), resolve);
    });
    await watched.page.evaluate(`location.hash = '#/${view}/1'`);
    const held = await asked;
    await watched.go(`#/${other}`);
    const shown = await watched.text('h1');
    await held.continue();
    await watched.page.evaluate(`import('${held.request().url()}').then(() => new Promise(requestAnimationFrame))`);
    assert.equal(await watched.text('h1'), shown);
    watched.isClean(view);
    await watched.page.close();
  });
