import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';

import type { Broadcasts } from '../../../../src/node/threads/broadcasts/broadcasts.ts';
import { OUTCOME, WRONG_HINT } from '../../../../src/verifiers/bundle_outcomes.ts';
import { encodeVerdicts, type Verdict } from '../../../../src/verifiers/verdicts.ts';
import type { VerifierReport } from '../../../../src/verifiers/verifier_report.ts';
import { bundle } from '../../../../src/wire/messages/bundle.ts';
import { testKey } from '../../../builders/chain.ts';
import { DUPLICATE, FakePool, flushed, ID, raw, started } from './told_broadcasts.ts';

/** The ends of a transaction, by a verifier or by the writer. */
const FATES = ['accepted', 'known', 'poor', 'wrong', 'forged'] as const;
type Fate = (typeof FATES)[number];
const EXPECTED = {
  accepted: OUTCOME.accepted,
  known: OUTCOME.known,
  poor: OUTCOME.refused,
  wrong: OUTCOME.refused,
  forged: OUTCOME.forged,
} as const satisfies Record<Fate, number>;
const BY_VERIFIER: ReadonlySet<Fate> = new Set(['wrong', 'forged']);

const makeRefusal = (code: string): typeof DUPLICATE => ({ ...DUPLICATE, code });
const REFUSALS: Readonly<Record<Fate, typeof DUPLICATE | undefined>> = {
  accepted: undefined,
  known: DUPLICATE,
  poor: makeRefusal('balance_too_small'),
  wrong: makeRefusal('memo_is_key'),
  forged: makeRefusal('malformed_bytes'),
};

interface Sent {
  readonly fate: Fate;
  readonly isMisled: boolean;
}

const isBundle = (item: readonly Sent[] | Fate): item is readonly Sent[] => typeof item !== 'string';

function submitBundle(broadcasts: Broadcasts, count: number): Promise<Uint8Array> {
  const some = Array.from({ length: count }, (_, index) => ({
    key: testKey('alice'),
    unsignedBytes: 0,
    packed: Uint8Array.of(index & 0xff),
  }));
  return broadcasts.submitBundle({ senderId: 7, message: bundle.encode(some), count });
}

async function submitOne(broadcasts: Broadcasts): Promise<string> {
  return await broadcasts.submit(raw()).then(
    () => 'accepted',
    (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : 'fault'),
  );
}

const sent = fc.record({ fate: fc.constantFrom(...FATES, 'accepted', 'accepted'), isMisled: fc.boolean() });
const everything = fc.array(fc.oneof(fc.array(sent, { minLength: 1, maxLength: 8 }), fc.constantFrom(...FATES)), {
  minLength: 1,
  maxLength: 12,
});

test('among other broadcasts each transaction of a bundle has its outcome, whether the verifier is heard first or the writer', async () => {
  await fc.assert(
    fc.asyncProperty(everything, fc.boolean(), fc.nat(), async (items, isWriterFirst, cut) => {
      const { broadcasts, pool } = started();
      const answers = items.map((item) =>
        isBundle(item) ? submitBundle(broadcasts, item.length) : submitOne(broadcasts),
      );
      await flushed();
      const all = items.flatMap<Sent & { readonly isBundled: boolean }>((item) =>
        isBundle(item)
          ? item.map((one) => ({ ...one, isBundled: true }))
          : [{ fate: item, isMisled: false, isBundled: false }],
      );
      const { items: batch } = pool.batch(0);
      assert.equal(batch.length, all.length);
      const tickets = all.map((one, index) => ({ ...one, ticket: batch[index]?.ticket ?? assert.fail('no ticket') }));
      const report: VerifierReport = {
        told: [],
        refused: tickets.flatMap(({ ticket, fate }) => {
          const refusal = REFUSALS[fate];
          return BY_VERIFIER.has(fate) && refusal !== undefined ? [{ ticket, refusal }] : [];
        }),
        misled: tickets.filter(({ isMisled }) => isMisled).map(({ ticket }) => ticket),
        elapsedMicros: 1,
      };
      const verdicts = tickets
        .filter(({ fate }) => !BY_VERIFIER.has(fate))
        .map(({ ticket, fate, isBundled }): Verdict => {
          return { ticket, id: ID, expiration: 0, refusal: REFUSALS[fate], isBundled };
        });
      const at = cut % (verdicts.length + 1);
      broadcasts.takeVerdicts(encodeVerdicts(isWriterFirst ? verdicts : []));
      pool.batch(0).report(report);
      await flushed();
      if (!isWriterFirst) {
        broadcasts.takeVerdicts(encodeVerdicts(verdicts.slice(0, at)));
        broadcasts.takeVerdicts(encodeVerdicts(verdicts.slice(at)));
      }
      const expected = items.map((item) =>
        isBundle(item)
          ? Uint8Array.from(item, ({ fate, isMisled }) => EXPECTED[fate] | (isMisled ? WRONG_HINT : 0))
          : (REFUSALS[item]?.code ?? 'accepted'),
      );
      assert.deepEqual(await Promise.all(answers), expected);
      assert.equal(broadcasts.size, 0);
      const counted = [...broadcasts.outcomes.values()].reduce((sum, count) => sum + count, 0);
      assert.equal(counted, all.length);
    }),
    { numRuns: 60 },
  );
});

test('a bundle is not divided: one that would not fit goes into the next batch', async () => {
  const { broadcasts, pool } = started(new FakePool(2));
  for (const count of [1000, 100]) void submitBundle(broadcasts, count);
  await flushed();
  assert.deepEqual(
    pool.batches.map(({ items }) => items.length),
    [1000, 100],
  );
  broadcasts.stop();
});

test('where nobody verifies a bundle, where there is no room and where the node stops, all of it is refused', async () => {
  const { broadcasts, pool } = started();
  const failed = submitBundle(broadcasts, 3);
  await flushed();
  pool.batch(0).fail(new Error('the thread is gone'));
  assert.deepEqual(await failed, Uint8Array.of(2, 2, 2));
  const waiting = [1000, 1000, 2].map((count) => submitBundle(broadcasts, count));
  assert.deepEqual(await waiting[2], Uint8Array.of(2, 2), '1500 may wait');
  await flushed();
  // The writer has accepted all of the first, and its verifier has not said whose hints were wrong: nobody is told of
  // them with a wrong one.
  const first = pool.batch(1).items.map(({ ticket }): Verdict => {
    return { ticket, id: ID, expiration: 0, refusal: undefined, isBundled: true };
  });
  broadcasts.takeVerdicts(encodeVerdicts(first));
  broadcasts.stop();
  const [accepted, refused] = await Promise.all(waiting);
  assert(accepted?.every((outcome) => outcome === OUTCOME.known));
  assert(refused?.every((outcome) => outcome === OUTCOME.refused));
  assert.deepEqual(await submitBundle(broadcasts, 1), Uint8Array.of(2));
  assert.equal(broadcasts.size, 0);
});
