import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import type { FinalityUpdate } from '../../src/p2p/finality/finality_relay.ts';
import type { VerifiedBlock } from '../../src/blocks/block.ts';
import type { Certificate } from '../../src/blocks/finality/certificate.ts';
import { encodeVerifiedBlocks } from '../../src/blocks/verified_blocks.ts';
import { verifyBlock } from '../../src/blocks/verify.ts';
import type { WriterClient } from '../../src/node/threads/writer/writer_client.ts';
import type { Writer } from '../../src/node/threads/writer/writer.ts';
import type { NamedBlock } from '../../src/settings/writer_settings.ts';
import type { ProductionSettings } from '../../src/settings/production_settings.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { LocalSigner } from '../../src/witness/local_signer.ts';
import { SigningJournalFile } from '../../src/witness/signing/signing_journal_file.ts';
import { unlockKeys } from '../../src/witness/signing/signing_journal_unlock.ts';
import { VotingJournalFile } from '../../src/witness/signing/voting_journal_file.ts';
import {
  GENESIS_TIME,
  testKey,
  testKeyText,
  testSecret,
  testParameters,
  makeTransaction,
  openChain,
} from '../builders/chain.ts';
import { type DirectWriterParts, directWriter } from '../builders/direct_writer.ts';
import { makeForeignBlock } from '../builders/foreign_block.ts';
import { HandClock } from '../builders/hand_clock.ts';
import { EvidenceFile } from '../../src/data_folder/evidence_file.ts';
import type { VoteSubject } from '../../src/blocks/finality/vote.ts';
import type { Chain } from '../../src/chain/chain.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import { makeCertificate } from '../builders/certificates.ts';
import { contradictingCertificates } from '../builders/contradictions.ts';
import { partedChains, partedParameters, witnessUpdate } from '../builders/parted_witnesses.ts';

const folder = mkdtempSync(join(tmpdir(), 'pharos-voting-'));

const signers: LocalSigner[] = [];

