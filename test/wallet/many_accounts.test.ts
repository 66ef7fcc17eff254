import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { openWallet } from '../../src/wallet/open_wallet.ts';
import { testSecret } from '../builders/chain.ts';
import { sealedKeys } from '../builders/sealed_keys.ts';
import { temporaryFolder } from './programs.ts';

/** As many names or keys as a node takes, and names as it gives for a key. */
const PAGE = 1000;

interface Params {
  readonly keys?: readonly string[];
  readonly start?: string;
  readonly account_names?: readonly string[];
}

/** Makes a node's answers about the accounts of keys: the first key has all of them, the others have none. */
function makeAnswers(
  names: readonly string[],
  method: string,
  { keys = [], start = '', account_names = [] }: Params,
): unknown {
  assert.ok(
    keys.length <= PAGE && account_names.length <= PAGE,
    `${method} with ${keys.length} keys and ${account_names.length} names`,
  );
  if (method === 'database_api.get_config') return {};
  if (method === 'alexandria_api.get_accounts') return { accounts: account_names.map((name) => ({ name })) };
  assert.equal(method, 'alexandria_api.get_key_references');
  return { accounts: keys.map((_, k) => (k === 0 ? names.filter((name) => name >= start).slice(0, PAGE) : [])) };
}

test('all accounts of a wallet are listed, once each, however many a key has', async (t) => {
  const names = Array.from({ length: 2 * PAGE + 300 }, (_, k) => `account-${k}`).toSorted();
  const node = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { id, method, params }: { id: number; method: string; params: Params } = JSON.parse(
        Buffer.concat(chunks).toString(),
      );
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: makeAnswers(names, method, params) }));
    });
  });
  await new Promise<void>((resolve) => {
    node.listen(0, '127.0.0.1', resolve);
  });
  const address = node.address();
  assert.ok(typeof address === 'object' && address !== null);
  const walletFile = join(temporaryFolder(), 'wallet.json');
  writeFileSync(walletFile, await sealedKeys('password', [testSecret('alice'), testSecret('bob')]), { mode: 0o600 });
  const session = openWallet({
    ...{
      walletFile,
      server: `http://127.0.0.1:${address.port}`,
      offline: false,
      chainId: '',
    },
    ...{
      profile: 'default',
      maxFee: '1',
      feeSymbol: '',
      trustTime: false,
      yes: true,
      expirationSeconds: 0,
      lockAfterMinutes: 0,
    },
    ...{ clock: systemClock, onIdleLock: () => undefined },
  });
  t.after(() => {
    session.close();
    node.close();
  });
  await session.run(session.named('unlock'), ['password']);
  const listed = await session.run(session.named('list_my_accounts'), []);
  assert.deepEqual(
    listed,
    names.map((name) => ({ name })),
  );
});
