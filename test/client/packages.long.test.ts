import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { signTransaction } from '../../src/blocks/sign_transaction.ts';
import { signedTransaction } from '../../src/blocks/transaction.ts';
import { decodeWif } from '../../src/crypto/wif.ts';
import { profiles } from '../../src/values/profile.ts';
import type { EncodingOptions } from '../../src/codec/encoding_options.ts';
import { operationKinds } from '../../src/operations/index.ts';
import { startChain, temporaryFolder, type Started } from '../wallet/programs.ts';
import { compile, devPrinted, devProgram, project, makeProject, run } from './packed.ts';
import { pageBytes, pages } from './page_bytes.ts';

// What users install is what npm run pack makes, in a folder that has nothing else.

const ALICE = '5J9bWm2ThenDm3tjvmUgHtWCVMUdjRR1pxnRtnJjvKA4b2ut5WK';
const [client, whole] = [makeProject('pharos-client'), makeProject('pharos')];
let node: Started;
before(async () => {
  node = await startChain(join(temporaryFolder(), 'dev'));
});
after(async () => await node.stop());

const program = (from: string): string => `
  import { connect, NodeRefusal, type GivenOperation, type Result } from '${from}';
  declare const process: { readonly argv: readonly string[] };
  declare const console: { log(...what: readonly unknown[]): void };
  const [, , url = '', key = ''] = process.argv;
  const node = await connect(url);
  const { account }: Result<'alexandria_api.get_account'> = await node.call('alexandria_api.get_account', { account_name: 'bob' });
  const balance: string | undefined = account[0]?.balance;
  const operation: GivenOperation = ['transfer', { from: 'alice', to: 'bob', amount: '1 COIN', memo: '' }];
  // @ts-expect-error: the memo is missing
  const wrong: GivenOperation = ['transfer', { from: 'alice', to: 'bob', amount: '1 COIN' }];
  // @ts-expect-error: no such method
  void (() => node.call('alexandria_api.get_nothing', {}));
  // @ts-expect-error: no such member
  void account[0]?.nothing;
  const { block_num } = await node.send([operation], [key], 3000);
  await node.call('block_api.get_block', { block_num }).then((block) => console.log(block?.transactions[0]?.operations[0]?.[0]));
  await node.call('alexandria_api.get_witness', { owner_account: 'n' }).then(({ witness }) => console.log(witness?.owner));
  await node.call('alexandria_api.get_transaction', { tx_id: '00' }).catch((error: unknown) => {
    if (error instanceof NodeRefusal && error.name === 'insufficient_funds') console.log(error.data.balance.length);
    // @ts-expect-error: no such refusal
    void (error instanceof NodeRefusal && error.name === 'insufficient_founds');
    console.log(error instanceof NodeRefusal);
  });
  console.log(typeof balance, typeof wrong);
  node.close();
`;
const printed = 'transfer\nundefined\ntrue\nstring object\n';

test(
  'a stranger installs pharos-client, compiles a program and runs it, over HTTP and WebSocket',
  { timeout: 120_000 },
  async () => {
    await compile(client, { 'shop.ts': program('pharos-client') });
    for (const protocol of ['http', 'ws'])
      assert.equal(await run(client, ['shop.js', `${protocol}://127.0.0.1:${node.port}`, ALICE]), printed);
  },
);

test('a stranger installs pharos, starts it, and finds the same client in it', { timeout: 120_000 }, async () => {
  const { version }: { version: string } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
  assert.equal((await run(whole, ['node_modules/pharos/scripts/pharos.js', '--version'])).trim(), version);
  await compile(whole, { 'shop.ts': program('pharos/client').replaceAll(/declare const .*/g, '') }, ['node']);
  assert.equal(await run(whole, ['shop.js', `ws://127.0.0.1:${node.port}`, ALICE]), printed);
  writeFileSync(
    join(whole, 'keys.js'),
    `import { isPrivateKey } from 'pharos/client/keys'; console.log(isPrivateKey('${ALICE}'));`,
  );
  assert.equal(await run(whole, ['keys.js']), 'true\n');
});

