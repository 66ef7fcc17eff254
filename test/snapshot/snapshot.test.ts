import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import avsc, { type Schema } from 'avsc';

import { present } from '../../src/base/assert.ts';
import { Fault } from '../../src/base/fault.ts';
import { readBlock } from '../../src/blocks/block.ts';
import { verifyBlock } from '../../src/blocks/verify.ts';
import { Chain } from '../../src/chain/chain.ts';
import { loadIntoFolder } from '../../src/snapshot/load_into_folder.ts';
import { openSnapshot } from '../../src/snapshot/read_snapshot.ts';
import { writeSnapshot } from '../../src/snapshot/write_snapshot.ts';
import { readParameters as chainNamedBy } from '../../src/settings/chain_settings.ts';
import { operationKinds } from '../../src/operations/index.ts';
import { verifyStore } from '../../src/data_folder/verify/verify_store.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import type { RuleSet } from '../../src/state/rules/index.ts';
import { oldestBlock } from '../../src/state/stored_blocks.ts';
import type { KeyValueStore } from '../../src/storage/key_value.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { openRocksDb, pinStore } from '../../src/storage/rocksdb.ts';
import { hourlyBlocks, openChain, readTestParameters, testGenesis } from '../builders/chain.ts';
import { copyStore } from '../builders/copied_store.ts';
import { RandomSource } from '../builders/random_source.ts';
import { playedScene } from '../builders/played_scene.ts';
import { RandomNetwork } from '../builders/random_network.ts';
import { loadedState } from '../builders/loaded_state.ts';
import { inLongForm, isLong } from '../builders/forms.ts';

/** Longer runs: `PHAROS_TEST_SEEDS=50`. */
const SEEDS = Number(process.env['PHAROS_TEST_SEEDS'] ?? 1);
const ROUNDS = isLong ? 60 : 30;
/** Of so many blocks one. */
const EACH_WRITTEN = isLong ? 1 : 32;
/** And of those with operations of all kinds. */
const EACH_OF_ALL_KINDS = isLong ? 1 : 4;
const EACH_GOES_ON = 4;
/** A chain from a snapshot of all kinds goes on for this many blocks. */
const GOES_ON = isLong ? 51 : 3;
/** Without longer runs, one byte of so many is changed. */
const STRIDE = isLong ? 13 : 509;
/** Of private nets alone, where coins don't move. */
const ADMINISTERING = 'admin_witness_update';
const SEEDS_OF_PRIVATE_NETS = isLong ? [1, 2] : [1];
const { Type } = avsc;
const folder = mkdtempSync(join(tmpdir(), 'pharos-snapshots-'));

after(() => rmSync(folder, { recursive: true, force: true }));

/** A chain of random operations of all kinds. */
class Origin {
  readonly genesis: string;
  readonly parameters: ChainParameters;
  readonly network: RandomNetwork;

  constructor(rules: RuleSet, seed: number, rounds: number, isPrivateNet = false) {
    const genesis = { ...testGenesis(hourlyBlocks, rules), is_private_net: isPrivateNet };
    this.genesis = JSON.stringify(genesis);
    this.parameters = readTestParameters(genesis);
    const randomSource = new RandomSource(seed);
    this.network = new RandomNetwork(this.parameters, randomSource, new MemoryStore(), 1 + randomSource.roll(12));
    this.network.run(rounds);
  }

  /** Writes a snapshot of what is in a store, and leaves the store as it is. */
  async write(name: string, store: KeyValueStore, withBlocks = false): Promise<string> {
    const path = join(folder, name);
    await writeSnapshot(path, {
      store: copyStore(store),
      parameters: this.parameters,
      genesis: this.genesis,
      withBlocks,
    });
    return path;
  }

  /** The blocks of the whole node as peers send them, from this number on. */
  verifiedBlocks(first: number): ReturnType<typeof verifyBlock>[] {
    const { chain } = this.network.pair[0];
    const numbers = Array.from({ length: Math.max(0, chain.head.number - first + 1) }, (_, index) => first + index);
    return numbers.map((number) =>
      verifyBlock(this.parameters.chainId, readBlock(present(chain.block(number), 'a block').packed)),
    );
  }
}

function opened(store: KeyValueStore, parameters: ChainParameters): Chain {
  return new Chain({ store, parameters, durable: false });
}

