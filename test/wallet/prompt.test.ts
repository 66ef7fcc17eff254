import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { systemClock } from '../../src/base/clock.ts';
import { commands } from '../../src/wallet/commands/index.ts';
import { complete, KnownNames } from '../../src/wallet/completion.ts';
import { openWallet } from '../../src/wallet/open_wallet.ts';
import { runPrompt, withoutSecrets } from '../../src/wallet/prompt.ts';
import type { Session } from '../../src/wallet/session.ts';
import { waitUntil } from '../outside/wait_until.ts';
import { writeWallet } from './programs.ts';

const folder = mkdtempSync(join(tmpdir(), 'pharos-prompt-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const walletFile = join(folder, 'wallet.json');
await writeWallet(walletFile, '5J9bWm2ThenDm3tjvmUgHtWCVMUdjRR1pxnRtnJjvKA4b2ut5WK');

function offlineSession(): Session {
  return openWallet({
    walletFile,
    server: '',
    offline: true,
    chainId: '',
    profile: 'default',
    maxFee: '1',
    feeSymbol: '',
    trustTime: false,
    yes: false,
    expirationSeconds: 0,
    lockAfterMinutes: 0,
    clock: systemClock,
    onIdleLock: () => undefined,
  });
}

/** Returns the output for a script that feeds these lines through a pipe. */
async function shown(lines: string, session = offlineSession()): Promise<string> {
  const output = new PassThrough();
  const pieces: Buffer[] = [];
  output.on('data', (piece: Buffer) => pieces.push(piece));
  const terminal = { colours: false, columns: 0 };
  await runPrompt({
    session,
    input: Readable.from([Buffer.from(lines)]),
    output,
    isTerminal: false,
    terminal,
    historyFile: join(folder, 'history'),
    json: false,
  });
  session.close();
  return Buffer.concat(pieces).toString();
}

test('results, errors and comments', async () => {
  const text = await shown(
    '# nothing\n\nis_locked\nunlock "pw"\nis_locked\nencode_to_base64 "hello world"\nencode_to_base64\nfoo [\nexit\nis_new\n',
  );
  assert.equal(
    text,
    'true\nnull\nfalse\n"aGVsbG8gd29ybGQ="\ntoo few arguments: encode_to_base64(data)\nthe line ends where ] was expected\n',
  );
});

test('what the chain says can not steer the terminal', async () => {
  const escape = Buffer.from('\u009B31mred').toString('base64');
  assert.equal(await shown(`decode_from_base64 ${escape}\n`), '"\\x9b31mred"\n');
});

test('whatever is typed, the prompt comes back', async () => {
  const harmless = commands
    .map(({ name }) => name)
    .filter((name) => !['save_wallet_file', 'load_wallet_file', 'set_password', 'convert_wallet_file'].includes(name));
  const word = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.json(),
    fc.constantFrom(
      'alice',
      '"1 COIN"',
      'true',
      '-1',
      '[bob]',
      '{}',
      '@',
      '@/nonexistent',
      '""',
      'PHR7zsqi7QUAjTAdyynd6DVe8uv4K8gCTRHnAoMN9w9CA1xLCTDVv',
    ),
  );
  const line = fc
    .tuple(fc.oneof(fc.constantFrom(...harmless), fc.string({ maxLength: 10 })), fc.array(word, { maxLength: 8 }))
    .map(([name, words]) => [name, ...words].join(' ').replace(/[\r\n\u2028\u2029>]/g, ' '));
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 20 }), fc.boolean(), async (lines, unlocked) => {
      const script = [
        ...(unlocked ? ['unlock "pw"'] : []),
        ...lines.filter((each) => !/^\s*(?:exit|quit)\s*$/.test(each)),
        'encode_to_base64',
        'normalize_brain_key "still here"',
      ];
      const text = await shown(`${script.join('\n')}\nis_new\n`);
      // A command with a secret that is left out takes the next line for it, so the end may be one line short.
      assert.ok(/"STILL HERE"\nfalse\n$|false\n$|STILL HERE/.test(text), text.slice(-300));
      assert.ok(!text.includes('internal error'), text);
    }),
    { numRuns: 150 },
  );
});

test('only a yes that is typed below a question is its answer', async (t) => {
  const input = new PassThrough();
  const output = new PassThrough();
  let text = '';
  output.on('data', (piece: Buffer) => (text += piece.toString()));
  const until = async (part: string): Promise<void> => {
    while (!text.includes(part)) await new Promise(setImmediate);
  };
  for (const [typed, agrees] of [
    ['y', true],
    ['YES', true],
    ['', false],
    ['n', false],
    ['yesterday', false],
    ['info', false],
  ] as const) {
    const session = offlineSession();
    const answers: (boolean | undefined)[] = [];
    t.mock.method(session, 'run', async (...[, , person]: Parameters<Session['run']>) => {
      output.write('busy');
      await until('typed ahead');
      answers.push(await person?.confirm?.('sign that?'));
      return null;
    });
    text = '';
    const ended = runPrompt({
      session,
      input,
      output,
      isTerminal: true,
      terminal: { colours: false, columns: 0 },
      historyFile: join(folder, 'asked'),
      json: false,
    });
    input.write('is_new\n');
    await until('busy');
    // A whole line, and a half of one.
    input.write('yes\ny typed ahead');
    await until('sign that? [y/N]');
    input.write(`${typed}\n`);
    while (answers.length === 0) await new Promise(setImmediate);
    assert.deepEqual(answers, [agrees], typed);
    input.write('exit\n');
    await ended;
    session.close();
  }
});

