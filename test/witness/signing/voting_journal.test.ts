import assert from 'node:assert/strict';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Refusal } from '../../../src/base/refusal.ts';
import type { Certificate } from '../../../src/blocks/finality/certificate.ts';
import type { VoteKind, VoteSubject } from '../../../src/blocks/finality/vote.ts';
import type { VotingRecord } from '../../../src/blocks/finality/voting_record.ts';
import { SigningJournalFile } from '../../../src/witness/signing/signing_journal_file.ts';
import { unlockKeys } from '../../../src/witness/signing/signing_journal_unlock.ts';
import { VOTES_SUFFIX, VotingJournalFile } from '../../../src/witness/signing/voting_journal_file.ts';
import { requireRising, type KeyRecord } from '../../../src/witness/voting_journal.ts';
import { testKey } from '../../builders/chain.ts';

const folder = mkdtempSync(join(tmpdir(), 'pharos-votes-'));

const journals: VotingJournalFile[] = [];

after(() => {
  for (const journal of journals) journal.close();
  rmSync(folder, { recursive: true, force: true });
});

function opened(...given: ConstructorParameters<typeof VotingJournalFile>): VotingJournalFile {
  const journal = new VotingJournalFile(...given);
  journals.push(journal);
  return journal;
}

const [CHAIN, ELSEWHERE] = ['ab'.repeat(32), 'cd'.repeat(32)];
const [ALICE, BOB] = [testKey('alice'), testKey('bob')];
const BEGUN: VotingRecord = { begun: 90, signed_first_block: false, last_prepare: undefined, lock: undefined };

function makeSubject(kind: VoteKind, epoch: number, view: number, block = view): VoteSubject {
  const id = block.toString(16).padStart(8, '0').padEnd(40, '1');
  const filled = (byte: string): string => byte.repeat(32);
  return {
    epoch,
    voters: filled('01'),
    view,
    kind,
    block: id,
    header: filled('02'),
    root: filled('03'),
    next_voters: filled('00'),
  };
}

function makeLock(epoch: number, view: number): Certificate {
  const signatures = [0, 1, 5].map((voter) => ({ voter, signature: `1f${'ab'.repeat(64)}` }));
  return { subject: makeSubject('prepare', epoch, view), signatures };
}

function prepared(epoch: number, view: number, before = BEGUN): VotingRecord {
  return { ...before, last_prepare: { epoch, view, block: makeSubject('prepare', epoch, view).block } };
}

function locked(epoch: number, view: number): VotingRecord {
  return { ...prepared(epoch, view), lock: makeLock(epoch, view) };
}

function writing(path: string, ...records: readonly KeyRecord[]): void {
  const journal = opened(path);
  for (const record of records) journal.record(CHAIN, [record]);
  journal.close();
}

test('the record of each key on each chain is known again after a restart, to its owner only', () => {
  const path = join(folder, 'kept');
  const first = opened(path);
  first.begin(CHAIN, ALICE, 90, true);
  assert.deepEqual(first.votingRecord(CHAIN, ALICE), { ...BEGUN, signed_first_block: true });
  first.record(CHAIN, [
    { key: ALICE, record: locked(1, 100) },
    { key: BOB, record: prepared(1, 100) },
  ]);
  first.record(ELSEWHERE, [{ key: ALICE, record: prepared(0, 7) }]);
  first.record(CHAIN, [{ key: ALICE, record: prepared(2, 103, locked(1, 100)) }]);
  first.close();
  const journal = opened(path);
  assert.deepEqual(journal.votingRecord(CHAIN, ALICE), prepared(2, 103, locked(1, 100)));
  assert.deepEqual(journal.votingRecord(CHAIN, BOB), prepared(1, 100));
  assert.deepEqual(journal.votingRecord(ELSEWHERE, ALICE), prepared(0, 7));
  assert.deepEqual([journal.votingRecord(ELSEWHERE, BOB), journal.damage], [undefined, undefined]);
  journal.close();
  assert.equal(statSync(path).mode & 0o777, 0o600);
  const locks = readFileSync(path, 'utf8').split('"lock"').length - 1;
  assert.equal(locks, 1, 'a lock is written once, whatever follows it');
});

