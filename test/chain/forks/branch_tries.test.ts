import assert from 'node:assert/strict';
import { test } from 'node:test';

import { BranchTries } from '../../../src/chain/forks/branch_tries.ts';

const A_MINUTE_MS = 60_000;
const isVain = (result: boolean): boolean => !result;

/** A try that takes so long. */
class Tried {
  ms = 1000;
  readonly tries = new BranchTries(() => this.ms);
  /** When each vain try began and ended. */
  readonly vain: { readonly from: number; readonly to: number }[] = [];

  attempt(source: string, signer: string, tookMs: number, isValid = false): boolean {
    const tried = { source, signer };
    if (!this.tries.mayTry(tried)) return false;
    const from = this.ms;
    const run = (): boolean => {
      this.ms += tookMs;
      return isValid;
    };
    if (!this.tries.run(tried, run, isVain)) this.vain.push({ from, to: this.ms });
    return true;
  }

  /** The largest part of a minute that vain tries took, and the longest of them. */
  get most(): { readonly ofMinuteMs: number; readonly longestMs: number } {
    const inMinute = this.vain.map(({ from }) => this.#countVain(from, from + A_MINUTE_MS));
    return { ofMinuteMs: Math.max(...inMinute), longestMs: Math.max(...this.vain.map(({ from, to }) => to - from)) };
  }

  #countVain(begin: number, end: number): number {
    return this.vain.reduce((sum, { from, to }) => sum + Math.max(0, Math.min(to, end) - Math.max(from, begin)), 0);
  }
}

for (const tookMs of [1, 40, 700, 2500]) {
  test(`vain tries of ${tookMs} ms take at most 5 % of a minute, however many peers and witnesses bring them`, () => {
    const tried = new Tried();
    for (let number = 0; tried.ms < 5 * A_MINUTE_MS; number++) {
      tried.attempt(`peer ${number}`, `witness ${number}`, tookMs);
      tried.ms += 5;
    }
    const { ofMinuteMs, longestMs } = tried.most;
    assert.ok(ofMinuteMs <= A_MINUTE_MS / 20 + longestMs, `${ofMinuteMs} ms`);
    assert.ok(tried.vain.length > 4, 'they are tried again and again');
  });
}

test('whoever has caused a vain try waits longer each time, by peer and by witness; others do not', () => {
  const tried = new Tried();
  assert.ok(tried.attempt('p', 'w', 1));
  tried.ms += 100;
  assert.ok(!tried.attempt('p', 'other', 1) && !tried.attempt('another', 'w', 1), 'both are charged');
  assert.ok(tried.tries.isWaiting);
  assert.ok(tried.attempt('another', 'other', 1), 'nobody else is');
  for (const [waitMs, may] of [
    [1000, false],
    [1000, true],
    [2500, false],
    [2000, true],
    [7000, false],
    [2000, true],
  ] as const) {
    tried.ms += waitMs;
    assert.equal(tried.attempt('p', 'w', 1), may, `at ${tried.ms}`);
  }
  // Nobody waits longer than a minute.
  for (let more = 0; more < 8; more++) {
    tried.ms += A_MINUTE_MS + 1000;
    assert.ok(tried.attempt('p', 'w', 1));
  }
});

test('what is taken is charged to nobody', () => {
  const tried = new Tried();
  for (let more = 0; more < 5; more++) assert.ok(tried.attempt('p', 'w', 1000, true));
  assert.ok(!tried.tries.isWaiting);
});
