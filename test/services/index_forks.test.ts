import assert from 'node:assert/strict';
import { after, before, test, type TestContext } from 'node:test';
import { RandomSource } from '../builders/random_source.ts';
import { peerPort } from '../outside/network_nodes.ts';
import type { Program } from '../outside/program.ts';
import { Site } from '../outside/site.ts';
import { waitUntil } from '../outside/wait_until.ts';
import { BASE_BLOCKS, branch, fetchHead, startBranch } from './branches.ts';
import { isLong } from './commands.ts';
import { indexedHead, readTables, type Tables } from './indexed_chain.ts';
import { NatsServer } from './nats_server.ts';
import { PostgresServer } from './postgres.ts';

// Nodes of a private net that know different branches: what indexes of a node have that hears of them one after
// another.

const site = new Site();
let postgres: PostgresServer;

before(async () => {
  postgres = await PostgresServer.start();
});

after(async () => {
  await postgres.stop();
  await site.clear();
});

const SEEDS = Number(process.env['PHAROS_TEST_SEEDS'] ?? (isLong ? 20 : 1));
const FIRST_SEED = Number(process.env['PHAROS_TEST_FIRST_SEED'] ?? 1);

/** A database and `pharos index` into it, which may be killed and started again. */
class Index {
  readonly name: string;
  readonly #flags: () => readonly string[];
  #program: Program;

  constructor(name: string, flags: () => readonly string[]) {
    this.name = name;
    this.#flags = flags;
    this.#program = this.#start();
  }

  #start(): Program {
    return site.start(['index', '--postgres', postgres.address(this.name), ...this.#flags()]);
  }

  /** Starts it again, in any state. */
  async again(): Promise<void> {
    this.#program.kill();
    await this.#program.exited;
    this.#program = this.#start();
  }

  /** Waits until it ends with that block; what its tables hold then. */
  async at(id: string): Promise<Tables> {
    await waitUntil(
      `block ${id} in ${this.name}`,
      async () => (await indexedHead(postgres, this.name)) === id || undefined,
    );
    return await readTables(postgres, this.name);
  }

  async end(): Promise<void> {
    this.#program.kill();
    await this.#program.exited;
  }
}

for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
  test(`a node goes from one branch to another and back while it and its indexes are killed: they have what a fresh one has (seed ${seed})`, async (t) =>
    await playForks(t, seed));
}

async function playForks(t: TestContext, seed: number): Promise<void> {
  const randomSource = new RandomSource(seed);
  const nats = await NatsServer.start(site.path(`nats${seed}`));
  t.after(() => nats.stop());
  const sink = ['--sink-nats', nats.url];
  const own = await branch(site, `own${seed}`, 1, 1 + randomSource.roll(3));
  let node = await startBranch(site, own, ...sink);
  t.after(() => node.kill());
  const url = (): string[] => ['--url', `ws://127.0.0.1:${node.port}`];
  const stream = (): string[] => ['--from', `nats://127.0.0.1:${nats.port}`, ...url()];
  const startIndex = async (name: string, flags: () => readonly string[]): Promise<Index> => {
    await postgres.database(name);
    const index = new Index(name, flags);
    t.after(async () => await index.end());
    return index;
  };
  // Who reads a stream that is not there yet is refused.
  await indexed(await fetchHead(node), [await startIndex(`begun_${seed}`, url)]);
  const indexes = [await startIndex(`node_${seed}`, url), await startIndex(`stream_${seed}`, stream)];
  await indexed(await fetchHead(node), indexes);
  let blocks = (await fetchHead(node)).number - BASE_BLOCKS;
  const awaitBlock = async (id: string): Promise<void> =>
    void (await waitUntil(`block ${id} at the node`, async () =>
      (await fetchHead(node)).id === id ? true : undefined,
    ));
  for (let turn = 0; turn < 3; turn++) {
    blocks += 1 + randomSource.roll(3);
    const other = await branch(site, `peer${seed}-${turn}`, turn % 2 === 0 ? 2 : 1, blocks);
    const peer = await startBranch(site, other, '--p2p-seed-node', `127.0.0.1:${peerPort(node)}`);
    t.after(() => peer.kill());
    for (const index of indexes) if (randomSource.chance(40)) await index.again();
    const { id } = await fetchHead(peer);
    await awaitBlock(id);
    if (randomSource.chance(40)) {
      node.kill();
      await node.exited;
      node = await startBranch(site, own, ...sink);
      // Its port is another one now.
      for (const index of indexes) await index.again();
    }
    await indexed({ id }, indexes);
    peer.kill();
    await peer.exited;
  }
  const head = await fetchHead(node);
  const fresh = [await startIndex(`fresh_node_${seed}`, url), await startIndex(`fresh_stream_${seed}`, stream)];
  const tables = await indexed(head, [...indexes, ...fresh]);
  for (const each of tables) assert.deepEqual(each, tables[0]);
  const undone = await postgres.query(`node_${seed}`, 'SELECT count(*), max(number) FROM blocks');
  assert.equal(undone, `${head.number}|${head.number}`);
  assert.equal(
    await postgres.query(`node_${seed}`, 'SELECT count(*) FROM transfers'),
    String(head.number - BASE_BLOCKS),
  );
  node.kill();
  await node.exited;
}

async function indexed({ id }: { readonly id: string }, indexes: readonly Index[]): Promise<Tables[]> {
  const tables: Tables[] = [];
  for (const index of indexes) tables.push(await index.at(id));
  return tables;
}
