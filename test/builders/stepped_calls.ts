import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../src/base/clock.ts';
import { ownProcess } from '../../src/jsonrpc/limits/request_source.ts';
import type { Dispatcher } from '../../src/jsonrpc/dispatcher.ts';
import type { VerifierCall } from '../../src/rpc/services.ts';

/**
 * A clock by which every turn is over as soon as it has begun: what is done at once is a single step. Nothing is ever
 * late.
 */
export class SteppingClock implements Clock {
  readonly #nowMs: number;
  #elapsedMs = 0;

  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  elapsedMs(): number {
    this.#elapsedMs += 1000;
    return this.#elapsedMs;
  }

  after(delayMs: number, run: () => void): () => void {
    if (delayMs > 0) return () => undefined;
    const immediate = setImmediate(run);
    return () => clearImmediate(immediate);
  }
}

/** Sends a body, and says between any two turns of the event loop, and at the end, that one is over. */
export async function callInSteps(
  dispatcher: Dispatcher<VerifierCall>,
  body: Buffer,
  turnOver: () => void,
): Promise<Buffer> {
  await nextTurn();
  turnOver();
  const asked = { isOver: false };
  const answer = Promise.resolve(dispatcher.dispatch(body, ownProcess)).finally(() => (asked.isOver = true));
  while (!asked.isOver) {
    await nextTurn();
    turnOver();
  }
  return Buffer.from((await answer) ?? '');
}
