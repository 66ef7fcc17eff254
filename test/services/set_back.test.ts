import assert from 'node:assert/strict';
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { after, before, test, type TestContext } from 'node:test';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { RandomSource } from '../builders/random_source.ts';
import { waitUntil, within } from '../outside/wait_until.ts';
import { clone, guideNamed, writeFiles } from '../pages/guides/guide.ts';
import { isLong, project, run, start, temporaryFolder, type Running } from './commands.ts';
import { CLI, IndexedChain, readTables } from './indexed_chain.ts';
import { moneyTraffic } from './money_traffic.ts';
import { NatsServer } from './nats_server.ts';
import { OlderCopy } from './older_copy.ts';
import { PostgresServer } from './postgres.ts';
import { withFee } from './traffic.ts';

// Node, NATS server and PostgreSQL are each set back to an older copy while the chain forks: what indexes and a reader
// of the stream have then.

let postgres: PostgresServer;

before(async () => {
  postgres = await PostgresServer.start();
});

after(async () => await postgres.stop());

const [SEEDS, FIRST_SEED] = [process.env['PHAROS_TEST_SEEDS'], process.env['PHAROS_TEST_FIRST_SEED']];
/**
 * Of the first twenty. They set each store back under both formats, alone and in turns with others, beside forks and
 * new starts of the reader. Copies are of the beginning and later ones.
 */
const SHORT_SEEDS = [2, 6, 7, 9, 11, 14, 16, 19];
const seeds =
  isLong || SEEDS !== undefined || FIRST_SEED !== undefined
    ? Array.from({ length: Number(SEEDS ?? 20) }, (_, k) => Number(FIRST_SEED ?? 1) + k)
    : SHORT_SEEDS;
const STEPS = 14;
const guide = guideNamed('events_javascript', 'events_resume');

for (const seed of seeds) {
  test(`whichever is set back, indexes have the tables of a fresh one, and the reader of the guide each block once (seed ${seed})`, async (t) =>
    await liveThroughSetBacks(t, seed));
}

async function liveThroughSetBacks(t: TestContext, seed: number): Promise<void> {
  const randomSource = new RandomSource(seed);
  const nats = await NatsServer.start(`${temporaryFolder()}/nats`);
  t.after(() => nats.stop());
  const server = `nats://127.0.0.1:${nats.port}`;
  const chain = await IndexedChain.start([
    '--sink-nats',
    server,
    '--sink-nats-format',
    randomSource.pick(['avro', 'json']),
  ]);
  t.after(() => chain.kill());
  await chain.call('debug_api.produce_blocks', { count: 6 });
  await awaitStream(nats, await chain.headId());
  const from = ['--from', server];
  const names = [`set_back_stream_${seed}`, `set_back_node_${seed}`];
  const indexers: Running[] = [];
  for (const [k, name] of names.entries())
    indexers.push(chain.index(await postgres.database(name), k === 0 ? from : []));
  t.after(() => indexers.forEach((indexer) => indexer.kill()));
  const reader = new GuideReader(String(nats.port));
  t.after(() => reader.remove());
  // Older copies are of a moment at which there is something.
  for (const [k, name] of names.entries())
    await chain.indexed(postgres, name, indexers[k] ?? assert.fail('an indexer'));
  const copies = [
    new OlderCopy({ store: chain.store, stop: () => chain.kill(), start: () => chain.restart() }),
    new OlderCopy({ store: nats.store, stop: () => nats.kill(), start: () => nats.begin() }),
    new OlderCopy({ store: postgres.store, stop: () => postgres.stop(), start: () => postgres.restart() }),
  ];
  t.after(() => copies.forEach((copy) => copy.remove()));
  for (const copy of randomSource.shuffle(copies).slice(0, 1 + randomSource.roll(copies.length))) await copy.take();
  let setBacks = 0;
  for (let step = 0; step < STEPS || setBacks === 0; step++) {
    const cast = randomSource.roll(100);
    if (cast < 45) await moneyTraffic(chain.call, randomSource);
    else if (cast < 55) await chain.call('debug_api.produce_blocks', { count: 1 + randomSource.roll(20) });
    else if (cast < 70)
      await chain.call('debug_api.fork', {
        blocks: 1 + randomSource.roll(4),
        keep_transactions: randomSource.chance(50),
      });
    else if (cast < 75) await randomSource.pick(copies).take();
    else if (cast < 80) await reader.again();
    else if (await randomSource.pick(copies).setBack()) setBacks++;
    await pause(randomSource.roll(60));
  }
  await blockThatNobodyHasRead(chain);
  const tables = [];
  for (const [k, name] of names.entries()) {
    const indexer = indexers[k] ?? assert.fail('an indexer');
    await chain.indexed(postgres, name, indexer);
    tables.push(await readTables(postgres, name));
    indexer.interrupt();
    assert.equal((await within('its end', indexer.finished)).code, 0, indexer.said.stderr);
  }
  const fresh = await chain.freshTables(postgres, `set_back_fresh_${seed}`);
  assert.deepEqual(tables, [fresh, fresh]);
  await checked(chain, server);
  await reader.awaitIds(await fetchIds(chain));
  for (const name of [...names, `set_back_fresh_${seed}`]) await postgres.query('postgres', `DROP DATABASE ${name}`);
}

