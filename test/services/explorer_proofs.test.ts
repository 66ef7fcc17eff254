import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { testWif, witnessChain } from '../builders/witness_chain.ts';
import type { Program } from '../outside/program.ts';
import { send, transfer } from '../outside/signer.ts';
import { Site } from '../outside/site.ts';
import { waitUntil } from '../outside/wait_until.ts';
import { startChromium, startProxy, WatchedPage } from './browser.ts';

// The explorer of a chain with votes, in Chromium: it marks what it has proven, and nothing that a lying node shows.

const site = new Site();
const WITNESS = 'initminer';
const AMOUNT = '2.500000 COIN';
const FALSE_AMOUNT = '9.500000 COIN';
const SIGN = 'proven in this page';

let browser: Browser;
let node: Program;
let url: string;
let checkpoint: string;
let payment: { readonly id: string; readonly block: number };

before(async () => {
  const chain = await witnessChain(site.path('chain'), 1, 0, { intervalSeconds: 1, finality: true });
  node = site.start([
    ...['run', '--genesis-json', chain.genesisFile, '--data-dir', chain.dataFolder],
    ...['--webserver-http-endpoint', '127.0.0.1:0', '--enable-stale-production'],
    ...['--witness', WITNESS, '--private-key', testWif(WITNESS)],
  ]);
  await node.ready();
  url = `http://127.0.0.1:${node.port}/`;
  checkpoint = await printedCheckpoint(url);
  payment = await send(node, [transfer('alice', 'bob', AMOUNT.replace(' COIN', ''))], 'alice');
  browser = await startChromium();
});

after(async () => {
  await browser.close();
  await site.clear();
});

async function printedCheckpoint(address: string): Promise<string> {
  const { code, stdout, stderr } = await site.run(['checkpoint', '--url', address]);
  assert.equal(code, 0, stderr);
  return stdout.trim();
}

/** A page of the explorer that has been given a checkpoint, after `lie` has been put between it and the node. */
async function pageByCheckpoint(
  given: string,
  lie: (page: Page) => Promise<void> = async () => {},
  address = url,
): Promise<WatchedPage> {
  const watched = await WatchedPage.open(browser, `${address}#/node`);
  await lie(watched.page);
  await watched.page.getByLabel('Checkpoint').fill(given);
  await watched.page.getByRole('button', { name: 'Keep' }).click();
  await watched.page.getByText('Kept in this browser').waitFor();
  // A page that is loaded anew still has it, and speaks to the node through whatever stands between.
  await watched.page.reload();
  return watched;
}

async function shows(watched: WatchedPage, view: string, text: string | RegExp): Promise<void> {
  await watched.go(view);
  await waitUntil(`${view} shows ${text}`, async () => {
    const shown = await watched.text();
    return (typeof text === 'string' ? shown.includes(text) : text.test(shown)) || undefined;
  });
}

/** Changes the answers that the page shows: they come over its WebSocket. */
function changingWhatIsShown(from: string, to: string): (page: Page) => Promise<void> {
  return async (page) => {
    await page.routeWebSocket(/./, (socket) => {
      const server = socket.connectToServer();
      socket.onMessage((message) => server.send(message));
      server.onMessage((message) => socket.send(String(message).replaceAll(from, to)));
    });
  };
}

test('every view says what no proof covers, and where a checkpoint is given', async () => {
  const watched = await WatchedPage.open(browser, url);
  const views = ['', 'blocks', 'pending', 'account/alice', 'accounts', 'witnesses', 'applications', 'application//7'];
  for (const view of [...views, 'prices', 'search/alice'])
    await shows(watched, `#/${view}`, /(?:word of the node|Nothing proves them)[^]*Give a checkpoint/);
  await shows(watched, '#/node', 'What the node says of itself is its own word.');
  watched.isClean('notes');
  await watched.page.close();
  const given = await pageByCheckpoint(checkpoint);
  await shows(given, '#/blocks', 'word of the node');
  assert.ok(!(await given.text()).includes('Give a checkpoint'));
  await given.page.close();
});

test('without a checkpoint nothing is marked, and the page says where one is given', async () => {
  const watched = await WatchedPage.open(browser, `${url}#/transaction/${payment.id}`);
  await shows(watched, `#/transaction/${payment.id}`, 'give a checkpoint');
  assert.ok(!(await watched.text()).includes(SIGN));
  watched.isClean('no checkpoint');
  await watched.page.close();
});

test('with a checkpoint a transaction and its block are marked as proven, with the age of the newest final block', async () => {
  const watched = await pageByCheckpoint(checkpoint);
  await shows(watched, `#/transaction/${payment.id}`, /proven in this page; the newest final block, .+, was \d+ s old/);
  assert.match(await watched.text(), /alice sent 2\.5 COIN to bob/);
  assert.match(await watched.text(), /The proof covers the id, the block[^]*It does not cover the signers/);
  await shows(
    watched,
    `#/transaction/${payment.id}`,
    /1 signature\s+The active authority of alice: weight 1, and 1 is needed\s+PHR\w+\s+has signed; weighs 1[^]*satisfy exactly/,
  );
  await watched.page.locator('.steps [aria-current]', { hasText: 'Final' }).waitFor();
  await watched.isAccessible('a final transaction');
  await shows(watched, `#/block/${payment.block}`, SIGN);
  await shows(watched, `#/block/${payment.block}`, /irreversible[^]*Made final by [^]*1 of 1 votes, cast/);
  await shows(watched, '#/block/1', /Covered by the certificate of block|Made final by/);
  await shows(watched, `#/block/${payment.block}`, SIGN);
  watched.isClean('proven');
  await watched.isAccessible('proven');
  await watched.page.close();
});

test('a node that shows another amount than it proves gets no mark, and the page says why', async () => {
  const watched = await pageByCheckpoint(checkpoint, changingWhatIsShown(AMOUNT, FALSE_AMOUNT));
  await shows(watched, `#/transaction/${payment.id}`, 'none: the node shows something else than what it proves');
  const shown = await watched.text();
  assert.ok(shown.includes('alice sent 9.5 COIN to bob') && !shown.includes(SIGN), shown);
  await watched.page.close();
});

test('a node whose proof has other signatures gets no mark, and the page says why', async () => {
  // The page asks for proofs over HTTP.
  const { url: liar, server } = await startProxy('/', node.port, (answer) =>
    answer.replace(/"certificate":"([^"]+)"/g, (_, text: string) => {
      const bytes = Buffer.from(text, 'base64');
      const last = bytes.length - 1;
      bytes[last] = (bytes[last] ?? 0) ^ 1;
      return `"certificate":"${bytes.toString('base64')}"`;
    }),
  );
  const watched = await pageByCheckpoint(checkpoint, undefined, liar);
  await shows(watched, `#/transaction/${payment.id}`, /none: .*signature/);
  assert.ok(!(await watched.text()).includes(SIGN));
  await watched.page.close();
  server.close();
});

test('a checkpoint of other voters proves nothing of this chain, and a text that is none is not kept', async () => {
  const [number, block, voters = '', time] = checkpoint.split(':');
  const foreign = [number, block, voters.replace(/^../, (two) => (two === '00' ? '11' : '00')), time].join(':');
  const watched = await pageByCheckpoint(foreign);
  await shows(watched, `#/transaction/${payment.id}`, /none: \w/);
  assert.ok(!(await watched.text()).includes(SIGN));
  await watched.go('#/node');
  await watched.page.getByLabel('Checkpoint').fill('12:abc');
  await watched.page.getByText('That is no checkpoint.').waitFor();
  await watched.page.close();
});
