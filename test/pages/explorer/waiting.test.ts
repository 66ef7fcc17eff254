import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MOST_WAITING, stillWaiting, withWaiting, type WaitingOperation } from '../../../src/pages/explorer/waiting.ts';

const one = (trx_id: string, expiration = '2026-11-23T16:05:00'): WaitingOperation => ({ trx_id, expiration });

test('the newest that wait are kept, and no more than can be looked at', () => {
  let waiting: readonly WaitingOperation[] = [];
  for (let number = 0; number <= MOST_WAITING; number++) waiting = withWaiting(waiting, one(String(number)));
  assert.deepEqual(
    [waiting.length, waiting[0]?.trx_id, waiting.at(-1)?.trx_id],
    [MOST_WAITING, String(MOST_WAITING), '1'],
  );
});

test('what is in a block, dropped or expired waits no longer', () => {
  const waiting = [one('a'), one('b'), one('c', '2026-11-23T16:00:00')];
  assert.deepEqual(
    stillWaiting(waiting, new Set(['b']), '2026-11-23T16:00:00').map(({ trx_id: id }) => id),
    ['a'],
  );
});
