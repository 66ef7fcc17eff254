import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Fault } from '../../src/base/fault.ts';
import { Chain } from '../../src/chain/chain.ts';
import { readParameters as chainNamedBy } from '../../src/settings/chain_settings.ts';
import { devChain } from '../../src/dev_chain/dev_chain.ts';
import { deriveDevKey } from '../../src/dev_chain/dev_genesis.ts';
import { loadFork } from '../../src/dev_chain/loaded_fork.ts';
import { writeSnapshot, type WrittenSnapshot } from '../../src/snapshot/write_snapshot.ts';
import { verifyStore } from '../../src/data_folder/verify/verify_store.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import type { RuleSet } from '../../src/state/rules/index.ts';
import { tables } from '../../src/state/tables/index.ts';
import { witnesses } from '../../src/state/tables/witness.ts';
import { chainView } from '../../src/state/chain_view.ts';
import { walkEntries } from '../../src/storage/entries.ts';
import type { KeyValueStore } from '../../src/storage/key_value.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { decodeRow } from '../../src/storage/row_bytes.ts';
import { NULL_KEY } from '../../src/values/public_key.ts';
import { hourlyBlocks, readTestParameters, testGenesis } from '../builders/chain.ts';
import { copyStore } from '../builders/copied_store.ts';
import { RandomSource } from '../builders/random_source.ts';
import { RandomNetwork } from '../builders/random_network.ts';
import { loadedState } from '../builders/loaded_state.ts';
import { inLongForm } from '../builders/forms.ts';

const folder = mkdtempSync(join(tmpdir(), 'pharos-forks-'));
const SEED = 'nobody else’s';
const ROUNDS = 60;
/** Of chains with two witnesses in the round. */
const SEEDS = { interface: 5, lineage: 3 };
const CACHED_ROWS = 1000;

after(() => rmSync(folder, { recursive: true, force: true }));

interface Origin extends WrittenSnapshot {
  readonly path: string;
  readonly parameters: ChainParameters;
}

/** The snapshot of a chain of years ago, with random operations of all kinds and several witnesses. */
async function makeOrigin(rules: RuleSet, seed: number): Promise<Origin> {
  const genesis = testGenesis({ ...hourlyBlocks, genesis_time: '2021-03-04T00:00:00' }, rules);
  const parameters = readTestParameters(genesis);
  const network = new RandomNetwork(parameters, new RandomSource(seed));
  network.run(ROUNDS);
  const path = join(folder, `${rules}.${seed}.avro`);
  const store = copyStore(network.pair[0].store);
  const written = await writeSnapshot(path, { store, parameters, genesis: JSON.stringify(genesis), withBlocks: false });
  return { ...written, path, parameters };
}

function readParameters(genesisText: string): ChainParameters {
  return chainNamedBy({ profileName: 'default', genesisText, initialSigningKey: undefined });
}

/** All rows of the state, by table and key. */
function readRows(store: KeyValueStore): Map<string, Uint8Array> {
  const rows = new Map<string, Uint8Array>();
  for (const table of tables.tables)
    for (const { key, value } of walkEntries(store, table))
      rows.set(`${table.name} ${Buffer.from(key).toString('hex')}`, value);
  return rows;
}

