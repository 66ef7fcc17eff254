import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { systemClock } from '../../../src/base/clock.ts';
import { present } from '../../../src/base/assert.ts';
import type { Certificate } from '../../../src/blocks/finality/certificate.ts';
import { epochVoters, type Voters } from '../../../src/blocks/finality/voters.ts';
import { signWithSecret } from '../../../src/blocks/sign_transaction.ts';
import { ByteWriter } from '../../../src/codec/bytes.ts';
import { sha256Hex } from '../../../src/crypto/hashes.ts';
import type { VoteEvidence } from '../../../src/witness/vote_evidence.ts';
import { voteDigest, type VoteSubject } from '../../../src/blocks/finality/vote.ts';
import { isVoteSigned } from '../../../src/blocks/finality/vote_signature.ts';
import type { VotingSigner } from '../../../src/witness/voting_signer.ts';
import { hasValidSignature, type Alive } from '../../../src/blocks/alive.ts';
import { keySwitchTransaction, type KeySwitch } from '../../../src/blocks/key_switch.ts';
import { packTransaction } from '../../../src/blocks/transaction.ts';
import {
  blockId,
  headerDigest,
  signedBlockHeader,
  type BlockHeader,
  type SignedBlockHeader,
} from '../../../src/blocks/header.ts';
import { blockSigner, verifyTransaction } from '../../../src/blocks/verify.ts';
import { RemoteSigner } from '../../../src/witness/signing/remote_signer.ts';
import { SignerServer } from '../../../src/witness/signing/signer_server.ts';
import { SigningJournalFile } from '../../../src/witness/signing/signing_journal_file.ts';
import { VotingJournalFile } from '../../../src/witness/signing/voting_journal_file.ts';
import { readJournal } from '../../../src/witness/signing/signing_journal_lines.ts';
import { unlockKeys } from '../../../src/witness/signing/signing_journal_unlock.ts';
import type { SignAnswer } from '../../../src/witness/sign_answer.ts';
import { LocalSigner } from '../../../src/witness/local_signer.ts';
import { testKey, testSecret } from '../../builders/chain.ts';
import { switchTerms } from '../../builders/key_switch.ts';
import { silentLog } from '../../builders/silent_log.ts';
import { waitUntil } from '../../outside/wait_until.ts';

const folder = mkdtempSync(join(tmpdir(), 'pharos-signer-'));
const [CHAIN, OTHER] = ['ab'.repeat(32), 'cd'.repeat(32)];
const KEY = testKey('alice');

const signers: LocalSigner[] = [];

after(() => {
  for (const signer of signers) signer.close();
  rmSync(folder, { recursive: true, force: true });
});

function makeHeader(timestamp: number, previous = '01'.repeat(20)): BlockHeader {
  const transaction_merkle_root = '00'.repeat(20);
  return { previous, timestamp, witness: 'alice', transaction_merkle_root, extensions: [] };
}

async function listening(name: string, standbyKeys: readonly string[] = [], signsVotes = true): Promise<SignerServer> {
  const journal = new SigningJournalFile(join(folder, `${name}.signed`));
  const votes = signsVotes ? new VotingJournalFile(join(folder, `${name}.signed.votes`)) : undefined;
  const signer = new LocalSigner([testSecret('alice')], journal, standbyKeys, votes);
  signers.push(signer);
  const server = new SignerServer({
    ...{ journal, intervalSeconds: 3, clock: systemClock, log: silentLog },
    ...{ path: join(folder, name), signer },
    failed: (error) => assert.fail(String(error)),
  });
  await server.listen();
  return server;
}

async function connected(name: string, chain = CHAIN, intervalSeconds = 3): Promise<RemoteSigner> {
  return await RemoteSigner.connect({
    path: join(folder, name),
    chain,
    intervalSeconds,
    clock: systemClock,
    log: silentLog,
  });
}

async function signed(signer: RemoteSigner, timestamp: number, key = KEY): Promise<SignAnswer> {
  return await new Promise((resolve) =>
    signer.signBlock({ chain: CHAIN, key, timestamp, intervalSeconds: 3 }, makeHeader(timestamp), resolve),
  );
}

