import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { connect } from '../../src/client/index.ts';
import { startChromium, WatchedPage } from './browser.ts';
import { project, temporaryFolder } from './commands.ts';
import { startChain, type DevChain } from './page_chain.ts';

// The picture of the explorer in README. `PHAROS_SCREENS=1 npm run test:services -- screens` takes it again.
// Ids and times differ each time, so that what is compared is not the picture: its headings, names of columns and
// links are kept beside it, and a page that has others needs another picture.

const folder = join(project, 'src/pages/screens');
const kept = join(folder, 'labels.json');
const isTaking = process.env['PHAROS_SCREENS'] !== undefined;

/** The pictures, by the name of the file, with the part of the address that each shows. */
const screens = { explorer: '#/' } as const;
const looks = { light: 'wide and light', dark: 'wide and dark' } as const;

/** Texts that a page has whatever the chain has seen. */
const LABELS = `[...document.querySelectorAll('h1, h2, h3, th, dt, nav a')].map((each) => each.innerText.trim())`;

/** Key of alice on every development chain. */
const ALICE = '5J9bWm2ThenDm3tjvmUgHtWCVMUdjRR1pxnRtnJjvKA4b2ut5WK';

let browser: Browser;
let chain: DevChain;

before(async () => {
  [browser, chain] = await Promise.all([startChromium(), startChain(0, temporaryFolder(), ['--automine'])]);
  const client = await connect(chain.url);
  for (const [index, to] of ['bob', 'carol', 'dave', 'bob', 'dave', 'carol'].entries()) {
    const amount = `${index + 1}.250000 COIN`;
    await client.send([['transfer', { from: 'alice', to, amount, memo: `order ${index + 41}` }]], [ALICE]);
  }
  await client.send([['transfer_to_vesting', { from: 'alice', to: 'alice', amount: '100.000000 COIN' }]], [ALICE]);
  client.close();
});

after(async () => {
  await browser.close();
  chain.program.kill();
});

for (const [name, fragment] of Object.entries(screens))
  test(`the picture of ${name} shows the headings, columns and links that the page has`, async () => {
    const [light, dark] = [await shownLabels(name, fragment, 'light'), await shownLabels(name, fragment, 'dark')];
    assert.deepEqual(dark, light);
    if (isTaking) keep(name, light);
    const advice = 'take the pictures again: PHAROS_SCREENS=1 npm run test:services -- screens';
    assert.deepEqual(keptLabels()[name], light, advice);
    for (const look of ['light', 'dark'] as const)
      assert.ok(readFileSync(picturePath(name, look)).length < MOST_BYTES, look);
  });

/** The labels of a page as it is, whose picture is taken where that is wanted. */
async function shownLabels(name: string, fragment: string, look: keyof typeof looks): Promise<unknown> {
  const watched = await WatchedPage.open(browser, chain.url, looks[look]);
  await watched.go(fragment);
  // The view shows the last hour when that answer comes, which on a busy machine is later than all else.
  await watched.page.locator('.charts').waitFor();
  watched.isClean(name);
  const labels: unknown = await watched.page.evaluate(LABELS);
  if (isTaking) await watched.page.screenshot({ path: picturePath(name, look) });
  await watched.page.close();
  return labels;
}

/** Two of them are loaded by everybody who opens README. */
const MOST_BYTES = 160 * 1024;

function picturePath(name: string, look: string): string {
  return join(folder, `${name}_${look}.png`);
}

function keptLabels(): Record<string, unknown> {
  try {
    const { ...labels }: Record<string, unknown> = JSON.parse(readFileSync(kept, 'utf8'));
    return labels;
  } catch {
    return {};
  }
}

function keep(name: string, labels: unknown): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(kept, `${JSON.stringify({ ...keptLabels(), [name]: labels }, null, 1)}\n`);
}
