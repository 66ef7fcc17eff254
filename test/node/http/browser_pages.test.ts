import assert from 'node:assert/strict';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { request } from 'node:http';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { BrowserPages, PAGES_FOLDER } from '../../../src/node/http/browser_pages.ts';
import { listen, servers } from '../../jsonrpc/http/servers.ts';

interface Heard {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
}

/** Returns the bytes of an answer, before anybody unpacks them. */
async function get(url: string, headers: Record<string, string> = {}, method = 'GET', body?: string): Promise<Heard> {
  return await new Promise((resolve, reject) => {
    const asked = request(url, { method, headers: { connection: 'close', ...headers } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const pages = new BrowserPages(PAGES_FOLDER);

for (const [name, open] of servers) {
  const start = async (t: Parameters<typeof listen>[0]): Promise<string> =>
    (await listen(t, open, { page: (path, requestSource) => pages.page(path, requestSource) })).url;

  test(`${name}: a browser that opens the address is shown a page, under a policy that lets nothing in from elsewhere`, async (t) => {
    const url = await start(t);
    const { status, headers, body } = await get(url, html);
    assert.equal(status, 200);
    assert.equal(headers['content-type'], 'text/html; charset=utf-8');
    assert.match(
      String(headers['content-security-policy']),
      /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'/,
    );
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['referrer-policy'], 'no-referrer');
    assert.equal(headers['cache-control'], 'no-cache');
    assert.match(body.toString(), /^<!doctype html>/);
    // Nothing of another host, and nothing from the root: a proxy may have a path for this node.
    for (const [, link = ''] of body.toString().matchAll(/(?:href|src)="([^"]+)"/g)) assert.match(link, /^assets\//);
  });

  test(`${name}: what the page loads is there, packed as the browser likes, kept for good, and known again`, async (t) => {
    const url = await start(t);
    const page = (await get(url, html)).body.toString();
    const loaded = [...page.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, link = '']) => link);
    assert.ok(loaded.some((link) => link.endsWith('.js')) && loaded.some((link) => link.endsWith('.css')));
    for (const link of loaded) {
      const plain = await get(url + link);
      assert.equal(plain.status, 200, link);
      assert.equal(plain.headers['content-encoding'], undefined);
      const br = await get(url + link, { 'accept-encoding': 'gzip, deflate, br, zstd' });
      assert.equal(br.headers['content-encoding'], 'br');
      assert.deepEqual(brotliDecompressSync(br.body), plain.body);
      const gz = await get(url + link, { 'accept-encoding': 'gzip, br;q=0' });
      assert.equal(gz.headers['content-encoding'], 'gzip');
      assert.deepEqual(gunzipSync(gz.body), plain.body);
      assert.equal(
        plain.headers['cache-control'],
        link.endsWith('.svg') ? 'no-cache' : 'public, max-age=31536000, immutable',
      );
      const known = await get(url + link, { 'if-none-match': String(plain.headers['etag']) });
      assert.deepEqual([known.status, known.body.length], [304, 0]);
      const head = await get(url + link, {}, 'HEAD');
      assert.deepEqual(
        [head.status, head.headers['content-length'], head.body.length],
        [200, String(plain.body.length), 0],
      );
    }
  });

  test(`${name}: whoever means to call is answered as if there were no pages`, async (t) => {
    const url = await start(t);
    const echo = '{"jsonrpc":"2.0","id":1,"method":"test_api.echo"}';
    const json = { 'content-type': 'application/json', 'content-length': String(echo.length) };
    for (const method of ['POST', 'GET'])
      assert.match((await get(url, { ...html, ...json }, method, echo)).body.toString(), /"result"/);
    const told = await get(url, { accept: '*/*' });
    assert.deepEqual(
      [told.status, told.body.toString()],
      [405, 'calls are sent by POST: send the JSON-RPC request as the body'],
    );
  });

  test(`${name}: no path leads out of the folder of pages, and what is not listed there is not shown`, async (t) => {
    const url = await start(t);
    const odd = [
      '../build_info.json',
      '%2e%2e/build_info.json',
      'list.json',
      'LICENSES',
      'index.html.br',
      'assets',
      'assets/',
      'constructor',
      '__proto__',
      '//etc/passwd',
    ];
    for (const path of odd) assert.equal((await get(url + path, html)).status, 404, path);
  });
}

test('without a folder of pages there are none, and nobody is told an error', () => {
  const none = new BrowserPages(pathToFileURL('/nowhere/'));
  assert.equal(
    none.page('/', { accept: 'text/html', acceptEncoding: '', ifNoneMatch: '', address: '127.0.0.1', isLocal: true }),
    undefined,
  );
});
