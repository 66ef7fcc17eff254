import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { runWallet, temporaryFolder, writeWallet } from './programs.ts';

const WIF = '5J9bWm2ThenDm3tjvmUgHtWCVMUdjRR1pxnRtnJjvKA4b2ut5WK';

test('a secret among the words of a command line is warned of and not repeated', async () => {
  const file = join(temporaryFolder(), 'wallet.json');
  await writeWallet(file);
  const flags = ['--offline', '--wallet-file', file];
  const typed = runWallet([...flags, 'import_key', WIF], { password: 'pw' });
  assert.equal(typed.code, 0, typed.err);
  assert.match(
    typed.err,
    /^pharos wallet: import_key: \w+ on the command line stays in the shell's history .*: the wallet asks for it$/m,
  );
  assert.ok(!typed.err.includes(WIF));
  const harmless = runWallet([...flags, 'encode_to_base64', 'hello'], { password: 'pw' });
  assert.equal(harmless.code, 0, harmless.err);
  assert.doesNotMatch(harmless.err, /history/);
});