test('a signer beside the node signs each slot once, and the node knows its own blocks again', async () => {
  const server = await listening('once');
  assert.equal(statSync(join(folder, 'once')).mode & 0o007, 0, 'nobody but its user and group may connect');
  const node = await connected('once');
  assert.deepEqual([...node.keys], [KEY]);
  const answer = await signed(node, 3000);
  assert.ok(answer.kind === 'signed');
  assert.equal(blockSigner({ header: { ...makeHeader(3000), witness_signature: answer.signature } }), KEY);
  assert.equal(
    node.journal.signedDigest(CHAIN, KEY, 1000),
    Buffer.from(headerDigest(makeHeader(3000))).toString('hex'),
  );
  for (const time of [3000, 3002, 2997]) {
    const refused = await signed(node, time);
    assert.deepEqual([refused.kind, refused.kind === 'refused' && refused.code], ['refused', 'slot_already_signed']);
  }
  const strange = await signed(node, 6000, testKey('bob'));
  assert.deepEqual(strange.kind === 'refused' && strange.code, 'unknown_key');
  node.close();
  await server.close();
});

test('a switch is signed to a standby that the signer’s own operator has named, and the signer puts it together itself', async () => {
  const server = await listening('switching', [testKey('carol')]);
  const node = await connected('switching');
  const asked = async (terms: KeySwitch): Promise<SignAnswer> =>
    await new Promise((resolve) => node.signSwitch(CHAIN, terms, resolve));
  const terms = switchTerms('alice', 'carol', 1_800_000_000);
  const answer = await asked(terms);
  assert.ok(answer.kind === 'signed');
  const packed = packTransaction({ ...keySwitchTransaction(terms), signatures: [answer.signature] });
  assert.deepEqual(verifyTransaction(CHAIN, packed).signers, [KEY]);
  for (const [wrong, code] of [
    [switchTerms('alice', 'bob', 1_800_000_000), 'unknown_standby'],
    [switchTerms('bob', 'carol', 1_800_000_000), 'unknown_key'],
  ] as const) {
    const refused = await asked(wrong);
    assert.equal(refused.kind === 'refused' && refused.code, code);
  }
  node.close();
  await server.close();
});

test('what was signed and what is locked is known after the signer and the node have started again', async () => {
  const server = await listening('again');
  const node = await connected('again');
  await signed(node, 3000);
  node.journal.lock({ chain: CHAIN, key: KEY, slot: 1001, digest: '9a'.repeat(32), id: '78'.repeat(20) });
  const refused = await signed(node, 6000);
  assert.deepEqual(refused.kind === 'refused' && refused.code, 'key_locked');
  node.close();
  await server.close();
  const later = await listening('again');
  const back = await connected('again');
  assert.deepEqual(
    [back.journal.lastSlot(CHAIN, KEY), back.journal.foreignLock(CHAIN, KEY)?.slot, back.journal.isDamaged],
    [1000, 1001, false],
  );
  back.close();
  await waitUntil('the free place', async () => {
    const other = await connected('again', OTHER).catch(() => undefined);
    assert.equal(other?.journal.lastSlot(OTHER, KEY), undefined);
    other?.close();
    return other && true;
  });
  await later.close();
});

test('what its operator unlocks at the signer signs again without a start of either, also when the signer was gone meanwhile', async () => {
  const foreign = { chain: CHAIN, key: KEY, slot: 1001, digest: '9a'.repeat(32), id: '78'.repeat(20) };
  const [server, path] = [await listening('unlocking'), join(folder, 'unlocking.signed')];
  const node = await connected('unlocking');
  const isLocked = (): boolean => node.journal.foreignLock(CHAIN, KEY) !== undefined;
  node.journal.lock(foreign);
  const locked = await signed(node, 6000);
  assert.equal(locked.kind === 'refused' && locked.code, 'key_locked');
  unlockKeys(path, [foreign]);
  await waitUntil('the news', () => !isLocked() || undefined);
  assert.equal((await signed(node, 6000)).kind, 'signed');
  node.journal.lock({ ...foreign, slot: 2001 });
  await signed(node, 9000);
  await server.close();
  unlockKeys(path, [foreign]);
  const back = await listening('unlocking');
  await waitUntil('the news again', () => !isLocked() || undefined);
  await back.close();
  node.journal.lock({ ...foreign, slot: 3001 });
  const third = await listening('unlocking');
  await waitUntil('the lock of the time without a signer', () => lockedSlots(path).includes(3001) || undefined);
  assert.ok(isLocked());
  node.close();
  await third.close();
});

/** The slots of the foreign blocks that a journal names. */
function lockedSlots(path: string): number[] {
  return readJournal(path).lines.flatMap((line) => (line.kind === 'foreign' ? [line.slot] : []));
}

