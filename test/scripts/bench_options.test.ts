import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../bench/run.js', import.meta.url));

test('who asks for a bench, a load of the sheet or an option that there is not is told so in one line', () => {
  for (const [options, message] of [
    [['--nonsense'], /^pharos: Unknown option '--nonsense'.*bench\/README\.md says how to run them\n$/],
    [['--only', 'nonsense'], /^pharos: no bench has nonsense in its path; bench\/README\.md says how to run them\n$/],
    [
      ['--costs', '--only', 'nonsense'],
      /^pharos: no load of the sheet has nonsense in its name; bench\/README\.md says how to run them\n$/,
    ],
  ] as const) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...options], { encoding: 'utf8' });
    assert.deepEqual([status, stdout], [2, '']);
    assert.match(stderr, message);
  }
});
