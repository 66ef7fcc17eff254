import assert from 'node:assert/strict';
import { test } from 'node:test';

import { isLoopback } from '../../../src/jsonrpc/http/loopback.ts';

test('only addresses and names of the own machine are loopback, not names that look like them', () => {
  for (const host of ['localhost', '127.0.0.1', '127.1.2.3', '::1']) assert.equal(isLoopback(host), true, host);
  for (const host of [
    '0.0.0.0',
    '::',
    '10.0.0.1',
    '127.example.com',
    '127.0.0.1.example.com',
    '127.0.0.999',
    'localhost.example.com',
    '',
  ])
    assert.equal(isLoopback(host), false, host);
});
