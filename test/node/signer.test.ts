import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { isAliveSigned, type Alive } from '../../src/blocks/alive.ts';
import { keySwitchTransaction, type KeySwitch } from '../../src/blocks/key_switch.ts';
import { packTransaction } from '../../src/blocks/transaction.ts';
import { headerDigest, type BlockHeader } from '../../src/blocks/header.ts';
import { blockSigner, verifyTransaction } from '../../src/blocks/verify.ts';
import { RemoteSigner } from '../../src/node/signer/remote_signer.ts';
import { SignerServer } from '../../src/node/signer/signer_server.ts';
import { SigningJournalFile } from '../../src/node/signing_journal_file.ts';
import { readJournal } from '../../src/node/signing_journal_lines.ts';
import { unlockKeys } from '../../src/node/signing_journal_unlock.ts';
import type { SignAnswer } from '../../src/witness/block_signer.ts';
import { LocalSigner } from '../../src/witness/local_signer.ts';
import { keyOf, secretOf } from '../builders/chain.ts';
import { switchTerms } from '../builders/key_switch.ts';
import { silentLog } from '../builders/silent_log.ts';
import { waitFor } from '../outside/wait_for.ts';

const folder = mkdtempSync(join(tmpdir(), 'pharos-signer-'));
const [CHAIN, OTHER] = ['ab'.repeat(32), 'cd'.repeat(32)];
const KEY = keyOf('alice');

after(() => rmSync(folder, { recursive: true, force: true }));

function headerAt(timestamp: number): BlockHeader {
  const [previous, transaction_merkle_root] = ['01'.repeat(20), '00'.repeat(20)];
  return { previous, timestamp, witness: 'alice', transaction_merkle_root, extensions: [] };
}

async function listening(name: string, standbyKeys: readonly string[] = []): Promise<SignerServer> {
  const journal = new SigningJournalFile(join(folder, `${name}.signed`));
  const server = new SignerServer({
    ...{ journal, intervalSeconds: 3, clock: systemClock, log: silentLog },
    ...{ path: join(folder, name), signer: new LocalSigner([secretOf('alice')], journal, standbyKeys) },
    failed: (error) => assert.fail(String(error)),
  });
  await server.listen();
  return server;
}

async function connected(name: string, chain = CHAIN, intervalSeconds = 3): Promise<RemoteSigner> {
  return await RemoteSigner.connect({ path: join(folder, name), chain, intervalSeconds, clock: systemClock, log: silentLog });
}

async function signed(signer: RemoteSigner, timestamp: number, key = KEY): Promise<SignAnswer> {
  return await new Promise((resolve) =>
    signer.signBlock({ chain: CHAIN, key, timestamp, intervalSeconds: 3 }, headerAt(timestamp), resolve),
  );
}

test('a signer beside the node signs each slot once, and the node knows its own blocks again', async () => {
  const server = await listening('once');
  assert.equal(statSync(join(folder, 'once')).mode & 0o007, 0, 'nobody but its user and group may connect');
  const node = await connected('once');
  assert.deepEqual([...node.keys], [KEY]);
  const answer = await signed(node, 3000);
  assert.ok(answer.kind === 'signed');
  assert.equal(blockSigner({ header: { ...headerAt(3000), witness_signature: answer.signature } }), KEY);
  assert.equal(node.journal.digestOf(CHAIN, KEY, 1000), Buffer.from(headerDigest(headerAt(3000))).toString('hex'));
  for (const time of [3000, 3002, 2997]) {
    const refused = await signed(node, time);
    assert.deepEqual([refused.kind, refused.kind === 'refused' && refused.code], ['refused', 'slot_already_signed']);
  }
  const strange = await signed(node, 6000, keyOf('bob'));
  assert.deepEqual(strange.kind === 'refused' && strange.code, 'unknown_key');
  node.close();
  await server.close();
});

test('a switch is signed to a standby that the signer’s own operator has named, and the signer puts it together itself', async () => {
  const server = await listening('switching', [keyOf('carol')]);
  const node = await connected('switching');
  const asked = async (terms: KeySwitch): Promise<SignAnswer> => await new Promise((resolve) => node.signSwitch(CHAIN, terms, resolve));
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
  assert.deepEqual([back.journal.lastSlot(CHAIN, KEY), back.journal.lockOf(CHAIN, KEY)?.slot, back.journal.isDamaged], [1000, 1001, false]);
  back.close();
  await waitFor('the free place', async () => {
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
  const isLocked = (): boolean => node.journal.lockOf(CHAIN, KEY) !== undefined;
  node.journal.lock(foreign);
  const locked = await signed(node, 6000);
  assert.equal(locked.kind === 'refused' && locked.code, 'key_locked');
  unlockKeys(path, [foreign]);
  await waitFor('the news', () => !isLocked() || undefined);
  assert.equal((await signed(node, 6000)).kind, 'signed');
  node.journal.lock({ ...foreign, slot: 2001 });
  await signed(node, 9000);
  await server.close();
  unlockKeys(path, [foreign]);
  const back = await listening('unlocking');
  await waitFor('the news again', () => !isLocked() || undefined);
  await back.close();
  node.journal.lock({ ...foreign, slot: 3001 });
  const third = await listening('unlocking');
  await waitFor('the lock of the time without a signer', () => lockedSlots(path).includes(3001) || undefined);
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
    node.signBlock({ chain: CHAIN, key: KEY, timestamp, intervalSeconds: 3 }, headerAt(timestamp), (answer) => void answers.push(answer));
  await waitFor('the loss', () => {
    ask(3000);
    return true;
  });
  const back = await listening('gone');
  let timestamp = 6000;
  await waitFor('a signature', () => {
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
  const sign = async (alive: Alive): Promise<string> => await new Promise((resolve) => node.signAlive(OTHER, alive, resolve));
  for (const slot of [said.slot, said.slot, said.slot - 1]) {
    const signature = await sign({ ...said, slot });
    assert.ok(isAliveSigned(CHAIN, { ...said, slot, signature }), 'of the chain that it serves, whatever it is asked');
  }
  assert.equal(node.journal.lastSlot(CHAIN, KEY), undefined, 'no slot is used up');
  let isSigned = false;
  node.signAlive(CHAIN, { ...said, key: keyOf('bob') }, () => void (isSigned = true));
  assert.equal((await signed(node, 3000)).kind, 'signed', 'the connection goes on');
  assert.ok(!isSigned);
  node.close();
  await server.close();
});

test('one node at a time is served, with its own block interval, and nonsense ends the connection', async () => {
  const server = await listening('one');
  await assert.rejects(connected('one', CHAIN, 1), { code: 'configuration', message: /slots of 3 seconds/ });
  const node = await waitFor('the free place', () => connected('one').catch(() => undefined));
  await assert.rejects(connected('one'), { code: 'configuration', message: /serves another node/ });
  await assert.rejects(listening('one'), { code: 'configuration', message: /another signer listens/ });
  node.close();
  for (const line of [
    'nonsense',
    '{"kind":"sign"}',
    '{"kind":"sign_alive","number":1,"alive":{}}',
    `{"kind":"lock","foreign":${JSON.stringify({ chain: CHAIN, key: keyOf('bob'), slot: 7, digest: '9a'.repeat(32), id: '78'.repeat(20) })}}`,
    '{"kind":"sign","number":1,"key":"00","header":"zz"}',
  ]) {
    await waitFor('the end', async () => {
      const socket = createConnection(join(folder, 'one'), () => void socket.write(`${line}\n`));
      const said: string[] = [];
      socket.on('data', (bytes) => void said.push(bytes.toString()));
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
