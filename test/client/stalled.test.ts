import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NodeSilent } from '../../src/client/answer.ts';
import { NodeRefusal } from '../../src/client/node_refusal.ts';
import type { NodeConnection } from '../../src/client/connection.ts';
import { ChainFollower } from '../../src/client/follow.ts';
import type { Json } from '../../src/codec/json.ts';
import { HandClock } from '../builders/hand_clock.ts';

/**
 * Returns a follower's calls for a node that answers its attempts like this, one after the other; `undefined` is an
 * answer without an error.
 */
async function heard(
  ...answers: readonly (Error | undefined)[]
): Promise<{ readonly stalled: string[]; readonly failed: string[] }> {
  const clock = new HandClock(0);
  const said = [...answers];
  const connection: NodeConnection = {
    async call(method): Promise<Json> {
      const next = method.endsWith('unsubscribe') ? undefined : said.shift();
      if (next !== undefined) throw next;
      return await Promise.resolve({ position: 'p' });
    },
    close() {},
  };
  const told = { stalled: new Array<string>(), failed: new Array<string>() };
  const note = (list: string[]) => (error: unknown) =>
    void list.push(error instanceof Error && 'code' in error ? String(error.code) : '');
  const target = {
    ...{ method: 'subscribe_api.subscribe_blocks', params: {}, resume: 'p0' },
    take() {},
    takeWaiting() {},
    ...{ stalled: note(told.stalled), failed: note(told.failed) },
  };
  const follower = new ChainFollower(connection, clock, target, 1);
  const state = { isOver: false };
  const asking = follower.subscribe().then(() => (state.isOver = true));
  for (let times = 0; !state.isOver && times < 100; times++) {
    for (let tick = 0; tick < 10; tick++) await new Promise(setImmediate);
    clock.pass(500);
  }
  await asking;
  follower.stop();
  return told;
}

const ahead = new NodeRefusal('head_out_of_reach', 'the position is ahead of the head');
const behind = new NodeRefusal('head_not_reached', 'not yet');
const silent = new NodeSilent('not there', false);

test('a position ahead of the head says so, once, and the follower goes on as soon as the node has come so far', async () => {
  assert.deepEqual(await heard(ahead, ahead, ahead, undefined), { stalled: ['head_out_of_reach'], failed: [] });
});

test('each other reason why nothing comes is told, and an error that nothing cures ends it', async () => {
  assert.deepEqual(await heard(silent, silent, behind, ahead, undefined), {
    ...{ stalled: ['transport', 'head_not_reached', 'head_out_of_reach'], failed: [] },
  });
  assert.deepEqual(await heard(behind, new NodeRefusal('position_of_another_chain', 'no')), {
    ...{ stalled: ['head_not_reached'], failed: ['position_of_another_chain'] },
  });
});