test('a line that a power failure cut off belongs to a vote that nobody has', () => {
  const path = join(folder, 'torn');
  writing(path, { key: ALICE, record: locked(1, 100) });
  appendFileSync(path, readFileSync(path).subarray(0, 150));
  const torn = opened(path);
  assert.deepEqual([torn.damage, torn.votingRecord(CHAIN, ALICE)], [undefined, locked(1, 100)]);
  torn.record(CHAIN, [{ key: ALICE, record: prepared(1, 101, locked(1, 100)) }]);
  torn.close();
  assert.equal(opened(path).votingRecord(CHAIN, ALICE)?.last_prepare?.view, 101);
});

test('of a damaged journal the readable votes stay, and each key has to begin anew', () => {
  const path = join(folder, 'damaged');
  writing(path, { key: ALICE, record: locked(1, 100) }, { key: ALICE, record: prepared(1, 103, locked(1, 100)) });
  const sound = readFileSync(path, 'utf8');
  const damages = [
    ...['"prepared":{"epoch":-1', '"prepared":{"epoch":1.5', '"prepared":{"epoch":"1"', '"prepared":{"epo":1'].map(
      (to) => sound.replace('"prepared":{"epoch":1', to),
    ),
    ...[
      sound.replace('"begun":90', '"begun":-90'),
      sound.replace('"lock":"', '"lock":"AAAA'),
      sound.replace('"first":false', '"first":0'),
      sound.replace('"first":false', '"ended":false'),
    ],
    `nonsense\n${sound}`,
  ];
  for (const text of damages) {
    writeFileSync(path, text);
    const damaged = opened(path);
    assert.match(damaged.damage ?? '', /line 1 is damaged/);
    assert.equal(damaged.votingRecord(CHAIN, ALICE), undefined, 'nothing is known to be whole');
    damaged.begin(CHAIN, ALICE, 200, false);
    assert.equal(damaged.votingRecord(CHAIN, ALICE)?.last_prepare?.view, 103);
    damaged.close();
    assert.equal(readFileSync(`${path}.damaged`, 'utf8'), text);
    const again = opened(path);
    assert.deepEqual([again.damage, again.votingRecord(CHAIN, ALICE)?.begun], [undefined, 200]);
    again.close();
  }
});

test('of a key whose journal has ended the votes stay, over restarts and shrinking, until it begins anew', () => {
  const path = join(folder, 'ended');
  writing(path, { key: ALICE, record: locked(1, 100) }, { key: BOB, record: prepared(1, 100) });
  const journal = opened(path, 1000);
  journal.end(CHAIN, ALICE);
  journal.record(CHAIN, [{ key: BOB, record: locked(1, 101) }]);
  journal.close();
  const again = opened(path);
  assert.deepEqual([again.damage, again.votingRecord(CHAIN, ALICE)], [undefined, undefined]);
  assert.deepEqual(again.votingRecord(CHAIN, BOB), locked(1, 101));
  again.begin(CHAIN, ALICE, 120, false);
  assert.deepEqual(again.votingRecord(CHAIN, ALICE), { ...locked(1, 100), begun: 120 });
  again.close();
  assert.deepEqual(opened(path).votingRecord(CHAIN, ALICE), { ...locked(1, 100), begun: 120 });
});

test('an unlocked key begins its journal anew, also where the machine has stopped between lock and end, or votes on with another key', () => {
  const path = join(folder, 'unlocked');
  const votes = opened(`${path}${VOTES_SUFFIX}`);
  for (const key of [ALICE, BOB]) votes.begin(CHAIN, key, 90, true);
  votes.record(CHAIN, [{ key: ALICE, record: locked(1, 100) }]);
  const signed = new SigningJournalFile(path);
  signed.lock({ chain: CHAIN, key: ALICE, slot: 101, digest: 'ee'.repeat(32), id: '0a'.repeat(20) });
  signed.close();
  unlockKeys(path, [{ chain: CHAIN, key: ALICE }]);
  assert.equal(opened(`${path}${VOTES_SUFFIX}`).votingRecord(CHAIN, ALICE), undefined);
  votes.record(CHAIN, [{ key: BOB, record: { ...prepared(1, 102), signed_first_block: true } }]);
  assert.equal(votes.votingRecord(CHAIN, ALICE), undefined, 'a node that runs takes the end in');
  votes.begin(CHAIN, ALICE, 110, false);
  const again = opened(`${path}${VOTES_SUFFIX}`);
  assert.deepEqual(again.votingRecord(CHAIN, ALICE), { ...locked(1, 100), begun: 110 });
  assert.equal(again.votingRecord(CHAIN, BOB)?.last_prepare?.view, 102);
  assert.equal(again.damage, undefined);
});

