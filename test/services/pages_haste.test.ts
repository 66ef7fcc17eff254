import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page, Route } from 'playwright-core';
import { views } from '../../src/pages/explorer/router.ts';
import { startChromium, WatchedPage } from './browser.ts';
import { startChain, type DevChain } from './page_chain.ts';

// Views that open before what they wait for is there, as over a slow line, or that wait in vain.

let browser: Browser;
let chain: DevChain;

before(async () => {
  [browser, chain] = await Promise.all([startChromium(), startChain(0)]);
});

after(async () => {
  await browser.close();
  chain.program.kill();
});

/** The first page has the overview in it. */
const later = views.filter((view) => view !== 'overview');

for (const view of later)
  test(`what is shown stays when ${view} loads after it, and was gone to before it`, async () => await goOn(view));

async function goOn(view: string): Promise<void> {
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
}

for (const [method, shown] of [
  ['alexandria_api.get_dynamic_global_properties', /there is no method[^]*initminer/],
  ['alexandria_api.get_version', /there is no method[^]*there is no method/],
] as const)
  test(`a view waits for no head where ${method} is refused`, async () => {
    const page = await openRefused(method);
    await page.locator('main', { hasText: shown }).waitFor();
    await page.close();
  });

/** A page whose node does not know the method. */
async function openRefused(method: string): Promise<Page> {
  const page = await browser.newPage();
  await page.routeWebSocket(/./, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((message) => server.send(String(message).replaceAll(method, 'alexandria_api.no')));
  });
  await page.goto(`${chain.url}#/accounts`);
  return page;
}
