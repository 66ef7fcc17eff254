import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { present } from '../../src/base/assert.ts';
import { signatureOf } from '../../src/blocks/sign_transaction.ts';
import { SigningJournalFile } from '../../src/node/signing_journal_file.ts';
import { signRecorded, type SigningRecord } from '../../src/witness/signing_journal.ts';
import { keyOf, openChain, secretOf, testParameters, transactionOn, transferJson } from '../builders/chain.ts';

const folder = mkdtempSync(join(tmpdir(), 'pharos-signed-'));

after(() => rmSync(folder, { recursive: true, force: true }));

const [CHAIN, OTHER] = ['ab'.repeat(32), 'cd'.repeat(32)];
const [KEY, SECOND] = [keyOf('alice'), keyOf('bob')];

function recordOf(slot: number, key = KEY, chain = CHAIN): SigningRecord {
  return { chain, key, slot, digest: '12'.repeat(32), id: '34'.repeat(20), previous: '56'.repeat(20) };
}

/** Writes, and closes again. */
function writing(path: string, ...records: readonly SigningRecord[]): void {
  const journal = new SigningJournalFile(path);
  for (const record of records) journal.record(record);
  journal.close();
}

test('what was signed is known again after a restart, for each key and chain, to its owner only', () => {
  const path = join(folder, 'kept');
  writing(path, recordOf(7), recordOf(9), recordOf(8, SECOND), recordOf(3, KEY, OTHER));
  const journal = new SigningJournalFile(path);
  assert.deepEqual([journal.lastSlot(CHAIN, KEY), journal.lastSlot(CHAIN, SECOND), journal.lastSlot(OTHER, KEY)], [9, 8, 3]);
  assert.equal(journal.lastSlot(OTHER, SECOND), undefined);
  journal.close();
  assert.equal(statSync(path).mode & 0o777, 0o600);
});

test('a line that a failure of power has cut off was signed by nobody; damage before it is refused', () => {
  const path = join(folder, 'torn');
  writing(path, recordOf(7));
  appendFileSync(path, JSON.stringify(recordOf(9)).slice(0, 90));
  writing(path, recordOf(8));
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).slot),
    [7, 8],
  );
  writeFileSync(path, `${lines[0]?.replace('"slot":7', '"slot":"x"')}\n${lines[1]}\n`);
  assert.throws(() => new SigningJournalFile(path), { code: 'damaged_data', message: /line 1 is damaged.*wait a round/ });
  const { slot: _slot, ...withoutSlot } = recordOf(7);
  const { id: _id, ...withoutId } = recordOf(7);
  const wrong = [
    ...[withoutSlot, withoutId, { ...recordOf(7), slot: -1 }, { ...recordOf(7), slot: 7.5 }, { ...recordOf(7), key: KEY.slice(2) }],
    ...[{ ...recordOf(7), id: 7 }, { ...recordOf(7), chain: CHAIN.toUpperCase() }, [recordOf(7)], null, 7, 'nonsense'],
  ];
  for (const text of ['nonsense', '', ...wrong.map((value) => JSON.stringify(value))]) {
    writeFileSync(path, `${text}\n${lines[1]}\n`);
    assert.throws(() => new SigningJournalFile(path), { code: 'damaged_data' }, text);
  }
});

test('a journal that another node writes, too, is used no more', () => {
  const path = join(folder, 'shared');
  const [one, other] = [new SigningJournalFile(path), new SigningJournalFile(path)];
  one.record(recordOf(7));
  assert.throws(() => other.record(recordOf(8)), { code: 'runtime', message: /another node writes/ });
});

test('a long journal is cut down to its newest records, and of a key that rests the last one stays', () => {
  const path = join(folder, 'long');
  writeFileSync(path, '');
  const line = (slot: number): string => `${JSON.stringify(recordOf(slot))}\n`;
  appendFileSync(path, `${JSON.stringify(recordOf(5, SECOND))}\n${Array.from({ length: 16_000 }, (_, slot) => line(slot + 10)).join('')}`);
  writing(path, recordOf(20_000));
  assert.ok(statSync(path).size < 2 * 1024 * 1024);
  const journal = new SigningJournalFile(path);
  assert.deepEqual([journal.lastSlot(CHAIN, KEY), journal.lastSlot(CHAIN, SECOND)], [20_000, 5]);
  journal.close();
});

test('a slot is signed once: another block for it, or for one before it, is refused and costs nothing that is pending', () => {
  const path = join(folder, 'chain');
  const parameters = testParameters();
  const { chainId, blockIntervalSeconds: intervalSeconds } = parameters;
  const secret = secretOf('initminer');
  const journal = new SigningJournalFile(path);
  /** Makes a block for a slot, counted from the head; its id. */
  const sealAt = (chain: ReturnType<typeof openChain>, slot: number): string => {
    const timestamp = chain.slotTime(slot);
    return chain.seal({
      witness: 'initminer',
      timestamp,
      sign: (digest, header) =>
        signRecorded(journal, { chain: chainId, key: keyOf('initminer'), timestamp, intervalSeconds }, header, digest, (bytes) =>
          present(signatureOf(bytes, secret), 'a signature'),
        ),
    }).id;
  };
  const [chain, twin] = [openChain(parameters), openChain(parameters)];
  const id = sealAt(chain, 1);
  assert.equal(JSON.parse(readFileSync(path, 'utf8')).id, id);
  const second = sealAt(chain, 2);
  twin.accept(
    transactionOn(twin, parameters, [transferJson('alice', 'bob', 1000, 'other')], ['alice'], { expiration: twin.head.time + 300 }),
  );
  for (const slot of [1, 2, 3]) assert.throws(() => sealAt(twin, slot), { code: 'slot_already_signed' });
  assert.equal(twin.pendingTransactions.length, 1);
  assert.notEqual(sealAt(twin, 4), second);
  assert.equal(twin.block(1)?.transactions.length, 1);
  journal.close();
});
