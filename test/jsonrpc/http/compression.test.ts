import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

import { acceptedCoding, Compression, PackedAnswer } from '../../../src/jsonrpc/http/compression.ts';
import { listen, servers } from './servers.ts';

interface Heard {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

function post(port: number, body: string, headers: Readonly<Record<string, string>>): Promise<Heard> {
  return new Promise((resolve, reject) => {
    const asked = request(
      { host: '127.0.0.1', port, method: 'POST', headers: { 'Content-Length': String(body.length), ...headers } },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) }),
        );
      },
    );
    asked.on('error', reject);
    asked.end(body);
  });
}

const unpack: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  identity: (body) => body,
};

for (const [name, open] of servers) {
  test(`${name} compresses answers of 1 KiB and more as their reader accepts it, and no others`, async (t) => {
    const text = (bytes: number): string => JSON.stringify('words '.repeat(bytes).slice(0, bytes - 2));
    // At once, later, and from the cache.
    const { port } = await listen(t, open, {
      compresses: 'all',
      answer(body) {
        const [way = '', bytes = '0'] = body.toString().split(' ');
        const answer = text(Number(bytes));
        return way === 'later' ? Promise.resolve(answer) : answer;
      },
      fromCache(body) {
        const [way = '', bytes = '0'] = Buffer.from(body).toString().split(' ');
        return way === 'cache' ? Buffer.from(text(Number(bytes))) : undefined;
      },
    });
    for (const way of ['now', 'later', 'cache']) {
      for (const bytes of [2, 1023, 1024, 5000, 200_000, 2_000_000]) {
        for (const accepted of ['', 'identity', 'gzip', 'br', 'gzip, deflate, br', 'br;q=0, gzip;q=0.5']) {
          const heard = await post(port, `${way} ${bytes}`, accepted === '' ? {} : { 'Accept-Encoding': accepted });
          const coding = String(heard.headers['content-encoding'] ?? 'identity');
          const isPacked = bytes >= 1024 && (bytes <= 128 * 1024 || way === 'later');
          assert.equal(
            coding,
            (isPacked ? acceptedCoding(accepted) : undefined) ?? 'identity',
            `${way} ${bytes} ${accepted}`,
          );
          assert.equal(unpack[coding]?.(heard.body).toString(), text(bytes));
          if (coding !== 'identity')
            assert.ok(heard.body.length < bytes / 2 && heard.headers['vary'] === 'Accept-Encoding');
        }
      }
    }
  });

  test(`${name} compresses nothing for programs of its own machine, nor where it is off`, async (t) => {
    for (const compresses of ['remote', undefined] as const) {
      const { port } = await listen(t, open, {
        compresses,
        answer: () => JSON.stringify('x'.repeat(5000)),
        fromCache: () => undefined,
      });
      const { headers, body } = await post(port, '{}', { 'Accept-Encoding': 'gzip, br' });
      assert.equal(headers['content-encoding'], undefined);
      assert.equal(body.length, 5002);
    }
  });

  test(`${name} refuses a compressed body and names its coding`, async (t) => {
    const { port } = await listen(t, open);
    for (const coding of ['gzip', 'br', 'x-none']) {
      const { status, headers, body } = await post(port, '{}', { 'Content-Encoding': coding });
      assert.deepEqual([status, headers['accept-encoding']], [415, 'identity']);
      assert.equal(body.toString(), `bodies with Content-Encoding "${coding}" are not taken; send the JSON as it is`);
    }
    const { body } = await post(port, '{}', { 'Content-Encoding': '<b>"' });
    assert.equal(body.toString(), 'bodies with a Content-Encoding are not taken; send the JSON as it is');
  });
}

test('answers to other machines are compressed', () => {
  const compression = new Compression('remote');
  const answer = compression.pack('x'.repeat(2000), { acceptEncoding: 'br', isLocal: false });
  assert.ok(answer instanceof PackedAnswer);
  assert.equal(brotliDecompressSync(answer.body).toString(), 'x'.repeat(2000));
});