/**
 * Makes a block that no reader has read: when node and stream are set back together, blocks may come again with their
 * old ids, and readers of later ones keep them until another block comes.
 */
async function blockThatNobodyHasRead(chain: IndexedChain): Promise<void> {
  const payment = { from: 'alice', to: 'bob', amount: '0.000001 COIN', memo: 'the last one' };
  await chain.call('debug_api.send_unsigned', { op_vec: [await withFee(chain.call, ['transfer', payment])] });
  await chain.call('debug_api.produce_blocks', { count: 2 });
}

/** The programs of the guide, in a folder of their own: what they have told of the chain. */
class GuideReader {
  readonly #folder = clone();
  #program: Running;
  /** The output of earlier ones. */
  #told = '';

  constructor(port: string) {
    writeFiles(this.#folder, guide, { '4222': port });
    copyFileSync(join(project, 'scripts/operate/events.avsc'), join(this.#folder, 'my-app/events.avsc'));
    this.#program = this.#start();
  }

  #start(): Running {
    return start(process.execPath, ['my-app/follow.js'], { folder: this.#folder });
  }

  /** Ends it, and starts it behind what it has kept. */
  async again(): Promise<void> {
    // Between a line and its place it would print the line again, as a program without a transaction does.
    await waitUntil('the reader to be quiet', async () => {
      const told = this.#program.said.stdout;
      await pause(300);
      return told === this.#program.said.stdout || undefined;
    });
    await this.#end();
    this.#program = this.#start();
  }

  /**
   * Waits until what it has told, line by line, comes to these blocks; each of them was told once while it was there.
   */
  async awaitIds(ids: readonly string[]): Promise<void> {
    const isThere = (): true | undefined => {
      if (this.#program.exited()) assert.fail(this.#program.said.stderr);
      return this.#blocks().at(-1) === ids.at(-1) || undefined;
    };
    await waitUntil(`the reader at block ${ids.length}`, isThere).catch((error: unknown) => {
      const { stdout, stderr } = this.#program.said;
      throw new Error(`the reader said\n${this.#told}--\n${stdout}${stderr}`, { cause: error });
    });
    assert.deepEqual(this.#blocks(), ids);
  }

  remove(): void {
    this.#program.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #end(): Promise<void> {
    this.#program.kill();
    await this.#program.finished;
    this.#told += this.#program.said.stdout;
  }

  #blocks(): readonly string[] {
    const ids: string[] = [];
    for (const [, number, isUndone, id = ''] of `${this.#told}${this.#program.said.stdout}`.matchAll(
      /^block (\d+) (?:with \d+ operations|(is taken back)), (\w+)$/gm,
    )) {
      if (isUndone === undefined) assert.equal(Number(number), ids.push(id), `block ${number} follows the last one`);
      else assert.equal(ids.pop(), id, `block ${number} is the last one`);
    }
    return ids;
  }
}

async function fetchIds(chain: IndexedChain): Promise<readonly string[]> {
  const { head_block_number: head, head_block_id: id } = await chain.call('database_api.get_dynamic_global_properties');
  const ids: string[] = [];
  for (let number = 2; number <= Number(head); number++)
    ids.push(String((await chain.call('block_api.get_block_header', { block_num: number }))['previous']));
  return [...ids, String(id)];
}

async function checked(chain: IndexedChain, server: string): Promise<void> {
  const flags = ['--nats', server, '--url', `http://127.0.0.1:${chain.port}`];
  const { code, stdout, stderr } = await run(process.execPath, [CLI, 'stream', 'check', ...flags], {
    folder: temporaryFolder(),
  });
  assert.equal(code, 0, `${stdout}${stderr}`);
}

/** Waits until the stream ends with that block. */
async function awaitStream({ port }: NatsServer, id: string): Promise<void> {
  const connection = await connect({ servers: `127.0.0.1:${port}` });
  try {
    const manager = await jetstreamManager(connection);
    await waitUntil(`block ${id} in the stream`, async () => {
      const [stream] = await manager.streams.names('pharos.>').next();
      if (stream === undefined) return undefined;
      const { state } = await manager.streams.info(stream);
      if (state.messages === 0) return undefined;
      const last = await manager.streams.getMessage(stream, { seq: state.last_seq });
      return last?.header.get('Pharos-Head') === id || undefined;
    });
  } finally {
    await connection.close();
  }
}
