import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { chromium, type Browser, type Page } from 'playwright-core';
import { project } from './commands.ts';

/** Debian's, see debian_packages. */
const CHROMIUM = '/usr/bin/chromium';
const axe = readFileSync(join(project, 'node_modules/axe-core/axe.min.js'), 'utf8');

export type Looks = 'wide and light' | 'wide and dark' | 'narrow and dark';

/** The ways of showing a page. */
const shown = {
  'wide and light': { viewport: { width: 1200, height: 850 }, colorScheme: 'light' },
  'wide and dark': { viewport: { width: 1200, height: 850 }, colorScheme: 'dark' },
  'narrow and dark': { viewport: { width: 375, height: 760 }, colorScheme: 'dark' },
} as const;

export async function startChromium(): Promise<Browser> {
  return await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}

/** A page that keeps what went wrong in it: errors, what its policy forbade, and requests to others. */
export class WatchedPage {
  readonly page: Page;
  readonly #wrong: string[] = [];

  private constructor(page: Page, host: string) {
    this.page = page;
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') this.#wrong.push(message.text());
    });
    page.on('pageerror', (error) => this.#wrong.push(error.stack ?? error.message));
    const note = (url: string): void => {
      const { protocol, host: asked } = new URL(url);
      if (protocol !== 'data:' && asked !== host) this.#wrong.push(`asked ${url}`);
    };
    page.on('request', (asked) => note(asked.url()));
    page.on('websocket', (socket) => note(socket.url()));
  }

  static async open(browser: Browser, url: string, looks: Looks = 'wide and light'): Promise<WatchedPage> {
    const page = await browser.newPage(shown[looks]);
    const watched = new WatchedPage(page, new URL(url).host);
    await page.goto(url);
    await watched.isShown();
    return watched;
  }

  /** Goes to a view as a link does. */
  async go(fragment: string): Promise<void> {
    await this.page.evaluate(`location.hash = ${JSON.stringify(fragment)}`);
    await this.isShown();
  }

  /** Waits until nothing is asked any more. */
  async isShown(): Promise<void> {
    await this.page.locator('h1').first().waitFor();
    for (const waiting of ['Asking the node', 'Loading …'])
      await this.page.locator('main').getByText(waiting).first().waitFor({ state: 'detached' });
  }

  async text(selector = 'main'): Promise<string> {
    return await this.page.locator(selector).first().innerText();
  }

  /** Throws when anything went wrong since the page was opened. */
  isClean(where: string): void {
    assert.deepEqual(this.#wrong, [], where);
  }

  /** Forgets what went wrong because the test wanted it to. */
  forgive(): void {
    this.#wrong.length = 0;
  }

  /** Throws what axe-core finds for people who see, hear or move otherwise. */
  async isAccessible(where: string): Promise<void> {
    await isInOrder(this.page, where);
    const cut: unknown = await this.page.evaluate(
      `[...document.querySelectorAll('.scrolls, .scrolls td > div')].filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.innerText.slice(0, 200))`,
    );
    assert.deepEqual(cut, [], `${where}: a table has to be moved sideways, or a cell is cut off`);
  }
}

/** Throws what axe-core finds, and when the page has to be moved sideways. */
export async function isInOrder(page: Page, where: string): Promise<void> {
  // Half a megabyte of program, which stays while the page isn't loaded anew.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe);
  const found: unknown = await page.evaluate(
    `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 200)).join(' | ')))`,
  );
  assert.deepEqual(found, [], where);
  const wide: unknown = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  assert.equal(wide, 0, `${where} has to be moved sideways`);
}

/**
 * A proxy that has a path of its own for a node, which the node does not know. A lying one changes the text of each
 * answer to a POST.
 */
export async function startProxy(
  path: string,
  port: number,
  lie?: (answer: string) => string,
): Promise<{ readonly url: string; readonly server: Server }> {
  const inner = (url = ''): string => (url.startsWith(path) ? url.slice(path.length - 1) : '');
  const server = createServer((asked, answer) => {
    const url = inner(asked.url);
    if (url === '') {
      answer.writeHead(404).end();
      return;
    }
    const handed = request(
      { port, host: '127.0.0.1', path: url, method: asked.method, headers: asked.headers },
      (from) => {
        const status = from.statusCode ?? 500;
        if (lie !== undefined && asked.method === 'POST')
          void text(from).then((told) =>
            answer.writeHead(status, { 'content-type': 'application/json' }).end(lie(told)),
          );
        else from.pipe(answer.writeHead(status, from.headers));
      },
    );
    asked.pipe(handed);
  });
  server.on('upgrade', ({ url, rawHeaders }, socket, head) => {
    const lines = rawHeaders.flatMap((name, k) => (k % 2 === 0 ? [`${name}: ${rawHeaders[k + 1]}`] : []));
    const node = connect(port, '127.0.0.1', () => {
      node.write(`GET ${inner(url)} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
      node.write(head);
      node.pipe(socket).pipe(node);
    });
    for (const end of [node, socket]) end.on('error', () => (node.destroy(), socket.destroy()));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, server };
}
