import assert from 'node:assert/strict';
import { test } from 'node:test';

import { block } from '../../../src/wire/messages/block.ts';
import { range } from '../../../src/wire/messages/range.ts';
import { status } from '../../../src/wire/messages/status.ts';
import { OpenQuestions } from '../../../src/p2p/peers/open_questions.ts';

test('an answer may come for a minute, once for each question, and what is no answer always', () => {
  const questions = new OpenQuestions();
  questions.add(range, 0);
  questions.add(range, 10_000);
  assert(questions.mayCome(range, 60_000) && !questions.mayCome(block, 0) && questions.mayCome(status, 0));
  questions.close(range);
  assert(questions.mayCome(range, 70_000) && !questions.mayCome(range, 70_001));
  questions.close(range);
  assert(!questions.mayCome(range, 20_000));
});

test('however much is asked, the last sixty-four questions are remembered', () => {
  const questions = new OpenQuestions();
  questions.add(block, 0);
  for (let count = 0; count < 63; count++) questions.add(range, 0);
  assert(questions.mayCome(block, 0));
  questions.add(range, 0);
  assert(!questions.mayCome(block, 0));
});
