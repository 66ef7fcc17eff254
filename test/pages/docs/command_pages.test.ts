import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Json } from '../../../src/codec/json.ts';
import { docsFiles } from '../../../src/pages/docs/docs_files.ts';
import { sampleTransaction } from '../../../src/rpc/sample_transaction.ts';
import { makeAnswers } from '../../../src/wallet/daemon.ts';
import { openWallet } from '../../../src/wallet/open_wallet.ts';
import { Session } from '../../../src/wallet/session.ts';
import { HandClock } from '../../builders/hand_clock.ts';
import { temporaryFolder } from '../../wallet/programs.ts';
import { catalogue, samples } from './built.ts';

const files = new Map(docsFiles(catalogue, samples, []).map(({ path, text }) => [path, text]));
const getPage = (name: string): string => files.get(`wallet/${name}.html`) ?? assert.fail(name);

interface Answer {
  readonly error?: { readonly code: number; readonly data?: { readonly name?: string } };
}

test('what the RPC of a new wallet refuses stands on the page of the command, with its code', async () => {
  const wallet = openWallet({
    ...{
      walletFile: join(temporaryFolder(), 'wallet.json'),
      server: '',
      offline: true,
      chainId: '',
      profile: 'default',
    },
    ...{ maxFee: '1', feeSymbol: '', trustTime: false, yes: true, expirationSeconds: 0, lockAfterMinutes: 0 },
    ...{ clock: new HandClock(0), onIdleLock: () => undefined },
  });
  const answer = makeAnswers(new Session(wallet.wallet, wallet.commands), (text) => assert.fail(text));
  const ask = async (method: string, params: Json): Promise<Answer> => {
    const text = await answer(Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })));
    const answered: Answer = JSON.parse(Buffer.from(text ?? '').toString());
    return answered;
  };
  const found = new Set<string>();
  for (const { name, params } of wallet.commands) {
    const wrong: Json[] = [[], params.map(() => 'x'), [...params.map(() => 'x'), 'one more'], params.map(() => '')];
    for (const given of wrong) {
      const { error } = await ask(name, given);
      const refused = error?.data?.name;
      // Without a node some can't go on, which is no refusal.
      if (error === undefined || refused === undefined || refused === 'configuration') continue;
      assert.equal(error.code, 1, name);
      const isShown =
        getPage(name).includes(`id="error-${refused}"`) || getPage('index').includes(`id="error-${refused}"`);
      assert.ok(isShown, `${name} ${JSON.stringify(given)}: ${refused}`);
      found.add(refused);
    }
  }
  const other = { ...sampleTransaction, ref_block_num: 1 };
  assert.equal(
    (await ask('combine_transactions', [sampleTransaction, other])).error?.data?.name,
    'transactions_differ',
  );
  assert.match(getPage('combine_transactions'), /id="error-transactions_differ"/);
  for (const refused of [
    'wallet_new',
    'too_few_arguments',
    'too_many_arguments',
    'bad_value',
    'prompt_only',
    'unknown_command',
  ])
    assert.ok(found.has(refused), `${refused}: ${[...found].join(' ')}`);
});

test('the page says of each command whether the RPC has it', () => {
  for (const { name, overRpc } of catalogue.commands) {
    assert.equal(getPage(name).includes('it shows private keys'), overRpc === 'never', name);
    assert.equal(getPage(name).includes('an empty file name only'), overRpc === 'without a file name', name);
  }
  const kinds = new Map(catalogue.commands.map(({ name, overRpc }) => [name, overRpc]));
  assert.equal(kinds.get('list_keys'), 'never');
  assert.equal(kinds.get('load_wallet_file'), 'without a file name');
  assert.equal(kinds.get('transfer'), 'always');
});
