import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('../../../', import.meta.url));

/** Returns the output of two concurrent steps, one of which writes something. */
function written(isTerminal: boolean): string {
  const text = `
    const { Progress } = await import('./scripts/setup/progress.js');
    const { isTerminal } = JSON.parse(process.argv[1]);
    const progress = new Progress({ isTTY: isTerminal, columns: 40, write: (piece) => process.stdout.write(piece) });
    progress.start('a', 'compiling ' + 'x'.repeat(60));
    progress.start('b', 'bundling');
    await new Promise((resolve) => setTimeout(resolve, 250));
    progress.say('a word');
    progress.end('b', 'done');
    progress.end('a', 'taken from the cache');
  `;
  const env: Record<string, string | undefined> = { ...process.env, TERM: 'xterm' };
  delete env['CI'];
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '-e', text, JSON.stringify({ isTerminal })],
    {
      cwd: project,
      encoding: 'utf8',
      env,
    },
  );
  assert.equal(stderr, '');
  return stdout;
}

/** Returns the final screen of a terminal that knows the two sequences in use. */
function renderScreen(text: string): readonly string[] {
  const lines: string[] = [];
  for (const piece of text.split(/(.\[\d+A.\[J|\n)/)) {
    const up = /^.\[(\d+)A.\[J$/.exec(piece)?.[1];
    if (up !== undefined) lines.splice(lines.length - Number(up));
    else if (piece !== '\n' && piece !== '') lines.push(piece);
  }
  return lines;
}

const long = `set-up: compiling ${'x'.repeat(60)}`;

test('on a terminal each step has a line that moves, and what stays are the times that they took', () => {
  const text = written(true);
  assert.match(text, /\u280B compiling x+\n/);
  assert.match(text, /[\u2800-\u28FF] bundling {2}\d+\.\d s\n/);
  for (const [line] of text.matchAll(/^[\u2800-\u28FF].*$/gm)) assert.ok(line.length < 40, line);
  const [word, second = '', first = '', ...more] = renderScreen(text);
  assert.equal(word, 'set-up: a word');
  assert.match(second, /^set-up: bundling: done in \d+\.\d s$/);
  assert.match(first, /: taken from the cache in \d+\.\d s$/);
  assert.ok(first.startsWith(long));
  assert.deepEqual(more, []);
});

test('elsewhere there are plain lines', () => {
  const text = written(false);
  assert.ok(!text.includes('\u001B'));
  assert.match(
    text,
    /^set-up: compiling x+\nset-up: bundling\nset-up: a word\nset-up: bundling: done in [\d.]+ s\nset-up: compiling x+: taken from the cache in [\d.]+ s\n$/,
  );
});
