import assert from 'node:assert/strict';
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readToken } from '../../src/wallet/token_file.ts';
import { runWallet, startDaemon, temporaryFolder, writeWallet } from './programs.ts';

const ALICE = {
  wif: '5J9bWm2ThenDm3tjvmUgHtWCVMUdjRR1pxnRtnJjvKA4b2ut5WK',
  key: 'PHR7zsqi7QUAjTAdyynd6DVe8uv4K8gCTRHnAoMN9w9CA1xLCTDVv',
};
const folder = temporaryFolder();
const walletFile = join(folder, 'wallet.json');

test('the RPC answers only those who show the token, and shows no private key of the wallet and opens no file that is named', async () => {
  await writeWallet(walletFile, ALICE.wif);
  const daemon = await startDaemon('--wallet-file', walletFile, '--offline');
  const url = `http://127.0.0.1:${daemon.port}/`;
  const post = async (
    method: string,
    params: unknown[],
    path = '',
    headers: Readonly<Record<string, string>> = daemon.headers,
  ): Promise<string> => {
    const body = JSON.stringify({ id: 1, method, params });
    const response = await fetch(url + path, { method: 'POST', body, headers: { ...headers, Connection: 'close' } });
    return response.status === 200 ? await response.text() : String(response.status);
  };
  const [, token = ''] = (daemon.headers['Authorization'] ?? '').split(' ');
  assert.equal(await post('is_locked', [], '', {}), '401');
  assert.equal(await post('is_locked', [], '', { Authorization: `Bearer ${'0'.repeat(64)}` }), '401');
  assert.equal(await post('is_locked', [], `?token=${token}`, {}), '{"id":1,"result":true}');
  assert.equal(await post('unlock', ['pw']), '{"id":1,"result":null}');

  const away = join(folder, 'copy.json');
  for (const [method, params] of [
    ['get_private_key', [ALICE.key]],
    ['list_keys', []],
    ['save_wallet_file', [away]],
    ['load_wallet_file', [away]],
  ] as const) {
    const answer = await post(method, [...params]);
    assert.match(answer, /"error".*that is for the prompt and the command line, not for the RPC of the wallet/);
    assert.ok(!answer.includes(ALICE.wif));
  }
  assert.equal(statSync(away, { throwIfNoEntry: false }), undefined);
  assert.equal(await post('save_wallet_file', ['']), '{"id":1,"result":null}');
  assert.equal(await post('load_wallet_file', ['']), '{"id":1,"result":true}');
  await daemon.stop();
  assert.match(
    runWallet(['--wallet-file', walletFile, '--offline', 'get_private_key', ALICE.key], { password: 'pw' }).out,
    /5J9bWm2/,
  );
});

test('the token is made once, for its owner only; a file that others can read, or that holds no token, is refused', () => {
  const path = join(folder, 'token');
  const token = readToken(path);
  assert.match(token, /^[0-9a-f]{64}$/);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.equal(readToken(path), token);
  assert.equal(readFileSync(path, 'utf8'), `${token}\n`);
  chmodSync(path, 0o640);
  assert.throws(() => readToken(path), { code: 'configuration', message: /can be read by others; chmod 600 it/ });
  chmodSync(path, 0o600);
  writeFileSync(path, 'password\n');
  assert.throws(() => readToken(path), { code: 'configuration', message: /holds no token of 64 hex digits/ });
  assert.throws(() => readToken(join(folder, 'no folder', 'token')), {
    code: 'configuration',
    message: /^cannot write/,
  });
  const readable = join(folder, 'readable');
  writeFileSync(readable, `${token}\n`, { mode: 0o644 });
  const ended = runWallet([
    '--wallet-file',
    walletFile,
    '--offline',
    '--daemon',
    '--rpc-endpoint',
    '127.0.0.1:0',
    '--rpc-token-file',
    readable,
  ]);
  assert.deepEqual([ended.code, /can be read by others/.test(ended.err)], [2, true]);
});
