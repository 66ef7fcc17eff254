import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Chain } from '../../src/chain/chain.ts';
import type { WriterClient } from '../../src/node/threads/writer/writer_client.ts';
import type { Writer } from '../../src/node/threads/writer/writer.ts';
import type { WriterFigures } from '../../src/node/threads/messages.ts';
import { encodeVerifiedBlocks } from '../../src/blocks/verified_blocks.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { LocalSigner } from '../../src/witness/local_signer.ts';
import { testKey, openChain, produce, testSecret, testParameters } from '../builders/chain.ts';
import { directWriter } from '../builders/direct_writer.ts';
import { HandClock } from '../builders/hand_clock.ts';
import { SlowSigner } from '../builders/slow_signer.ts';
import type { ProductionSettings } from '../../src/settings/production_settings.ts';

const parameters = testParameters();

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
  readonly clock: HandClock;
  readonly signer: SlowSigner;
  readonly problems: (readonly string[])[];
  readonly figures: () => Promise<WriterFigures>;
}

/** A witness whose signer answers when it is told to; it begins half a second before a slot. */
function witness(signer = new SlowSigner([testSecret('initminer')])): Node {
  const store = new MemoryStore();
  const first = openChain(parameters, store);
  produce(first);
  const clock = new HandClock(first.slotTime(1) * 1000 - 500);
  const problems: (readonly string[])[] = [];
  const { writer, client } = directWriter({
    ...{ parameters, store, clock, production: settings, signer },
    listener: { production: (said) => void problems.push(said) },
  });
  const figures = async (): Promise<WriterFigures> => await client.ask({ kind: 'figures' });
  return { writer, client, clock, signer, problems, figures };
}

test('nothing waits for a signature: the block is adopted when it comes, within its slot', async () => {
  const { writer, clock, signer, figures } = witness();
  clock.pass(600);
  assert.deepEqual([signer.waiting, writer.chain.head.number], [1, 1]);
  assert.equal((await figures()).pendingTransactions, 0);
  clock.pass(1500);
  signer.answer();
  assert.equal(writer.chain.head.number, 2);
  clock.pass(5000);
  const [told] = (await figures()).witnesses;
  assert.equal(told?.missedSlots, 1, 'the next slot, which nobody has signed');
  assert.equal(told.obstacle, 'unsigned');
});

test('a signature that comes after the end of its slot is of no use, and the slot counts as missed', async () => {
  const { writer, clock, signer, figures } = witness();
  clock.pass(600);
  clock.stall(3000);
  signer.answer();
  assert.equal(writer.chain.head.number, 1);
  clock.pass(1000);
  signer.answer();
  assert.equal(writer.chain.head.number, 2);
  assert.ok(((await figures()).witnesses[0]?.missedSlots ?? 0) >= 1);
});

test('a block of another branch that comes while ours is signed keeps its place, and ours is dropped', async () => {
  const { writer, client, clock, signer } = witness();
  clock.pass(600);
  const other = openChain(parameters);
  produce(other);
  const rival = produce(other);
  await client.ask({ kind: 'blocks', verified: encodeVerifiedBlocks([rival]) });
  assert.equal(writer.chain.head.id, rival.id);
  signer.answer();
  assert.equal(writer.chain.head.id, rival.id);
});

test('a foreign block stops production, is told to the front, and a start with that key is refused', async () => {
  const { writer, client, clock, signer, problems, figures } = witness();
  clock.pass(600);
  signer.answer();
  assert.equal(writer.chain.head.number, 2);
  const other = openChain(parameters);
  produce(other);
  const foreign = produce(other, 2);
  await client.ask({ kind: 'blocks', verified: encodeVerifiedBlocks([foreign]) });
  assert.match(problems.at(-1)?.join() ?? '', /another machine signs/);
  clock.pass(60_000);
  assert.deepEqual([signer.waiting, writer.chain.head.number], [0, 2]);
  assert.equal((await figures()).witnesses[0]?.obstacle, 'foreign');
  assert.equal(signer.journal.foreignLock(parameters.chainId, testKey('initminer'))?.id, foreign.id);
  assert.throws(() => witness(signer), { code: 'key_locked' });
});

/** A witness of a chain whose blocks are final by that rule, of which 92 of the last 128 slots have a block, 71 %. */
function thinWitness(
  confirmations_from_block: number,
  varied: Partial<ProductionSettings>,
): { chain: Chain; clock: HandClock } {
  const thin = testParameters({ confirmations_from_block });
  const store = new MemoryStore();
  const first = openChain(thin, store);
  produce(first);
  produce(first, 37);
  const clock = new HandClock(first.slotTime(1) * 1000 - 500);
  const signer = new LocalSigner([testSecret('initminer')]);
  const { writer } = directWriter({ parameters: thin, store, clock, signer, production: { ...settings, ...varied } });
  clock.pass(5000);
  return { chain: writer.chain, clock };
}

for (const [rule, from, made] of [
  ['a round of blocks', 201_600, 0],
  ['confirmations', 1, 2],
] as const) {
  test(`with 71 % of the slots filled ${made === 0 ? 'no block is' : 'blocks are'} made where ${rule} makes blocks final, unless something else is said`, () => {
    const { chain } = thinWitness(from, { requiredParticipation: undefined });
    assert.equal(chain.head.number - 2, made);
    assert.equal(thinWitness(from, { requiredParticipation: 6700 }).chain.head.number - 2, 2);
    assert.equal(thinWitness(from, { requiredParticipation: 7500 }).chain.head.number - 2, 0);
  });
}

test('where a round of blocks makes blocks final, less than 60 % is refused on a node with peers, unless it is accepted', () => {
  const low = { requiredParticipation: 5900, hasPeers: true };
  assert.throws(() => thinWitness(201_600, low), {
    code: 'configuration',
    message: /required-participation is 59: before block 201600/,
  });
  const accepted = [
    { ...low, requiredParticipation: 6000 },
    { ...low, hasPeers: false },
    { ...low, acceptsLowParticipation: true },
  ];
  for (const varied of accepted) thinWitness(201_600, varied);
  thinWitness(1, low);
});
