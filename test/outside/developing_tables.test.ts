import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { freePort } from './free_port.ts';
import { numberMember, textMember, type Json } from './json.ts';
import type { Program } from './program.ts';
import { fetchBalance, testSecret, signed, makeTransaction, transfer } from './signer.ts';
import { Site } from './site.ts';
import { waitUntil } from './wait_until.ts';
import { inLongForm } from '../builders/forms.ts';

// The tables of the guides to development chains: whatever a row says that a chain has is used here as it names it.

const guides = new URL('../../../src/pages/guides/', import.meta.url);
const page = ['anvil_hardhat', 'test_chain']
  .map((name) => readFileSync(fileURLToPath(new URL(`${name}.md`, guides)), 'utf8'))
  .join('\n');
const site = new Site();

after(() => site.clear());

/** The cells of the rows of the table below a heading. */
function tableRows(heading: string): readonly (readonly string[])[] {
  const section = page.slice(page.indexOf(`\n## ${heading}\n`)).slice(1);
  const rows = section.slice(0, Math.max(section.indexOf('\n## '), 0) || undefined).match(/^\|.+\|$/gm) ?? [];
  return rows.slice(2).map((row) =>
    row
      .split('|')
      .map((cell) => cell.trim())
      .slice(1, -1),
  );
}

/** Returns the code of a cell. */
function cellNames(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
}

const rows = tableRows('Side by side').map(([theirs = '', ours = '', verdict = '']) => ({
  theirs,
  ours,
  verdict,
}));
const had = rows.filter(({ verdict }) => /^has(?: better)?(?::|,|$)/.test(verdict));
const ORIGIN = 'https://page.example';
const head = async (chain: Program): Promise<number> => (await chain.health()).number;
const blocksSaid = (chain: Program): number => (chain.stdout.match(/^block \d+ /gm) ?? []).length;

/** Sends what alice pays to bob, and waits for no block. */
async function pay(chain: Program, memo: string): Promise<void> {
  const trx = await signed(
    chain,
    await makeTransaction(chain, [transfer('alice', 'bob', '1.000000', memo)]),
    'seed alice',
  );
  await chain.result('network_broadcast_api.broadcast_transaction', { trx });
}

async function fetchStatus(chain: Program, origin: string): Promise<number> {
  return (await chain.raw('{"jsonrpc":"2.0","id":1,"method":"alexandria_api.info"}', { origin })).status;
}

/** The words that follow the flags of the first chain. */
let port = 0;
const values: Readonly<Record<string, () => string[]>> = {
  '--port': () => [String(port)],
  '--accounts': () => ['12'],
  '--seed': () => ['seed'],
  '--no-mining': () => [],
  '--silent': () => [],
  '--data-dir': () => [site.path('table')],
  '--http-cors': () => [ORIGIN],
};
/** Flags of a later start of the same chain: they contradict the others. */
const laterFlags: Readonly<Record<string, readonly string[]>> = { '--block-interval-ms': ['100'], '--automine': [] };