for (const rules of ['interface', 'lineage'] as const satisfies readonly RuleSet[]) {
  test(
    `a fork has every row of the snapshot but for the keys that its witnesses sign with, and another id, under rules ${rules}`,
    rules === 'lineage' ? inLongForm : {},
    async () => {
      const origin = await makeOrigin(rules, SEEDS[rules]);
      const [fork, before] = [loadFork(origin.path, SEED, []), loadedState(origin.path, origin.parameters)];
      const parameters = readParameters(fork.genesisText);
      const [were, are] = [readRows(before), readRows(fork.store)];
      assert.deepEqual([...are.keys()], [...were.keys()]);
      const others = [...were].filter(([name, value]) => !are.get(name)?.every((byte, at) => byte === value[at]));
      assert.ok(
        others.length > 0 && others.every(([name]) => name.startsWith('witness ')),
        others.map(([name]) => name).join(),
      );
      const key = deriveDevKey('initminer', SEED);
      for (const { value } of walkEntries(before, witnesses)) {
        const witness = decodeRow(witnesses, value);
        const expected = witness.signing_key === NULL_KEY ? witness : { ...witness, signing_key: key };
        assert.deepEqual(chainView(fork.store, CACHED_ROWS).get(witnesses, witness.owner), expected);
      }
      const chain = new Chain({ store: fork.store, parameters, durable: false });
      assert.deepEqual([chain.head.number, chain.head.id], [origin.header.block_number, origin.header.block_id]);
      assert.notEqual(parameters.chainId, origin.header.chain_id);
      assert.deepEqual(verifyStore(fork.store, parameters, () => undefined).problems, []);
      // The same file and seed are the same chain, another seed is another one.
      assert.equal(loadFork(origin.path, SEED, []).genesisText, fork.genesisText);
      assert.notEqual(loadFork(origin.path, 'other', []).genesisText, fork.genesisText);
    },
  );

  test(
    `on a fork each witness makes its blocks, anybody is acted for, and its time goes on, under rules ${rules}`,
    rules === 'interface' ? inLongForm : {},
    async () => {
      const { path, header } = await makeOrigin(rules, SEEDS[rules]);
      await using chain = await devChain({ fork: path, seed: SEED, mining: 'none' });
      assert.notEqual(chain.chainId, header.chain_id);
      const begun = await chain.snapshot();
      assert.equal(begun, header.block_id);
      const last = await chain.call('block_api.get_block', { block_num: header.block_number });
      const first = await chain.mine();
      assert.equal(first.head_block_number, header.block_number + 1);
      assert.ok(Date.parse(`${first.time}Z`) - Date.parse(`${last?.timestamp}Z`) <= 6 * 3_600_000, first.time);
      const missed = await countMissed(chain);
      const { head_block_number: number } = await chain.mine(30);
      const makers = new Set<string>();
      for (let block_num = number - 29; block_num <= number; block_num++)
        makers.add((await chain.call('block_api.get_block', { block_num }))?.witness ?? '');
      assert.ok(makers.size > 1, [...makers].join());
      assert.equal(await countMissed(chain), missed, 'no slot was left out');

      const given = await fetchBalance(chain, 'miners');
      const payment = (memo: string): Parameters<typeof chain.sendUnsigned>[0] => [
        ['transfer', { from: 'initminer', to: 'miners', amount: '1.000000 COIN', memo }],
      ];
      await chain.sendUnsigned(payment('by command'));
      await chain.setMining('automine');
      await chain.client.send(payment('by key'), [chain.impersonator.key], 3600);
      assert.equal(await fetchBalance(chain, 'miners'), given + 2_000_000n);
      await chain.revert(begun);
      assert.ok((await fetchBalance(chain, 'miners')) <= given);
      assert.deepEqual(chain.accounts, {});
      assert.throws(() => chain.account('alice'), /it is a fork, where sendUnsigned/);
    },
  );
}

async function countMissed(chain: Awaited<ReturnType<typeof devChain>>): Promise<number> {
  const { witnesses: all } = await chain.call('database_api.list_witnesses', {
    start: '',
    limit: 100,
    order: 'by_name',
  });
  return all.reduce((sum: number, { total_missed }: { readonly total_missed: number }) => sum + total_missed, 0);
}

async function fetchBalance(chain: Awaited<ReturnType<typeof devChain>>, account_name: string): Promise<bigint> {
  const { account } = await chain.call('alexandria_api.get_account', { account_name });
  return BigInt((account[0]?.balance ?? '').replaceAll(/\D/gu, ''));
}

test('a fork of what is no snapshot, or with what only a new chain has, says so', async () => {
  const wrong = join(folder, 'wrong.avro');
  writeFileSync(wrong, 'nothing');
  const cases: readonly (readonly [Parameters<typeof devChain>[0], RegExp])[] = [
    [{ fork: wrong }, /wrong\.avro is no snapshot, or it is damaged/],
    [{ fork: join(folder, 'none') }, /there is no file/],
    [{ fork: folder }, /is no file/],
    [{ fork: wrong, accounts: 3 }, /leave accounts and genesisTime out/],
    [{ fork: wrong, genesisTime: 3 }, /leave accounts and genesisTime out/],
  ];
  for (const [options, text] of cases)
    await assert.rejects(
      devChain(options),
      (error) => error instanceof Fault && text.test(error.message),
      String(text),
    );
});

test('a chain whose state is another’s does not begin with its genesis', async () => {
  const { genesisText } = loadFork((await makeOrigin('interface', 7)).path, SEED, []);
  const parameters = readParameters(genesisText);
  assert.throws(
    () => new Chain({ store: new MemoryStore(), parameters, durable: false }),
    /begins with the state of chain [0-9a-f]{64} behind block \d+/,
  );
});
