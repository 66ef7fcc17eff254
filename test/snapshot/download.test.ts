import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';

import type { Clock } from '../../src/base/clock.ts';
import { systemClock } from '../../src/base/clock.ts';
import { Fault } from '../../src/base/fault.ts';
import { download, fetchText, removeDownload } from '../../src/snapshot/download.ts';
import { FileServer, type ServedFile } from '../builders/file_server.ts';
import { silentLog } from '../builders/silent_log.ts';

const folder = mkdtempSync(join(tmpdir(), 'pharos-download-'));
const path = join(folder, 'file');
const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 7919) % 251));
const etag = '"one"';
let server: FileServer;

/** Pauses are none here; a silent server is waited for as long as ever. */
const clock: Clock = { ...systemClock, after: (ms, run, keeps) => systemClock.after(ms < 20_000 ? 0 : ms, run, keeps) };
const parts = { clock, log: silentLog };

before(async () => {
  server = await FileServer.open();
});

beforeEach(() => {
  removeDownload(path);
  server.asked.length = 0;
});

after(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function fetched(file: ServedFile): Promise<string[]> {
  server.files.set('/file', file);
  try {
    await download(server.url('/file'), path, parts);
  } catch (error) {
    return [error instanceof Error && 'code' in error ? String(error.code) : String(error)];
  }
  return readFileSync(path).equals(bytes) ? ['whole'] : ['other bytes'];
}

test('a file is fetched, and at once it is there no second time', async () => {
  assert.deepEqual(await fetched({ bytes, etag }), ['whole']);
  assert.deepEqual(await fetched({ bytes, etag }), ['whole']);
  assert.deepEqual(server.asked, [undefined]);
});

test('a download that is cut off goes on where it ended, as often as it gets on', async () => {
  assert.deepEqual(await fetched({ bytes, etag, cutAfter: 20_000 }), ['whole']);
  assert.equal(server.asked.length, 15);
  assert.equal(server.asked[1], 'bytes=20000-');
});

test('where the server has no name for the bytes, or gives no parts, it begins anew', async () => {
  assert.deepEqual(await fetched({ bytes, cutAfter: 20_000 }), ['runtime']);
  assert.ok(server.asked.every((range) => range === undefined));
  removeDownload(path);
  assert.deepEqual(await fetched({ bytes, etag, hasRanges: false, cutAfter: 20_000 }), ['runtime']);
  assert.deepEqual(await fetched({ bytes, etag, hasRanges: false }), ['whole']);
});

test('a server that fails is asked again, and what was fetched serves the next start', async () => {
  assert.deepEqual(await fetched({ bytes, etag, cutAfter: 20_000, hasRanges: false }), ['runtime']);
  assert.deepEqual(await fetched({ bytes, status: 503 }), ['runtime']);
  server.asked.length = 0;
  assert.deepEqual(await fetched({ bytes, etag }), ['whole']);
  assert.deepEqual(server.asked, ['bytes=20000-']);
});

test('a file that has become another one is fetched from its beginning', async () => {
  assert.deepEqual(
    await fetched({ bytes: Buffer.alloc(300_000), etag: '"other"', cutAfter: 20_000, hasRanges: false }),
    ['runtime'],
  );
  assert.deepEqual(await fetched({ bytes, etag }), ['whole']);
  // The file of the server is shorter than the part that is here.
  removeDownload(path);
  assert.deepEqual(await fetched({ bytes: Buffer.alloc(400_000), etag, cutAfter: 350_000, hasRanges: false }), [
    'runtime',
  ]);
  assert.deepEqual(await fetched({ bytes, etag }), ['whole']);
});

test('a file that is not there is no reason to ask again', async () => {
  for (const status of [404, 403, 410]) assert.deepEqual(await fetched({ bytes, status }), ['configuration']);
  assert.equal(server.asked.length, 3);
  server.files.clear();
  assert.equal(await fetchText(server.url('/file.sig'), 100, clock), undefined);
});

test('a small file is fetched as text, and a larger one than it may be is none', async () => {
  server.files.set('/file.sig', { bytes: Buffer.from('signature') });
  assert.equal(await fetchText(server.url('/file.sig'), 9, clock), 'signature');
  assert.equal(await fetchText(server.url('/file.sig'), 8, clock), undefined);
});

test('a small file is asked for again where the server is busy or the answer ends early, six times', async () => {
  for (const file of [
    { bytes: Buffer.from('signature'), status: 503 },
    { bytes: Buffer.from('signature'), cutAfter: 3 },
  ]) {
    server.files.set('/file.sig', file);
    await assert.rejects(
      fetchText(server.url('/file.sig'), 100, clock),
      (error) => error instanceof Fault && error.code === 'runtime',
    );
  }
  assert.equal(server.asked.length, 12);
  const text = fetchText(server.url('/file.sig'), 100, {
    ...clock,
    after: (ms, run, keeps) => {
      if (ms < 20_000) server.files.set('/file.sig', { bytes: Buffer.from('signature') });
      return clock.after(ms, run, keeps);
    },
  });
  assert.equal(await text, 'signature');
});

test('what was fetched can be removed without a trace', async () => {
  assert.deepEqual(await fetched({ bytes, etag }), ['whole']);
  removeDownload(path);
  assert.deepEqual([existsSync(path), readdirSync(folder)], [false, []]);
});
