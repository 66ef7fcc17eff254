import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../src/base/fault.ts';
import { limitOptions, readLimits } from '../../src/settings/limit_options.ts';
import { defaultLimits } from '../../src/jsonrpc/limits/limits.ts';

test('every limit but that of ids can be set, and local calls count where a limit is set (run.ts)', () => {
  const limits = Object.values(limitOptions).map(({ limit }) => limit);
  assert.deepEqual(new Set([...limits, 'idBytes', 'countsLocalCalls']), new Set(Object.keys(defaultLimits)));
  for (const [key, { limit }] of Object.entries(limitOptions))
    assert.deepEqual(readLimits({ [key]: 7 }), { ...defaultLimits, [limit]: 7 });
});

test('a limit that shuts everybody out is refused by name', () => {
  assert.throws(
    () => readLimits({ 'max-body-bytes': 0 }),
    (error) => error instanceof Fault && error.message.includes('max-body-bytes'),
  );
  assert.equal(readLimits({ 'max-calls-per-second': 0 }).callsPerSecond, 0);
});
