import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markDashWords, unmarkedWords } from '../../src/cli/dash_words.ts';
import { walletCommand } from '../../src/cli/wallet.ts';
import { runWallet } from './programs.ts';

const toBase64 = (text: string): string => Buffer.from(text).toString('base64');

/** The words that the wallet makes of a command line. */
function parseWords(...args: readonly string[]): string[] {
  let taken: string[] = [];
  const command = walletCommand().action((words: string[]) => void (taken = unmarkedWords(words)));
  command.exitOverride().parse(markDashWords(args, command), { from: 'user' });
  return taken;
}

test('two dashes are a word wherever a word may stand, also beside flags', () => {
  const words = ['transfer', 'alice', 'bob', '1 COIN', '--', 'true'];
  assert.deepEqual(parseWords(...words), words);
  assert.deepEqual(parseWords(...words, '--'), [...words, '--']);
  assert.deepEqual(parseWords('encode_to_base64', '--'), ['encode_to_base64', '--']);
  for (const flags of [
    ['--json'],
    ['-w', 'file'],
    ['--wallet-file=file'],
    ['-r', '127.0.0.1:1'],
    ['--rpc-endpoint', '--json'],
    ['-s', '--'],
  ]) {
    assert.deepEqual(parseWords(...flags, ...words), words, String(flags));
    if (!flags.includes('--')) assert.deepEqual(parseWords(...words, ...flags), words, String(flags));
    // Before the first word they end the flags.
    assert.deepEqual(parseWords(...flags, '--', ...words, '--json'), [...words, '--json'], String(flags));
  }
});

test('a memo of two dashes, or of a flag behind two dashes, reaches the command', () => {
  for (const [args, text] of [
    [['encode_to_base64', '--'], '--'],
    [['--no-color', 'encode_to_base64', '--'], '--'],
    [['--', 'encode_to_base64', '--json'], '--json'],
    [['--', 'encode_to_base64', '--'], '--'],
  ] as const) {
    const { code, out } = runWallet(['--offline', ...args]);
    assert.deepEqual([code, out.trim().replaceAll('"', '')], [0, toBase64(text)], args.join(' '));
  }
});