/** Writes a snapshot of each block; what is loaded of it goes on with the same blocks, to the same states. */
async function snapshotEachBlock(origin: Origin, name: string): Promise<void> {
  const { parameters } = origin;
  const all = origin.verifiedBlocks(1);
  const store = new MemoryStore();
  const chain = openChain(parameters, store);
  const hashes = new Map<number, string>();
  const written = new Map<number, string>();
  for (const [index, block] of all.entries()) {
    chain.push(block);
    hashes.set(chain.head.number, chain.head.stateHash);
    if (index % EACH_WRITTEN === 0)
      written.set(chain.head.number, await origin.write(`${name}.${index}`, store, index % 2 === 0));
  }
  for (const [number, path] of written) {
    const loaded = opened(loadedState(path, parameters), parameters);
    assert.equal(loaded.head.stateHash, hashes.get(loaded.head.number) ?? loaded.head.stateHash);
    const rest = all.slice(loaded.head.number);
    for (const block of number % 10 === 0 ? rest : rest.slice(0, EACH_GOES_ON)) {
      loaded.push(block);
      assert.equal(
        loaded.head.stateHash,
        hashes.get(loaded.head.number),
        `behind block ${loaded.head.number}, loaded at ${number}`,
      );
    }
  }
}

for (const rules of ['interface', 'lineage'] as const satisfies readonly RuleSet[]) {
  for (let seed = 1; seed <= SEEDS; seed++) {
    test(`a snapshot of each block of a chain goes on as that chain does, under rules ${rules} (seed ${seed})`, async () => {
      await snapshotEachBlock(new Origin(rules, seed, ROUNDS), `${rules}.${seed}`);
    });
  }

  for (const seed of SEEDS_OF_PRIVATE_NETS) {
    test(
      `so does one of each block of a private net, under rules ${rules} (seed ${seed})`,
      rules === 'lineage' ? inLongForm : {},
      async () => {
        const origin = new Origin(rules, seed, ROUNDS, true);
        const operations = origin
          .verifiedBlocks(1)
          .flatMap(({ transactions }) => transactions.flatMap(({ transaction }) => transaction.operations));
        assert.ok(operations.some(({ kind }) => kind.name === ADMINISTERING));
        await snapshotEachBlock(origin, `private.${rules}`);
      },
    );
  }

  test(
    `the same state gives the same file, and what is loaded passes every check, under rules ${rules}`,
    rules === 'lineage' ? inLongForm : {},
    async () => {
      const origin = new Origin(rules, 7, ROUNDS);
      const [whole, pruned] = origin.network.pair;
      const [one, other] = [await origin.write('whole', whole.store), await origin.write('pruned', pruned.store)];
      assert.deepEqual(
        readFileSync(one),
        readFileSync(other),
        'of a node that keeps all blocks, and of one that keeps few',
      );
      for (const withBlocks of [false, true]) {
        const path = await origin.write('checked', whole.store, withBlocks);
        const store = loadedState(path, origin.parameters);
        assert.deepEqual(verifyStore(store, origin.parameters, () => undefined).problems, []);
        const { head, committed } = opened(store, origin.parameters);
        assert.equal(head.number, whole.chain.head.lastIrreversible);
        assert.equal(oldestBlock(committed), withBlocks ? 1 : head.number);
        // A snapshot of what was loaded is the same again.
        assert.deepEqual(readFileSync(await origin.write('again', store, withBlocks)), readFileSync(path));
      }
    },
  );
}

