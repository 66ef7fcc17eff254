import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { voteDigest, type VoteSubject } from '../../src/blocks/finality/vote.ts';
import { signWithSecret } from '../../src/blocks/sign_transaction.ts';
import { encodeVerifiedBlocks } from '../../src/blocks/verified_blocks.ts';
import type { Writer } from '../../src/node/threads/writer/writer.ts';
import type { WriterClient } from '../../src/node/threads/writer/writer_client.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { LocalSigner } from '../../src/witness/local_signer.ts';
import { RemoteSigner } from '../../src/witness/signing/remote_signer.ts';
import { SignerServer } from '../../src/witness/signing/signer_server.ts';
import { SigningJournalFile } from '../../src/witness/signing/signing_journal_file.ts';
import { unlockKeys } from '../../src/witness/signing/signing_journal_unlock.ts';
import { VotingJournalFile } from '../../src/witness/signing/voting_journal_file.ts';
import { GENESIS_TIME, testKey, testParameters, testSecret } from '../builders/chain.ts';
import { directWriter } from '../builders/direct_writer.ts';
import { makeForeignBlock } from '../builders/foreign_block.ts';
import { HandClock } from '../builders/hand_clock.ts';
import { silentLog } from '../builders/silent_log.ts';
import { waitUntil } from '../outside/wait_until.ts';

const folder = mkdtempSync(join(tmpdir(), 'pharos-remote-voter-'));

after(() => rmSync(folder, { recursive: true, force: true }));

/** Votes are two messages there and two back. */
const ANSWER_MS = 30;
const KEY = testKey('initminer');
const parameters = testParameters({ finality: true, max_witnesses: 4, max_voted_witnesses: 4 });
const { chainId } = parameters;

/** Half a second into a slot of a chain that has just begun: a vote that takes its time is not late. */
function clockInSlot(): HandClock {
  return new HandClock((GENESIS_TIME + 60) * 1000 + 500);
}

interface Signer {
  readonly local: LocalSigner;
  readonly server: SignerServer;
}

/** A signer process whose journals lie in files of that name; it listens on the socket `name`. */
async function listening(name: string, clock: HandClock, journalName = name): Promise<Signer> {
  const path = join(folder, `${journalName}.signed`);
  const journal = new SigningJournalFile(path);
  const local = new LocalSigner([testSecret('initminer')], journal, [], new VotingJournalFile(`${path}.votes`));
  const server = new SignerServer({
    ...{ path: join(folder, name), signer: local, journal, intervalSeconds: 3, clock, log: silentLog },
    failed: (error) => assert.fail(String(error)),
  });
  await server.listen();
  return { local, server };
}

interface Node {
  readonly writer: Writer;
  readonly client: WriterClient;
  readonly problems: (readonly string[])[];
}

async function started(name: string, clock: HandClock, store: MemoryStore): Promise<Node> {
  const signer = await waitUntil('a place at the signer', async () => {
    const path = join(folder, name);
    const connected = RemoteSigner.connect({ path, chain: chainId, intervalSeconds: 3, clock, log: silentLog });
    return await connected.catch(() => undefined);
  });
  const problems: (readonly string[])[] = [];
  const { writer, client } = directWriter({
    ...{ parameters, store, clock, signer },
    production: {
      ...{ witnesses: ['initminer'], secrets: [], allowStale: true },
      ...{ requiredParticipation: 0, ownTime: false, everyMs: undefined },
    },
    listener: { voting: ({ problems: wrong }) => void problems.push(wrong) },
  });
  return { writer, client, problems };
}

/** Each slot ends when the signer has answered all that the node has asked. */
async function passSlots(clock: HandClock, node: Node, slots: number): Promise<void> {
  for (let slot = 0; slot < slots; slot++) {
    const before = node.writer.chain.head.number;
    clock.pass(3000);
    await waitUntil('the block of the slot', () => node.writer.chain.head.number > before || undefined);
    await pause(ANSWER_MS);
  }
}

/** The signer's answers may take longer than a slot on a busy machine. */
async function passUntil(clock: HandClock, node: Node, what: string, isSo: () => Promise<boolean>): Promise<void> {
  await waitUntil(what, async () => {
    await passSlots(clock, node, 1);
    return (await isSo()) || undefined;
  });
}

/** Undefined as long as the node doesn't vote. */
async function isWhole({ client }: Node): Promise<boolean | undefined> {
  return (await client.ask({ kind: 'voting' }))?.own[0]?.isWhole;
}

function finalNumber({ writer }: Node): number {
  return writer.chain.head.lastIrreversible;
}

test('a key at a signer process votes once the signer has begun its journal, which holds the signature of block 1', async () => {
  const clock = clockInSlot();
  const { local, server } = await listening('young', clock);
  const node = await started('young', clock, new MemoryStore());
  assert.equal((await node.client.ask({ kind: 'voting' }))?.own.length, 0, 'the signer has not answered yet');
  await passUntil(clock, node, 'a final block', async () => finalNumber(node) > 0);
  // The news of that slot were told before its block was final.
  await passUntil(clock, node, 'no problem', async () => node.problems.at(-1)?.length === 0);
  assert.equal(await isWhole(node), true);
  assert.equal(local.voting(chainId)?.votingRecord(KEY)?.signed_first_block, true);
  await node.client.stop();
  await server.close();
});

