import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { Reader } from '../pages/guides/reader.ts';
import { proxyAt } from './browser.ts';
import { isLong, project } from './commands.ts';

// The docs of a development chain in a browser, and the guide for the first app to its end.

const axe = readFileSync(join(project, 'node_modules/axe-core/axe.min.js'), 'utf8');
const BOUND_MS = 60_000;

let browser: Browser;
let reader: Reader;
let docs: string;

before(async () => {
  browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  reader = await Reader.of('first_app');
  await reader.start(reader.guide.commands[0] ?? '', /Ctrl-C stops/);
  docs = `http://127.0.0.1:${reader.port('9193')}/docs/`;
});
after(async () => {
  await browser.close();
  await reader.leave();
});

type Looks = NonNullable<Parameters<Browser['newContext']>[0]>;
const wideLight: Looks = { viewport: { width: 1280, height: 900 }, colorScheme: 'light' };
const narrowDark: Looks = { viewport: { width: 390, height: 800 }, colorScheme: 'dark' };

/** Opens pages, and fails where one says that anything went wrong or asked anybody else. */
async function looking(looks: Looks, look: (page: Page) => Promise<void>): Promise<void> {
  const context: BrowserContext = await browser.newContext(looks);
  context.setDefaultTimeout(BOUND_MS);
  const page = await context.newPage();
  const wrong: string[] = [];
  page.on('console', (message) => {
    // A page of the guide has no icon.
    if (['error', 'warning'].includes(message.type()) && !message.location().url.endsWith('favicon.ico'))
      wrong.push(message.text());
  });
  page.on('pageerror', (error) => wrong.push(error.message));
  page.on('request', (request) => {
    if (new URL(request.url()).hostname !== '127.0.0.1') wrong.push(request.url());
  });
  try {
    await look(page);
    assert.deepEqual(wrong, []);
  } finally {
    await context.close();
  }
}

/** The long form looks at every page that set-up has made. */
const some = [
  'index.html',
  'errors.html',
  'settings.html',
  'metrics.html',
  'exit_codes.html',
  'methods/alexandria_api.get_account.html',
  'methods/subscribe_api.subscribe_operations.html',
  'methods/alexandria_api.create_transaction.html',
  'methods/network_node_api.get_info.html',
  'operations/escrow_transfer.html',
  'operations/interest.html',
  'shapes/Operation.html',
  'methods/database_api.get_config.html',
  'methods/debug_api.produce_blocks.html',
  'operations/custom_json.html',
  ...[
    'first_app',
    'documents',
    'multi_signature',
    'witness',
    'sql',
    'events',
    'slow',
    'client',
    'migration',
    'development_chains',
    'test_chain',
    'stopped_chain',
  ].map((name) => `guides/${name}.html`),
];

function everyPage(): string[] {
  const files: unknown = JSON.parse(readFileSync(join(project, 'build/pages/list.json'), 'utf8'));
  const names = Object.keys(files instanceof Object ? files : {}).flatMap(
    (name) => /^docs\/(.*\.html)$/.exec(name)?.slice(1) ?? [],
  );
  assert.ok(
    some.every((page) => names.includes(page)),
    'the list names the pages of the docs',
  );
  return names;
}

/** Fails where a page shuts somebody out, or has to be moved sideways. */
async function inOrder(page: Page, path: string): Promise<void> {
  await page.goto(docs + path);
  await page.locator('#search').waitFor();
  await page.evaluate(axe);
  const found: unknown = await page.evaluate(
    `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 200)).join(' | ')))`,
  );
  assert.deepEqual(found, [], path);
  const wider: unknown = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  assert.equal(wider, 0, `${path} has to be moved sideways`);
}

async function allInOrder(page: Page): Promise<void> {
  for (const path of isLong ? everyPage() : some) await inOrder(page, path);
}

for (const [name, looks] of Object.entries({ 'wide and light': wideLight, 'narrow and dark': narrowDark }))
  test(`the pages are in order for everybody, ${name}`, { timeout: isLong ? 1_800_000 : 240_000 }, () =>
    looking(looks, allInOrder),
  );

test('without a script a page can be read', { timeout: 120_000 }, async () => {
  await looking({ ...wideLight, javaScriptEnabled: false }, async (page) => {
    await page.goto(`${docs}methods/alexandria_api.get_account.html`);
    for (const text of ['at most 256 characters', 'unknown_account', 'curl -s http://127.0.0.1:9193'])
      await page.getByText(text).first().waitFor();
    assert.equal(await page.locator('form').isVisible(), false);
  });
});

