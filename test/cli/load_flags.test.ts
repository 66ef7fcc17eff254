// In this process, where refusals cost a thousandth of a start; that one is a line and exit code 2 is seen from outside
// (outside/load_mistakes).
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { CommanderError } from 'commander';
import { loadCommand } from '../../src/cli/load.ts';
import { errorExitCode, explain } from '../../src/system/exit_codes.ts';

/** Nobody listens there: a load that is not refused before it asks a node says so. */
const NOWHERE = 'http://127.0.0.1:1';

/** Returns the refusal of `pharos load`, and its exit code. */
async function refused(...args: readonly string[]): Promise<{ readonly code: number; readonly said: string }> {
  let said = '';
  const command = loadCommand()
    .exitOverride()
    .configureOutput({ writeErr: (text) => void (said += text) });
  try {
    await command.parseAsync(args, { from: 'user' });
  } catch (error) {
    return error instanceof CommanderError ? { code: 2, said } : { code: errorExitCode(error), said: explain(error) };
  }
  return assert.fail(`taken: ${args.join(' ')}`);
}

test('flags that contradict each other, or say nothing, are refused with what to do instead', async () => {
  for (const [args, words] of [
    [['--url', 'ftp://x', '--rate', '5'], /^http:\/\/127.*|ftp:\/\/x: the address of a node starts with http:\/\//],
    [['--url', 'ws://127.0.0.1:1', '--rate', '5'], /either all addresses with ws:\/\/ or wss:\/\/, or none/],
    [['--url', 'http://localhost:1'], /several nodes are loaded with --rate, --mix or --duration/],
    [['--memo', 'x', '--rate', '5'], /--memo is for the load without --mix/],
    [['--memo', 'x', '--prepare', '5'], /--memo is for the load without --prepare/],
    [['--ramp', '5..10', '--rate', '5'], /leave --rate out/],
    [['--ramp', '5..10', '--report', 'x.html'], /--report shows one load/],
    [['--p99', '5', '--rate', '5'], /--p99 says nothing without --ramp/],
    [['--seed', 'x'], /--seed says nothing without --prepare/],
    [['--fund', '5'], /--fund says nothing without --prepare/],
    [
      ['--accounts', 'alice:5J9bWm2ThenDm3tjvmUgHtWCVMUdjRR1pxnRtnJjvKA4b2ut5WK'],
      /a load needs at least two --accounts/,
    ],
    [['--hostile', '101%'], /a share such as 1%/],
  ] as const) {
    const { code, said } = await refused('--url', NOWHERE, ...args);
    assert.equal(code, 2, args.join(' '));
    assert.match(said, words);
  }
});

test('each wrong member of a mix is named', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-load-flags-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'mix.json');
  for (const [form, words] of [
    [{ operation: 7 }, 'forms[0].operation'],
    [{ name: 7 }, 'forms[0].name'],
    [{ share: '1' }, 'forms[0].share'],
    [{ batch: 0 }, 'forms[0].batch'],
    [{ operations: 101 }, 'forms[0].operations'],
    [{ bytes: [1] }, 'forms[0].bytes'],
    [{ likeness: 2 }, 'forms[0].likeness'],
    [{ authority: 'nobody' }, 'forms[0].authority'],
    [{ signers: 4 }, 'forms[0].signers'],
    [{ recipients: -1 }, 'forms[0].recipients'],
    [{ wait_for: 'yes' }, 'forms[0].wait_for'],
    [{ members: 'none' }, 'forms[0].members'],
    [{ method: 7 }, 'forms[0].method'],
    [{ method: 'a.b', params: 7 }, 'forms[0].params'],
    [{ method: 'a.b', bytes: 7 }, 'forms[0].bytes'],
  ] as const) {
    writeFileSync(file, JSON.stringify({ forms: [form] }));
    const { code, said } = await refused('--url', NOWHERE, '--mix', file);
    assert.equal(code, 2, JSON.stringify(form));
    assert.ok(said.startsWith(`the mix ${file}: `) && said.includes(words), said);
  }
});

test('flags that say nothing sensible are refused', async () => {
  for (const [args, words] of [
    [['--duration', '10 parsecs'], /a duration such as/],
    [['--lifetime', '4000'], /at most 3540 seconds/],
    [['--ramp', '9..3'], /the lower rate first/],
    [['--hostile', '1'], /a share such as 1%/],
    [['--rate', '0'], /a positive whole number/],
    [Array.from({ length: 64 }, () => ['--url', 'http://127.0.0.1:1']).flat(), /at most 64 nodes/],
    [['--mix', 'reel'], /a mix is one of real, plain, payments, reads or a file/],
  ] as const) {
    const { code, said } = await refused('--url', NOWHERE, ...args);
    assert.equal(code, 2, said);
    assert.match(said, words);
  }
});
