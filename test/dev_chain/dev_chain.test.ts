import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { connect } from '../../src/client/index.ts';
import { formSize } from '../builders/forms.ts';
import { ownEnvironment } from '../builders/own_environment.ts';
import { devChain, Fault, Refusal, type DevChain, type GivenOperation } from '../../src/dev_chain/dev_chain.ts';

const folder = mkdtempSync(join(tmpdir(), 'pharos-dev-'));
const program = new URL('../../src/dev_chain/dev_chain.js', import.meta.url).href;

after(() => rmSync(folder, { recursive: true, force: true }));

async function fetchBalance(chain: DevChain, account_name: string): Promise<bigint> {
  const { account } = await chain.call('alexandria_api.get_account', { account_name });
  const [number = ''] = (account[0]?.balance ?? assert.fail(`nobody is named ${account_name}`)).split(' ');
  return BigInt(number.replace('.', ''));
}

const payment = (from: string, memo = ''): GivenOperation => [
  'transfer',
  { from, to: 'bob', amount: '1.000000 COIN', memo },
];
const RICH = 10_000_000_000_000n;

test('a chain of this process takes transactions, and makes a block with each', async () => {
  await using chain = await devChain();
  const sent = await chain.send([payment('alice')], [chain.account('alice').key]);
  assert.deepEqual([sent.block_num, sent.trx_num, sent.expired], [1, 0, false]);
  assert.equal(await fetchBalance(chain, 'bob'), RICH + 1_000_000n);
  // The same twice: two transactions.
  for (let times = 0; times < 2; times++) await chain.sendUnsigned([payment('carol')]);
  assert.equal(await fetchBalance(chain, 'bob'), RICH + 3_000_000n);
  await assert.rejects(
    chain.send([payment('alice', 'wrong key')], [chain.account('bob').key]),
    (error) => error instanceof Refusal && error.code === 'missing_active_authority',
  );
  assert.throws(
    () => chain.account('nobody'),
    (error) => error instanceof Fault && /alice, bob/.test(error.message),
  );
});

test('its own node may name any fees: those of many operations at once, too', async () => {
  await using chain = await devChain();
  const many = Array.from({ length: 120 }, (_, index) => payment('alice', String(index)));
  await chain.sendUnsigned(many);
  const { block_num: block } = await chain.send(many, [chain.account('alice').key]);
  assert.equal(block, 2);
  assert.equal(await fetchBalance(chain, 'bob'), RICH + 240_000_000n);
});

test('it goes ahead in time, and back to a snapshot however many blocks ago', async () => {
  await using chain = await devChain();
  await chain.sendUnsigned([['transfer_to_vesting', { from: 'carol', to: '', amount: '54.000000 COIN' }]]);
  await chain.sendUnsigned([['withdraw_vesting', { account: 'carol', vesting_shares: '54.000000 VESTS' }]]);
  const held = await fetchBalance(chain, 'carol');
  const id = await chain.snapshot();
  const { time } = await chain.mine();
  const later = await chain.jumpAhead(86_400);
  assert.ok(Date.parse(`${later.time}Z`) >= Date.parse(`${time}Z`) + 86_400_000);
  assert.equal(await fetchBalance(chain, 'carol'), held + 2_000_000n);
  await chain.mine(500);
  const back = await chain.revert(id);
  assert.equal(back.head_block_id, id);
  assert.equal(await fetchBalance(chain, 'carol'), held);
});

test('blocks come when they are ordered, with each transaction, or by the clock', async () => {
  await using chain = await devChain({ mining: 'none' });
  await chain.sendUnsigned([payment('alice')]);
  assert.equal(await fetchBalance(chain, 'bob'), RICH);
  assert.equal((await chain.mine(2)).head_block_number, 2);
  assert.equal(await fetchBalance(chain, 'bob'), RICH + 1_000_000n);
  await chain.setMining('automine');
  await chain.sendUnsigned([payment('alice')]);
  assert.equal(await fetchBalance(chain, 'bob'), RICH + 2_000_000n);
  await using quick = await devChain({ mining: 'interval', blockIntervalMs: 20 });
  const { block_num } = await quick.send([payment('alice')], [quick.account('alice').key]);
  assert.ok(block_num > 0);
});