test('while the signer is gone nobody waits for it, and when it is back it signs', async () => {
  const server = await listening('gone');
  const node = await connected('gone');
  await server.close();
  const answers: SignAnswer[] = [];
  const ask = (timestamp: number): void =>
    node.signBlock(
      { chain: CHAIN, key: KEY, timestamp, intervalSeconds: 3 },
      makeHeader(timestamp),
      (answer) => void answers.push(answer),
    );
  await waitUntil('the loss', () => {
    ask(3000);
    return true;
  });
  const back = await listening('gone');
  let timestamp = 6000;
  await waitUntil('a signature', () => {
    ask((timestamp += 3));
    return answers.some(({ kind }) => kind === 'signed') || undefined;
  });
  node.close();
  await back.close();
});

test('a signer signs as often as it is asked that a witness is there, for its own chain, and with its own keys alone', async () => {
  const server = await listening('alive');
  const node = await connected('alive');
  const said: Alive = { witness: 'alice', key: KEY, slot: 600_000_000, head: '000003e8'.padEnd(40, '5') };
  const sign = async (alive: Alive): Promise<string> =>
    await new Promise((resolve) => node.signAlive(OTHER, alive, resolve));
  for (const slot of [said.slot, said.slot, said.slot - 1]) {
    const signature = await sign({ ...said, slot });
    assert.ok(
      hasValidSignature(CHAIN, { ...said, slot, signature }),
      'of the chain that it serves, whatever it is asked',
    );
  }
  assert.equal(node.journal.lastSlot(CHAIN, KEY), undefined, 'no slot is used up');
  let isSigned = false;
  node.signAlive(CHAIN, { ...said, key: testKey('bob') }, () => void (isSigned = true));
  assert.equal((await signed(node, 3000)).kind, 'signed', 'the connection goes on');
  assert.ok(!isSigned);
  node.close();
  await server.close();
});

test('two nodes that take the signer from each other, each with blocks of its own, get one signature for each slot', async () => {
  const server = await listening('turns');
  for (let slot = 1000; slot < 1005; slot++) {
    const signatures: BlockHeader[] = [];
    const asks = [1, 2, 1, 3, 2].map((branch) => makeHeader(slot * 3, `0${branch}`.repeat(20)));
    for (const header of asks) {
      const node = await waitUntil('the free place', () => connected('turns').catch(() => undefined));
      const answer = await new Promise<SignAnswer>((resolve) =>
        node.signBlock({ chain: CHAIN, key: KEY, timestamp: header.timestamp, intervalSeconds: 3 }, header, resolve),
      );
      if (answer.kind === 'signed') signatures.push(header);
      else assert.equal(answer.code, 'slot_already_signed');
      // The other one comes while this one is still there, and is turned away.
      await assert.rejects(connected('turns'), { code: 'configuration', message: /serves another node/ });
      node.close();
    }
    assert.deepEqual(signatures, asks.slice(0, 1));
  }
  await server.close();
});

test('one node at a time is served, with its own block interval, and nonsense ends the connection', async () => {
  const server = await listening('one');
  await assert.rejects(connected('one', CHAIN, 1), { code: 'configuration', message: /slots of 3 seconds/ });
  const node = await waitUntil('the free place', () => connected('one').catch(() => undefined));
  await assert.rejects(connected('one'), { code: 'configuration', message: /serves another node/ });
  await assert.rejects(listening('one'), { code: 'configuration', message: /another signer listens/ });
  node.close();
  for (const line of [
    'nonsense',
    '{"kind":"sign"}',
    '{"kind":"sign_alive","number":1,"alive":{}}',
    `{"kind":"lock","foreign":${JSON.stringify({ chain: CHAIN, key: testKey('bob'), slot: 7, digest: '9a'.repeat(32), id: '78'.repeat(20) })}}`,
    '{"kind":"sign","number":1,"key":"00","header":"zz"}',
  ]) {
    await waitUntil('the end', async () => {
      const socket = createConnection(join(folder, 'one'), () => void socket.write(`${line}\n`));
      const said: string[] = [];
      socket.on('data', (bytes) => void said.push(bytes.toString()));
      // A signer that closes before it has read all bytes resets the connection.
      socket.on('error', () => undefined);
      await new Promise((resolve) => void socket.once('close', resolve));
      return said.length === 0 || undefined;
    });
  }
  await server.close();
  await assert.rejects(connected('one'), { code: 'configuration', message: /no signer at/ });
  writeFileSync(join(folder, 'file'), 'a key');
  await assert.rejects(listening('file'), { code: 'configuration', message: /is no socket/ });
  assert.equal(readFileSync(join(folder, 'file'), 'utf8'), 'a key');
  await assert.rejects(connected('nowhere'), { code: 'configuration', message: /no signer at/ });
});

