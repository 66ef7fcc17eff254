import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { after, test, type TestContext } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { LARGEST_ANSWER_BYTES } from '../../src/client/answer.ts';
import { NeverSent } from '../../src/client/http_answer.ts';
import { postJson as postOnNode } from '../../src/client/http_post.ts';
import { postJson as postAnywhere } from '../../src/client/portable/http_post.ts';

const servers: Server[] = [];
after(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

interface Served {
  readonly url: string;
  readonly server: Server;
  /** The bodies that came. */
  readonly asked: string[];
}

async function serve(listener: RequestListener): Promise<Served> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      asked.push(body);
      listener(request, response);
    });
  });
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { url: `http://127.0.0.1:${listeningPort(server)}/`, server, asked };
}

function listeningPort(server: { address(): AddressInfo | string | null }): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : assert.fail('it listens nowhere');
}

function never(): AbortSignal {
  return new AbortController().signal;
}

const forms = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync };

for (const [where, postJson] of [
  ['on Node', postOnNode],
  ['in every runtime', postAnywhere],
] as const) {
  test(`${where}: a body comes as it was, however it was compressed for the way, with status and type`, async () => {
    const text = `{"result":"${'ä'.repeat(1000)}"}`;
    const { url, asked } = await serve(({ url: path = '', headers }, response) => {
      const pack = Object.entries(forms).find(([name]) => path === `/${name}`);
      if (pack === undefined) return response.writeHead(418, { 'Content-Type': 'application/json' }).end(text);
      assert.match(headers['accept-encoding'] ?? '', /gzip, deflate/);
      return response.writeHead(200, { 'Content-Encoding': pack[0] }).end(pack[1](text));
    });
    for (const form of Object.keys(forms)) {
      const { status, contentType, body } = await postJson(`${url}${form}`, '"ö"', never());
      assert.deepEqual([status, contentType, Buffer.from(body).toString()], [200, '', text], form);
    }
    const { status, contentType, body } = await postJson(`${url}as-it-is`, Buffer.from('"ö"'), never());
    assert.deepEqual([status, contentType, Buffer.from(body).toString()], [418, 'application/json', text]);
    assert.deepEqual(
      asked,
      Array.from({ length: 4 }, () => '"ö"'),
    );
  });

  test(`${where}: connections serve one post after the other`, async () => {
    const { url, server } = await serve((_, response) => response.end('{}'));
    let connections = 0;
    server.on('connection', () => connections++);
    for (let k = 0; k < 8; k++) await postJson(url, '{}', never());
    assert.ok(connections <= 2, `${connections} connections`);
  });

  test(`${where}: nobody at the address is told from one who may have heard`, async () => {
    const { url, asked } = await serve((_, response) => {
      response.writeHead(200, { 'Content-Length': 100 }).write('{"res');
      setTimeout(() => response.destroy(), 20);
    });
    await assert.rejects(
      postJson(url, '{}', never()),
      (error) => error instanceof Error && !(error instanceof NeverSent),
    );
    assert.equal(asked.length, 1);
    const { url: left, server } = await serve(() => assert.fail('it is closed'));
    server.close();
    await assert.rejects(
      postJson(left, '{}', never()),
      (error) => error instanceof NeverSent && /ECONNREFUSED/.test(error.message),
    );
  });

  test(`${where}: an answer beyond the limit is refused, also where it was small on the way`, async () => {
    const large = Buffer.alloc(LARGEST_ANSWER_BYTES + 1, ' ');
    const { url } = await serve(({ url: path }, response) =>
      path === '/packed'
        ? response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(large))
        : response.end(large),
    );
    for (const path of ['packed', 'plain'])
      await assert.rejects(postJson(`${url}${path}`, '{}', never()), RangeError, path);
  });

  test(`${where}: a place that an answer points to is not asked`, async () => {
    const other = await serve((_, response) => response.end('{}'));
    const { url } = await serve((_, response) => response.writeHead(307, { Location: other.url }).end());
    const outcome = await postJson(url, '{}', never()).then(
      ({ status }) => status,
      () => 'failed',
    );
    assert.ok(outcome === 307 || outcome === 'failed', String(outcome));
    assert.deepEqual(other.asked, []);
  });

  test(`${where}: what a signal ends fails with the reason of the signal, before and behind the head of the answer`, async () => {
    const { url } = await serve(({ url: path }, response) => {
      if (path === '/begun') response.writeHead(200, { 'Content-Length': 100 }).write('{');
    });
    for (const path of ['silent', 'begun']) {
      await assert.rejects(postJson(`${url}${path}`, '{}', AbortSignal.timeout(100)), { name: 'TimeoutError' });
    }
    const abort = new AbortController();
    abort.abort(new RangeError('enough'));
    await assert.rejects(postJson(url, '{}', abort.signal), RangeError);
  });
}

test('who accepts no connection is not there after ten seconds', async (context: TestContext) => {
  const silent = createTcpServer();
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  context.after(() => silent.close());
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const accepted = once(silent, 'connection');
  const failed = assert.rejects(
    postOnNode(`https://127.0.0.1:${listeningPort(silent)}/`, '{}', never()),
    (error) => error instanceof NeverSent && /no connection within 10 s/.test(error.message),
  );
  await accepted;
  context.mock.timers.tick(9_999);
  context.mock.timers.tick(1);
  await failed;
});
