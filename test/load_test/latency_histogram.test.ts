import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { histogramMaker } from '../../src/load_test/latency_histogram.ts';

test('percentiles ascend and never exceed the maximum', async () => {
  const histogram = await histogramMaker();
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 30 }),
      (latencies) => {
        const recorded = histogram();
        for (const latency of latencies) recorded.record(latency);
        const shown = [0.5, 0.9, 0.99, 0.999, 1].map((share) => recorded.percentile(share));
        assert.deepEqual(
          shown.toSorted((a, b) => a - b),
          shown,
        );
        assert.ok((shown.at(-1) ?? Infinity) <= recorded.maxMs, `${shown.at(-1)} > ${recorded.maxMs}`);
        // Microseconds are the smallest step.
        assert.ok(Math.abs(recorded.maxMs - Math.max(...latencies)) <= 0.001, `${recorded.maxMs}`);
      },
    ),
    { numRuns: 200 },
  );
});
