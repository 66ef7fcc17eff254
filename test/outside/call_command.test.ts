import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, before, test } from 'node:test';
import { commonChain } from './common_chain.ts';
import { at, type Json } from './json.ts';
import type { Program } from './program.ts';
import { signed, makeTransaction, transfer } from './signer.ts';
import { Site, type Finished } from './site.ts';

const site = new Site();
let program: Program;
let urls: readonly string[];

before(async () => {
  program = await commonChain();
  urls = ['http', 'ws'].map((protocol) => `${protocol}://127.0.0.1:${program.port}`);
});

after(() => site.clear());

function call(url: string, ...args: readonly string[]): Promise<Finished> {
  return site.run(['call', ...args, '--url', url]);
}

/** Parses the output, and requires that there is nothing else. */
function parseResult({ code, stdout, stderr }: Finished): Json {
  assert.deepEqual([code, stderr], [0, '']);
  const json: Json = JSON.parse(stdout);
  return json;
}

/** One line for people, no stack, nothing on stdout. */
function assertFails({ code, stdout, stderr }: Finished, expected: number, line: RegExp): void {
  assert.deepEqual([code, stdout], [expected, ''], stderr);
  assert.match(stderr, line);
  assert.doesNotMatch(stderr, /^\s+at |node:internal/m);
}

test('a result is printed as JSON, over HTTP and over a WebSocket', async () => {
  for (const url of urls) {
    const account = parseResult(await call(url, 'alexandria_api.get_account', '{"account_name":"alice"}'));
    assert.equal(at(account, 'account.0.name'), 'alice');
    assert.equal(
      at(parseResult(await call(url, 'alexandria_api.get_version')), 'version_info.blockchain_version'),
      '1.2.0',
    );
  }
});

test('a bare name is called as old clients call it, with params by position or with none', async () => {
  for (const url of urls) {
    assert.equal(at(parseResult(await call(url, 'transfer', '["alice","bob","1 COIN",""]')), '0'), 'transfer');
    assert.match(String(at(parseResult(await call(url, 'about')), 'chain_id')), /^[0-9a-f]{64}$/);
  }
});

test('params are read from stdin, so that no other process sees them', async () => {
  const tx = await signed(
    program,
    await makeTransaction(program, [transfer('alice', 'bob', '0.000001', 'from a file')]),
    'alice',
  );
  const [url = ''] = urls;
  const sent = parseResult(
    await site.runWith(JSON.stringify({ tx }, null, 2), [
      'call',
      'alexandria_api.broadcast_transaction',
      '-',
      '--url',
      url,
    ]),
  );
  assert.equal(at(sent, 'tx.signatures.0'), at(tx, 'signatures.0'));
  const empty = await site.runWith('', ['call', 'alexandria_api.get_account', '-', '--url', url]);
  assertFails(empty, 2, /^pharos: the params are no JSON: /);
});

test('a --member that the result of a change can not have is refused before the call is made', async () => {
  const [url = ''] = urls;
  const memo = 'sent with a wrong member';
  const tx = await signed(
    program,
    await makeTransaction(program, [transfer('alice', 'bob', '0.000001', memo)]),
    'alice',
  );
  const sending = ['alexandria_api.broadcast_transaction', JSON.stringify({ tx }), '--member'];
  for (const path of ['block_num', 'tx.block'])
    assertFails(
      await call(url, ...sending, path),
      2,
      /^pharos: --member .*: the result has no .*; nothing was sent\n$/,
    );
  // The same one is accepted, so nobody has sent it before.
  const { code, stdout, stderr } = await call(url, ...sending, 'tx.signatures.0');
  assert.deepEqual([code, stdout], [0, `${String(at(tx, 'signatures.0'))}\n`], stderr);
});

test('a --member that the result of a change turns out not to have shows the whole result beside the error', async () => {
  const [url = ''] = urls;
  const memo = 'sent without that operation';
  const tx = await signed(
    program,
    await makeTransaction(program, [transfer('alice', 'bob', '0.000001', memo)]),
    'alice',
  );
  const params = JSON.stringify({ tx });
  const sent = await call(url, 'alexandria_api.broadcast_transaction', params, '--member', 'tx.operations.7');
  assertFails(sent, 2, /^pharos: the node has carried out the call, and answered:\n\{/);
  assert.match(sent.stderr, /"transaction_id": "[0-9a-f]{40}"/);
  assert.match(sent.stderr, /\npharos: --member tx\.operations\.7: the result has no 7 there; members there: 0\n$/);
  const read = await call(url, 'alexandria_api.get_account', '{"account_name":"alice"}', '--member', 'acount');
  assertFails(read, 2, /^pharos: --member acount: the result has no acount there; members there: account\n$/);
});

test('what the node refuses is exit code 5, with its text and the name of the refusal', async () => {
  for (const url of urls) {
    const unknown = await call(url, 'alexandria_api.get_account', '{"account_name":"nobody-here"}');
    assertFails(
      unknown,
      5,
      /^pharos: no account is named nobody-here, and none was made from that seed \(unknown_account\)\n  account: nobody-here\n$/,
    );
    assertFails(
      await call(url, 'alexandria_api.get_account'),
      5,
      /^pharos: Invalid params: member "account_name" is missing \(missing_member\)\n  member: account_name\n$/,
    );
    assertFails(
      await call(url, 'no_api.nothing'),
      5,
      /^pharos: there is no method no_api\.nothing; jsonrpc\.get_methods lists all \(method_not_found\)\n  method: no_api\.nothing\n$/,
    );
  }
});

test('what the node tells about a refused transaction is printed: who signed, what was signed, and its bytes', async () => {
  const tx = await signed(
    program,
    await makeTransaction(program, [transfer('alice', 'bob', '0.000001', 'not by bob')]),
    'bob',
  );
  for (const url of urls) {
    const refused = await call(url, 'alexandria_api.broadcast_transaction', JSON.stringify({ tx }));
    assertFails(refused, 5, /^pharos: .*\(missing_active_authority\)\n/);
    assert.match(refused.stderr, /^  digest: [0-9a-f]{64}$/m);
    assert.match(refused.stderr, /^  signers: PHR\w+$/m);
    assert.match(refused.stderr, /^  transaction_hex: [0-9a-f]+$/m);
  }
});

test('wrong usage is exit code 2', async () => {
  const [url = ''] = urls;
  assertFails(
    await call(url, 'alexandria_api.get_account', '{"account_name":'),
    2,
    /^pharos: the params are no JSON: the text ends at byte 16/,
  );
  assertFails(
    await call('ftp://127.0.0.1', 'alexandria_api.info'),
    2,
    /^pharos: ftp:.* starts with ws:\/\/, wss:\/\/, http:\/\/, https:\/\/ or unix:\n$/,
  );
  assertFails(await site.run(['call']), 2, /missing required argument 'method'/);
});

test('where no node answers, exit code 1 says so', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : assert.fail('no port');
  await new Promise((resolve) => server.close(resolve));
  for (const protocol of ['http', 'ws'])
    assertFails(
      await call(`${protocol}://127.0.0.1:${port}`, 'alexandria_api.info'),
      1,
      /^pharos: (?:no answer from|cannot reach) the node at /,
    );
});
