import assert from 'node:assert/strict';
import { test } from 'node:test';

import { systemClock } from '../../../src/base/clock.ts';
import type { VerifiedTransaction } from '../../../src/blocks/transaction.ts';
import { PeerTransactionsIntake } from '../../../src/node/network/peer_transactions_intake.ts';
import { acceptBatch } from '../../../src/node/threads/writer/accept_batch.ts';
import { BatchVerifier } from '../../../src/verifiers/batch_verifier.ts';
import { Broadcasts } from '../../../src/node/threads/broadcasts/broadcasts.ts';
import { readOutcomes } from '../../../src/verifiers/bundle_outcomes.ts';
import { encodeVerdicts } from '../../../src/verifiers/verdicts.ts';
import { bundle, type BundledTransaction } from '../../../src/wire/messages/bundle.ts';
import type { ChainParameters } from '../../../src/state/parameters.ts';
import { chainView } from '../../../src/state/chain_view.ts';
import { MemoryStore } from '../../../src/storage/memory.ts';
import { testKey, openChain, produce, testParameters, makeTransaction, transferJson } from '../../builders/chain.ts';
import { bundled } from '../../builders/chain_line.ts';
import { makeNodeId } from '../../builders/pipes.ts';

/** The way of a bundle through a node: front, verifier and writer, in one thread. */
class Way {
  readonly chain;
  readonly #parameters: ChainParameters;
  readonly #intake: PeerTransactionsIntake;
  /** No block to come is earlier. */
  earliestBlock = 0;

  constructor(parameters = testParameters()) {
    this.#parameters = parameters;
    const store = new MemoryStore();
    this.chain = openChain(parameters, store);
    produce(this.chain);
    const broadcasts = new Broadcasts(
      { queuedBroadcasts: 100, parkedBroadcasts: 10, waitingForFinality: 10, finalityMs: 600_000 },
      systemClock,
    );
    const handOver = (bytes: Uint8Array): void =>
      broadcasts.takeVerdicts(encodeVerdicts(acceptBatch(this.chain, bytes, this.earliestBlock).verdicts));
    const verifier = new BatchVerifier({ parameters, view: chainView(store, 100), clock: systemClock, handOver });
    broadcasts.start({
      threads: 1,
      verify: async (bytes) => await Promise.resolve({ ...verifier.verify(bytes), elapsedMicros: 1 }),
    });
    this.#intake = new PeerTransactionsIntake(broadcasts);
  }

  transfer(amount: number, expiration = this.chain.head.time + 60): VerifiedTransaction {
    return makeTransaction(this.chain, this.#parameters, [transferJson('alice', 'bob', amount)], ['alice'], {
      expiration,
    });
  }

  /** Returns the finding for each, in the words that decide about its sender. */
  async outcomes(sent: readonly BundledTransaction[]): Promise<string[]> {
    const [outcomes = new Uint8Array()] = await this.#intake.submit([
      { from: makeNodeId('them'), bundle: bundle.encode(sent), count: sent.length },
    ]);
    return readOutcomes(outcomes, sent.length).map(({ outcome, isHintRight }) =>
      isHintRight ? outcome : `${outcome}, misled`,
    );
  }
}

function changed(one: VerifiedTransaction, change: (packed: Buffer) => Uint8Array): BundledTransaction {
  return { ...bundled(one), packed: change(Buffer.from(one.packed)) };
}

/** The same with the small variable-length number at that place in two bytes, where one would do. */
function lengthened(packed: Buffer, at: number): Buffer {
  return Buffer.concat([packed.subarray(0, at), Buffer.of(0x80 | (packed[at] ?? 0), 0), packed.subarray(at + 1)]);
}

/** The position of the first operation's kind. */
const KIND_AT = 11;
/** A signature and how many there are. */
const SIGNED_BYTES = 66;
test('a bundle is judged item by item: what nobody can have accepted is forged, what is merely late, poor or newer is not', async () => {
  const way = new Way();
  const [known, signedByOther] = [way.transfer(1), way.transfer(2)];
  assert.deepEqual(await way.outcomes([bundled(known)]), ['accepted']);
  const cases: readonly (readonly [BundledTransaction, string])[] = [
    [bundled(way.transfer(3)), 'accepted'],
    [bundled(known), 'known'],
    [{ ...bundled(signedByOther), key: testKey('bob') }, 'accepted, misled'],
    [bundled(way.transfer(4, way.chain.head.time - 1)), 'refused'],
    [bundled(way.transfer(1e15)), 'refused'],
    [changed(way.transfer(5), (packed) => packed.fill(90, KIND_AT, KIND_AT + 1)), 'refused'],
    [changed(way.transfer(6), (packed) => packed.subarray(0, -1)), 'forged'],
    [changed(way.transfer(7), (packed) => Buffer.concat([packed, Buffer.of(0)])), 'forged'],
    [changed(way.transfer(8), (packed) => packed.fill(0x7f, KIND_AT - 1, KIND_AT)), 'forged'],
    [changed(way.transfer(9), (packed) => packed.fill(0xff, packed.length - 64, packed.length - 32)), 'forged'],
    [{ key: testKey('alice'), unsignedBytes: 0, packed: new Uint8Array(0) }, 'forged'],
    // Nodes tell of it by an id that is not its own, or would write other bytes.
    [{ ...bundled(way.transfer(11)), unsignedBytes: bundled(way.transfer(11)).unsignedBytes - 1 }, 'forged'],
    [changed(way.transfer(12), (packed) => lengthened(packed, KIND_AT - 1)), 'forged'],
    // Older nodes pass these on.
    [changed(way.transfer(13), (packed) => lengthened(packed, packed.length - SIGNED_BYTES)), 'refused'],
    [bundled(way.transfer(10)), 'accepted'],
  ];
  assert.deepEqual(
    await way.outcomes(cases.map(([one]) => one)),
    cases.map(([, outcome]) => outcome),
  );
  assert.equal(way.chain.pendingTransactions.length, 4);
});

test('what no block can have in time is accepted from a peer where its node accepts it from clients, and only there', async () => {
  const interfaceRules = testParameters();
  const lineageAnswers = { ...interfaceRules, profile: { ...interfaceRules.profile, answersLineage: true } };
  for (const [parameters, outcome] of [
    [interfaceRules, 'refused'],
    [lineageAnswers, 'accepted'],
  ] as const) {
    const way = new Way(parameters);
    way.earliestBlock = way.chain.head.time + 30;
    assert.deepEqual(await way.outcomes([bundled(way.transfer(1, way.chain.head.time + 10))]), [outcome]);
  }
});
