import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StatusLine } from '../../src/cli/status_line.ts';

/** Returns the output of a line that is used at these moments. */
function written(isTerminal: boolean, use: (status: StatusLine, at: (ms: number) => void) => void): string {
  let [text, nowMs] = ['', 0];
  const status = new StatusLine(
    (piece) => (text += piece),
    isTerminal,
    () => nowMs,
  );
  use(status, (ms) => (nowMs = ms));
  return text;
}

test('without a terminal each step is a line, and a step that goes on is a line in ten seconds', () => {
  const text = written(false, (status, at) => {
    status.step('signing ahead');
    for (let second = 1; second <= 25; second++) {
      at(second * 1000);
      status.show(`${second} s`);
    }
    status.step('waiting for blocks');
    status.step('waiting for blocks');
    status.clear();
  });
  assert.equal(text, 'signing ahead\n10 s\n20 s\nwaiting for blocks\n');
});

test('on a terminal a line takes the place of the one before, and is removed', () => {
  const text = written(true, (status) => {
    status.step('signing');
    status.show('1 s');
    status.clear();
  });
  assert.equal(text, '\r\u001b[Ksigning\r\u001b[K1 s\r\u001b[K');
});
