import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { present } from '../../../src/base/assert.ts';
import { signWithSecret } from '../../../src/blocks/sign_transaction.ts';
import { appendSynced } from '../../../src/system/synced_file.ts';
import { SigningJournalFile } from '../../../src/witness/signing/signing_journal_file.ts';
import { unlockingText, unlockKeys } from '../../../src/witness/signing/signing_journal_unlock.ts';
import { signRecorded, type SigningRecord } from '../../../src/witness/signing_journal.ts';
import { testKey, openChain, testSecret, testParameters, makeTransaction, transferJson } from '../../builders/chain.ts';

const folder = mkdtempSync(join(tmpdir(), 'pharos-signed-'));

const journals: SigningJournalFile[] = [];

after(() => {
  for (const journal of journals) journal.close();
  rmSync(folder, { recursive: true, force: true });
});

function opened(...given: ConstructorParameters<typeof SigningJournalFile>): SigningJournalFile {
  const journal = new SigningJournalFile(...given);
  journals.push(journal);
  return journal;
}

const [CHAIN, OTHER] = ['ab'.repeat(32), 'cd'.repeat(32)];
const [KEY, SECOND] = [testKey('alice'), testKey('bob')];

function makeRecord(slot: number, key = KEY, chain = CHAIN): SigningRecord {
  return { chain, key, slot, digest: '12'.repeat(32), id: '34'.repeat(20), previous: '56'.repeat(20) };
}

/** Writes, and closes again. */
function writing(path: string, ...records: readonly SigningRecord[]): void {
  const journal = opened(path);
  for (const record of records) journal.record(record);
  journal.close();
}

test('what was signed is known again after a restart, for each key and chain, to its owner only', () => {
  const path = join(folder, 'kept');
  writing(path, makeRecord(7), makeRecord(9), makeRecord(8, SECOND), makeRecord(3, KEY, OTHER));
  const journal = opened(path);
  assert.deepEqual(
    [journal.lastSlot(CHAIN, KEY), journal.lastSlot(CHAIN, SECOND), journal.lastSlot(OTHER, KEY)],
    [9, 8, 3],
  );
  assert.equal(journal.lastSlot(OTHER, SECOND), undefined);
  journal.close();
  assert.equal(statSync(path).mode & 0o777, 0o600);
});

test('a line that a failure of power has cut off was signed by nobody; damage before it is noticed', () => {
  const path = join(folder, 'torn');
  writing(path, makeRecord(7));
  appendFileSync(path, JSON.stringify(makeRecord(9)).slice(0, 90));
  writing(path, makeRecord(8));
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).slot),
    [7, 8],
  );
  writeFileSync(path, `${lines[0]?.replace('"slot":7', '"slot":"x"')}\n${lines[1]}\n`);
  const damaged = opened(path);
  assert.match(damaged.damage ?? '', /line 1 is damaged/);
  assert.deepEqual([damaged.isDamaged, damaged.lastSlot(CHAIN, KEY)], [true, 8]);
  const { slot: _slot, ...withoutSlot } = makeRecord(7);
  const { id: _id, ...withoutId } = makeRecord(7);
  const wrong = [
    ...[
      withoutSlot,
      withoutId,
      { ...makeRecord(7), slot: -1 },
      { ...makeRecord(7), slot: 7.5 },
      { ...makeRecord(7), key: KEY.slice(2) },
    ],
    ...[
      { ...makeRecord(7), id: 7 },
      { ...makeRecord(7), chain: CHAIN.toUpperCase() },
      [makeRecord(7)],
      null,
      7,
      'nonsense',
    ],
  ];
  for (const text of ['nonsense', '', ...wrong.map((value) => JSON.stringify(value))]) {
    writeFileSync(path, `${text}\n${lines[1]}\n`);
    assert.equal(opened(path).isDamaged, true, text);
  }
});

