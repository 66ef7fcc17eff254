import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { present } from '../../../src/base/assert.ts';
import type { Chain } from '../../../src/chain/chain.ts';
import { writeSnapshot } from '../../../src/snapshot/write_snapshot.ts';
import { MemoryStore } from '../../../src/storage/memory.ts';
import { parseCheckpoint } from '../../../src/values/checkpoint.ts';
import { makeTransaction, transferJson } from '../../builders/chain.ts';
import { copyStore as copyOfStore } from '../../builders/copied_store.ts';
import { count } from '../../builders/counts.ts';
import { formSize } from '../../builders/forms.ts';
import { loadedState } from '../../builders/loaded_state.ts';
import {
  copyBlock,
  growSide,
  HERE,
  partedChains,
  partedParameters,
  THERE,
  witnessUpdate,
} from '../../builders/parted_witnesses.ts';
import {
  verifyProof,
  verifyTransactionProof,
  type ProofJson,
  type TransactionProofJson,
  type Trust,
} from '../../builders/proof_verifier.ts';
import { ProvingChain, signingNames, makeTrust } from '../../builders/proving_chain.ts';
import { RandomSource } from '../../builders/random_source.ts';
import { callInSteps, SteppingClock } from '../../builders/stepped_calls.ts';

const ALL = [...HERE, ...THERE];
const parameters = partedParameters({ finality: true });
const ROUND = parameters.genesis.max_witnesses;
const SEEDS = formSize('PHAROS_TEST_SEEDS', { short: 2, long: 20 });
const MUTATIONS = formSize('PHAROS_TEST_MUTATIONS', { short: 800, long: 100_000 });