/** Returns what a terminal shows for these pieces of input, each typed once the text before it was shown. */
async function atKeyboard(
  historyFile: string,
  steps: readonly (readonly [shown: string, piece: string])[],
): Promise<string> {
  const [input, output, session] = [new PassThrough(), new PassThrough(), offlineSession()];
  const screen = { text: '', seen: 0 };
  output.on('data', (piece: Buffer) => (screen.text += piece.toString()));
  const shows = async (part: string): Promise<true> =>
    await waitUntil(part, () => screen.text.includes(part, screen.seen) || undefined);
  const terminal = { colours: false, columns: 0 };
  const ended = runPrompt({ session, input, output, isTerminal: true, terminal, historyFile, json: false });
  for (const [awaited, piece] of steps) {
    await shows(awaited);
    screen.seen = screen.text.length;
    input.write(piece);
  }
  await ended;
  session.close();
  return screen.text;
}

test('a secret that is pasted behind its command is neither echoed nor kept, and no key brings it back', async () => {
  const historyFile = join(folder, 'pasted');
  const up = '\u001b[A';
  const text = await atKeyboard(historyFile, [
    ['locked >>> ', 'is_new\runlock\rpw\ris_locked\r'],
    ['\u001b[0Junlocked >>> ', up],
    ['is_locked', up],
    ['unlock', up],
    ['is_new', `${up}\u0015exit\r`],
  ]);
  assert.doesNotMatch(text, /pw/);
  assert.match(text, /unlocked >>> is_locked\nfalse\n/, 'a command behind the secret is shown');
  assert.equal(readFileSync(historyFile, 'utf8'), 'is_new\nunlock\nis_locked\n');
});

test('a secret that is pasted behind a command that fails is dropped, and neither shown nor kept', async () => {
  const historyFile = join(folder, 'failed');
  const text = await atKeyboard(historyFile, [
    ['locked >>> ', 'import_key\r5Jsecret words\r'],
    ['(what was meant for a command that has failed is dropped)', 'exit\r'],
  ]);
  assert.doesNotMatch(text, /5Jsecret|words/);
  assert.equal(readFileSync(historyFile, 'utf8'), 'import_key\n');
});

const SENT = { transaction_id: 'ab'.repeat(20), block_num: 7, transaction_num: 0 };
const TRANSFER = 'transfer alice bob "1 COIN" "" true';

test('a file that can not be written is refused before the command runs', async (t) => {
  const session = offlineSession();
  const run = t.mock.method(session, 'run', async () => await Promise.resolve(SENT));
  assert.match(await shown(`${TRANSFER} > ${join(folder, 'nowhere', 'file')}\n`, session), /^cannot write /);
  assert.equal(run.mock.callCount(), 0);
});

test('a result that no longer finds its file is shown, and beside it what has failed', async (t) => {
  const session = offlineSession();
  const gone = join(folder, 'gone');
  mkdirSync(gone);
  t.mock.method(session, 'run', async () => {
    rmSync(gone, { recursive: true });
    return await Promise.resolve(SENT);
  });
  const text = await shown(`${TRANSFER} > ${join(gone, 'file')}\n`, session);
  assert.match(text, new RegExp(`"transaction_id": "${SENT.transaction_id}"[^]*\\ncannot write `));
});

test('lines with secrets are kept as the name of their command, and lines that are no command not at all', () => {
  const session = offlineSession();
  for (const line of ['unlock "pw"', ' unlock pw', 'unlock"pw"', 'unlock,pw', 'unlock [pw]'])
    assert.equal(withoutSecrets(line, session), 'unlock', line);
  for (const line of [
    'unlcok "pw"',
    'correct horse battery',
    '# pw',
    '',
    '5J9bWm2ThenDm3tjvmUgHtWCVMUdjRR1pxnRtnJjvKA4b2ut5WK',
  ])
    assert.equal(withoutSecrets(line, session), undefined, line);
  assert.equal(withoutSecrets('transfer a b "1 COIN" "" true', session), 'transfer a b "1 COIN" "" true');
  session.close();
});

test('the tab key completes commands, then names and keys', async () => {
  const session = offlineSession();
  const names = new KnownNames();
  names.learn([
    { name: 'alice', owner: { key_auths: [] } },
    { from: 'alfred', memo: 'alien' },
  ]);
  assert.deepEqual(complete('get_acc', session, names), [
    ['get_account ', 'get_account_history ', 'get_account_name_from_seed '],
    'get_acc',
  ]);
  assert.deepEqual(complete('transfer al', session, names), [['alfred ', 'alice '], 'al']);
  assert.deepEqual(complete('gethelp unl', session, names), [['unlock'], 'unl']);
  await session.wallet.keys.unlock('pw');
  assert.deepEqual(complete('get_private_key PHR7zsqi', session, names)[0], [
    'PHR7zsqi7QUAjTAdyynd6DVe8uv4K8gCTRHnAoMN9w9CA1xLCTDVv ',
  ]);
  session.close();
});
