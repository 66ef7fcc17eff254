import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { Reader } from '../pages/guides/reader.ts';
import { waitUntil } from '../outside/wait_until.ts';
import { isInOrder, startProxy } from './browser.ts';
import { isLong, project } from './commands.ts';

// The docs of a development chain in a browser, and the guide for the first app to its end.

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
    'events_javascript',
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

const ways: Readonly<Record<string, Looks>> = { 'wide and light': wideLight, 'narrow and dark': narrowDark };

/** Fails where a page shuts somebody out, or has to be moved sideways, in each way that it is shown. */
async function isInOrderEachWay(page: Page, path: string): Promise<void> {
  await page.goto(docs + path);
  await page.locator('#search').waitFor();
  for (const [name, { viewport, colorScheme }] of Object.entries(ways)) {
    await page.setViewportSize(viewport ?? assert.fail(name));
    await page.emulateMedia({ colorScheme: colorScheme ?? null });
    await isInOrder(page, `${path}, ${name}`);
  }
}

test(
  'the pages are in order for everybody, wide and light as narrow and dark',
  { timeout: isLong ? 3_600_000 : 480_000 },
  () =>
    looking(wideLight, async (page) => {
      for (const path of isLong ? everyPage() : some) await isInOrderEachWay(page, path);
    }),
);

/** Fails unless the top of that place is in sight, below the header. */
async function landed(page: Page, id: string): Promise<void> {
  const place = page.locator(`[id="${id}"]`);
  await place.waitFor();
  const header = await page.locator('.top').boundingBox();
  const isBelow = async (): Promise<boolean> => {
    const box = await place.boundingBox();
    const bottom = page.viewportSize()?.height ?? 0;
    return box !== null && header !== null && box.y >= header.y + header.height && box.y < bottom;
  };
  // The form and the buttons move what lies below them for a moment.
  await waitUntil(`${id} is in sight below the header`, async () => ((await isBelow()) ? true : undefined));
}

/** A text that is typed, the entry of the list that is opened, and its place. */
const searches: readonly (readonly [typed: string, entry: RegExp, address: string])[] = [
  ['http-cors', /^Settings of a node reference: http-cors$/, 'settings.html#setting-http-cors'],
  ['escrow_transfer', /^escrow_transfer operation/, 'operations/escrow_transfer.html'],
  ['-32601', /^Errors of every method errors: -32601$/, 'errors.html#error-methodNotFound'],
  ['rate_exceeded', /^Errors of every method errors: rate_exceeded$/, 'errors.html#error-rate_exceeded'],
  [
    'insufficient_funds',
    /^transfer operation: insufficient_funds$/,
    'operations/transfer.html#error-insufficient_funds',
  ],
  [
    'pharos_head_block_number',
    /^Metrics and alerts reference: pharos_head_block_number$/,
    'metrics.html#row-pharos_head_block_number',
  ],
  ['PharosDiskFull', /^Metrics and alerts reference: PharosDiskFull$/, 'metrics.html#row-PharosDiskFull'],
  ['a development chain', /^pharos-client guide: A development chain$/, 'guides/client.html#a-development-chain'],
  ['SIGTERM', /reference: SIGTERM$/, 'exit_codes.html#signals'],
];

async function findEach(page: Page): Promise<void> {
  for (const [typed, entry, address] of searches) {
    await page.goto(docs);
    await page.locator('#search').pressSequentially(typed);
    await page.getByRole('option', { name: entry }).click();
    await page.waitForURL(docs + address);
    const [, id] = address.split('#');
    if (id === undefined) await page.getByRole('heading', { level: 1, name: typed }).waitFor();
    else await landed(page, id);
  }
}

for (const [name, looks] of Object.entries(ways))
  test(`each kind of name is found and opened at its place, ${name}`, { timeout: 240_000 }, () =>
    looking(looks, findEach),
  );

test('a heading of a guide is found by its first letters and opened by Enter', { timeout: 120_000 }, async () => {
  await looking(wideLight, async (page) => {
    await page.goto(docs);
    await page.locator('#search').pressSequentially('a development ch');
    await page.getByRole('option', { name: /: A development chain$/ }).waitFor();
    const names = await page.getByRole('option').allInnerTexts();
    const place = names.findIndex((name) => name.endsWith(': A development chain'));
    for (let k = 0; k < place; k++) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${docs}guides/client.html#a-development-chain`);
    await landed(page, 'a-development-chain');
  });
});

const guideWithCode = 'guides/client.html';

test('each button copies its block to the letter', { timeout: 120_000 }, async () => {
  await looking({ ...wideLight, permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
    await page.goto(docs + guideWithCode);
    const frames = page.locator('.framed');
    await frames.first().waitFor();
    const blocks = await frames.all();
    assert.equal(blocks.length, await page.locator('pre.code').count(), 'each block has a button');
    assert.ok(blocks.length > 2, `${blocks.length} blocks`);
    for (const block of blocks) {
      await block.getByRole('button', { name: /^Copy / }).click();
      await block.getByText('Copied', { exact: true }).waitFor();
      const copied: unknown = await page.evaluate('navigator.clipboard.readText()');
      assert.equal(copied, await block.locator('pre').textContent());
    }
    await blocks[0]?.getByText('Copy', { exact: true }).waitFor();
  });
});