const folder = mkdtempSync(join(tmpdir(), 'pharos-proofs-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** A chain on which all four witnesses sign, begun for each test. */
function begun(options: { readonly blocksKept?: number; readonly epochsKept?: number } = {}): ProvingChain {
  const store = new MemoryStore();
  partedChains(parameters, store);
  return new ProvingChain(store, parameters, options);
}

/** Blocks by all witnesses, each final at once. */
function growFinal(proving: ProvingChain, blocks: number, keys: Readonly<Record<string, string>> = {}): void {
  for (let block = 0; block < blocks; block++) {
    const [{ number } = { number: 0 }] = growSide(proving.chain, ALL, 1, keys);
    proving.finalise(number);
  }
}

/** Asserts that clients that trust any kept epoch get a proof of each kept block. */
async function assertAllProven(proving: ProvingChain, oldest: number, epochs: readonly number[]): Promise<void> {
  const { chain } = proving;
  const final = chain.head.lastIrreversible;
  for (let number = oldest; number <= final; number++) {
    for (const epoch of epochs) {
      const proven = await proving.prove(number, proving.trust(epoch));
      if (typeof proven === 'string') assert.fail(`block ${number} by epoch ${epoch}: ${proven}`);
      const { header, transactions } = present(chain.block(number), `block ${number}`);
      assert.deepEqual([proven.number, proven.merkleRoot], [number, header.transaction_merkle_root]);
      assert.equal(proven.header.toString('hex', 0, 20), header.previous);
      assert.equal(transactions.length > 0, proven.merkleRoot !== '0'.repeat(40));
    }
  }
}

/** The epochs that a client may trust and prove something by. */
function knownEpochs({ voted, head: { lastIrreversible } }: Chain, from = 0): number[] {
  const newest = Math.trunc((lastIrreversible - 1) / ROUND);
  return Array.from({ length: newest - from + 1 }, (_, at) => from + at).filter(
    (epoch) => voted.votersOf(epoch) !== undefined,
  );
}

test('a chain without finality has nothing to prove, and says so', async () => {
  const plain = new ProvingChain(new MemoryStore(), partedParameters());
  assert.equal(await plain.ask('get_finality'), 'no_finality');
  assert.equal(await plain.ask('get_finality_proof', { block_num: 1, trusted_epoch: 0 }), 'no_finality');
  const params = { transaction_id: '1'.repeat(40), trusted_epoch: 0 };
  assert.equal(await plain.ask('get_transaction_proof', params), 'no_finality');
});

test('every final block of a random chain is proven, through forks, restarts, other keys and blocks that go', async () => {
  const seen = new Map<string, number>();
  for (let seed = 1; seed <= SEEDS; seed++) await proveRandomChain(new RandomSource(seed), seen);
  for (const event of ['block', 'fork', 'key', 'restart', 'final']) assert.ok((seen.get(event) ?? 0) > 0, event);
});

async function proveRandomChain(random: RandomSource, seen: Map<string, number>): Promise<void> {
  const store = new MemoryStore();
  const { there } = partedChains(parameters, store);
  const proving = new ProvingChain(store, parameters, random.chance(50) ? { blocksKept: 10 } : {});
  const keys: Record<string, string> = {};
  for (let turn = 0; turn < 30; turn++) {
    const { chain } = proving;
    const event = random.pick(['block', 'block', 'fork', 'key', 'restart', 'final', 'final']);
    count(seen, event);
    if (event === 'restart') proving.restart();
    if (event === 'final' && chain.head.number > chain.head.lastIrreversible) {
      const { lastIrreversible: final, number } = chain.head;
      // The next epoch's voters vote when the boundary is final.
      const most = Math.min(number, ROUND * (Math.trunc(final / ROUND) + 1));
      proving.finalise(final + 1 + random.roll(most - final));
    }
    if (event === 'key') {
      const [witness, key] = [random.pick(ALL), random.pick(signingNames)];
      const update = makeTransaction(chain, parameters, [witnessUpdate(witness, key)], [witness]);
      chain.accept(update);
      const [block] = growSide(chain, ALL, 1, keys);
      there.push(copyBlock(parameters, present(block, 'a block')));
      keys[witness] = key;
    }
    if (event === 'block')
      for (const block of growSide(chain, ALL, 1 + random.roll(3), keys)) there.push(copyBlock(parameters, block));
    if (event === 'fork') fork(proving, there, random, keys);
  }
  const { chain } = proving;
  const oldest = [...Array(chain.head.number).keys()].findIndex((at) => chain.block(at + 1) !== undefined) + 1;
  await assertAllProven(proving, oldest, knownEpochs(chain));
  const { lastIrreversible: final, number } = chain.head;
  if (number > final) assert.equal(await proving.prove(final + 1, proving.trust(0)), 'block_not_final');
  if (oldest > 1) assert.equal(await proving.prove(oldest - 1, proving.trust(0)), 'pruned');
}

/** Another branch above what is final becomes the longer one. */
function fork(
  { chain }: ProvingChain,
  there: Chain,
  random: RandomSource,
  keys: Readonly<Record<string, string>>,
): void {
  const own = growSide(chain, HERE, 1 + random.roll(2), keys);
  const other = growSide(there, THERE, own.length + 1, keys);
  for (const block of other) chain.push(copyBlock(parameters, block));
  assert.equal(chain.head.id, other.at(-1)?.id);
}

for (const withBlocks of [true, false]) {
  test(`a chain that began with a snapshot ${withBlocks ? 'with' : 'without'} blocks proves what it keeps`, async () => {
    const whole = begun();
    growFinal(whole, 13);
    const path = join(folder, `snapshot-${withBlocks}`);
    await writeSnapshot(path, { store: copyOfStore(whole.store), parameters, genesis: '', withBlocks });
    const young = new ProvingChain(loadedState(path, parameters), parameters);
    const first = young.chain.head.number;
    const epoch = Math.trunc(first / ROUND);
    assert.equal(await young.ask('get_finality'), 'not_proven_yet');
    assert.equal(await young.ask('get_finality_proof', { block_num: first, trusted_epoch: epoch }), 'not_proven_yet');
    for (const block of growSide(whole.chain, ALL, 11)) {
      young.chain.push(copyBlock(parameters, block));
      whole.finalise(block.number);
      young.finalise(block.number);
    }
    const oldest = withBlocks ? 1 : young.chain.head.number - 10;
    await assertAllProven(young, oldest, knownEpochs(young.chain, epoch));
    assert.equal(await young.ask('get_finality_proof', { block_num: first + 1, trusted_epoch: 0 }), 'epoch_not_kept');
    if (!withBlocks) assert.equal(await young.prove(1, young.trust(epoch)), 'pruned');
  });
}

test('what can not be proven yet is refused by its reason', async () => {
  const proving = begun();
  const final = proving.chain.head.number;
  proving.finalise(final - (final % ROUND));
  const state = await proving.state();
  // The epoch has begun, and none of its blocks is final.
  assert.equal(state.epoch, Math.trunc(final / ROUND));
  assert.equal(await proving.prove(1, proving.trust(state.epoch)), 'epoch_not_begun');
  assert.equal(await proving.prove(state.final_block_num + 1, proving.trust(0)), 'block_not_final');
  assert.equal(await proving.prove(4_000_000_000, proving.trust(0)), 'block_not_final');
});

test('the checkpoint that a node tells is one of an epoch that is kept, and proves the newest block', async () => {
  const proving = begun();
  for (const blocks of [4, 7, 22, 40]) {
    growFinal(proving, blocks);
    const { checkpoint, epoch, epoch_blocks, chain_id, final_block_num, certificate } = await proving.state();
    assert.notEqual(certificate, undefined);
    assert.equal(final_block_num, proving.chain.head.number);
    const { now, intervalSeconds } = proving.trust(0);
    const trust = makeTrust(checkpoint, epoch_blocks, { chainId: chain_id, now, intervalSeconds });
    assert.ok(trust.epoch <= epoch && 2 * trust.epoch >= epoch, `epoch ${trust.epoch} of ${epoch}`);
    assert.equal(present(proving.chain.block(trust.epoch * ROUND), 'its block').id, checkpoint.split(':')[1]);
    const proven = await proving.prove(final_block_num, trust);
    assert.equal(Object(proven)['number'], final_block_num);
  }
});

test('behind a block that people have called final the checkpoint is a new one, because no older one leads there', async () => {
  const proving = begun();
  const { chain } = proving;
  growFinal(proving, 24);
  const before = parseCheckpoint((await proving.state()).checkpoint);
  // All voters are others from the next epoch on, and the last block of this one is final by people's word alone.
  const keys = Object.fromEntries(ALL.map((witness, at) => [witness, present(signingNames[at], 'a name')]));
  for (const witness of ALL)
    chain.accept(makeTransaction(chain, parameters, [witnessUpdate(witness, keys[witness] ?? '')], [witness]));
  growSide(chain, ALL, 1);
  while (chain.head.number % ROUND !== 0) growSide(chain, ALL, 1, keys);
  chain.finalise(chain.head.id);
  const named = await proving.state();
  assert.equal(named.certificate, undefined);
  assert.equal(parseCheckpoint(named.checkpoint)?.number, chain.head.number);
  assert.equal(await proving.ask('get_finality_proof', { block_num: 1, trusted_epoch: 0 }), 'not_proven_yet');
  const gap = chain.head.number;
  growFinal(proving, ROUND + 1, keys);
  const told = await proving.state();
  const later = present(parseCheckpoint(told.checkpoint), 'a checkpoint');
  assert.ok(later.number >= gap, `${before?.number}, ${gap}, ${later.number}`);
  const older = { block_num: told.final_block_num, trusted_epoch: present(before, 'a checkpoint').number / ROUND };
  assert.equal(await proving.ask('get_finality_proof', older), 'no_way_from_epoch');
  const proven = await proving.prove(told.final_block_num, proving.trust(later.number / ROUND));
  assert.equal(Object(proven)['number'], told.final_block_num);
});

test('each checkpoint that a node has told proves its newest block, though most epochs since are gone', async () => {
  const random = new RandomSource(64);
  const proving = begun({ epochsKept: 3 });
  const told = new Set<string>();
  const keys: Record<string, string> = {};
  for (let turn = 0; turn < 60; turn++) {
    const { chain } = proving;
    const [witness, key] = [random.pick(ALL), random.pick(signingNames)];
    const changes = turn % 6 === 0;
    if (changes) chain.accept(makeTransaction(chain, parameters, [witnessUpdate(witness, key)], [witness]));
    growFinal(proving, 1, keys);
    if (changes) keys[witness] = key;
    growFinal(proving, random.roll(2 * ROUND), keys);
    told.add((await proving.state()).checkpoint);
  }
  const { chain } = proving;
  const { chain_id: chainId, epoch_blocks, final_block_num, epoch } = await proving.state();
  assert.ok(told.size > 3 && epoch > 60, `${told.size} checkpoints in ${epoch} epochs`);
  const [now, intervalSeconds] = [chain.head.time + 1, parameters.blockIntervalSeconds];
  let steps = 0;
  for (const text of told) {
    let trust = makeTrust(text, epoch_blocks, { chainId, now, intervalSeconds });
    const { since } = trust;
    // Those that are too far away go on from the block that the refusal names.
    for (let isThere = false; !isThere;) {
      const params = { block_num: final_block_num, trusted_epoch: trust.epoch };
      const { result, error } = JSON.parse(await proving.call('get_finality_proof', params));
      isThere = error === undefined;
      if (!isThere) assert.equal(error.data.name, 'checkpoint_too_far');
      const proven = await proving.prove(isThere ? final_block_num : error.data.reached, trust);
      if (typeof proven === 'string') assert.fail(`${text}: ${proven}`);
      const { epoch: reached, voters } = proven;
      trust = { chainId, now, intervalSeconds, since, epoch: reached, voters };
      steps += result?.steps.length ?? 0;
    }
  }
  assert.ok(steps > 0);
});

test('transactions are proven by their branch, in blocks of any number of them', async () => {
  const proving = begun();
  const { chain } = proving;
  for (const size of [1, 2, 3, 5, 8, 21, 200]) {
    const ids = Array.from({ length: size }, (_, at) => {
      const transfer = transferJson('erin', 'bob', 1, `${size} ${at} ${'x'.repeat(at % 900)}`);
      const transaction = makeTransaction(chain, parameters, [transfer], ['erin']);
      chain.accept(transaction);
      return transaction.id;
    });
    growFinal(proving, 1);
    assert.equal(chain.block(chain.head.number)?.transactions.length, size);
    for (const id of size > 21 ? [ids.at(0), ids.at(100), ids.at(-1)] : ids) {
      const params = { transaction_id: present(id, 'an id'), trusted_epoch: 0 };
      const proof = await proving.ask<TransactionProofJson>('get_transaction_proof', params);
      if (typeof proof === 'string') assert.fail(proof);
      const { number } = verifyProof(proof.finality, proving.trust(0));
      assert.equal(number, chain.head.number);
      const packed = verifyTransactionProof(proof, proving.trust(0));
      const sent = chain.block(number)?.transactions.find((each) => each.id === id);
      assert.equal(packed.toString('hex'), Buffer.from(present(sent, 'it').packed).toString('hex'));
    }
  }
  const unknown = { transaction_id: '1'.repeat(40), trusted_epoch: 0 };
  assert.equal(await proving.ask('get_transaction_proof', unknown), 'transaction_not_found');
  const waiting = makeTransaction(chain, parameters, [transferJson('erin', 'bob', 1)], ['erin']);
  chain.accept(waiting);
  assert.equal(
    await proving.ask('get_transaction_proof', { ...unknown, transaction_id: waiting.id }),
    'transaction_not_found',
  );
  growSide(chain, ALL, 1);
  assert.equal(
    await proving.ask('get_transaction_proof', { ...unknown, transaction_id: waiting.id }),
    'block_not_final',
  );
});

test('a block of many transactions is read in several turns, so that nobody waits for a proof', async () => {
  const proving = begun();
  const { chain } = proving;
  const [first] = Array.from({ length: 150 }, (_, at) => {
    const transfer = transferJson('erin', 'bob', 1, `${at} ${'x'.repeat(900)}`);
    const transaction = makeTransaction(chain, parameters, [transfer], ['erin']);
    chain.accept(transaction);
    return transaction.id;
  });
  growFinal(proving, 1);
  let turns = 0;
  const methods = proving.methods({ clock: new SteppingClock(chain.head.time * 1000) });
  const params = { transaction_id: present(first, 'an id'), trusted_epoch: 0 };
  const body = { jsonrpc: '2.0', id: 1, method: 'block_api.get_transaction_proof', params };
  const text = await callInSteps(methods, Buffer.from(JSON.stringify(body)), () => turns++);
  assert.ok('result' in JSON.parse(text.toString()));
  assert.ok(turns >= 8, `${turns} turns`);
});

/** A change of a valid proof, as a text; texts that say the same are none. */
function mutated(random: RandomSource, text: string): string {
  const at = random.roll(text.length);
  const kind = random.roll(5);
  const other = random.pick([...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="{}[],:']);
  if (kind === 0) return text.slice(0, at) + text.slice(at + 1);
  if (kind === 1) return text.slice(0, at) + other + text.slice(at);
  if (kind === 2) return text.slice(0, at) + text.slice(at, at + 4) + text.slice(at);
  const end = at + random.roll(100);
  if (kind === 3 && end < text.length)
    return text.slice(0, at) + (text[end] ?? '') + text.slice(at + 1, end) + (text[at] ?? '') + text.slice(end + 1);
  return text.slice(0, at) + other + text.slice(at + 1);
}

test('no changed proof proves anything', async () => {
  const random = new RandomSource(20_261_127);
  const { texts, trust } = await proofsOfEachKind();
  let refused = 0;
  for (let run = 0; run < MUTATIONS; run++) {
    const valid = random.pick(texts);
    const text = mutated(random, valid);
    if (isTaken(text, trust) && !isEqualJson(text, valid)) assert.fail(`taken: ${text}\nvalid: ${valid}`);
    refused++;
  }
  assert.equal(refused, MUTATIONS);
});

/** Proofs with and without steps, and with changed voters; all are valid for one client. */
async function proofsOfEachKind(): Promise<{ readonly texts: readonly string[]; readonly trust: Trust }> {
  const proving = begun();
  const { chain } = proving;
  growFinal(proving, 8);
  const keys: Record<string, string> = {};
  const epoch = Math.trunc(chain.head.lastIrreversible / ROUND);
  const trust = { ...proving.trust(epoch), now: chain.head.time + 86_400 };
  const texts: string[] = [];
  const keep = async (number: number): Promise<void> => {
    const proof = await proving.ask<ProofJson>('get_finality_proof', { block_num: number, trusted_epoch: epoch });
    if (typeof proof === 'string') assert.fail(proof);
    verifyProof(proof, trust);
    texts.push(JSON.stringify(proof));
  };
  growFinal(proving, 1);
  for (const number of [1, 7, chain.head.number]) await keep(number);
  for (const [index, witness] of ALL.entries()) {
    const key = present(signingNames[index], 'a name');
    chain.accept(makeTransaction(chain, parameters, [witnessUpdate(witness, key)], [witness]));
    growFinal(proving, 1, keys);
    keys[witness] = key;
    growFinal(proving, 2 * ROUND, keys);
    for (const number of [2, chain.head.number]) await keep(number);
  }
  const transfers = ['one', 'two', 'three'].map((memo) =>
    makeTransaction(chain, parameters, [transferJson('erin', 'bob', 1, memo)], ['erin']),
  );
  for (const transfer of transfers) chain.accept(transfer);
  growFinal(proving, 1, keys);
  for (const { id } of transfers) {
    const params = { transaction_id: id, trusted_epoch: epoch };
    const proof = await proving.ask<TransactionProofJson>('get_transaction_proof', params);
    if (typeof proof === 'string') assert.fail(proof);
    verifyTransactionProof(proof, trust);
    texts.push(JSON.stringify(proof));
  }
  assert.ok(texts.some((text) => text.includes('"steps":[]') && text.includes('"trusted"')));
  assert.ok(texts.some((text) => !text.includes('"steps":[]')));
  return { texts, trust };
}

function isTaken(text: string, trust: Trust): boolean {
  try {
    const proof: ProofJson | TransactionProofJson = JSON.parse(text);
    if ('finality' in proof) verifyTransactionProof(proof, trust);
    else verifyProof(proof, trust);
    return true;
  } catch {
    return false;
  }
}

function isEqualJson(text: string, other: string): boolean {
  return JSON.stringify(JSON.parse(text)) === other;
}