test('the word of an operator counts at the signer process, also after later votes', async () => {
  const clock = clockInSlot();
  const store = new MemoryStore();
  const first = await listening('kept', clock);
  const node = await started('kept', clock, store);
  await passSlots(clock, node, 6);
  await node.client.stop();
  await first.server.close();
  const { local, server } = await listening('lost', clock);
  const again = await started('lost', clock, store);
  await passUntil(clock, again, 'the journal', async () => (await isWhole(again)) === false);
  const final = finalNumber(again);
  assert.deepEqual(await again.client.ask({ kind: 'declare_votes_whole' }), [KEY]);
  assert.equal(await isWhole(again), true);
  await passUntil(clock, again, 'another final block', async () => finalNumber(again) > final);
  const kept = local.voting(chainId)?.votingRecord(KEY) ?? assert.fail('no record');
  assert.ok(kept.begun < (GENESIS_TIME + 60) / 3, `begun in ${kept.begun}`);
  await again.client.stop();
  await server.close();
});

test('a foreign block ends the journal of votes at the signer process, which begins anew when the key is unlocked', async () => {
  const clock = clockInSlot();
  const { local, server } = await listening('two', clock);
  const node = await started('two', clock, new MemoryStore());
  await passUntil(clock, node, 'a final block', async () => finalNumber(node) > 0);
  const { chain } = node.writer;
  const final = finalNumber(node);
  await node.client.ask({ kind: 'blocks', verified: encodeVerifiedBlocks([makeForeignBlock(chain, parameters)]) });
  await waitUntil('the end', () => local.voting(chainId)?.votingRecord(KEY) === undefined || undefined);
  const isStopped = async (): Promise<boolean | undefined> =>
    (await node.client.ask({ kind: 'voting' }))?.own[0]?.isStopped;
  for (let slot = 0; slot < 5; slot++) {
    clock.pass(3000);
    await pause(ANSWER_MS);
  }
  assert.deepEqual([await isStopped(), finalNumber(node)], [true, final]);
  unlockKeys(join(folder, 'two.signed'), [{ chain: chainId, key: KEY }]);
  await waitUntil('votes', async () => {
    clock.pass(3000);
    await pause(ANSWER_MS);
    return (await isStopped()) === false || undefined;
  });
  assert.equal(await isWhole(node), false);
  await passUntil(clock, node, 'another final block', async () => finalNumber(node) > final);
  assert.equal(local.voting(chainId)?.votingRecord(KEY)?.signed_first_block, false);
  await node.client.stop();
  await server.close();
});

test('of a key that the signer has begun anew, votes from before the unlocking lock nothing, whatever its operator declares', async () => {
  const clock = clockInSlot();
  const { local, server } = await listening('again', clock);
  const node = await started('again', clock, new MemoryStore());
  await passUntil(clock, node, 'an epoch that a certificate has begun', async () => finalNumber(node) > 4);
  const { chain } = node.writer;
  await node.client.ask({ kind: 'blocks', verified: encodeVerifiedBlocks([makeForeignBlock(chain, parameters)]) });
  await waitUntil('the end', () => local.voting(chainId)?.votingRecord(KEY) === undefined || undefined);
  const voters = chain.voted.votersOf(Math.trunc((chain.head.number - 1) / 4)) ?? assert.fail('no voters');
  clock.pass(3 * 3000);
  unlockKeys(join(folder, 'again.signed'), [{ chain: chainId, key: KEY }]);
  await waitUntil('the beginning', async () => {
    clock.pass(1000);
    await pause(ANSWER_MS);
    return local.voting(chainId)?.votingRecord(KEY) && true;
  });
  await pause(ANSWER_MS);
  assert.deepEqual(await node.client.ask({ kind: 'declare_votes_whole' }), [KEY]);
  const view = Math.trunc(clock.nowMs() / 3000) - 1;
  const subject: VoteSubject = {
    ...{ epoch: voters.epoch, voters: voters.digest, view, kind: 'prepare' },
    ...chain.voted.statedAt(chain.head.number),
  };
  const signature = signWithSecret(voteDigest(chainId, subject), testSecret('initminer')) ?? assert.fail();
  node.client.tellVotes({ kind: 'heard_votes', votes: [{ subject, voter: 0, signature }], certificates: [] });
  assert.equal((await node.client.ask({ kind: 'voting' }))?.own[0]?.isStopped, false);
  assert.equal(await isWhole(node), false, 'that vote is in no journal of this machine');
  assert.equal(node.writer.chain.head.number, chain.head.number);
  await node.client.stop();
  await server.close();
});

test('a node says that it waits for its signer while no journal of votes has begun', async () => {
  const clock = clockInSlot();
  const { server } = await listening('gone', clock);
  const node = await started('gone', clock, new MemoryStore());
  // Nothing of the socket is read meanwhile.
  clock.pass(6000);
  assert.match(node.problems.at(-1)?.join() ?? '', /does not vote yet: the signer has not begun/);
  await node.client.stop();
  await server.close();
});
