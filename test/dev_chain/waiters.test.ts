import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal } from '../../src/base/refusal.ts';
import type { GivenTransaction } from '../../src/client/index.ts';
import { devChain, type DevChain, type GivenOperation } from '../../src/dev_chain/dev_chain.ts';
import { RandomSource } from '../builders/random_source.ts';

/** Longer runs: `PHAROS_TEST_SEEDS=200`. */
const SEEDS = Number(process.env['PHAROS_TEST_SEEDS'] ?? 4);
const STEPS = 25;

/** The end of a caller's wait: in that block, by expiration, or refused by that name. */
type Ending = { readonly block: number } | 'expired' | { readonly refused: string };

/** Somebody who has sent a transaction and waits for its block. */
interface Waiter {
  readonly id: string;
  ending: Ending | undefined;
}

const payment = (memo: string): GivenOperation => [
  'transfer',
  { from: 'alice', to: 'bob', amount: '0.000001 COIN', memo },
];

/** After everything that follows from what was done, without a block more. */
async function settled(): Promise<void> {
  for (let tick = 0; tick < 100; tick++) await new Promise(setImmediate);
}

/** A development chain with callers who wait. */
class WaitingRoom {
  readonly #chain: DevChain;
  readonly #randomSource: RandomSource;
  readonly waiters: Waiter[] = [];
  readonly #sent: { readonly id: string; readonly trx: GivenTransaction }[] = [];
  readonly #snapshots: string[] = [];

  constructor(chain: DevChain, randomSource: RandomSource) {
    this.#chain = chain;
    this.#randomSource = randomSource;
  }

  get open(): Waiter[] {
    return this.waiters.filter(({ ending }) => ending === undefined);
  }