test('what has waited gets one block when blocks come with transactions, and the chain stands still again', async () => {
  await using chain = await devChain({ mining: 'none' });
  for (let n = 0; n < 20; n++) await chain.sendUnsigned([payment('alice')]);
  assert.equal((await chain.setMining('automine')).head_block_number, 1);
  assert.equal(await fetchBalance(chain, 'bob'), RICH + 20_000_000n);
  // One that can get into no block any more makes none.
  await chain.setMining('none');
  await chain.sendUnsigned([payment('alice')]);
  assert.equal((await chain.jumpAhead(7200)).head_block_number, 2);
  assert.equal((await chain.setMining('automine')).head_block_number, 2);
  assert.equal(await fetchBalance(chain, 'bob'), RICH + 20_000_000n);
});

test('its port is for any client, and pages of this machine; two chains have two', async () => {
  await using one = await devChain();
  await using other = await devChain();
  assert.notEqual(one.url, other.url);
  const client = await connect(one.url);
  try {
    assert.equal(client.chainId, one.chainId);
    await client.send([payment('alice')], [one.account('alice').key]);
  } finally {
    client.close();
  }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'debug_api.snapshot' });
  const fetchStatus = async (origin: string): Promise<number> =>
    (await fetch(one.url, { method: 'POST', body, headers: { origin } })).status;
  assert.deepEqual(await Promise.all(['http://localhost:5173', 'https://example.com'].map(fetchStatus)), [200, 403]);
  assert.deepEqual([await fetchBalance(one, 'bob'), await fetchBalance(other, 'bob')], [RICH + 1_000_000n, RICH]);
});

test('the same seed, accounts and time give the same chain; others give others', async () => {
  const same = { seed: 'one', accounts: 3, genesisTime: 1_800_000_000 };
  const ids: string[] = [];
  for (const options of [
    same,
    same,
    { ...same, seed: 'other' },
    { ...same, accounts: 4 },
    { ...same, genesisTime: 1_800_000_003 },
  ]) {
    await using chain = await devChain(options);
    ids.push(chain.chainId);
    assert.equal(Object.keys(chain.accounts).length, options.accounts + 1);
  }
  assert.equal(ids[0], ids[1]);
  assert.equal(new Set(ids).size, 4);
  await assert.rejects(
    devChain({ accounts: 1001 }),
    (error) => error instanceof Fault && /0 to 1000 expected, got 1001/.test(error.message),
  );
});

test('an option that makes no sense, or is none, is named', async () => {
  const wrong: readonly (readonly [object, RegExp])[] = [
    [{ minning: 'none' }, /^minning: no option of devChain; did you mean mining\?$/],
    [
      { silent: true },
      /^silent: no option of devChain; there are port, accounts, witnesses, hardforks, seed, mining, blockIntervalMs, genesisTime, fork$/,
    ],
    [{ mining: 'auto' }, /^mining: automine, interval, none expected, got "auto"$/],
    [{ port: 70_000 }, /^port: 0 to 65535 expected, got 70000$/],
    [{ port: '8080' }, /^port: 0 to 65535 expected, got "8080"$/],
    [{ accounts: 2.5 }, /^accounts: 0 to 1000 expected, got 2\.5$/],
    [{ seed: 5 }, /^seed: a text expected, got 5$/],
    [{ mining: 'interval', blockIntervalMs: 0 }, /^blockIntervalMs: 1 to \d+ expected, got 0$/],
    [{ blockIntervalMs: 50 }, /^blockIntervalMs: only with mining 'interval', which is 'automine' here$/],
    [{ genesisTime: Number.NaN }, /^genesisTime: 0 to \d+ expected, got NaN$/],
  ];
  for (const [options, text] of wrong)
    await assert.rejects(
      devChain(options),
      (error) => error instanceof Fault && error.code === 'configuration' && text.test(error.message),
    );
  await using chain = await devChain({ seed: undefined, port: undefined });
  assert.equal((await chain.mine()).head_block_number, 1);
});

