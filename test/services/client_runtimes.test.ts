import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { makeProject } from '../client/packed.ts';
import { startChain, temporaryFolder as chainFolder, type Started } from '../wallet/programs.ts';
import { saidInChromium, type Bundle } from './chromium_program.ts';
import { succeed, temporaryFolder } from './commands.ts';
import { bun, deno, installedNode, nodeVersions } from './nodes.ts';
import { bundlerPackages } from './sdk/packages.ts';

// One program that uses all of pharos-client, in every runtime that the package is for.

const folder = makeProject('pharos-client');
let node: Started;
before(async () => {
  node = await startChain(join(chainFolder(), 'dev'));
  writeFileSync(join(folder, 'all.js'), `${program}\nconsole.log(await useAll('127.0.0.1:${node.port}'));`);
});
after(async () => await node.stop());

const program = `
  import { connect, NodeRefusal, NodeSilent } from 'pharos-client';
  import { decryptMemo, encryptMemo, generateKey, derivePublicKey } from 'pharos-client/keys';
  const key = '5J9bWm2ThenDm3tjvmUgHtWCVMUdjRR1pxnRtnJjvKA4b2ut5WK';
  const expect = (isTrue, what) => { if (!isTrue) throw new Error(what); };
  async function useOver(protocol, address) {
    const client = await connect([protocol + '://127.0.0.1:1', protocol + '://' + address]);
    const { account: [alice] } = await client.call('alexandria_api.get_account', { account_name: 'alice' });
    expect(typeof alice.id === 'bigint' && alice.memo_key === derivePublicKey(key), 'plain values');
    const theirs = generateKey();
    const memo = encryptMemo('ä €', key, derivePublicKey(theirs));
    const signed = await client.sign(await client.build([['transfer', { from: 'alice', to: 'bob', amount: '1 COIN', memo }]], 3000), [key]);
    const sent = await client.broadcast(signed);
    const block = await client.call('block_api.get_block', { block_num: sent.block_num });
    const paid = block.transactions[sent.trx_num].operations[0][1];
    expect(decryptMemo(paid.memo, theirs) === 'ä €', 'the memo');
    expect((await client.broadcast(signed)).block_num === sent.block_num, 'known is sent');
    const refused = await client.call('alexandria_api.get_account', { account_name: 'nobody-here' }).catch((error) => error);
    expect(refused instanceof NodeRefusal && refused.code === 'unknown_account', 'a refusal');
    if (protocol === 'ws') {
      let tell;
      const heard = new Promise((resolve) => (tell = resolve));
      await client.follow({ app_id: 1n, account_name: 'bob', search_type: 'by_recipient' }, { document: (_, { data }) => tell(data) });
      await client.send([['custom_json', { sender: 'alice', recipients: ['bob'], app_id: 1, json: '"x"' }]], [key], 3000);
      expect((await heard) === '"x"', 'a document');
      const block = await new Promise((resolve, reject) => client.followBlocks({ startBlock: 1 }, { block: resolve, undone() {}, failed: reject }).catch(reject));
      expect(block.number === 1, 'a block');
    }
    client.close();
    const silent = await connect(protocol + '://127.0.0.1:1').catch((error) => error);
    expect(silent instanceof NodeSilent, 'silence');
  }
  async function useAll(address) {
    await useOver('http', address);
    await useOver('ws', address);
    return 'all of it works';
  }`;

const said = 'all of it works\n';

for (const version of nodeVersions) {
  test(`Node ${version} runs all of the client`, { timeout: 120_000 }, async () => {
    const path = version === process.versions.node ? process.execPath : installedNode(version);
    assert.equal(await succeed(path, ['--disallow-code-generation-from-strings', 'all.js'], { folder }), said);
  });
}

test('Deno runs all of the client', { timeout: 240_000 }, async () => {
  const environment = { DENO_DIR: temporaryFolder(), DENO_NO_UPDATE_CHECK: '1' };
  const args = ['run', '--allow-all', '--no-lock', '--cached-only', '--node-modules-dir=manual', 'all.js'];
  assert.equal(await succeed(deno(), args, { folder, environment }), said);
});

test('Bun runs all of the client', { timeout: 240_000 }, async () => {
  assert.equal(await succeed(bun(), ['run', 'all.js'], { folder }), said);
});

test('a page in Chromium runs all of the client under a strict content policy', { timeout: 240_000 }, async () => {
  assert.equal(await saidInChromium(folder, program, `useAll('127.0.0.1:${node.port}')`), said);
});

const byVite: Bundle = async (installed, contents, into) => {
  const packages = dirname(bundlerPackages());
  writeFileSync(join(installed, 'page_source.js'), contents);
  const output = { entryFileNames: 'page.js', chunkFileNames: '[name]-[hash].js' };
  const options = { outDir: into, modulePreload: false, rollupOptions: { input: 'page_source.js', output } };
  writeFileSync(join(installed, 'vite.config.js'), `export default ${JSON.stringify({ build: options })};`);
  const vite = join(packages, 'node_modules/vite/bin/vite.js');
  await succeed(installedNode('24.21.0'), [vite, 'build'], { folder: installed });
};

test('the same page bundled by Vite has no module of Node and no compiled text', { timeout: 240_000 }, async () => {
  rmSync(join(folder, 'page'), { recursive: true, force: true });
  assert.equal(await saidInChromium(folder, program, `useAll('127.0.0.1:${node.port}')`, byVite), said);
  const scripts = readdirSync(join(folder, 'page'));
  assert.ok(scripts.length > 1);
  for (const script of scripts)
    assert.doesNotMatch(
      readFileSync(join(folder, 'page', script), 'utf8'),
      /["']node:|\bnew Function\b|\beval\(|\brequire\(|browser-external/,
      script,
    );
});
