import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { runOnce } from '../../src/wallet/one_shot.ts';
import { openWallet } from '../../src/wallet/open_wallet.ts';
import { temporaryFolder, writeWallet } from './programs.ts';

const folder = temporaryFolder();
const walletFile = join(folder, 'wallet.json');
await writeWallet(walletFile);

const SENT = { transaction_id: 'ab'.repeat(20), block_num: 7, transaction_num: 0 };

/** What a person sees and is asked when a payment goes into a file; \`meanwhile\` happens while it is sent. */
async function paid(
  t: TestContext,
  out: string,
  meanwhile: () => void = () => undefined,
): Promise<{ readonly seen: readonly string[]; readonly error: unknown; readonly code: number | undefined }> {
  const session = openWallet({
    ...{ walletFile, server: '', offline: true, chainId: '', profile: 'default', maxFee: '1', feeSymbol: '' },
    ...{ trustTime: false, yes: false, expirationSeconds: 0, lockAfterMinutes: 0, clock: systemClock },
    onIdleLock: () => undefined,
  });
  const seen: string[] = [];
  t.mock.method(session, 'run', async () => {
    seen.push('sent');
    meanwhile();
    return await Promise.resolve(SENT);
  });
  const askPassword = async (): Promise<string> => {
    seen.push('password');
    return await Promise.resolve('pw');
  };
  try {
    const code = await runOnce({
      ...{ session, out, json: false, words: ['transfer', 'alice', 'bob', '1 COIN', '', 'true'] },
      ...{ terminal: { colours: false, columns: 0 }, progress: undefined, passwordAtHand: () => undefined },
      ...{ askPassword, askSecret: askPassword },
      print: (text) => seen.push(text),
      warn: (text) => seen.push(text),
    });
    return { seen, error: undefined, code };
  } catch (error) {
    return { seen, error, code: undefined };
  } finally {
    session.close();
  }
}

test('an --out file that can not be written is refused before the password is asked for and anything is sent', async (t) => {
  for (const out of [join(folder, 'nowhere', 'sent.json'), folder, join(walletFile, 'sent.json')]) {
    const { seen, error } = await paid(t, out);
    assert.match(String(error), /: cannot write /, out);
    assert.deepEqual(seen, []);
  }
});

test('a result that no longer finds its file is printed with its outcome before the failure', async (t) => {
  const gone = join(folder, 'gone');
  mkdirSync(gone);
  const { seen, error } = await paid(t, join(gone, 'sent.json'), () => rmSync(gone, { recursive: true }));
  assert.match(String(error), /: cannot write /);
  assert.deepEqual(seen.slice(0, 2), ['password', 'sent']);
  assert.match(seen[2] ?? '', new RegExp(SENT.transaction_id));
  assert.equal(seen[3], 'sent, in block 7');
});

test('a result is printed and written, and a test of the file leaves nothing beside it', async (t) => {
  const there = join(folder, 'there');
  mkdirSync(there);
  const { seen, code } = await paid(t, join(there, 'sent.json'));
  assert.equal(code, 0);
  assert.match(seen[2] ?? '', new RegExp(SENT.transaction_id));
  assert.deepEqual(JSON.parse(readFileSync(join(there, 'sent.json'), 'utf8')), SENT);
  assert.deepEqual(readdirSync(there), ['sent.json']);
});