test('a stranger writes a test of his own with pharos/dev, in TypeScript', { timeout: 120_000 }, async () => {
  await compile(whole, { 'own_test.ts': devProgram }, ['node']);
  assert.equal(await run(whole, ['own_test.js']), devPrinted);
});

test(
  'a mistake in a listener is not swallowed: without failed the program ends by it',
  { timeout: 120_000 },
  async () => {
    writeFileSync(
      join(client, 'mistaken.js'),
      `import { connect } from 'pharos-client';
    const node = await connect('ws://127.0.0.1:${node.port}');
    process.once('uncaughtException', ({ message }) => { console.log('ended by', message); process.exit(0); });
    await node.followBlocks({}, { block() { throw new Error('a mistake'); }, undone() {} });`,
    );
    assert.equal(await run(client, ['mistaken.js']), 'ended by a mistake\n');
  },
);

test('pharos-client has nothing but modules, declarations and pages, and depends on pure JavaScript', () => {
  const installed = join(client, 'node_modules/pharos-client');
  assert.deepEqual(readdirSync(installed).toSorted(), [
    'FOLLOW.md',
    'LICENSE',
    'MIGRATION.md',
    'NODES.md',
    'NOTICE',
    'PRODUCTION.md',
    'README.md',
    'dist',
    'package.json',
    'types',
  ]);
  const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(
    readFileSync(join(installed, 'package.json'), 'utf8'),
  );
  assert.deepEqual(Object.keys(dependencies), ['@noble/ciphers', '@noble/curves', '@noble/hashes', 'ws']);
  for (const [name, version] of Object.entries(dependencies)) {
    assert.match(version, /^\d+\.\d+\.\d+$/);
    const folder = join(project, 'node_modules', name);
    assert.ok(!existsSync(join(folder, 'binding.gyp')) && !existsSync(join(folder, 'prebuilds')), name);
  }
  for (const file of readdirSync(join(installed, 'dist'))) {
    const text = readFileSync(join(installed, 'dist', file), 'utf8');
    assert.deepEqual(text.match(/['"]node:|\bnew Function\b|\brequire\(|\bprocess\./), null, file);
  }
});

for (const [name, page] of Object.entries(pages))
  test(`${name} loads at most ${page.mostBytes / 1024} KB`, async () => {
    const bytes = await pageBytes(client, page);
    assert.ok(bytes > 10_000 && bytes <= page.mostBytes, `${bytes} bytes`);
  });

test('where no text may be compiled to functions, every kind of operation is signed as the node itself would', async () => {
  const encoding: EncodingOptions = {
    ...(profiles['default'] ?? assert.fail()),
    dialect: 'default',
    operationForm: 'pair',
  };
  const kinds = Object.values(operationKinds).filter(({ isVirtual }) => !isVirtual);
  const header = { ref_block_num: 7, ref_block_prefix: 0xfedc_ba98, expiration: '2026-01-31T12:00:00', extensions: [] };
  const transactions = kinds.map((kind) => ({
    ...header,
    operations: [[kind.name, kind.initial(encoding).bodyToJson(encoding)]],
    signatures: [],
  }));
  const chainId = '0123456789abcdef'.repeat(4);
  const secret = decodeWif(ALICE) ?? assert.fail();
  const expected = transactions.map(
    (each) => signTransaction(chainId, signedTransaction.fromJson(each, encoding), [secret])?.signatures,
  );
  const list = JSON.stringify(transactions, (_, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
  writeFileSync(
    join(client, 'sign.js'),
    `import { Client } from 'pharos-client';
    const symbols = ${JSON.stringify({ coinSymbol: 'COIN', vestsSymbol: 'VESTS', keyPrefix: 'PHR', coinName: 'coin' })};
    const client = new Client({ call: () => Promise.reject(), close() {} }, {}, { chainId: '${chainId}', symbols });
    const signed = [];
    for (const each of ${list}) signed.push((await client.sign(each, ['${ALICE}'])).signatures);
    console.log(JSON.stringify(signed));`,
  );
  const signed: unknown = JSON.parse(await run(client, ['--disallow-code-generation-from-strings', 'sign.js']));
  assert.equal(kinds.length, 32);
  assert.deepEqual(signed, expected);
});
