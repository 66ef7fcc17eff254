import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startChain, temporaryFolder, type Started } from '../wallet/programs.ts';
import { compile, makeProject, packages, run } from './packed.ts';

// All pages of the package are run: every example, and each row of the tables beside the call that it takes the place
// of.

const folder = makeProject('pharos-client');
const page = (name: string): string => readFileSync(join(folder, 'node_modules/pharos-client', name), 'utf8');
const console = 'declare const console: { log(...what: readonly unknown[]): void };';
let node: Started;
// All at once: who compiles reads the declarations of the package first, which takes longer than all else.
before(async () => {
  node = await startChain(join(temporaryFolder(), 'dev'));
  const here = (text: string): string => text.replaceAll(/(127\.0\.0\.1|localhost):9193/g, `127.0.0.1:${node.port}`);
  const programs = examples.map((text, k) => [`example${k}.ts`, here(text)]);
  await compile(folder, Object.fromEntries([['console.d.ts', console], ...programs, ['rows.ts', sideBySide()]]));
});
after(async () => await node.stop());

const examples = ['README.md', 'NODES.md', 'FOLLOW.md', 'PRODUCTION.md'].flatMap((name) =>
  [...page(name).matchAll(/```ts\n([^]*?)```/g)].map(([, text = '']) => text),
);
/** The output of each example, in order. */
const printed: readonly RegExp[] = [
  /^\d+\.\d{6} COIN PHR\w+\nalice\n$/,
  /^in block \d+: [0-9a-f]{40}\n$/,
  /^it would cost .+ COIN\n\w+ \d+\n$/,
  /^true true\n$/,
  /^\d+\n$/,
  /^\d+\n$/,
  /^(?:[a-z_]+\.[a-z_]+: true\n)+true\n$/,
  /^unknown_account nobody-here change the call: .+\n$/,
  /^document \d+: \{"hello":"bob"\}\n$/,
  /^2\.500000 COIN of alice for order 7\n$/,
  /^1\.000000 COIN for order 8 true\n$/,
  /^true\n$/,
  /^order 9\n$/,
  /^final\n$/,
];

test('every example of the package compiles, and prints what it says', { timeout: 120_000 }, async () => {
  assert.equal(examples.length, printed.length);
  for (const [k, pattern] of printed.entries())
    assert.match(await run(folder, [`example${k}.js`]), pattern, examples[k]);
});

test('the page names the file of the package that is packed', () => {
  const [, file = ''] = /^npm install \S+\/(\S+\.tgz)$/m.exec(page('README.md')) ?? [];
  assert.ok(existsSync(join(packages('pharos-client'), file)), file);
});

interface Row {
  readonly method: string;
  /** An expression in JavaScript. */
  readonly params: string;
  readonly ours: string;
}

/** The rows of the table below a heading of the page. */
function tableRows(heading: string): Row[] {
  const section = page('MIGRATION.md').split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? assert.fail(heading);
  return [...section.matchAll(/^\| `(\S+) (.+?)` \| `(.+)` \|$/gm)].map(([, method = '', params = '', ours = '']) => ({
    method,
    params,
    ours,
  }));
}

const WIF = '5J9bWm2ThenDm3tjvmUgHtWCVMUdjRR1pxnRtnJjvKA4b2ut5WK';