test('a key is unlocked where there is no journal of votes', () => {
  const path = join(folder, 'blocks_only');
  const signed = new SigningJournalFile(path);
  signed.lock({ chain: CHAIN, key: ALICE, slot: 101, digest: 'ee'.repeat(32), id: '0a'.repeat(20) });
  unlockKeys(path, [{ chain: CHAIN, key: ALICE }]);
  assert.equal(signed.foreignLock(CHAIN, ALICE), undefined);
  assert.equal(existsSync(`${path}${VOTES_SUFFIX}`), false);
  signed.close();
});

test('a long journal shrinks to the newest record of each key and forgets none of them', () => {
  const path = join(folder, 'long');
  const journal = opened(path, 20_000);
  journal.record(CHAIN, [{ key: BOB, record: prepared(0, 4) }]);
  for (let view = 5; view < 60; view++) journal.record(CHAIN, [{ key: ALICE, record: locked(1, view) }]);
  journal.close();
  assert(statSync(path).size <= 20_000);
  const again = opened(path);
  assert.deepEqual([again.votingRecord(CHAIN, ALICE), again.votingRecord(CHAIN, BOB)], [locked(1, 59), prepared(0, 4)]);
  again.close();
});

test('a second process that writes the journal is noticed before a vote leaves, and none leaves afterwards', () => {
  const path = join(folder, 'shared');
  const [one, other] = [opened(path), opened(path)];
  other.record(CHAIN, [{ key: ALICE, record: prepared(1, 100) }]);
  assert.throws(
    () => one.record(CHAIN, [{ key: ALICE, record: prepared(1, 101) }]),
    /another node writes this voting journal/,
  );
  assert.throws(() => one.record(CHAIN, [{ key: ALICE, record: prepared(1, 102) }]), /start the node again/);
  one.close();
  other.close();
});

test('prepares rise by epoch, then by view; a commit follows the prepare of its view, once', () => {
  const refusalCode = (before: VotingRecord | undefined, subject: VoteSubject, record: VotingRecord): string => {
    try {
      requireRising(before, { subject, record });
      return 'signed';
    } catch (error) {
      assert(error instanceof Refusal);
      return error.code;
    }
  };
  const prepare = (epoch: number, view: number): string =>
    refusalCode(locked(2, 10), makeSubject('prepare', epoch, view), prepared(epoch, view, locked(2, 10)));
  assert.deepEqual(
    [prepare(2, 9), prepare(2, 10), prepare(1, 99), prepare(2, 11), prepare(3, 1)],
    ['vote_already_signed', 'vote_already_signed', 'vote_already_signed', 'signed', 'signed'],
  );
  assert.equal(refusalCode(BEGUN, makeSubject('prepare', 0, 7), prepared(0, 7)), 'signed');
  const commit = makeSubject('commit', 2, 11);
  assert.equal(refusalCode(prepared(2, 11, locked(2, 10)), commit, locked(2, 11)), 'signed');
  assert.equal(refusalCode(locked(2, 11), commit, locked(2, 11)), 'vote_already_signed', 'a second time');
  assert.equal(
    refusalCode(prepared(2, 12), commit, locked(2, 11)),
    'commit_without_prepare',
    'another view was prepared since',
  );
  assert.equal(
    refusalCode(prepared(2, 11), makeSubject('commit', 2, 11, 77), locked(2, 11)),
    'vote_contradicts_record',
    'another block',
  );
  assert.equal(refusalCode(BEGUN, commit, locked(2, 11)), 'commit_without_prepare');
  for (const subject of [makeSubject('prepare', 0, 7), commit])
    assert.equal(refusalCode(undefined, subject, locked(2, 11)), 'votes_not_begun');
  assert.equal(
    refusalCode(prepared(2, 11), commit, prepared(2, 11)),
    'vote_contradicts_record',
    'the lock would be forgotten',
  );
  assert.equal(refusalCode(prepared(2, 10), makeSubject('prepare', 2, 11), prepared(2, 10)), 'vote_contradicts_record');
  const other = '09'.repeat(32);
  for (const varied of [{ header: other }, { root: other }, { next_voters: other }, { voters: other }])
    assert.equal(
      refusalCode(prepared(2, 11), { ...commit, ...varied }, locked(2, 11)),
      'commit_of_other_statement',
      Object.keys(varied).join(),
    );
  const commits = { ...makeLock(2, 11), subject: commit };
  assert.equal(
    refusalCode(prepared(2, 11), commit, { ...prepared(2, 11), lock: commits }),
    'commit_of_other_statement',
    'commits are no lock',
  );
});