const SEVEN = ['alice', 'bob', 'carol'].map(testKey);
const VOTERS = epochVoters(CHAIN, 3, SEVEN);
const START = `00000029${'11'.repeat(16)}`;

function makeSignedHeader(timestamp: number, previous: string): SignedBlockHeader {
  return { ...makeHeader(timestamp, previous), witness_signature: `1f${'00'.repeat(64)}` };
}

const HEADER = makeSignedHeader(300, START);
const NEXT = makeSignedHeader(303, blockId(HEADER));

function makeSubject(header: SignedBlockHeader, view: number): VoteSubject {
  const bytes = new ByteWriter();
  signedBlockHeader.write(bytes, header);
  return {
    ...{
      epoch: 3,
      voters: VOTERS.digest,
      view,
      kind: 'prepare',
      block: blockId(header),
      header: sha256Hex(bytes.finish()),
    },
    ...{ root: '03'.repeat(32), next_voters: '00'.repeat(32) },
  };
}

const VOTE = makeSubject(HEADER, 100);

function makeEvidence(varied: Partial<VoteEvidence> = {}): VoteEvidence {
  return {
    voters: VOTERS.keys,
    start: START,
    boundary: undefined,
    boundary_voters: [],
    above: undefined,
    headers: [HEADER],
    ...varied,
  };
}

/** Signed by all of them. */
function makeCertificate(subject: VoteSubject, voters: Voters = VOTERS): Certificate {
  const digest = voteDigest(CHAIN, subject);
  const names = ['alice', 'bob', 'carol'];
  const secrets = new Map(names.map((name) => [testKey(name), testSecret(name)]));
  const signatures = voters.keys.map((key, voter) => {
    return { voter, signature: present(signWithSecret(digest, secrets.get(key) ?? assert.fail(key)), 'a signature') };
  });
  return { subject, signatures };
}

async function voted(
  voting: VotingSigner,
  subject: VoteSubject,
  evidence = makeEvidence(),
  lock?: Certificate,
): Promise<string> {
  const { epoch, view, block } = subject;
  const record = { begun: 7, signed_first_block: false, last_prepare: { epoch, view, block }, lock };
  const answers = await new Promise<readonly SignAnswer[]>((resolve) =>
    voting.sign([{ key: KEY, subject, record, evidence }], resolve),
  );
  const answer = present(answers[0], 'an answer');
  if (answer.kind === 'refused') return answer.code;
  return isVoteSigned(voteDigest(CHAIN, subject), answer.signature, KEY) ? 'signed' : 'wrong';
}

async function begun(name: string): Promise<{ server: SignerServer; node: RemoteSigner; voting: VotingSigner }> {
  const server = await listening(name);
  const node = await connected(name);
  const voting = node.voting();
  voting.begin(KEY, 7, false);
  assert.equal((await waitUntil('the journal of votes', () => voting.votingRecord(KEY))).begun, 7);
  return { server, node, voting };
}

test('a signer beside the node signs votes that rise, by their own digest, and the node knows them again after a restart', async () => {
  const { server, node, voting } = await begun('votes');
  assert.equal(await voted(voting, VOTE), 'signed');
  assert.equal(await voted(voting, VOTE), 'vote_already_signed');
  const lock = makeCertificate(VOTE);
  assert.equal(await voted(voting, { ...VOTE, kind: 'commit' }, makeEvidence({ headers: [] }), lock), 'signed');
  assert.equal(await voted(voting, { ...VOTE, view: 99 }), 'vote_already_signed');
  node.close();
  const again = await waitUntil('a place at the signer', async () => await connected('votes').catch(() => undefined));
  assert.deepEqual(again.voting().votingRecord(KEY)?.lock, lock);
  again.close();
  await server.close();
});