/** Shows each thing that a row names, on the first chain. */
const proofs: Readonly<Record<string, (chain: Program) => Promise<void> | void>> = {
  '--port': (chain) => assert.equal(chain.port, port),
  '--accounts': async (chain) =>
    assert.equal((await chain.result('alexandria_api.get_account', { account_name: 'user12' })) === null, false),
  '--seed': async (chain) => {
    const pair: Json = JSON.parse((await site.run(['keys', '--seed', 'seed alice'])).stdout);
    assert.ok(chain.stdout.includes(textMember(pair, 'wif_priv_key')));
    assert.equal(testSecret('seed alice').length, 32);
  },
  '--no-mining': async (chain) => {
    const before = await head(chain);
    await pay(chain, 'waits');
    assert.equal(await head(chain), before);
  },
  '--silent': async (chain) => {
    await chain.result('debug_api.produce_blocks');
    assert.equal(blocksSaid(chain), 0);
  },
  '--http-cors': async (chain) => {
    const statuses = [];
    for (const origin of [ORIGIN, 'http://localhost:5173', 'https://other.example'])
      statuses.push(await fetchStatus(chain, origin));
    assert.deepEqual(statuses, [200, 200, 403]);
  },
  produce_blocks: async (chain) => {
    const before = await head(chain);
    assert.equal(
      numberMember(await chain.result('debug_api.produce_blocks', { count: 3 }), 'head_block_number'),
      before + 3,
    );
  },
  set_mining: async (chain) => {
    const before = await head(chain);
    await chain.result('debug_api.set_mining', { mode: 'automine' });
    await pay(chain, 'with a block');
    await waitUntil('the block of a transaction', async () => (await head(chain)) > before || undefined);
    await chain.result('debug_api.set_mining', { mode: 'interval' });
    const then = await head(chain);
    await waitUntil('a block of its slot', async () => (await head(chain)) > then || undefined);
    await chain.result('debug_api.set_mining', { mode: 'none' });
  },
  jump_ahead: async (chain) => {
    const op_vec = [
      ['transfer_to_vesting', { from: 'carol', to: '', amount: '54.000000 COIN' }],
      ['withdraw_vesting', { account: 'carol', vesting_shares: '54.000000 VESTS' }],
    ];
    for (const operation of op_vec) {
      await chain.result('debug_api.send_unsigned', { op_vec: [operation] });
      await chain.result('debug_api.produce_blocks');
    }
    const before = await fetchBalance(chain, 'carol');
    await chain.result('debug_api.jump_ahead', { seconds: 86_400 });
    // An instalment of 27.
    assert.equal(await fetchBalance(chain, 'carol'), before + 2_000_000n);
  },
  snapshot: async (chain) => {
    const first = await chain.result('debug_api.snapshot');
    await chain.result('debug_api.produce_blocks', { count: 100 });
    const second = await chain.result('debug_api.snapshot');
    for (const each of [second, second, first, first]) {
      await chain.result('debug_api.produce_blocks', { count: 2 });
      assert.equal(textMember(await chain.result('debug_api.revert', each), 'head_block_id'), textMember(each, 'id'));
    }
    assert.equal((await chain.refusal('debug_api.revert', second)).name, 'unknown_snapshot');
  },
  revert: async (chain) => {
    const before = await fetchBalance(chain, 'bob');
    const id = await chain.result('debug_api.snapshot');
    await chain.result('debug_api.send_unsigned', { op_vec: [transfer('carol', 'bob', '1.000000')] });
    await chain.result('debug_api.produce_blocks');
    assert.equal(await fetchBalance(chain, 'bob'), before + 1_000_000n);
    await chain.result('debug_api.revert', id);
    assert.equal(await fetchBalance(chain, 'bob'), before);
  },
  send_unsigned: async (chain) => {
    const before = await fetchBalance(chain, 'carol');
    await chain.result('debug_api.send_unsigned', { op_vec: [transfer('dave', 'carol', '1.000000')] });
    await chain.result('debug_api.produce_blocks');
    assert.equal(await fetchBalance(chain, 'carol'), before + 1_000_000n);
  },
  impersonator: async (chain) => {
    const trx = await signed(
      chain,
      await makeTransaction(chain, [transfer('erin', 'bob', '2.000000')]),
      'seed impersonator',
    );
    await chain.result('network_broadcast_api.broadcast_transaction', { trx });
    await chain.result('debug_api.produce_blocks');
  },
  fork: async (chain) => {
    for (const keep_transactions of [true, false]) {
      const before = await fetchBalance(chain, 'bob');
      await chain.result('debug_api.send_unsigned', { op_vec: [transfer('frank', 'bob', '1.000000')] });
      const made = numberMember(await chain.result('debug_api.produce_blocks', { count: 2 }), 'head_block_number');
      const forked = await chain.result('debug_api.fork', { blocks: 2, keep_transactions });
      assert.equal(numberMember(forked, 'head_block_number'), made + 1);
      assert.equal(await fetchBalance(chain, 'bob'), before + (keep_transactions ? 1_000_000n : 0n));
    }
  },
  miss_slots: async (chain) => {
    const filled = async (): Promise<number> =>
      numberMember(
        await chain.result('alexandria_api.get_dynamic_global_properties'),
        'properties.participation_count',
      );
    await chain.result('debug_api.produce_blocks', { count: 128 });
    const before = await filled();
    await chain.result('debug_api.miss_slots', { count: 5 });
    assert.ok((await filled()) < before);
  },
  delay_answers: async (chain) => {
    await chain.result('debug_api.delay_answers', { delay_ms: 600_000, count: 1 });
    const given = new AbortController();
    const late = fetch(`http://127.0.0.1:${chain.port}`, {
      method: 'POST',
      body: '{"jsonrpc":"2.0","id":1,"method":"debug_api.produce_blocks"}',
      signal: given.signal,
    });
    const before = await head(chain);
    await waitUntil('what is answered too late', async () => (await head(chain)) > before || undefined).finally(() =>
      given.abort(),
    );
    await assert.rejects(late);
  },
  '--state': async () => {
    const words = ['dev', '--port', '0', '--no-mining', '--state', site.path('state.avro')];
    const before = site.start(words);
    await before.ready();
    await before.result('debug_api.produce_blocks', { count: 3 });
    const is = await before.health();
    assert.equal(await before.stop(), 0);
    const later = site.start(words);
    await later.ready();
    assert.deepEqual(await later.health(), is);
    assert.ok(JSON.stringify(await later.result('block_api.get_block', { block_num: 1 })).includes('initminer'));
    assert.equal(await later.stop(), 0);
  },
  '--fork': async (chain) => {
    const source = `http://127.0.0.1:${chain.port}`;
    const fork = site.start(['dev', '--port', '0', '--no-mining', '--data-dir', site.path('fork'), '--fork', source]);
    await fork.ready();
    const before = await fetchBalance(fork, 'carol');
    await fork.result('debug_api.send_unsigned', { op_vec: [transfer('dave', 'carol', '1.000000')] });
    await fork.result('debug_api.produce_blocks');
    assert.equal(await fetchBalance(fork, 'carol'), before + 1_000_000n);
    assert.equal(await fork.stop(), 0);
  },
  refuse_broadcasts: async (chain) => {
    await chain.result('debug_api.refuse_broadcasts', { every: 1 });
    const refused = await chain.refusal('debug_api.send_unsigned', { op_vec: [transfer('dave', 'carol', '1.000000')] });
    assert.equal(refused.name, 'too_many_broadcasts');
    await chain.result('debug_api.refuse_broadcasts', { every: 0 });
  },
};