test('a form calls the node, and the lines below say the same call', { timeout: 120_000 }, async () => {
  await looking(wideLight, async (page) => {
    await page.goto(`${docs}methods/alexandria_api.get_account.html`);
    await page.locator('.where', { hasText: 'a development chain' }).waitFor();
    await page.getByLabel('account_name').fill('bob');
    await page.getByLabel('pending').selectOption('true');
    assert.match(
      await page.locator('[data-code=curl]').innerText(),
      /"params":\{"account_name":"bob","pending":true\}/,
    );
    assert.match(
      await page.locator('[data-code=cli]').innerText(),
      new RegExp(`--url http://127.0.0.1:${reader.port('9193')}$`),
    );
    await page.getByLabel('account_name').press('Enter');
    await page.locator('[data-result]', { hasText: '"name": "bob"' }).waitFor();
    await page.goto(`${docs}methods/database_api.find_accounts.html`);
    await page.getByLabel('accounts').fill('["alice"');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.getByRole('alert').filter({ hasText: 'accounts: JSON expected' }).waitFor();
    await page.getByRole('button', { name: 'Back to the sample' }).click();
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.locator('[data-result]', { hasText: '"name": "alice"' }).waitFor();
    await page.goto(`${docs}methods/network_node_api.get_info.html`);
    await page.getByText('does not serve this method').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Call', exact: true }).isDisabled(), true);
  });
});

test('an operation is checked and sent, and a page that listens hears of it', { timeout: 120_000 }, async () => {
  await looking(wideLight, async (listening) => {
    await listening.goto(`${docs}methods/subscribe_api.subscribe_operations.html`);
    await listening.locator('.where', { hasText: 'a development chain' }).waitFor();
    await listening.getByRole('button', { name: 'Call', exact: true }).click();
    await listening.locator('[data-result]', { hasText: '"subscription": 2' }).waitFor();
    await looking(wideLight, async (page) => {
      await page.goto(`${docs}operations/transfer.html`);
      await page.getByText('in the name of').waitFor();
      await page.getByLabel('memo').fill('<b>for</b> "you"');
      await page.getByRole('button', { name: 'Check', exact: true }).click();
      await page.locator('[data-result]', { hasText: '"missing_signatures": [' }).waitFor();
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await page.locator('[data-result]', { hasText: '"transaction_id"' }).waitFor();
    });
    await listening.locator('[data-result]', { hasText: String.raw`<b>for</b> \"you\"` }).waitFor();
  });
});

test(
  'behind a proxy that has a path for the node a form calls it, and the search leads on',
  { timeout: 120_000 },
  async () => {
    const { url, server } = await proxyAt('/chains/first/', Number(reader.port('9193')));
    try {
      await looking(wideLight, async (page) => {
        await page.goto(`${url}docs`);
        await page.waitForURL(`${url}docs/`);
        await page.locator('#search').fill('find_accounts');
        await page.getByRole('option', { name: /^database_api.find_accounts/ }).waitFor();
        await page.keyboard.press('Enter');
        await page.waitForURL(`${url}docs/methods/database_api.find_accounts.html`);
        await page.locator('.where', { hasText: 'a development chain' }).waitFor();
        assert.ok((await page.locator('[data-code=curl]').innerText()).includes(url), 'by curl the same way');
        await page.getByRole('button', { name: 'Call', exact: true }).click();
        await page.locator('[data-result]', { hasText: '"name": "alice"' }).waitFor();
      });
    } finally {
      server.close();
      server.closeAllConnections();
    }
  },
);

test('the search finds a method by what it refuses, from the keyboard', { timeout: 120_000 }, async () => {
  await looking(narrowDark, async (page) => {
    await page.goto(docs);
    await page.locator('#search').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('vests not transferable');
    await page.getByRole('option', { name: /^transfer operation/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/operations\/transfer\.html$/);
    await page.goBack();
    await page.locator('#search').fill('no such thing anywhere');
    await page.getByText('Nothing is called so').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('listbox').waitFor({ state: 'hidden' });
  });
});

test(
  'the guide for the first app ends with a letter in a page of the reader’s own, told live, as text whatever it says',
  { timeout: 120_000 },
  async () => {
    const [, ask = '', serve = '', send = ''] = reader.guide.commands;
    await reader.run(ask);
    await reader.start(serve, /http:/);
    await looking(wideLight, async (page) => {
      await page.goto(`http://127.0.0.1:${reader.port('8000')}/`);
      await page.getByText('Live', { exact: true }).waitFor();
      await reader.run(send);
      await page.getByText('1: alice writes “Hello, bob!”').waitFor();
      await reader.run(send.replace('Hello, bob!', '<img src=x onerror=alert(1)>'));
      await page.getByText('2: alice writes “<img src=x onerror=alert(1)>”').waitFor();
      await page.reload();
      await page.getByText('1: alice writes “Hello, bob!”').waitFor();
    });
  },
);