/** A program that makes the calls of each row, side by side, until they agree: blocks come in between. */
function sideBySide(): string {
  const left = ({ method, params }: Row): string => `await old('${method}', ${params})`;
  const pairs = [
    ...tableRows('Reading').map((row) => `async () => [${left(row)}, ${row.ours}],`),
    ...tableRows('Operations').map(
      (row) => `async () => [unpaid(${left(row)}), unpaid(${row.ours} satisfies GivenOperation)],`,
    ),
  ];
  return `import { connect, type GivenOperation } from 'pharos-client';
    declare const fetch: (url: string, init: object) => Promise<{ json(): Promise<any> }>;
    declare const setTimeout: (run: () => void, ms: number) => void;
    const url = 'http://127.0.0.1:${node.port}';
    const old = async (method: string, params: unknown): Promise<any> => {
      const body = JSON.stringify({ id: 1, jsonrpc: '2.0', method, params });
      const { result, error } = await (await fetch(url, { method: 'POST', body })).json();
      if (error) throw new Error(method + ': ' + error.message);
      return result;
    };
    const unpaid = ([name, { fee, ...body }]: any): any => [name, body];
    const said = (value: any): any =>
      typeof value === 'bigint' || typeof value === 'number' ? String(value)
      : value === undefined ? null
      : typeof value !== 'object' || value === null ? value
      : Array.isArray(value) ? value.map(said)
      : Object.fromEntries(Object.keys(value).sort().map((name) => [name, said(value[name])]));
    const text = (value: unknown): string => JSON.stringify(said(value));
    // Ours may have members that the old answers never had.
    const of = (old: any, ours: any): any =>
      typeof old !== 'object' || old === null || typeof ours !== 'object' || ours === null ? ours
      : Array.isArray(ours) ? ours.map((one: any, at: number) => of(old[at], one))
      : Object.fromEntries(Object.keys(ours).filter((name) => name in old).map((name) => [name, of(old[name], ours[name])]));
    const key = '${WIF}';
    const node = await connect(url);
    const [alice] = (await node.call('alexandria_api.get_account', { account_name: 'alice' })).account;
    if (alice === undefined) throw new Error('alice');
    const { memo_key: memoKey } = alice;
    const [ownerKey, activeKey] = [memoKey, memoKey];
    ${/`(const oneKey = .*?)`/.exec(page('MIGRATION.md'))?.[1]};
    const props = { account_creation_fee: '0.100000 COIN', maximum_block_size: 131072, price_feeds: [] };
    const transfer: GivenOperation = ['transfer', { from: 'alice', to: 'bob', amount: '1.000000 COIN', memo: '' }];
    await node.send([['custom_json', { sender: 'alice', recipients: ['bob'], app_id: 1, json: '{}' }]], [key], 3000);
    const { id } = await node.send([transfer], [key], 3000);
    const rows: (() => Promise<[unknown, unknown]>)[] = [${pairs.join('\n')}];
    for (const row of rows) {
      for (let tries = 1; ; tries++) {
        const [left, right] = await row();
        if (text(left) === text(of(left, right)) && text(left) !== 'null') break;
        if (tries === 20) throw new Error(row + '\\n' + text(left) + '\\n' + text(right));
        await new Promise<void>((resolve) => setTimeout(resolve, 50));
      }
    }
    ${sending()}
    console.log(rows.length);
    node.close();`;
}

/**
 * Transactions differ in their time and reference, and answers in what they tell; the operations that come into blocks
 * don't.
 */
function sending(): string {
  const [build, broadcast] = tableRows('Sending');
  return `{
      const operation: GivenOperation = transfer;
      const [left, right] = [await old('${build?.method}', ${build?.params}), ${build?.ours}];
      if (text(left.operations) !== text(right.operations)) throw new Error(text(left) + text(right));
      const inBlocks: unknown[] = [];
      for (const memo of ['old', 'new']) {
        const signed = await node.sign(await node.build([['transfer', { ...transfer[1], memo: 'm' }]], memo === 'old' ? 3000 : 3001), [key]);
        const { block_num } = memo === 'old' ? await old('${broadcast?.method}', ${broadcast?.params}) : ${broadcast?.ours};
        const block = await node.call('block_api.get_block', { block_num });
        inBlocks.push(block?.transactions.map(({ operations }) => operations));
      }
      if (text(inBlocks[0]) !== text(inBlocks[1])) throw new Error(text(inBlocks));
    }`;
}

test(
  'each call of the old SDK stands beside ours in MIGRATION.md, and both say the same',
  { timeout: 120_000 },
  async () => {
    const methods = ['Reading', 'Operations', 'Sending'].flatMap((heading) =>
      tableRows(heading).map(({ method }) => method),
    );
    assert.deepEqual(methods.filter((method) => !method.includes('.')).toSorted(), sent.toSorted());
    assert.equal(await run(folder, ['rows.js']), `${methods.length - 2}\n`);
  },
);

/** The methods that the SDK sends, but for the text that `help` was. */
const sent =
  `about info create_account update_account delete_account transfer transfer_to_vesting withdraw_vesting set_voting_proxy
  vote_for_witness update_witness sponsor_account_fees make_custom_json_operation make_custom_binary_operation create_simple_transaction
  broadcast_transaction get_account_history get_received_documents get_witness list_witnesses list_witnesses_by_vote get_block get_ops_in_block
  get_feed_history get_account get_transaction get_account_name_from_seed account_exist get_active_authority get_owner_authority get_memo_key
  get_account_balance get_vesting_balance`.split(/\s+/);