/** Flags that only a chain of its own can have: their proofs start one. */
const apart = new Set(['--state', '--fork']);

/** Things that this chain does not show: test/dev_chain shows `devChain`, by each of its methods. */
const elsewhere = new Set(['devChain', 'pharos/dev']);

test('each row beside Anvil and Hardhat has a verdict, with its reason where something is not there', () => {
  assert.ok(rows.length >= 18, 'the table is found');
  for (const { theirs, ours, verdict } of rows) {
    assert.match(verdict, /^(?:has|has better|has not|doesn't need)(?:$|[:,] \S)/, theirs);
    if (!/^has(?: better)?(?::|,|$)/.test(verdict)) assert.match(verdict, /: .{20}/, theirs);
    else assert.ok(cellNames(ours).length > 0, theirs);
  }
});

test('what the rows say that a chain has, it has', inLongForm, async () => {
  const names = [...new Set(had.flatMap(({ ours }) => cellNames(ours)))];
  const unproved = names.filter(
    (name) =>
      proofs[name] === undefined && laterFlags[name] === undefined && !elsewhere.has(name) && name !== '--data-dir',
  );
  assert.deepEqual(unproved, [], 'a row that nothing here tries');
  assert.deepEqual(
    Object.keys(proofs).filter((name) => !names.includes(name)),
    [],
    'a proof that no row asks for',
  );

  port = await freePort();
  const flags = names.filter((name) => name.startsWith('--') && laterFlags[name] === undefined && !apart.has(name));
  const words = flags.flatMap((flag) => [flag].concat(values[flag]?.() ?? assert.fail(`no value for ${flag}`)));
  const first = site.start(['dev', ...words]);
  await first.ready();
  for (const name of names) await proofs[name]?.(first);

  // The chain is on the disk all the time, and an id outlives a start.
  const kept = await first.result('debug_api.snapshot');
  const { number, stateHash } = await first.health();
  first.kill();
  await first.exited;
  for (const [flag, more] of Object.entries(laterFlags)) {
    const later = site.start(['dev', '--data-dir', site.path('table'), '--port', '0', flag, ...more]);
    await later.ready();
    if (flag === '--automine') assert.deepEqual(await later.health(), { number, stateHash });
    else await waitUntil('a line a block', () => blocksSaid(later) >= 2 || undefined);
    await pay(later, flag);
    await waitUntil('a line a transaction', () => later.stdout.includes(`memo=${flag}`) || undefined);
    // A block of the next slot would come between the way back and the end, and the next start begins with it.
    await later.result('debug_api.set_mining', { mode: 'none' });
    assert.equal(textMember(await later.result('debug_api.revert', kept), 'head_block_id'), textMember(kept, 'id'));
    assert.equal(await later.stop(), 0);
  }
});

test('each fault is ordered as its row says, by debug_api and by devChain', async () => {
  const faults = tableRows('Faults on demand').map(
    ([, method = '', own = '']) => [cellNames(method)[0] ?? '', cellNames(own)[0] ?? ''] as const,
  );
  assert.ok(faults.length >= 5, 'the table is found');
  const name: string = 'pharos/dev';
  const { devChain }: { readonly devChain: () => Promise<OwnChain> } = Object(await import(name));
  writeFileSync(
    site.path('faults.mjs'),
    `export const orders = [${faults.map(([, own]) => `(chain) => chain.${own}`).join()}];`,
  );
  const { orders }: { readonly orders: readonly ((chain: OwnChain) => Promise<unknown>)[] } = Object(
    await import(pathToFileURL(site.path('faults.mjs')).href),
  );
  assert.equal(orders.length, faults.length);
  const chain = await devChain();
  try {
    for (const [k, [method]] of faults.entries()) {
      await chain.mine(5);
      const [, short = '', params = ''] = /^(\w+) (\{.*\})$/.exec(method) ?? assert.fail(method);
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: `debug_api.${short}`, params: JSON.parse(params) });
      assert.match(await (await fetch(chain.url, { method: 'POST', body })).text(), /"result"/, method);
      await orders[k]?.(chain);
      // The page says below the table how these faults end.
      await chain.delayAnswers(0);
      await chain.refuseBroadcasts(0);
    }
  } finally {
    await chain.stop();
  }
});

interface OwnChain {
  readonly url: string;
  mine(count: number): Promise<unknown>;
  delayAnswers(delayMs: number): Promise<void>;
  refuseBroadcasts(every: number): Promise<void>;
  stop(): Promise<void>;
}
