import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { RandomSource } from '../builders/random_source.ts';
import { at, listMember, numberMember, textMember } from './json.ts';
import type { Program } from './program.ts';
import { freePort } from './free_port.ts';
import { makeProject } from '../client/packed.ts';
import { PackagedShop } from './packaged_shop.ts';
import { Shop, type Books } from './shop.ts';
import { signed, makeTransaction, transfer } from './signer.ts';
import { Site } from './site.ts';
import { waitUntil } from './wait_until.ts';

/**
 * Longer: `PHAROS_TEST_SEEDS=50 npm run test:long -- outside/shop`; `PHAROS_TEST_FIRST_SEED=n` begins at a seed that
 * failed.
 */
const SEEDS = Number(process.env['PHAROS_TEST_SEEDS'] ?? 2);
const FIRST_SEED = Number(process.env['PHAROS_TEST_FIRST_SEED'] ?? 1);
const STEPS = 25;

const site = new Site();
const port = await freePort();
const project = makeProject('pharos-client');
let program: Program;

after(() => site.clear());

/** Blocks come when they are ordered, at the same address after each start. */
async function start(): Promise<void> {
  program = site.start(['dev', '--data-dir', site.path('data'), '--port', String(port), '--no-mining', '--silent']);
  await program.ready();
}

async function produce(count: number): Promise<number> {
  return numberMember(await program.result('debug_api.produce_blocks', { count }), 'head_block_number');
}

async function pay(memo: string, from: string, to: string): Promise<void> {
  const trx = await signed(program, await makeTransaction(program, [transfer(from, to, '0.000100', memo)]), from);
  await program.result('network_broadcast_api.broadcast_transaction', { trx });
}

/** The memos of what bob was paid, as his history has them. */
async function paid(): Promise<string[]> {
  const { history } = {
    history: await program.result('account_history_api.get_account_history', {
      account: 'bob',
      start: -1,
      limit: 10_000,
    }),
  };
  const transfers = listMember(history, 'history').filter(
    (entry) => at(entry, '1.op.0') === 'transfer' && at(entry, '1.op.1.to') === 'bob',
  );
  return transfers.map((entry) => textMember(entry, '1.op.1.memo'));
}

/** A shop in one of its lives: this process's own, or a program's. */
interface AnyShop {
  readonly name: string;
  readonly books: Books;
  readonly failure: string | undefined;
  crash(): void;
  again(): void;
}

/** One of this process, whose books are handed on from life to life. */
class HandedOn implements AnyShop {
  readonly name: string;
  readonly #open: (books?: Books) => Shop;
  #shop: Shop;

  constructor(name: string, open: (books?: Books) => Shop) {
    this.name = name;
    this.#open = open;
    this.#shop = open();
  }

  get books(): Books {
    return this.#shop.books;
  }

  get failure(): string | undefined {
    return this.#shop.failure;
  }

  crash(): void {
    this.#shop.crash();
  }

  again(): void {
    const { books } = this.#shop;
    this.crash();
    this.#shop = this.#open(books);
  }
}

/** One by hand and one with the package, for each level. */
function makeShops(seed: number): readonly AnyShop[] {
  const url = `ws://127.0.0.1:${port}`;
  return (['head', 'irreversible'] as const).flatMap((level) => [
    new HandedOn(`by hand at ${level}`, (books) => new Shop(url, 'bob', level, books)),
    new PackagedShop(project, { url, account: 'bob', level, name: `${seed}.${level}` }),
  ]);
}

/** Plays the disturbances of the shops and their node in one run; returns the highest head. */
async function happenings(seed: number, shops: readonly (() => void)[]): Promise<number> {
  const randomSource = new RandomSource(seed);
  let highest = await produce(1);
  let snapshot: string | undefined;
  for (let step = 0; step < STEPS; step++) {
    const roll = randomSource.roll(100);
    if (roll < 45)
      await pay(`${seed}.${step}`, randomSource.pick(['alice', 'carol']), randomSource.pick(['bob', 'bob', 'dave']));
    else if (roll < 70) highest = Math.max(highest, await produce(1 + randomSource.roll(3)));
    else if (roll < 78) snapshot = textMember(await program.result('debug_api.snapshot'), 'id');
    else if (roll < 88 && snapshot !== undefined) {
      await program.result('debug_api.revert', { id: snapshot });
      snapshot = undefined;
    } else if (roll < 94) for (const crash of shops) crash();
    else {
      program.kill();
      await program.exited;
      await start();
      snapshot = undefined;
    }
  }
  return highest;
}

for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
  test(`a shop that watches payments over forks and restarts misses none and counts none twice, seed ${seed}`, async () => {
    if (seed === FIRST_SEED) await start();
    const shops = makeShops(seed);
    const highest = await happenings(
      seed,
      shops.map((shop) => () => shop.again()),
    );
    await pay(`${seed}.last`, 'alice', 'bob');
    // Blocks become irreversible when a round of 51 has passed; on a busy disk ten take their time.
    const end = Math.max(highest, await produce(1)) + 55;
    for (let head = 0; head < end;) head = await produce(10);
    const expected = await paid();
    assert.equal(expected.at(-1), `${seed}.last`);
    for (const shop of shops) {
      const memos = (): string[] => shop.books.payments.map(({ memo }) => memo);
      await waitUntil(`the shop ${shop.name} to have the last payment`, () =>
        shop.failure !== undefined || memos().at(-1) === expected.at(-1) ? true : undefined,
      );
      assert.equal(shop.failure, undefined);
      assert.deepEqual(memos(), expected, shop.name);
      shop.crash();
    }
  });
}