test('after its end it answers nobody, and a port in use is said', async () => {
  const chain = await devChain();
  const port = Number(new URL(chain.url).port);
  await assert.rejects(devChain({ port }), (error) => error instanceof Fault && error.code === 'port_in_use');
  await chain.stop();
  await chain.stop();
  await assert.rejects(chain.mine(), (error) => error instanceof Fault && /has stopped/.test(error.message));
  await assert.rejects(fetch(chain.url));
  await using again = await devChain({ port });
  assert.equal((await again.mine()).head_block_number, 1);
});

test('what waits for a block when it stops is refused, not left waiting', async () => {
  const chain = await devChain({ mining: 'none' });
  const waiting = assert.rejects(
    chain.send([payment('alice')], [chain.account('alice').key]),
    (error) => error instanceof Error,
  );
  await chain.mine(0).catch(() => undefined);
  await chain.stop();
  await waiting;
});

test('a test file ends by itself as soon as its chains have stopped, and leaves no file and no line', () => {
  const file = join(folder, 'own.test.mjs');
  writeFileSync(
    file,
    `import { test } from 'node:test';
    import { devChain } from ${JSON.stringify(program)};
    test('pays', async () => {
      const chains = [await devChain(), await devChain({ mining: 'interval' })];
      await chains[0].sendUnsigned([['transfer', { from: 'alice', to: 'bob', amount: '1.000000 COIN', memo: '' }]]);
      await (await fetch(chains[0].url, { method: 'POST', body: '{"jsonrpc":"2.0","id":1,"method":"alexandria_api.info"}' })).text();
      for (const chain of chains) await chain.stop();
    });
    process.on('exit', () => console.log('left:', process.getActiveResourcesInfo().filter((name) => /TCP|Timer|Worker|Message/.test(name)).join()));`,
  );
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 120_000,
    env: ownEnvironment,
  });
  assert.equal(status, 0, `${stdout}\n${stderr}`);
  assert.match(stdout, /^left: ?$/m);
  assert.equal(stderr, '');
  assert.deepEqual(readdirSync(folder), ['own.test.mjs']);
});

test('one after the other takes no more memory', () => {
  // The first ones warm the engine up.
  const [few, many] = [15, formSize('PHAROS_DEV_CHAINS', { short: 30, long: 60 })];
  const source = `import { devChain } from ${JSON.stringify(program)};
    const heap = {};
    for (let number = 1; number <= ${many}; number++) {
      const chain = await devChain({ accounts: 3 });
      await chain.sendUnsigned([['transfer', { from: 'alice', to: 'bob', amount: '1.000000 COIN', memo: '' }]]);
      await chain.mine(3);
      await chain.stop();
      if (number === ${few} || number === ${many}) { gc(); gc(); heap[number] = process.memoryUsage().heapUsed; }
    }
    console.log(JSON.stringify(heap));`;
  const flags = ['--expose-gc', '--input-type=module', '-e', source];
  const { status, stdout, stderr } = spawnSync(process.execPath, flags, {
    encoding: 'utf8',
    timeout: 600_000,
    env: ownEnvironment,
  });
  assert.equal(status, 0, stderr);
  const heap: Record<string, number> = JSON.parse(stdout);
  const grown = (heap[many] ?? Infinity) - (heap[few] ?? 0);
  // A chain that stayed would take 130 KB.
  assert.ok(grown < 50_000 * (many - few), `${grown} bytes more after ${many} chains than after ${few}`);
});

test('the package exports it', async () => {
  const name: string = 'pharos/dev';
  const exported: unknown = await import(name);
  assert.equal(Object(exported).devChain, devChain);
});