test('a damaged journal stays as it is until something is signed, and is kept beside the new one', () => {
  const path = join(folder, 'damaged');
  writing(path, makeRecord(7), makeRecord(9));
  appendFileSync(path, 'nonsense\n');
  const text = readFileSync(path, 'utf8');
  opened(path).close();
  assert.equal(readFileSync(path, 'utf8'), text);
  assert.equal(opened(path).isDamaged, true, 'at each start, until then');
  const locking = opened(path);
  locking.lock({ chain: CHAIN, key: SECOND, slot: 8, digest: '9a'.repeat(32), id: '78'.repeat(20) });
  locking.lock({ chain: OTHER, key: KEY, slot: 8, digest: '9a'.repeat(32), id: '78'.repeat(20) });
  unlockKeys(path, [{ chain: OTHER, key: KEY }]);
  assert.deepEqual(
    [locking.foreignLock(CHAIN, SECOND)?.slot, locking.foreignLock(OTHER, KEY)],
    [8, undefined],
    'whoever has it open knows',
  );
  locking.close();
  const waiting = opened(path);
  assert.deepEqual([waiting.isDamaged, waiting.foreignLock(CHAIN, SECOND)?.slot], [true, 8]);
  waiting.close();
  writeFileSync(path, text);
  writing(path, makeRecord(12));
  assert.equal(readFileSync(`${path}.damaged`, 'utf8'), text);
  const journal = opened(path);
  assert.deepEqual([journal.isDamaged, journal.lastSlot(CHAIN, KEY)], [false, 12]);
  assert.equal(journal.signedDigest(CHAIN, KEY, 9), makeRecord(9).digest);
  journal.close();
});

test('a key that somebody else has stays locked across restarts, until it is unlocked, also while a node has the journal open', () => {
  const path = join(folder, 'locked');
  const foreign = { chain: CHAIN, key: KEY, slot: 8, digest: '9a'.repeat(32), id: '78'.repeat(20) };
  const node = opened(path);
  node.record(makeRecord(7));
  node.lock(foreign);
  const other = opened(path);
  const { slot, id } = other.foreignLock(CHAIN, KEY) ?? assert.fail('it is locked');
  assert.deepEqual(
    [slot, id, other.foreignLock(CHAIN, SECOND), other.foreignLock(OTHER, KEY)],
    [8, foreign.id, undefined, undefined],
  );
  const header = {
    previous: '00'.repeat(20),
    timestamp: 30,
    witness: 'alice',
    transaction_merkle_root: '00'.repeat(20),
    extensions: [],
  };
  const slotToSign = { chain: CHAIN, key: KEY, timestamp: 30, intervalSeconds: 3 };
  assert.throws(() => signRecorded(other, slotToSign, header, Buffer.alloc(32), () => assert.fail('not signed')), {
    code: 'key_locked',
  });
  other.close();
  unlockKeys(path, [{ chain: CHAIN, key: KEY }]);
  assert.equal(node.foreignLock(CHAIN, KEY), undefined, 'a node that runs knows');
  node.record(makeRecord(9, SECOND));
  node.lock({ ...foreign, slot: 10 });
  assert.equal(node.foreignLock(CHAIN, KEY)?.slot, 10);
  unlockKeys(path, [{ chain: CHAIN, key: KEY }]);
  node.record(makeRecord(11, SECOND));
  node.close();
  const again = opened(path);
  assert.deepEqual(
    [again.foreignLock(CHAIN, KEY), again.lastSlot(CHAIN, KEY), again.lastSlot(CHAIN, SECOND)],
    [undefined, 7, 11],
  );
  again.close();
});