test('the signer itself looks whether a vote keeps the lock: headers lead there from it, or from a certified block above it', async () => {
  const { server, node, voting } = await begun('locks');
  assert.equal(await voted(voting, VOTE, makeEvidence({ headers: [] })), 'vote_leaves_lock');
  assert.equal(await voted(voting, VOTE, makeEvidence({ headers: [NEXT] })), 'vote_leaves_lock');
  assert.equal(await voted(voting, { ...VOTE, header: '09'.repeat(32) }), 'vote_of_another_header');
  assert.equal(await voted(voting, VOTE, makeEvidence({ voters: VOTERS.keys.slice(1) })), 'evidence_of_other_voters');
  assert.equal(await voted(voting, VOTE), 'signed');
  const lock = makeCertificate(VOTE);
  const few = { ...lock, signatures: lock.signatures.slice(1) };
  const commit: VoteSubject = { ...VOTE, kind: 'commit' };
  assert.equal(await voted(voting, commit, makeEvidence(), few), 'certificate_lacks_votes');
  assert.equal(await voted(voting, commit, makeEvidence(), lock), 'signed');
  const rival = makeSignedHeader(306, START);
  assert.equal(await voted(voting, makeSubject(rival, 101), makeEvidence({ headers: [rival] })), 'vote_leaves_lock');
  assert.equal(
    await voted(voting, makeSubject(NEXT, 102), makeEvidence({ headers: [NEXT] })),
    'signed',
    'it descends from the lock',
  );
  const above = makeCertificate(makeSubject(rival, 103));
  const forged = {
    ...above,
    signatures: above.signatures.map(({ voter }) => ({ voter, signature: `1f${'00'.repeat(64)}` })),
  };
  assert.equal(
    await voted(voting, makeSubject(rival, 104), makeEvidence({ above: forged, headers: [] })),
    'certificate_is_forged',
  );
  assert.equal(await voted(voting, makeSubject(rival, 104), makeEvidence({ above, headers: [] })), 'signed');
  node.close();
  await server.close();
});

test('the voters of an epoch are recorded once; those of the next one by a boundary certificate, and on the word of the node for no epoch with votes', async () => {
  const { server, node, voting } = await begun('epochs');
  assert.equal(await voted(voting, VOTE), 'signed');
  const other = epochVoters(CHAIN, 3, SEVEN.slice(1));
  assert.equal(
    await voted(voting, { ...VOTE, view: 101, voters: other.digest }, makeEvidence({ voters: other.keys })),
    'epoch_of_other_voters',
  );
  assert.equal(
    await voted(voting, { ...VOTE, view: 101 }, makeEvidence({ start: `00000029${'22'.repeat(16)}` })),
    'epoch_of_other_voters',
  );
  const next = epochVoters(CHAIN, 4, SEVEN.slice(1));
  const boundary = makeCertificate({ ...makeSubject(HEADER, 100), kind: 'commit', next_voters: next.digest });
  const shown = { voters: next.keys, start: blockId(HEADER), boundary, boundary_voters: VOTERS.keys, headers: [NEXT] };
  const later = { ...makeSubject(NEXT, 103), epoch: 4, voters: next.digest };
  const unsigned = { ...boundary, signatures: boundary.signatures.slice(1) };
  assert.equal(await voted(voting, later, makeEvidence({ ...shown, boundary: unsigned })), 'certificate_lacks_votes');
  assert.equal(await voted(voting, later, makeEvidence(shown)), 'signed');
  node.close();
  await server.close();
});

test('of a key that somebody else uses the signer signs no vote, and begins its journal once it is unlocked', async () => {
  const { server, node, voting } = await begun('foreign-votes');
  const foreign = { chain: CHAIN, key: KEY, slot: 90, digest: '11'.repeat(32), id: blockId(HEADER) };
  node.journal.lock(foreign);
  assert.equal(await voted(voting, VOTE), 'votes_not_begun');
  assert.equal(voting.votingRecord(KEY), undefined);
  voting.begin(KEY, 95, false);
  assert.equal(await voted(voting, VOTE), 'votes_not_begun');
  assert.equal(voting.votingRecord(KEY), undefined, 'it is still locked');
  unlockKeys(join(folder, 'foreign-votes.signed'), [foreign]);
  const record = await waitUntil('the beginning', () => {
    voting.begin(KEY, 99, false);
    return voting.votingRecord(KEY);
  });
  assert.equal(record.begun, 99);
  assert.equal(await voted(voting, { ...VOTE, view: 120 }), 'signed');
  node.close();
  await server.close();
});

test('a signer of a version that signs no votes is refused where the chain has them, with what to upgrade', async () => {
  const server = await listening('without-votes', [], false);
  const node = await connected('without-votes');
  assert.throws(() => node.voting(), /of a version that signs no votes.*start pharos signer of this version/);
  node.close();
  await server.close();
});