test('a snapshot of each block with operations of a chain that has all kinds goes on as that chain does', async () => {
  const { genesisText: genesis, blocks } = await playedScene();
  const parameters = chainNamedBy({ profileName: 'default', genesisText: genesis, initialSigningKey: undefined });
  const seen = new Set(
    blocks.flatMap(({ transactions }) =>
      transactions.flatMap(({ transaction }) => transaction.operations.map(({ kind }) => kind.name)),
    ),
  );
  const missing = Object.values(operationKinds).filter(({ isVirtual, name }) => !isVirtual && !seen.has(name));
  assert.deepEqual(
    missing.map(({ name }) => name),
    [ADMINISTERING],
  );
  const store = new MemoryStore();
  const chain = openChain(parameters, store);
  const hashes = new Map<number, string>();
  const written = new Map<number, string>();
  const ofInterest = new Set<number>();
  for (const block of blocks) {
    chain.push(block);
    hashes.set(chain.head.number, chain.head.stateHash);
    const final = chain.head.lastIrreversible;
    const isOfInterest = [final, final + 1].some((number) => (blocks[number - 1]?.transactions.length ?? 0) > 0);
    if (!isOfInterest || ofInterest.has(final)) continue;
    ofInterest.add(final);
    if ((ofInterest.size - 1) % EACH_OF_ALL_KINDS > 0) continue;
    const path = join(folder, `scene.${final}`);
    await writeSnapshot(path, { store: copyStore(store), parameters, genesis, withBlocks: final % 2 === 0 });
    written.set(final, path);
  }
  assert.ok(ofInterest.size > seen.size);
  for (const [number, path] of written) {
    const loaded = opened(loadedState(path, parameters), parameters);
    assert.deepEqual(
      [loaded.head.number, loaded.head.stateHash],
      [number, hashes.get(number) ?? loaded.head.stateHash],
    );
    for (const block of blocks.slice(number, number + GOES_ON)) {
      loaded.push(block);
      assert.equal(
        loaded.head.stateHash,
        hashes.get(loaded.head.number),
        `behind block ${loaded.head.number}, loaded at ${number}`,
      );
    }
  }
});

test('a snapshot of a chain that goes on while it is written is that of the block where it was begun', async (t) => {
  const origin = new Origin('interface', 11, ROUNDS);
  const { parameters, genesis } = origin;
  const all = origin.verifiedBlocks(1);
  const database = await openRocksDb(join(folder, 'live'));
  t.after(async () => await database.close());
  const [live, still] = [opened(database, parameters), new MemoryStore()];
  const chain = openChain(parameters, still);
  const half = Math.trunc(all.length / 2);
  for (const block of all.slice(0, half)) {
    live.push(block);
    chain.push(block);
  }
  const rest = all.slice(half);
  const pinned = pinStore(database.handle);
  const path = join(folder, 'pinned');
  const beforeChunk = (): void => {
    for (const block of rest.splice(0, 20)) live.push(block);
  };
  await writeSnapshot(path, { store: pinned, parameters, genesis, withBlocks: true, beforeChunk });
  pinned.close();
  assert.ok(live.head.number > half && live.head.lastIrreversible > half - 21);
  assert.deepEqual(readFileSync(path), readFileSync(await origin.write('still', still, true)));
});

test('what ends the writing of a snapshot leaves no file', async () => {
  const origin = new Origin('interface', 6, 10);
  const path = join(folder, 'stopped');
  const beforeChunk = (): void => {
    throw new Fault('runtime', 'the node stops');
  };
  const store = copyStore(origin.network.pair[0].store);
  await assert.rejects(writeSnapshot(path, { ...origin, store, withBlocks: false, beforeChunk }), /the node stops/);
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith('stopped')),
    [],
  );
});

test(`a file with another byte ${SEEDS > 1 ? 'anywhere' : 'in many places'} is refused, or is the same state`, async () => {
  const origin = new Origin('interface', 3, 12);
  const [whole] = origin.network.pair;
  const path = await origin.write('small', whole.store);
  const [bytes, expected] = [readFileSync(path), opened(loadedState(path, origin.parameters), origin.parameters).head];
  let refused = 0;
  let tried = 0;
  for (let at = 0; at < bytes.length; at += SEEDS > 1 ? 1 : STRIDE, tried++) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
    const damaged = join(folder, 'damaged');
    writeFileSync(damaged, changed);
    try {
      assert.deepEqual(opened(loadedState(damaged, origin.parameters), origin.parameters).head, expected);
    } catch (error) {
      assert.ok(
        error instanceof Fault && ['damaged_data', 'configuration'].includes(error.code),
        `byte ${at}: ${String(error)}`,
      );
      refused++;
    }
  }
  assert.ok(refused > tried / 2, `${refused} of ${tried} were refused`);
});

