import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Progress } from '../../src/wallet/progress.ts';
import { HandClock } from '../builders/hand_clock.ts';

const CLEARED = '\r\u001B[K';

test('the line counts the seconds of long work and is cleared at its end, short work shows none', async () => {
  const [clock, written] = [new HandClock(0), [] as string[]];
  const progress = new Progress('transfer', { write: (text) => written.push(text) }, clock);
  await progress.during(() => Promise.resolve());
  clock.pass(5000);
  assert.deepEqual(written, []);
  await progress.during(() => {
    clock.pass(1700);
    return Promise.resolve();
  });
  clock.pass(5000);
  assert.deepEqual(written, [`${CLEARED}transfer: waiting, 0 s`, `${CLEARED}transfer: waiting, 1 s`, CLEARED]);
});

test('a question takes the line away and keeps it away until it is answered', async () => {
  const [clock, written] = [new HandClock(0), [] as string[]];
  const progress = new Progress('transfer', { write: (text) => written.push(text) }, clock);
  await progress.during(async () => {
    clock.pass(1000);
    const answer = await progress.asking(() => {
      written.push('sign that?');
      clock.pass(60_000);
      return Promise.resolve(true);
    });
    assert.equal(answer, true);
    clock.pass(1000);
  });
  assert.deepEqual(written, [
    `${CLEARED}transfer: waiting, 0 s`,
    CLEARED,
    'sign that?',
    `${CLEARED}transfer: waiting, 0 s`,
    CLEARED,
  ]);
});

test('a text is written on a line of its own', async () => {
  const [clock, written] = [new HandClock(0), [] as string[]];
  const progress = new Progress('transfer', { write: (text) => written.push(text) }, clock);
  await progress.during(() => {
    clock.pass(1000);
    progress.clear();
    written.push('a text');
    return Promise.resolve();
  });
  assert.deepEqual(written, [`${CLEARED}transfer: waiting, 0 s`, CLEARED, 'a text']);
});
