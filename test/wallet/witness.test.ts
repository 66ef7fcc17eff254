import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { devGenesisText } from '../../src/dev_chain/dev_genesis.ts';
import { profiles, type Profile } from '../../src/values/profile.ts';
import { startDaemon, startNode, temporaryFolder, writeWallet, type Started } from './programs.ts';

const ALICE = {
  wif: '5J9bWm2ThenDm3tjvmUgHtWCVMUdjRR1pxnRtnJjvKA4b2ut5WK',
  key: 'PHR7zsqi7QUAjTAdyynd6DVe8uv4K8gCTRHnAoMN9w9CA1xLCTDVv',
};
const INIT_MINER_WIF = '5J3yMruND2TADZ7cZc6Cnp4VePrnehei2wvGdnLgf3aEj2nDGhc';
const folder = temporaryFolder();

/**
 * A chain with a block a second and rounds of three, whose node also holds the key that alice will sign blocks with.
 */
function startChainForTwo(): Promise<Started> {
  const genesis = join(folder, 'genesis.json');
  const text = devGenesisText(profiles['default'] as Profile, Math.trunc(Date.now() / 1000));
  const small = { block_interval: 1, max_witnesses: 3, max_voted_witnesses: 2, max_runner_witnesses: 1 };
  writeFileSync(genesis, JSON.stringify({ ...(JSON.parse(text) as object), ...small }));
  const witnesses = ['initminer', 'alice'].flatMap((name) => ['--witness', name]);
  const keys = [INIT_MINER_WIF, ALICE.wif].flatMap((wif) => ['--private-key', wif]);
  const first = ['--enable-stale-production', 'true', '--required-participation', '0'];
  return startNode('--data-dir', join(folder, 'chain'), '--genesis-json', genesis, ...witnesses, ...keys, ...first);
}

test('the wallet makes an account a witness, and it produces a block', { timeout: 120_000 }, async () => {
  const node = await startChainForTwo();
  await writeWallet(join(folder, 'wallet.json'), ALICE.wif);
  const wallet = await startDaemon(
    '--wallet-file',
    join(folder, 'wallet.json'),
    '--server',
    `ws://127.0.0.1:${node.port}`,
    '--yes',
  );
  const ask = async (method: string, ...params: unknown[]): Promise<unknown> => {
    const response = await fetch(`http://127.0.0.1:${wallet.port}`, {
      method: 'POST',
      headers: wallet.headers,
      body: JSON.stringify({ id: 1, method, params }),
    });
    const { result, error } = (await response.json()) as { result: unknown; error?: { message: string } };
    return error === undefined ? result : assert.fail(error.message);
  };
  await ask('unlock', 'pw');
  await ask('transfer_to_vesting', 'alice', 'alice', '300000 COIN', true);
  await ask(
    'update_witness',
    'alice',
    'https://alice.example',
    ALICE.key,
    { account_creation_fee: '0.05 COIN', maximum_block_size: 262144, price_feeds: [] },
    true,
  );
  await ask('vote_for_witness', 'alice', 'alice', true, true);
  let producer = '';
  // The test's deadline bounds the rounds.
  while (producer !== 'alice') {
    await pause(500);
    ({ current_witness: producer } = (await ask('info')) as { current_witness: string });
  }
  assert.ok(((await ask('get_active_witnesses')) as string[]).includes('alice'));
  await wallet.stop();
  await node.stop();
});
