import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { NetworkFiles } from '../../../src/node/network/network_files.ts';

const folder = mkdtempSync(join(tmpdir(), 'pharos-network-'));
const [keyFile, peersFile] = [join(folder, 'p2p_key'), join(folder, 'p2p_peers.json')];

after(() => rmSync(folder, { recursive: true, force: true }));

test('a node makes itself a key that only its owner can read, and has it at its next start', () => {
  const made = new NetworkFiles(folder).secret();
  assert.equal(made.length, 32);
  assert.equal(statSync(keyFile).mode & 0o777, 0o600);
  assert.deepEqual(new NetworkFiles(folder).secret(), made);
  const text = readFileSync(keyFile, 'utf8');
  writeFileSync(keyFile, text.slice(1));
  assert.throws(() => new NetworkFiles(folder).secret(), { code: 'damaged_data', message: /p2p_key is damaged/ });
});

test('addresses, bans and anchors are there at the next start, and a damaged file is none', () => {
  assert.deepEqual(new NetworkFiles(folder).peers(), { book: [], bans: [], anchors: [] });
  const kept = {
    book: [{ endpoint: '192.0.2.1:9290', id: 'ab'.repeat(32), reachedMs: 5, from: 'cd'.repeat(32) }],
    bans: [['192.0.2.2', { untilMs: 7, times: 1 }]] as const,
    anchors: [{ host: '192.0.2.1', port: 9290, id: 'ab'.repeat(32) }],
  };
  new NetworkFiles(folder).keep(kept);
  assert.deepEqual(new NetworkFiles(folder).peers(), kept);
  const spoilt = [
    ...[
      { ...kept, book: [{}] },
      { ...kept, book: [{ ...kept.book[0], reachedMs: '5' }] },
      { ...kept, book: [{ ...kept.book[0], id: 'ab' }] },
    ],
    ...[
      { ...kept, bans: [['192.0.2.2']] },
      { ...kept, bans: [null] },
      { ...kept, bans: [[7, { untilMs: 7, times: 1 }]] },
    ],
    ...[{ ...kept, anchors: [{ ...kept.anchors[0], id: 7 }] }, { ...kept, anchors: {} }, { book: kept.book }],
  ];
  for (const text of ['', '{', '{}', 'null', '[]', ...spoilt.map((value) => JSON.stringify(value))]) {
    writeFileSync(peersFile, text);
    assert.deepEqual(new NetworkFiles(folder).peers(), { book: [], bans: [], anchors: [] }, text);
  }
});

test('up to where the folder has followed the chain is there at the next start, and what is no block is forgotten alone', () => {
  const kept = { book: [], bans: [], anchors: [] };
  const followed = { number: 7, id: '00000007'.padEnd(40, 'a') };
  new NetworkFiles(folder).keep({ ...kept, followed });
  assert.deepEqual(new NetworkFiles(folder).peers(), { ...kept, followed });
  for (const spoilt of [{ number: '7', id: followed.id }, { number: 7, id: 'aa' }, 7, null]) {
    writeFileSync(peersFile, JSON.stringify({ ...kept, followed: spoilt }));
    assert.deepEqual(new NetworkFiles(folder).peers(), kept);
  }
});

test('the key may lie elsewhere, for one identity whatever becomes of the data', () => {
  const elsewhere = join(folder, 'elsewhere');
  const secret = new NetworkFiles(join(folder, 'one'), elsewhere).secret();
  assert.deepEqual(new NetworkFiles(join(folder, 'other'), elsewhere).secret(), secret);
  assert.equal(readFileSync(elsewhere, 'utf8').trim(), Buffer.from(secret).toString('hex'));
});
