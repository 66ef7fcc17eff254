import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catchRefusal } from '../../../src/base/refusal.ts';
import type { VerifiedTransaction } from '../../../src/blocks/transaction.ts';
import { checkBatch } from '../../../src/node/threads/writer/accept_batch.ts';
import { directPorts } from '../../../src/system/direct_ports.ts';
import { decodeVerdicts } from '../../../src/verifiers/verdicts.ts';
import { encodeVerifiedBatch } from '../../../src/blocks/verified_batch.ts';
import { buildTransaction } from '../../../src/rpc/transactions.ts';
import { operationCodec } from '../../../src/operations/index.ts';
import { MemoryStore } from '../../../src/storage/memory.ts';
import { View } from '../../../src/storage/view.ts';
import { encoding, produce, testParameters, makeTransaction, transferJson } from '../../builders/chain.ts';
import { directWriter } from '../../builders/direct_writer.ts';
import { HandClock } from '../../builders/hand_clock.ts';

const parameters = testParameters();
const INTERVAL = 3;

/** A writer whose chain has a block, and whose clock goes on without further ones. */
class StandingHead {
  readonly clock = new HandClock(parameters.genesis.genesis_time * 1000);
  readonly store = new MemoryStore();
  readonly chain;
  readonly #codes: (string | undefined)[] = [];
  stoodSeconds = 0;
  readonly #post: (batch: Uint8Array<ArrayBuffer>) => void;

  constructor() {
    const { writer, client } = directWriter({
      ...{ parameters, store: this.store, clock: this.clock },
      listener: {
        verdicts: (bytes) =>
          void this.#codes.push(...decodeVerdicts(bytes).verdicts.map(({ refusal }) => refusal?.code)),
      },
    });
    this.chain = writer.chain;
    const [verifier, line] = directPorts<never, Uint8Array<ArrayBuffer>>();
    client.connect(line);
    this.#post = (batch) => verifier.post(batch);
    produce(this.chain);
  }

  stand(seconds: number): void {
    this.clock.pass(seconds * 1000);
    this.stoodSeconds += seconds;
  }

  /** Expires so long after now. */
  payment(secondsFromNow: number): VerifiedTransaction {
    const expiration = this.chain.head.time + this.stoodSeconds + secondsFromNow;
    return makeTransaction(this.chain, parameters, [transferJson('alice', 'bob', 1, String(expiration))], ['alice'], {
      expiration,
    });
  }

  /** The name of the refusal; undefined when it is accepted. */
  async sent(verified: VerifiedTransaction, mayWaitInVain = false): Promise<string | undefined> {
    this.#post(encodeVerifiedBatch([{ ticket: 1, verified, mayWaitInVain }]));
    for (let tick = 0; tick < 5; tick++) await new Promise(setImmediate);
    assert.equal(this.#codes.length, 1);
    return this.#codes.pop();
  }
}

test('while the head stands, a transaction is refused that expires before any block that may still come, and no other', async () => {
  const node = new StandingHead();
  assert.equal(await node.sent(node.payment(1)), 'expires_too_soon', 'before the next slot');
  node.stand(600);
  const doomed = node.payment(-INTERVAL - 1);
  assert.ok(doomed.transaction.expiration > node.chain.slotTime(1), 'by the head alone it could be in the next block');
  assert.equal(await node.sent(doomed), 'head_stands', 'blocks that the node lacks may have it');
  const batch = encodeVerifiedBatch([{ ticket: 0, verified: doomed }]);
  const earliest = node.chain.head.time + node.stoodSeconds - INTERVAL;
  assert.equal(checkBatch(node.chain, batch, earliest).value?.refusal?.code, 'head_stands', 'a check says the same');
  const refusal = catchRefusal(() => void node.chain.accept(doomed, false, earliest));
  assert.deepEqual([refusal?.code, refusal?.lineageCode], ['head_stands', 10], 'no error of an expired one by number');
  assert.equal(checkBatch(node.chain, batch).value?.refusal, undefined);
  assert.equal(await node.sent(doomed, true), undefined, 'a peer may have sent it on its way');
  assert.equal(await node.sent(node.payment(-INTERVAL)), undefined, 'a block of the slot before may be under way');
  assert.equal(await node.sent(node.payment(30)), undefined);
});

test('what the clock is set to does not count, and neither does how long the head before has stood', async () => {
  const node = new StandingHead();
  node.clock.set(86_400_000);
  assert.equal(await node.sent(node.payment(INTERVAL)), undefined);
  node.stand(60);
  produce(node.chain);
  node.stoodSeconds = 0;
  assert.equal(await node.sent(node.payment(INTERVAL)), undefined);
});

test('a transaction that a node builds while its head stands has time left', () => {
  const node = new StandingHead();
  const built = (): number => {
    const rows = new View(node.store, 100);
    const operations = [operationCodec.fromJson(transferJson('alice', 'bob', 1), encoding)];
    return buildTransaction({ rows, parameters, encoding, clock: node.clock, development: {} }, operations).expiration;
  };
  node.clock.pass(INTERVAL * 1000);
  assert.equal(built(), node.chain.head.time + 30);
  node.clock.pass(15_000);
  assert.equal(built(), node.chain.head.time + 30);
  node.clock.pass(45_000);
  assert.equal(built(), node.chain.head.time + 60 + 30);
  node.clock.pass(86_400_000);
  assert.equal(built(), node.chain.head.time + 3600, 'later ones are refused');
});
