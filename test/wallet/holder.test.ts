import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { newLineageLock } from '../../src/wallet/key_file/lineage_file.ts';
import { secretOfWif } from '../builders/recorded_keys.ts';
import { atTerminal, runWallet, temporaryFolder, writeWallet } from './programs.ts';

// A holder of coins uses the wallet before any node is there.

const ALICE = '5J9bWm2ThenDm3tjvmUgHtWCVMUdjRR1pxnRtnJjvKA4b2ut5WK';
const NOWHERE = ['--server', 'ws://127.0.0.1:1'];

const folder = temporaryFolder();

/** The flag for a wallet file of this test. */
function wallet(name: string): string[] {
  return ['--wallet-file', join(folder, name)];
}

test('names that can’t be names are refused before a password or the node is asked for', async () => {
  await writeWallet(join(folder, 'names.json'), ALICE);
  for (const [words, text] of [
    [['transfer', 'alice', 'b b', '1 COIN', '', 'true'], /^pharos wallet: to: "b b" is no account name: character 2/],
    [['vote_for_witness', 'al.ice', 'bob', 'true', 'true'], /is no account name: character 3/],
    [['send_custom_json_document', '1', 'alice', '["bob","c c"]', '{}', 'true'], /"c c" is no account name/],
  ] as const) {
    const ended = runWallet([...wallet('names.json'), ...NOWHERE, ...words]);
    assert.deepEqual([ended.code, text.test(ended.err), /password/.test(ended.err)], [2, true, false], ended.err);
  }
  const unreached = runWallet([...wallet('names.json'), ...NOWHERE, 'transfer', 'alice', 'bob', '1 COIN', '', 'true'], {
    password: 'pw',
  });
  assert.equal(unreached.code, 1, unreached.err);
});

test('a key is asked for when it can be kept: after the password, and not by a wallet that has none', async () => {
  await writeWallet(join(folder, 'import.json'));
  const imported = runWallet([...wallet('import.json'), '--offline', 'import_key'], { input: `pw\n${ALICE}\n` });
  assert.deepEqual([imported.code, imported.out], [0, 'true\n'], imported.err);
  const cut = runWallet([...wallet('import.json'), '--offline', 'import_key'], { input: 'pw\n' });
  assert.deepEqual([cut.code, /the private key/.test(cut.err)], [2, true], cut.err);
  const typed = atTerminal(
    [...wallet('import.json'), '--offline', 'import_key'],
    [
      ['password: ', 'pw\r'],
      ['wif_key: ', `${ALICE}\r`],
      ['true', ''],
    ],
  );
  assert.ok(!typed.includes(ALICE), typed);
  const none = runWallet([...wallet('none.json'), '--offline', 'import_key'], { input: `${ALICE}\n` });
  assert.deepEqual(
    [none.code, /set_password comes first/.test(none.err), none.err.includes('wif_key')],
    [2, true, false],
    none.err,
  );
  assert.ok(none.err.includes(join(folder, 'none.json')), none.err);
  const shown = atTerminal(
    [...wallet('none.json'), '--offline'],
    [
      ['new >>> ', 'import_key\r'],
      ['set_password comes first', '\u0004'],
    ],
  );
  assert.ok(!shown.includes('wif_key: '), shown);
});

test('a script’s secret is never taken for a command', async () => {
  await writeWallet(join(folder, 'script.json'));
  const ended = runWallet([...wallet('script.json'), '--offline'], { input: `import_key\n${ALICE}\n` });
  assert.ok(!ended.out.includes(ALICE.slice(0, 8)), ended.out);
  assert.match(ended.out, /is locked; unlock it first/);
});

test('converting a wallet of the lineage keeps the old file, and says where', () => {
  const path = join(folder, 'old.json');
  const text = newLineageLock('pw').close({ chain: undefined, server: '' }, [secretOfWif(ALICE)]);
  writeFileSync(path, text, { mode: 0o600 });
  const converted = runWallet([...wallet('old.json'), '--offline', 'convert_wallet_file'], { password: 'pw' });
  assert.deepEqual([converted.code, converted.out], [0, 'null\n'], converted.err);
  assert.ok(converted.err.includes(`the old file is kept as ${path}.lineage`), converted.err);
  assert.deepEqual([readFileSync(`${path}.lineage`, 'utf8'), statSync(`${path}.lineage`).mode & 0o777], [text, 0o600]);
  for (const name of ['old.json', 'old.json.lineage'])
    assert.match(runWallet([...wallet(name), '--offline', 'list_keys'], { password: 'pw' }).out, new RegExp(ALICE));
});

test('help is by topic at a terminal, a list for programs, and a word behind it is explained', () => {
  const list = runWallet(['--offline', ...wallet('none.json'), 'help']).out;
  assert.match(list, /^about\(\)\nbroadcast_transaction\(/);
  assert.equal(runWallet(['--offline', 'help', 'transfer']).out, runWallet(['--offline', 'gethelp', 'transfer']).out);
  const votes = runWallet(['--offline', 'help', 'votes']);
  assert.match(votes.out, /vote_for_witness\([^)]*\)\n {4}\w/);
  assert.match(runWallet(['--offline', 'help', 'trasfer']).err, /did you mean transfer\?/);
  const shown = atTerminal(
    [...wallet('none.json'), '--offline'],
    [
      ['new >>> ', 'help\r'],
      ['help TOPIC or help COMMAND explains.', 'help coi'],
      ['help coi', '\t'],
      ['ns', '\r'],
      ['Moves coins from one account', '\u0004'],
    ],
  );
  assert.match(shown, /coins: Coins and vesting shares\.\n {4}transfer\(/);
});