test('a file of the format before says so, and what to do', () => {
  const row = [
    { name: 'key', type: 'bytes' },
    { name: 'value', type: 'bytes' },
  ];
  const sum: Schema = { type: 'fixed', name: 'Sha256', size: 32 };
  const texts = ['chain_id', 'profile', 'genesis'].map((name) => ({ name, type: 'string' }));
  const schema: Schema = [
    {
      type: 'record',
      name: 'Header',
      fields: [
        { name: 'format', type: 'int' },
        ...texts,
        { name: 'block_number', type: 'long' },
        { name: 'block_id', type: 'string' },
        { name: 'oldest_block', type: 'long' },
        { name: 'state_hash', type: 'string' },
        { name: 'disk_format', type: 'int' },
      ],
    },
    { type: 'record', name: 'Row', fields: row },
    {
      type: 'record',
      name: 'Chunk',
      fields: [
        { name: 'table', type: 'string' },
        { name: 'rows', type: 'long' },
        { name: 'sha256', type: sum },
      ],
    },
    {
      type: 'record',
      name: 'End',
      fields: [
        { name: 'chunks', type: 'long' },
        { name: 'rows', type: 'long' },
        { name: 'sha256', type: 'Sha256' },
      ],
    },
  ];
  const path = join(folder, 'former');
  const counted = (bytes: Buffer): Buffer => Buffer.concat([Type.forSchema('long').toBuffer(bytes.length), bytes]);
  const metadata = Buffer.concat([
    Buffer.of(2),
    counted(Buffer.from('avro.schema')),
    counted(Buffer.from(JSON.stringify(schema))),
    Buffer.of(0),
  ]);
  writeFileSync(path, Buffer.concat([Buffer.from('Obj\u0001'), metadata, Buffer.alloc(16)]));
  assert.throws(
    () => openSnapshot(path),
    /former is a snapshot of format 1; this program reads format 2: load it with the version that wrote it/,
  );
});

test('a file that ends too early is refused, wherever it ends', inLongForm, async () => {
  const origin = new Origin('interface', 4, 10);
  const path = await origin.write('whole_file', origin.network.pair[0].store);
  const bytes = readFileSync(path);
  const step = SEEDS > 1 ? 1 : 1 + Math.trunc(bytes.length / 300);
  for (let length = 0; length < bytes.length; length += step) {
    writeFileSync(join(folder, 'cut'), bytes.subarray(0, length));
    assert.throws(
      () => loadedState(join(folder, 'cut'), origin.parameters),
      (error) => error instanceof Fault && error.code === 'damaged_data',
    );
  }
});

test('a snapshot that can’t be written leaves no file', async () => {
  const origin = new Origin('interface', 5, 10);
  const missing = join(folder, 'nowhere', 'state');
  await assert.rejects(
    writeSnapshot(missing, { ...origin, store: copyStore(origin.network.pair[0].store), withBlocks: false }),
    /cannot write .*nowhere/,
  );
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.includes('unfinished') || name === 'nowhere'),
    [],
  );
});

/** Returns a path on a full disk: a snapshot is written under another name first. */
function fullDisk(path: string): string {
  symlinkSync('/dev/full', `${path}.pharos-tmp`);
  return path;
}

test('a full disk is the reason that is given, and leaves nothing behind', async () => {
  const origin = new Origin('interface', 5, 10);
  const place = mkdtempSync(join(folder, 'full-'));
  const unwritten = writeSnapshot(fullDisk(join(place, 'state')), {
    ...origin,
    store: copyStore(origin.network.pair[0].store),
    withBlocks: true,
  });
  await assert.rejects(
    unwritten,
    (error) => error instanceof Fault && error.code === 'disk' && /the disk is full/.test(error.message),
  );
  const file = await origin.write('for_full', origin.network.pair[0].store);
  const [deep, there] = [join(place, 'made', 'for', 'it'), join(place, 'there')];
  mkdirSync(there);
  writeFileSync(join(there, 'own.ini'), '');
  for (const [number, data] of [deep, there].entries()) {
    const unloaded = loadIntoFolder(file, data, {
      isOwn: true,
      genesisFile: fullDisk(join(place, `genesis${number}`)),
    });
    await assert.rejects(
      unloaded,
      (error) => error instanceof Fault && error.code === 'disk' && /the disk is full/.test(error.message),
    );
  }
  assert.deepEqual(readdirSync(place).toSorted(), ['there']);
  assert.deepEqual(readdirSync(there), ['own.ini']);
});