test('unlocking leaves the file to whoever has it open, however long it is, and takes no record away', () => {
  const path = join(folder, 'open');
  const line = (slot: number): string => `${JSON.stringify(makeRecord(slot, KEY, OTHER))}\n`;
  writing(path, makeRecord(7));
  const node = opened(path);
  const keys = [{ chain: CHAIN, key: SECOND }];
  const { ino } = statSync(path);
  // The node signs while the operator unlocks.
  const text = unlockingText(path, keys);
  node.record(makeRecord(9));
  appendSynced(path, text);
  node.record(makeRecord(11));
  node.close();
  appendFileSync(path, Array.from({ length: 20_000 }, (_, slot) => line(slot)).join(''));
  const before = readFileSync(path, 'utf8');
  unlockKeys(path, keys);
  assert.ok(readFileSync(path, 'utf8').startsWith(before));
  assert.equal(statSync(path).ino, ino);
  const again = opened(path);
  assert.deepEqual([again.lastSlot(CHAIN, KEY), again.isDamaged], [11, false]);
  assert.equal(again.signedDigest(OTHER, KEY, 19_999), makeRecord(1).digest);
  again.close();

  const torn = join(folder, 'open-torn');
  writing(torn, makeRecord(7));
  const other = opened(torn);
  other.lock({ chain: CHAIN, key: KEY, slot: 8, digest: '9a'.repeat(32), id: '78'.repeat(20) });
  other.close();
  appendFileSync(torn, line(9).slice(0, 90));
  unlockKeys(torn, [{ chain: CHAIN, key: KEY }]);
  const whole = opened(torn);
  assert.deepEqual([whole.isDamaged, whole.foreignLock(CHAIN, KEY), whole.lastSlot(CHAIN, KEY)], [true, undefined, 7]);
  whole.close();
});

test('a journal that another node writes, too, is used no more', () => {
  const path = join(folder, 'shared');
  const [one, other] = [opened(path), opened(path)];
  one.record(makeRecord(7));
  assert.throws(() => other.record(makeRecord(8)), { code: 'runtime', message: /another node writes/ });
});

test('a long journal is cut down to its newest records, and of a key that rests the last one stays', () => {
  const path = join(folder, 'long');
  writeFileSync(path, '');
  const line = (slot: number): string => `${JSON.stringify(makeRecord(slot))}\n`;
  appendFileSync(
    path,
    `${JSON.stringify(makeRecord(5, SECOND))}\n${Array.from({ length: 16_000 }, (_, slot) => line(slot + 10)).join('')}`,
  );
  writing(path, makeRecord(20_000));
  assert.ok(statSync(path).size < 2 * 1024 * 1024);
  const journal = opened(path);
  assert.deepEqual([journal.lastSlot(CHAIN, KEY), journal.lastSlot(CHAIN, SECOND)], [20_000, 5]);
  journal.close();
});

test('a slot is signed once: another block for it, or for one before it, is refused and costs nothing that is pending', () => {
  const path = join(folder, 'chain');
  const parameters = testParameters();
  const { chainId, blockIntervalSeconds: intervalSeconds } = parameters;
  const secret = testSecret('initminer');
  const journal = opened(path);
  /** Makes a block for a slot, counted from the head; its id. */
  const sealSlot = (chain: ReturnType<typeof openChain>, slot: number): string => {
    const timestamp = chain.slotTime(slot);
    return chain.seal({
      witness: 'initminer',
      timestamp,
      sign: (digest, header) =>
        signRecorded(
          journal,
          { chain: chainId, key: testKey('initminer'), timestamp, intervalSeconds },
          header,
          digest,
          (bytes) => present(signWithSecret(bytes, secret), 'a signature'),
        ),
    }).id;
  };
  const [chain, twin] = [openChain(parameters), openChain(parameters)];
  const id = sealSlot(chain, 1);
  assert.equal(JSON.parse(readFileSync(path, 'utf8')).id, id);
  const second = sealSlot(chain, 2);
  twin.accept(
    makeTransaction(twin, parameters, [transferJson('alice', 'bob', 1000, 'other')], ['alice'], {
      expiration: twin.head.time + 300,
    }),
  );
  for (const slot of [1, 2, 3]) assert.throws(() => sealSlot(twin, slot), { code: 'slot_already_signed' });
  assert.equal(twin.pendingTransactions.length, 1);
  assert.notEqual(sealSlot(twin, 4), second);
  assert.equal(twin.block(1)?.transactions.length, 1);
  journal.close();
});