after(() => {
  for (const signer of signers) signer.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Rounds of four blocks. */
const parameters = testParameters({ finality: true, max_witnesses: 4, max_voted_witnesses: 4 });

const settings: ProductionSettings = {
  ...{
    witnesses: ['initminer'],
    secrets: [],
    allowStale: true,
    requiredParticipation: 0,
    ownTime: false,
    everyMs: undefined,
  },
};

interface Node {
  readonly writer: Writer;
  readonly client: WriterClient;
  readonly news: FinalityUpdate[];
  readonly problems: (readonly string[])[];
  readonly warnings: (readonly string[])[];
  readonly finalisedMs: number[];
}

function started(
  clock: HandClock,
  store: MemoryStore,
  signer?: LocalSigner,
  finalityCheckpoint?: NamedBlock,
  {
    of = parameters,
    hasPeers = false,
    ...more
  }: { readonly of?: ChainParameters; readonly hasPeers?: boolean } & Pick<
    DirectWriterParts,
    'evidence' | 'blocksKept'
  > = {},
): Node {
  const news: FinalityUpdate[] = [];
  const problems: (readonly string[])[] = [];
  const warnings: (readonly string[])[] = [];
  const finalisedMs: number[] = [];
  const { writer, client } = directWriter({
    ...{ parameters: of, store, clock, finalityCheckpoint, ...more },
    ...(signer === undefined ? {} : { production: { ...settings, hasPeers }, signer }),
    listener: {
      finality: (told) => void news.push(...told),
      voting({ problems: wrong, warnings: odd }) {
        problems.push(wrong);
        warnings.push(odd);
      },
      finalised: (afterMs) => void finalisedMs.push(afterMs),
    },
  });
  return { writer, client, news, problems, warnings, finalisedMs };
}

function finalNumber({ writer }: Node): number {
  return writer.chain.head.lastIrreversible;
}

/** A signer whose journals lie in files of that name. */
function makeSigner(name: string, keys: readonly string[] = ['initminer']): LocalSigner {
  const path = join(folder, name);
  const secrets = keys.map((key) => testSecret(key));
  const votes = new VotingJournalFile(`${path}.votes`);
  const signer = new LocalSigner(secrets, new SigningJournalFile(path), [], votes);
  signers.push(signer);
  return signer;
}

/** Half a second before a slot of a chain that has just begun. */
function clockAtStart(): HandClock {
  return new HandClock((GENESIS_TIME + 60) * 1000 - 500);
}

test('where one key votes, each block is final in its slot, over epochs and over a restart, without a network', async () => {
  const [clock, store] = [clockAtStart(), new MemoryStore()];
  const node = started(clock, store, makeSigner('alone'));
  clock.pass(20 * 3000);
  const { number, lastIrreversible } = node.writer.chain.head;
  assert(number >= 18, `${number} blocks`);
  assert.equal(lastIrreversible, number);
  assert.equal(node.writer.chain.voted.finalCertificate?.subject.epoch, Math.trunc((number - 1) / 4));
  assert(
    node.finalisedMs.slice(2).every((ms) => ms < 1000),
    node.finalisedMs.join(),
  );
  await node.client.stop();
  const again = started(clock, store, makeSigner('alone'));
  assert.equal(again.writer.chain.head.lastIrreversible, number, 'what is final is on the disk');
  clock.pass(5 * 3000);
  assert(again.writer.chain.head.number >= number + 4);
  assert.equal(again.writer.chain.head.lastIrreversible, again.writer.chain.head.number);
});

test('a voter whose journal is lost votes again after ten slots, where it is the only one', async () => {
  const [clock, store] = [clockAtStart(), new MemoryStore()];
  const node = started(clock, store, makeSigner('kept'));
  clock.pass(6 * 3000);
  const final = node.writer.chain.head.lastIrreversible;
  await node.client.stop();
  const again = started(clock, store, makeSigner('lost'));
  clock.pass(9 * 3000);
  assert.equal(again.writer.chain.head.lastIrreversible, final, 'not yet');
  clock.pass(5 * 3000);
  assert.equal(again.writer.chain.head.lastIrreversible, again.writer.chain.head.number);
});

test('by the word of its operator a lost journal counts as whole at once', async () => {
  const [clock, store] = [clockAtStart(), new MemoryStore()];
  const node = started(clock, store, makeSigner('first'));
  clock.pass(6 * 3000);
  const final = node.writer.chain.head.lastIrreversible;
  await node.client.stop();
  const again = started(clock, store, makeSigner('declared'));
  clock.pass(3100);
  assert.equal((await again.client.ask({ kind: 'voting' }))?.own[0]?.isWhole, false);
  assert.equal((await again.client.ask({ kind: 'declare_votes_whole' })).length, 1);
  assert.equal((await again.client.ask({ kind: 'voting' }))?.own[0]?.isWhole, true);
  clock.pass(3 * 3000);
  assert(again.writer.chain.head.lastIrreversible > final);
});

test('a voter with peers that has lost all begins its journal by no clock but one that peers confirm', async () => {
  const clock = clockAtStart();
  const witness = started(clock, new MemoryStore(), makeSigner('before'));
  clock.pass(30 * 3000);
  const { chain } = witness.writer;
  const blocks = Array.from({ length: chain.head.number }, (_, index) =>
    verifyBlock(parameters.chainId, chain.block(index + 1) ?? assert.fail()),
  );
  await witness.client.stop();
  const machine = new HandClock(clock.nowMs());
  const again = started(machine, new MemoryStore(), makeSigner('reinstalled'), undefined, { hasPeers: true });
  await again.client.ask({ kind: 'blocks', verified: encodeVerifiedBlocks(blocks) });
  machine.pass(3000);
  assert.match(again.problems.at(-1)?.join() ?? '', /does not vote yet.*confirms the clock/);
  assert.deepEqual((await again.client.ask({ kind: 'voting' }))?.own, []);
  const peers = { peers: 3, inStep: [], sources: [], isBehind: false };
  again.client.tellPeers({ ...peers, clockAheadMs: 3000 });
  machine.pass(3000);
  assert.deepEqual((await again.client.ask({ kind: 'voting' }))?.own, []);
  again.client.tellPeers({ ...peers, clockAheadMs: 0 });
  machine.pass(3000);
  const { own = [] } = (await again.client.ask({ kind: 'voting' })) ?? {};
  assert.deepEqual(
    own.map(({ isWhole }) => isWhole),
    [false],
  );
  await again.client.stop();
});

test('the witness that makes block 1 votes from there on, although no peer is there to confirm its clock', async () => {
  const clock = clockAtStart();
  const node = started(clock, new MemoryStore(), makeSigner('founder'), undefined, { hasPeers: true });
  clock.pass(60_000 + 4 * 3000);
  assert.ok(node.writer.chain.head.number > 0);
  assert.equal(finalNumber(node), node.writer.chain.head.number);
  assert.equal((await node.client.ask({ kind: 'voting' }))?.own[0]?.isWhole, true);
  await node.client.stop();
});

test('a node that makes no blocks hears by certificates what is final, also of blocks that come later', async () => {
  const clock = clockAtStart();
  const witness = started(clock, new MemoryStore(), makeSigner('witness'));
  const follower = started(clock, new MemoryStore());
  clock.pass(10 * 3000);
  const { chain } = witness.writer;
  const blocks = Array.from({ length: chain.head.number }, (_, index) =>
    verifyBlock(parameters.chainId, chain.block(index + 1) ?? assert.fail()),
  );
  const certificates = witness.news.flatMap((news) => (news.kind === 'certificate' ? news.certificate : []));
  await follower.client.ask({ kind: 'blocks', verified: encodeVerifiedBlocks(blocks.slice(0, 6)) });
  follower.client.tellVotes({
    kind: 'heard_votes',
    votes: [],
    certificates: certificates.filter(({ subject }) => subject.epoch === 0),
  });
  assert.equal(finalNumber(follower), 4, 'an epoch ends with its boundary');
  follower.client.tellVotes({ kind: 'heard_votes', votes: [], certificates });
  assert.equal(finalNumber(follower), 6);
  await follower.client.ask({ kind: 'blocks', verified: encodeVerifiedBlocks(blocks.slice(6)) });
  follower.client.tellVotes({ kind: 'heard_votes', votes: [], certificates });
  assert.equal(finalNumber(follower), finalNumber(witness));
  assert.equal(follower.news.filter(({ kind }) => kind === 'vote').length, 0, 'it has no vote');
});

test('while finality stands still, the operator is told since when and whose votes are missing, and no longer once it moves', async () => {
  const [clock, store] = [clockAtStart(), new MemoryStore()];
  const node = started(clock, store, makeSigner('stalled'));
  clock.pass(6 * 3000);
  await node.client.stop();
  const { number } = node.writer.chain.head;
  const follower = started(clock, store);
  clock.pass(22 * 3000);
  const [sentence = ''] = follower.problems.at(-1) ?? [];
  assert.match(
    sentence,
    new RegExp(
      `no block behind ${number} has become final since 2026-.*of 1 voters 0 have voted.*missing are initminer;`,
    ),
  );
  const report = await follower.client.ask({ kind: 'voting' });
  assert.deepEqual([report?.votes.map(({ isMissing }) => isMissing), report?.quorum, report?.voters], [[true], 1, 1]);
  assert((report?.stalledSeconds ?? 0) >= 60);
  assert.equal(report?.stalls, 1);
  assert.deepEqual(
    [report.certificate?.blockNumber, report.certificate?.votes, report.certificate?.time],
    [number, 1, report.stalledSince],
  );
});

test('a node whose blocks are missing fetches them: that its own block is not final means nothing', async () => {
  const [clock, store] = [clockAtStart(), new MemoryStore()];
  const node = started(clock, store, makeSigner('fetching'));
  clock.pass(6 * 3000);
  await node.client.stop();
  const follower = started(clock, store);
  const peers = { peers: 3, clockAheadMs: 0, inStep: [], sources: [] };
  follower.client.tellPeers({ ...peers, isBehind: true });
  clock.pass(30 * 3000);
  assert.deepEqual(follower.problems.at(-1), []);
  follower.client.tellPeers({ ...peers, isBehind: false });
  clock.pass(22 * 3000);
  assert.match(follower.problems.at(-1)?.join() ?? '', /finality stands still/);
});

/** Gives initminer another signing key. */
function replaceKey({ writer: { chain } }: Node, of: ChainParameters, name: string): void {
  chain.accept(makeTransaction(chain, of, [witnessUpdate('initminer', name)], ['initminer']));
}

test('a key that is replaced votes until its epoch ends: the node says so, and that its secret is gone where it is', async () => {
  // Rounds that are long enough for a restart within one.
  const of = testParameters({
    ...{ finality: true, max_witnesses: 40, max_voted_witnesses: 40 },
    ...{ initial_witness_req_vesting_balance: 0, final_witness_req_vesting_balance: 0 },
  });
  const [clock, store] = [clockAtStart(), new MemoryStore()];
  const [old, next] = [testKey('initminer'), testKey('alice')];
  const both = started(clock, store, makeSigner('replaced', ['initminer', 'alice']), undefined, { of });
  clock.pass(4 * 3000);
  assert.deepEqual(both.warnings.at(-1), []);
  replaceKey(both, of, 'alice');
  clock.pass(4 * 3000);
  assert.equal(both.writer.chain.signingKeyOf('initminer'), next);
  assert.equal(finalNumber(both), both.writer.chain.head.number, 'both keys do their work');
  assert.deepEqual(
    (await both.client.ask({ kind: 'voting' }))?.own.map(({ key, isReplaced }) => [key, isReplaced]),
    [[old, true]],
  );
  const replaced = new RegExp(`^${testKeyText('initminer')} was replaced on the chain .* until epoch 1 begins`);
  assert.match(both.warnings.at(-1)?.join() ?? '', replaced);
  await both.client.stop();
  const lacking = started(clock, store, makeSigner('replaced', ['alice']), undefined, { of });
  clock.pass(11 * 3000);
  const stood = finalNumber(lacking);
  assert.deepEqual((await lacking.client.ask({ kind: 'voting' }))?.lacking, [old]);
  assert.match(
    lacking.problems.at(-1)?.join() ?? '',
    /has voted with PHR.*, which votes until epoch 1 .*private-key-file/,
  );
  clock.pass(3 * 3000);
  assert.equal(finalNumber(lacking), stood);
  await lacking.client.stop();
  const again = started(clock, store, makeSigner('replaced', ['initminer', 'alice']), undefined, { of });
  clock.pass(60 * 3000);
  assert.equal(finalNumber(again), again.writer.chain.head.number);
  assert.deepEqual([again.problems.at(-1), again.warnings.at(-1)], [[], []]);
  const { own = [], lacking: none } = (await again.client.ask({ kind: 'voting' })) ?? {};
  assert.deepEqual([own.map(({ key, isReplaced }) => [key, isReplaced]), none], [[[next, false]], []]);
});

/** A node with the blocks of a chain whose rounds have several witnesses, up to the last block that is final. */
async function makeFollower(of: ChainParameters, chain: Chain, evidence: EvidenceFile): Promise<Node> {
  const { max_witnesses: round } = of.genesis;
  const follower = started(new HandClock(chain.headTime * 1000), new MemoryStore(), undefined, undefined, {
    ...{ of, evidence },
  });
  const numbers = Array.from({ length: chain.head.number }, (_, index) => index + 1);
  const blocks = numbers.map((number) => verifyBlock(of.chainId, chain.block(number) ?? assert.fail()));
  await follower.client.ask({ kind: 'blocks', verified: encodeVerifiedBlocks(blocks) });
  for (const number of numbers.filter((each) => each % round === 0)) {
    const certificates = [makeCertificate(chain, of, number)];
    follower.client.tellVotes({ kind: 'heard_votes', votes: [], certificates });
  }
  return follower;
}

test('evidence against voters is told over restarts, as a warning; certificates that contradict each other as a problem', async () => {
  const of = partedParameters({ finality: true });
  const { there: chain } = partedChains(of);
  const evidence = new EvidenceFile(mkdtempSync(join(folder, 'evidence-')), of.chainId);
  const follower = await makeFollower(of, chain, evidence);
  const { epoch = 0 } = (await follower.client.ask({ kind: 'voting' })) ?? {};
  const voters = chain.voted.votersOf(epoch) ?? assert.fail('voters');
  assert.ok(voters.keys.length > 3);
  const { head } = chain.voted;
  const subject: VoteSubject = {
    ...{ epoch, voters: voters.digest, view: head.slot, kind: 'prepare' },
    ...chain.voted.statedAt(chain.head.number),
  };
  const votes = [subject, { ...subject, root: '7'.repeat(64) }].map((stated) => {
    return { subject: stated, voter: 0, signature: '1f'.repeat(65) };
  });
  follower.client.tellVotes({ kind: 'heard_votes', votes, certificates: [] });
  const told = (await follower.client.ask({ kind: 'voting' }))?.evidence.join() ?? '';
  assert.match(told, /^voter \S+ .*has signed two votes that contradict each other/);
  await follower.client.stop();
  const again = await makeFollower(of, chain, evidence);
  assert.match(
    (await again.client.ask({ kind: 'voting' }))?.evidence.join() ?? '',
    /^voter \S+ .*has signed two votes/,
  );
  await again.client.stop();
  evidence.write([contradictingCertificates(of.chainId)]);
  const doubtful = await makeFollower(of, chain, evidence);
  assert.match((await doubtful.client.ask({ kind: 'voting' }))?.evidence.join() ?? '', /^certificates contradict each/);
  await doubtful.client.stop();
});

test('certificates that contradict each other end the writer, and are on the disk before', async () => {
  const clock = clockAtStart();
  const evidence = new EvidenceFile(mkdtempSync(join(folder, 'evidence-')), parameters.chainId);
  const witness = started(clock, new MemoryStore(), makeSigner('lies'), undefined, { evidence });
  clock.pass(3 * 3000);
  const { chain } = witness.writer;
  const certificate = makeCertificate(chain, parameters, chain.head.number);
  const other = { ...certificate, subject: { ...certificate.subject, block: '00000003'.padEnd(40, '7') } };
  assert.throws(
    () => witness.client.tellVotes({ kind: 'heard_votes', votes: [], certificates: [certificate, other] }),
    /certificates contradict each other, so a third of the voters lie/,
  );
  const [kept] = evidence.read().found;
  assert.ok(kept !== undefined && 'certificates' in kept && kept.certificates.length === 2);
  assert.deepEqual(kept.certificates[0]?.signers, [testKey('initminer')]);
  const again = started(clock, new MemoryStore(), undefined, undefined, { evidence });
  clock.pass(3000);
  assert.match(
    again.problems.at(-1)?.join() ?? '',
    /^certificates contradict each other.*then remove .*pharos-evidence.txt/,
  );
  await again.client.stop();
});

test('people name the end of an epoch as final, where its voters are gone; it is refused where it ends none, or another block is final', async () => {
  const clock = clockAtStart();
  const witness = started(clock, new MemoryStore(), makeSigner('named'));
  clock.pass(10 * 3000);
  const { chain } = witness.writer;
  const getBlockId = (number: number): string => chain.block(number)?.id ?? assert.fail(`no block ${number}`);
  const blocks = [1, 2, 3, 4, 5, 6].map((number) =>
    verifyBlock(parameters.chainId, chain.block(number) ?? assert.fail()),
  );
  const follower = started(clock, new MemoryStore(), undefined, { number: 4, id: getBlockId(4) });
  await follower.client.ask({ kind: 'blocks', verified: encodeVerifiedBlocks(blocks) });
  assert.equal(finalNumber(follower), 4);
  const certificates = witness.news.flatMap((news) => (news.kind === 'certificate' ? news.certificate : []));
  follower.client.tellVotes({
    kind: 'heard_votes',
    votes: [],
    certificates: certificates.filter(({ subject }) => subject.epoch === 1),
  });
  assert.equal(finalNumber(follower), 6, 'the next epoch has begun');
  const store = new MemoryStore();
  await started(clock, store, undefined).client.ask({ kind: 'blocks', verified: encodeVerifiedBlocks(blocks) });
  assert.throws(() => started(clock, store, undefined, { number: 5, id: getBlockId(5) }), {
    code: 'configuration',
    message: /does not end an epoch.*multiples of 4/,
  });
  const other = `00000004${'77'.repeat(16)}`;
  const named = started(clock, store, undefined, { number: 4, id: getBlockId(4) });
  assert.equal(finalNumber(named), 4);
  await named.client.stop();
  assert.throws(() => started(clock, store, undefined, { number: 4, id: other }), {
    code: 'configuration',
    message: /is final here with the id/,
  });
});

/** The blocks of a chain whose one witness has voted, and its certificates. */
function makeHistory(name: string, clock: HandClock): { readonly blocks: VerifiedBlock[]; readonly witness: Node } {
  const witness = started(clock, new MemoryStore(), makeSigner(name));
  clock.pass(10 * 3000);
  const { chain } = witness.writer;
  const blocks = Array.from({ length: chain.head.number }, (_, index) =>
    verifyBlock(parameters.chainId, chain.block(index + 1) ?? assert.fail()),
  );
  return { blocks, witness };
}

function heardCertificates({ news }: Node): Certificate[] {
  return news.flatMap((each) => (each.kind === 'certificate' ? each.certificate : []));
}

/** A checkpoint of that block. */
function nameBlock(blocks: readonly VerifiedBlock[], number: number): NamedBlock {
  return { number, id: blocks[number - 1]?.id ?? assert.fail(`no block ${number}`) };
}

test('a checkpoint opens an epoch of imported blocks of which the node keeps only the newest', async () => {
  const clock = clockAtStart();
  const { blocks, witness } = makeHistory('imported', clock);
  const store = new MemoryStore();
  const imported = openChain(parameters, store, new Map(), 1);
  for (const block of blocks) imported.replay([block], { signatures: true });
  const { number } = imported.head;
  const boundary = number - (number % 4);
  assert.ok(boundary < number);
  assert.deepEqual([imported.head.lastIrreversible, imported.block(boundary)], [0, undefined]);
  const node = started(clock, store, undefined, nameBlock(blocks, boundary), { blocksKept: 1 });
  assert.equal(finalNumber(node), boundary);
  node.client.tellVotes({ kind: 'heard_votes', votes: [], certificates: heardCertificates(witness) });
  assert.equal(finalNumber(node), number, 'the epoch goes on with its certificates');
  await node.client.stop();
  const again = started(clock, store, undefined, nameBlock(blocks, boundary), { blocksKept: 1 });
  assert.equal(finalNumber(again), number);
  await again.client.stop();
});

test('a certificate that contradicts a checkpoint stops the node, which names the setting and blames no voter', async () => {
  const clock = clockAtStart();
  const { blocks, witness } = makeHistory('against', clock);
  const evidence = new EvidenceFile(mkdtempSync(join(folder, 'evidence-')), parameters.chainId);
  const checkpoint = nameBlock(blocks, 4);
  const store = new MemoryStore();
  const node = started(clock, store, undefined, checkpoint, { evidence });
  await node.client.ask({ kind: 'blocks', verified: encodeVerifiedBlocks(blocks.slice(0, 6)) });
  assert.equal(finalNumber(node), 4);
  const own = makeCertificate(witness.writer.chain, parameters, 3);
  const other = { ...own, subject: { ...own.subject, block: '00000003'.padEnd(40, '7') } };
  const tell = (certificates: readonly Certificate[]) => (): void =>
    node.client.tellVotes({ kind: 'heard_votes', votes: [], certificates });
  const named = new RegExp(`finality-checkpoint names block 4 ${checkpoint.id} .*${other.subject.block}.*ask their op`);
  assert.throws(tell([other]), named);
  const later = makeCertificate(witness.writer.chain, parameters, 6);
  const further = started(clock, store, undefined, checkpoint, { evidence });
  further.client.tellVotes({ kind: 'heard_votes', votes: [], certificates: [later] });
  assert.equal(finalNumber(further), 6);
  assert.throws(
    () => further.client.tellVotes({ kind: 'heard_votes', votes: [], certificates: [other] }),
    named,
    'also where the next epoch has certificates',
  );
  assert.deepEqual(evidence.read().found, []);
});

test('a certificate that contradicts what was taken without one is no evidence against voters', async () => {
  const clock = clockAtStart();
  const { blocks, witness } = makeHistory('unproved', clock);
  const evidence = new EvidenceFile(mkdtempSync(join(folder, 'evidence-')), parameters.chainId);
  const store = new MemoryStore();
  const named = started(clock, store, undefined, nameBlock(blocks, 4));
  await named.client.ask({ kind: 'blocks', verified: encodeVerifiedBlocks(blocks.slice(0, 6)) });
  await named.client.stop();
  const without = started(clock, store, undefined, undefined, { evidence });
  const own = makeCertificate(witness.writer.chain, parameters, 3);
  const other = { ...own, subject: { ...own.subject, block: '00000003'.padEnd(40, '7') } };
  assert.throws(
    () => without.client.tellVotes({ kind: 'heard_votes', votes: [], certificates: [other] }),
    new RegExp(
      `block 4 ${blocks[3]?.id} can't be undone here, .*a certificate contradicts it: .*begin in another folder`,
    ),
  );
  assert.deepEqual(evidence.read().found, []);
});

async function takeForeignBlock({ client, writer: { chain } }: Node): Promise<void> {
  await client.ask({ kind: 'blocks', verified: encodeVerifiedBlocks([makeForeignBlock(chain, parameters)]) });
}

for (const way of ['at once', 'at the next start'])
  test(`a foreign block stops the votes of its key, and unlocked they begin anew as those of a lost journal: ${way}`, async () => {
    const name = `foreign ${way}`;
    const [clock, store] = [clockAtStart(), new MemoryStore()];
    const node = started(clock, store, makeSigner(name));
    clock.pass(6 * 3000);
    const final = finalNumber(node);
    assert.equal(final, node.writer.chain.head.number);
    await takeForeignBlock(node);
    assert.equal(node.writer.chain.head.number, final + 1);
    clock.pass(30 * 3000);
    assert.equal(finalNumber(node), final, 'another machine may vote for another block');
    assert.deepEqual(await node.client.ask({ kind: 'declare_votes_whole' }), []);
    assert.equal((await node.client.ask({ kind: 'voting' }))?.own[0]?.isStopped, true);
    if (way === 'at the next start') await node.client.stop();
    unlockKeys(join(folder, name), [{ chain: parameters.chainId, key: testKey('initminer') }]);
    const again = way === 'at once' ? node : started(clock, store, makeSigner(name));
    clock.pass(4 * 3000);
    const { own = [] } = (await again.client.ask({ kind: 'voting' })) ?? {};
    assert.deepEqual(
      own.map(({ isStopped, isWhole }) => [isStopped, isWhole]),
      [[false, false]],
    );
    assert.equal(finalNumber(again), final, 'not yet');
    // The key's only voter is certain after ten slots, and makes blocks after a round.
    clock.pass(12 * 3000);
    assert.ok(again.writer.chain.head.number > final + 1);
    assert.equal(finalNumber(again), again.writer.chain.head.number);
    await again.client.stop();
  });

test('a key that is locked has no vote, also after a start, and where it signs no blocks any more', async () => {
  const of = testParameters({
    ...{ finality: true, max_witnesses: 40, max_voted_witnesses: 40 },
    ...{ initial_witness_req_vesting_balance: 0, final_witness_req_vesting_balance: 0 },
  });
  const [clock, store] = [clockAtStart(), new MemoryStore()];
  const keys = ['initminer', 'alice'];
  const signer = makeSigner('locked', keys);
  const node = started(clock, store, signer, undefined, { of });
  clock.pass(4 * 3000);
  replaceKey(node, of, 'alice');
  clock.pass(4 * 3000);
  assert.match(node.warnings.at(-1)?.join() ?? '', /was replaced on the chain .* leave its secret/);
  const final = finalNumber(node);
  const id = node.writer.chain.voted.head.id;
  signer.journal?.lock({ chain: of.chainId, key: testKey('initminer'), slot: 1, digest: '00'.repeat(32), id });
  clock.pass(3000);
  const { own = [], journals } = (await node.client.ask({ kind: 'voting' })) ?? {};
  assert.deepEqual([own[0]?.isStopped, own[0]?.isReplaced], [true, false]);
  assert.deepEqual(
    journals?.map(({ key }) => key),
    [testKey('alice')],
  );
  assert.deepEqual(node.warnings.at(-1), [], 'its secret is of no use to this machine');
  await node.client.stop();
  const again = started(clock, store, makeSigner('locked', keys), undefined, { of });
  clock.pass(4 * 3000);
  assert.ok(again.writer.chain.head.number > final);
  assert.equal(finalNumber(again), final);
  await again.client.stop();
});

test('the word of an operator counts at once when the key was unlocked', async () => {
  const name = 'declared at once';
  const [clock, store] = [clockAtStart(), new MemoryStore()];
  const node = started(clock, store, makeSigner(name));
  clock.pass(6 * 3000);
  await takeForeignBlock(node);
  clock.pass(2 * 3000);
  unlockKeys(join(folder, name), [{ chain: parameters.chainId, key: testKey('initminer') }]);
  assert.deepEqual(await node.client.ask({ kind: 'declare_votes_whole' }), [testKey('initminer')]);
  const [own] = (await node.client.ask({ kind: 'voting' }))?.own ?? [];
  assert.deepEqual([own?.isStopped, own?.isWhole], [false, true]);
  await node.client.stop();
});