  async sendNew(seconds: number): Promise<void> {
    const { client } = this.#chain;
    const built = await client.build([payment(String(this.#sent.length))], seconds);
    const trx = await client.sign(built, [this.#chain.account('alice').key]);
    this.#sent.push({ id: await client.transactionId(trx), trx });
    await this.#wait(this.#sent.length - 1);
  }

  async sendAgain(): Promise<void> {
    if (this.#sent.length > 0) await this.#wait(this.#randomSource.roll(this.#sent.length));
  }

  async #wait(index: number): Promise<void> {
    const { id, trx } = this.#sent[index] ?? assert.fail('something sent');
    for (let count = 1 + this.#randomSource.roll(3); count > 0; count--) {
      const waiter: Waiter = { id, ending: undefined };
      this.waiters.push(waiter);
      void this.#awaitEnding(trx).then((ending) => (waiter.ending = ending));
    }
    // What comes later is verified later: the node has decided on those before by then.
    await this.#chain.sendUnsigned([payment('decided')]);
    await settled();
  }

  async #awaitEnding(trx: GivenTransaction): Promise<Ending> {
    try {
      if (this.#randomSource.chance(50)) {
        const sent = await this.#chain.call('network_broadcast_api.broadcast_transaction_synchronous', {
          trx,
          max_block_age: -1,
        });
        return sent.expired ? 'expired' : { block: sent.block_num };
      }
      const { tx } = await this.#chain.call('alexandria_api.broadcast_transaction', { tx: trx });
      return { block: tx.block_num };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return error.code === 'transaction_expired' || error.code === 'expires_too_soon'
        ? 'expired'
        : { refused: error.code };
    }
  }

  /** One thing happens to the chain; true when nothing may wait behind it. */
  async happen(): Promise<boolean> {
    const chain = this.#chain;
    switch (this.#randomSource.roll(8)) {
      case 0:
        await chain.mine(1 + this.#randomSource.roll(80));
        return true;
      case 1:
        return await chain.fork(1, { keepTransactions: false }).then(isDone, isRefused);
      case 2:
        return await chain.fork(1 + this.#randomSource.roll(3)).then(isDone, isRefused);
      case 3:
        this.#snapshots.push(await chain.snapshot());
        return false;
      case 4:
        return await this.#revert();
      case 5:
        await chain.jumpAhead(1 + this.#randomSource.roll(400));
        return true;
      default:
        if (this.#randomSource.chance(40)) await this.sendAgain();
        else await this.sendNew(1 + this.#randomSource.roll(300));
        return false;
    }
  }

  async #revert(): Promise<boolean> {
    const id = this.#snapshots.pop();
    if (id === undefined) return false;
    return await this.#chain.revert(id).then(isDone, isRefused);
  }

  /** Asks the chain for the present place of a transaction. */
  async placeOf(tx_id: string): Promise<number | undefined> {
    const { tx } = await this.#chain.call('alexandria_api.get_transaction', { tx_id }).catch((error: unknown) => {
      onlyRefusal(error);
      return { tx: undefined };
    });
    return tx?.block_num;
  }
}

const isDone = (): boolean => true;
const isRefused = (error: unknown): boolean => (onlyRefusal(error), false);

function onlyRefusal(error: unknown): void {
  if (!(error instanceof Refusal)) throw error;
}

test('whoever waits for a block is answered at once, whatever happens to the chain, and the chain agrees', async () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    await using chain = await devChain({ mining: 'none', genesisTime: 1_800_000_000 });
    const room = new WaitingRoom(chain, new RandomSource(seed));
    await chain.mine(2);
    for (let step = 0; step < STEPS; step++) {
      const told = room.waiters.filter(({ ending }) => ending !== undefined).length;
      const isOver = await room.happen();
      await settled();
      const where = `seed ${seed}, step ${step}`;
      if (isOver) assert.deepEqual(room.open, [], where);
      for (const { id, ending } of room.waiters.filter((each) => each.ending !== undefined).slice(told)) {
        if (typeof ending !== 'object' || !('block' in ending)) continue;
        assert.equal(await room.placeOf(id), ending.block, where);
      }
      // Those who wait for one transaction wait for the same.
      for (const { id } of room.open) assert.equal(await room.placeOf(id), undefined, where);
    }
    const drops = room.waiters.flatMap(({ ending }) =>
      typeof ending === 'object' && 'refused' in ending ? [ending.refused] : [],
    );
    const known = new Set([
      'duplicate_transaction',
      'head_reverted',
      'unknown_reference_block',
      'dropped',
      'expiration_too_far',
    ]);
    assert.deepEqual(
      drops.filter((name) => !known.has(name)),
      [],
      `seed ${seed}`,
    );
  }
});

test('a drop is told to everybody who waits at once and by name, and the same may be sent again', async () => {
  await using chain = await devChain({ mining: 'none' });
  await chain.mine(1);
  const before = await chain.snapshot();
  await chain.mine(1);
  const trx = await chain.client.sign(await chain.client.build([payment('x')]), [chain.account('alice').key]);
  const send = async (): Promise<unknown> =>
    await chain
      .call('network_broadcast_api.broadcast_transaction_synchronous', { trx, max_block_age: -1 })
      .catch((error: unknown) => error);
  const first = [send(), send(), send()];
  await chain.sendUnsigned([payment('decided')]);
  await chain.fork(1, { keepTransactions: false });
  for (const answer of first) assert.equal(answerCode(await answer), 'head_reverted');
  // It refers to a block that is gone.
  assert.equal(answerCode(await send()), 'unknown_reference_block');
  const other = await chain.client.sign(await chain.client.build([payment('y')]), [chain.account('alice').key]);
  const kept = chain.call('alexandria_api.broadcast_transaction', { tx: other }).catch((error: unknown) => error);
  await chain.sendUnsigned([payment('decided')]);
  await chain.fork(1);
  assert.equal(answerCode(await kept), 'unknown_reference_block');
  await chain.revert(before);
});

function answerCode(answer: unknown): string {
  return answer instanceof Refusal ? answer.code : assert.fail(JSON.stringify(answer));
}

test('a transaction that no block can take is refused on arrival, in whichever way it comes', async () => {
  await using chain = await devChain({ mining: 'none' });
  await chain.mine(1);
  for (const [seconds, isTaken] of [
    [1, false],
    [2, false],
    [3, true],
  ] as const) {
    const { client } = chain;
    const trx = await client.sign(await client.build([payment(String(seconds))], seconds), [
      chain.account('alice').key,
    ]);
    const { valid_now } = await checked(chain, trx);
    assert.equal(valid_now, isTaken, `${seconds}`);
    const sent = chain.call('network_broadcast_api.broadcast_transaction', { trx, max_block_age: -1 });
    if (isTaken) {
      await sent;
      const { head_block_number } = await chain.mine(1);
      assert.equal(
        (await chain.call('alexandria_api.get_transaction', { tx_id: await client.transactionId(trx) })).tx.block_num,
        head_block_number,
      );
      continue;
    }
    await assert.rejects(sent, { code: 'expires_too_soon' });
    await assert.rejects(chain.call('alexandria_api.broadcast_transaction', { tx: trx }), { code: 'expires_too_soon' });
    const waited = await chain.call('network_broadcast_api.broadcast_transaction_synchronous', {
      trx,
      max_block_age: -1,
    });
    assert.deepEqual(waited, { id: await client.transactionId(trx), block_num: -1, trx_num: -1, expired: true });
  }
});

async function checked(chain: DevChain, tx: GivenTransaction): Promise<{ readonly valid_now: boolean }> {
  const { check } = await chain.call('alexandria_api.check_transaction', { tx });
  return { valid_now: check.refusal === null };
}