test('a button says that the browser does not allow it to copy', { timeout: 120_000 }, async () => {
  await looking(narrowDark, async (page) => {
    const { targetInfo } = await (await page.context().newCDPSession(page)).send('Target.getTargetInfo');
    await (
      await browser.newBrowserCDPSession()
    ).send('Browser.setPermission', {
      permission: { name: 'clipboard-write' },
      setting: 'denied',
      ...(targetInfo.browserContextId !== undefined && { browserContextId: targetInfo.browserContextId }),
    });
    await page.goto(docs + guideWithCode);
    await page
      .getByRole('button', { name: /^Copy / })
      .first()
      .click();
    await page.getByText('Not allowed', { exact: true }).waitFor();
    await page.locator('button.copy').first().getByText('Copy', { exact: true }).waitFor();
  });
});

test(
  'the ends of a page lead to the next one and back, and the sidebar marks where one is',
  { timeout: 120_000 },
  async () => {
    await looking(wideLight, async (page) => {
      await page.goto(docs + guideWithCode);
      const current = page.locator('.pages [aria-current=page]');
      const first = await current.innerText();
      const next = page.locator('[rel=next]');
      const name = await next.innerText();
      await next.click();
      await page.waitForURL((url) => !url.href.includes(guideWithCode));
      await page.getByRole('heading', { level: 1, name }).waitFor();
      assert.equal(await current.innerText(), name);
      assert.equal(await page.locator('[rel=prev]').innerText(), first);
      await page.locator('[rel=prev]').click();
      await page.waitForURL(docs + guideWithCode);
      // The last page of a long group: its entry is in sight all the same.
      await page.goto(`${docs}operations/custom_json.html`);
      await waitUntil('the entry is in sight', async () => {
        const [entry, list] = [await current.boundingBox(), await page.locator('.pages').boundingBox()];
        return entry !== null && list !== null && entry.y > list.y && entry.y < list.y + list.height ? true : undefined;
      });
    });
  },
);

test('the contents at the right mark the section that is read', { timeout: 120_000 }, async () => {
  await looking(wideLight, async (page) => {
    await page.goto(docs + guideWithCode);
    const contents = page.getByRole('navigation', { name: 'On this page' });
    assert.equal(await contents.locator('[aria-current]').count(), 0);
    await contents.getByText('Sending', { exact: true }).click();
    await landed(page, 'sending');
    await contents.locator('[aria-current]', { hasText: 'Sending' }).waitFor();
    assert.equal(await contents.locator('[aria-current]').count(), 1);
  });
});

async function openLists(page: Page): Promise<void> {
  await page.goto(docs + guideWithCode);
  const header = page.getByRole('navigation', { name: 'Docs' });
  const [pages, contents] = [page.locator('#pages'), page.locator('#sections')];
  assert.equal(await contents.isVisible(), false);
  await header.getByText('Contents', { exact: true }).click();
  await contents.getByText('Sending', { exact: true }).click();
  await contents.waitFor({ state: 'hidden' });
  await landed(page, 'sending');
  await header.getByText('All pages', { exact: true }).click();
  await header.getByText('Close', { exact: true }).waitFor();
  const box = await pages.boundingBox();
  assert.deepEqual([box?.x, box?.y, box?.width, box?.height], [0, 0, 390, 800], 'the list covers the page');
  await header.getByText('Close', { exact: true }).click();
  assert.equal(await header.getByText('Close', { exact: true }).isVisible(), false);
  await header.getByText('All pages', { exact: true }).click();
  await pages.getByText('Follow from a program', { exact: true }).click();
  await page.waitForURL(`${docs}guides/client_follow.html`);
  assert.equal(await page.locator('#pages [aria-current=page]').innerText(), 'Follow from a program');
}

for (const [name, javaScriptEnabled] of Object.entries({ '': true, ', also without a script': false }))
  test(`on a phone the lists of pages and headings open over the page${name}`, { timeout: 120_000 }, () =>
    looking({ ...narrowDark, javaScriptEnabled }, openLists),
  );

test('on a phone each row of a list says all of it without moving sideways', { timeout: 120_000 }, async () => {
  await looking(narrowDark, async (page) => {
    for (const path of ['errors.html', 'settings.html', 'metrics.html', 'log.html']) {
      await page.goto(docs + path);
      const cut: unknown = await page.evaluate(
        "[...document.querySelectorAll('.wide')].filter((each) => each.scrollWidth > each.clientWidth).length",
      );
      assert.equal(cut, 0, path);
    }
  });
});

test('without a script a page can be read', { timeout: 120_000 }, async () => {
  await looking({ ...wideLight, javaScriptEnabled: false }, async (page) => {
    await page.goto(`${docs}methods/alexandria_api.get_account.html`);
    for (const text of ['at most 256 characters', 'unknown_account', 'curl -s http://127.0.0.1:9193'])
      await page.getByText(text).first().waitFor();
    assert.equal(await page.locator('form').isVisible(), false);
    assert.equal(await page.locator('#search, button.copy').count(), 0, 'nothing waits for a script');
    await page.goto(docs + guideWithCode);
    const sidebar = page.getByRole('navigation', { name: 'All pages' });
    await sidebar.getByText('pharos-client', { exact: true }).waitFor();
    await sidebar.getByText('database_api', { exact: true }).waitFor();
    await page.locator('pre.code', { hasText: "from 'pharos-client'" }).first().waitFor();
    await page.locator('pre .hljs-keyword').first().waitFor();
    await page.getByRole('navigation', { name: 'On this page' }).getByText('Keys', { exact: true }).click();
    await landed(page, 'keys');
    for (const rel of ['prev', 'next']) await page.locator(`[rel=${rel}]`).waitFor();
    await page.locator('[rel=next]').click();
    await page.waitForURL(`${docs}guides/client_follow.html`);
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
    const { url, server } = await startProxy('/chains/first/', Number(reader.port('9193')));
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
    await page.waitForURL(/operations\/transfer\.html#error-vests_not_transferable$/);
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
