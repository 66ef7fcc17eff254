import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';

import { Refusal } from '../../src/base/refusal.ts';
import {
  RawBatchWriter,
  decodeRawBatch,
  type BundledItem,
  type RawBroadcastItem,
  type RawItem,
} from '../../src/verifiers/raw_batch.ts';
import { receivedRefusal, sentRefusal, type SentRefusal } from '../../src/system/sent_refusal.ts';
import { decodeVerdicts, encodeVerdicts, refusedTickets, type Verdict } from '../../src/verifiers/verdicts.ts';
import { WAIT_FOR } from '../../src/rpc/wait_for.ts';
import { bundle } from '../../src/wire/messages/bundle.ts';
import { decodeVerifierReport, encodeVerifierReport } from '../../src/verifiers/verifier_report.ts';

const ticket = fc.integer({ min: 0, max: 0xffff_ffff });

const body = fc.uint8Array({ maxLength: 5000 });
const key = fc.uint8Array({ minLength: 33, maxLength: 33 }).map((bytes) => Buffer.from(bytes).toString('hex'));
const sent = {
  senderId: ticket,
  dialect: fc.constantFrom('default', 'legacy'),
  operationForm: fc.constantFrom('pair', 'typed'),
} as const;

const rawItem: fc.Arbitrary<RawBroadcastItem> = fc.oneof(
  fc.record(
    { ...sent, method: fc.oneof(fc.string({ maxLength: 80 }), fc.constantFrom('a', 'b')), params: body },
    { noNullPrototype: true },
  ),
  fc.record({ ...sent, packed: body, waitFor: fc.constantFrom(...WAIT_FOR) }, { noNullPrototype: true }),
);

const rawBundle = fc.record(
  {
    senderId: ticket,
    transactions: fc.array(fc.record({ key, unsignedBytes: fc.constant(0), packed: body }, { noNullPrototype: true }), {
      maxLength: 5,
    }),
  },
  { noNullPrototype: true },
);

/** The item with bytes that are no views. */
function copied(item: RawItem): RawItem {
  if ('bundled' in item) {
    const { bundled } = item;
    return { ...item, bundled: { ...bundled, packed: Uint8Array.from(bundled.packed) } };
  }
  return 'packed' in item
    ? { ...item, packed: Uint8Array.from(item.packed) }
    : { ...item, params: Uint8Array.from(item.params) };
}

test('broadcasts and bundles arrive at a verifier as they left the front, batch after batch, and each has its ticket', () => {
  const out = new RawBatchWriter();
  fc.assert(
    fc.property(
      fc.array(fc.oneof(rawItem, rawBundle), { maxLength: 20 }),
      fc.integer({ min: 0, max: 2 ** 32 - 1024 }),
      (items, firstTicket) => {
        for (const item of items) {
          if (!('transactions' in item)) out.add(item);
          else {
            const { senderId, transactions } = item;
            out.addBundle({ senderId, message: bundle.encode(transactions), count: transactions.length });
          }
        }
        const arrived = decodeRawBatch(out.finish(firstTicket)).map(copied);
        const single = items.flatMap<RawBroadcastItem | BundledItem>((item) =>
          'transactions' in item
            ? item.transactions.map((bundled) => ({ senderId: item.senderId, bundled }))
            : [{ ...item }],
        );
        assert.deepEqual(
          arrived,
          single.map((item, index) => Object.assign({}, item, { ticket: firstTicket + index })),
        );
      },
    ),
  );
});

test('a batch has a buffer of its own, so that it can be handed over', () => {
  const out = new RawBatchWriter();
  out.add({ method: 'm', senderId: 2, dialect: 'default', operationForm: 'pair', params: Uint8Array.of(1, 2) });
  const { buffer, byteLength } = out.finish(1);
  assert.equal(buffer.byteLength, byteLength);
});

const hex = (length: number): fc.Arbitrary<string> =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((bytes) => Buffer.from(bytes).toString('hex'));

const anyRefusal: fc.Arbitrary<SentRefusal> = fc.record(
  {
    code: fc.string(),
    message: fc.string({ unit: 'grapheme' }),
    details: fc.dictionary(
      fc.stringMatching(/^[a-z]{1,8}$/),
      fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.array(fc.string(), { maxLength: 3 })),
      { noNullPrototype: true },
    ),
    lineageCode: fc.nat(),
  },
  { noNullPrototype: true },
);

const verdict: fc.Arbitrary<Verdict> = fc
  .record({
    ticket,
    id: hex(20),
    expiration: ticket,
    refusal: fc.option(anyRefusal, { nil: undefined }),
    isDuplicate: fc.boolean(),
  })
  .map(({ isDuplicate, refusal, ...given }) =>
    Object.assign(given, { refusal, isPending: isDuplicate && refusal !== undefined }),
  );

test('verdicts arrive at the front as the writer gave them', () => {
  fc.assert(
    fc.property(fc.array(verdict, { maxLength: 20 }), (verdicts) =>
      assert.deepEqual(decodeVerdicts(encodeVerdicts(verdicts)), { verdicts, bundled: [] }),
    ),
  );
});

const DUPLICATE: SentRefusal = { code: 'duplicate_transaction', message: '', details: {}, lineageCode: 10 };
/** Of a batch: whether each is of a bundle, and what became of it; `gone` is one that a verifier has refused. */
const mixedFates = fc.array(
  fc.record({
    isBundled: fc.boolean(),
    fate: fc.constantFrom('accepted', 'accepted', 'accepted', 'known', 'refused', 'gone'),
  }),
  { maxLength: 40 },
);

test('of a bundle each accepted or known transaction takes a byte, among any others; what is refused comes whole', () => {
  const refusals = { known: DUPLICATE, refused: { ...DUPLICATE, code: 'fee_too_small' } } as const;
  fc.assert(
    fc.property(mixedFates, fc.integer({ min: 0, max: 2 ** 32 - 1024 }), (fates, firstTicket) => {
      const all = fates.map(({ isBundled, fate }, index) => ({
        ...{ fate, ticket: firstTicket + index, id: '00'.repeat(20), expiration: 0, isBundled },
        refusal: fate === 'known' || fate === 'refused' ? refusals[fate] : undefined,
      }));
      const judged = all.filter(({ fate }) => fate !== 'gone');
      const { verdicts, bundled } = decodeVerdicts(encodeVerdicts(judged));
      const brief = bundled.flatMap(({ firstTicket: first, outcomes }) =>
        Array.from(outcomes, (outcome, index) => [first + index, outcome]),
      );
      const isBrief = ({ isBundled, fate }: (typeof all)[number]): boolean => isBundled && fate !== 'refused';
      assert.deepEqual(
        brief,
        judged.filter(isBrief).map(({ ticket: own, fate }) => [own, fate === 'accepted' ? 0 : 1]),
      );
      assert.deepEqual(
        verdicts.map((one) => [one.ticket, one.refusal?.code]),
        judged.filter((one) => !isBrief(one)).map((one) => [one.ticket, one.refusal?.code]),
      );
      assert.deepEqual(
        refusedTickets({ verdicts, bundled }).toSorted((a, b) => a - b),
        judged.filter(({ refusal }) => refusal !== undefined).map((one) => one.ticket),
      );
    }),
  );
});

test('a report arrives as the verifier gave it, and one that has nothing to say has sixteen bytes', () => {
  const report = fc.record(
    {
      told: fc.array(
        fc.record(
          { ticket, waitFor: fc.constantFrom(...WAIT_FOR), transaction: fc.string({ unit: 'grapheme' }) },
          { noNullPrototype: true },
        ),
        { maxLength: 20 },
      ),
      refused: fc.array(fc.record({ ticket, refusal: anyRefusal }, { noNullPrototype: true }), { maxLength: 20 }),
      misled: fc.array(ticket, { maxLength: 20 }),
      elapsedMicros: ticket,
    },
    { noNullPrototype: true },
  );
  fc.assert(fc.property(report, (given) => assert.deepEqual(decodeVerifierReport(encodeVerifierReport(given)), given)));
  assert.equal(encodeVerifierReport({ told: [], refused: [], misled: [], elapsedMicros: 1 }).byteLength, 16);
});

test('a refusal crosses threads with everything that the asker is told; large integers become text', () => {
  const refusal = new Refusal(
    'fee_too_small',
    'fee of 2 required',
    { required: 2n ** 60n, payer: 'alice', signers: ['a', 'b'] },
    10,
  );
  const {
    verdicts: [arrived],
  } = decodeVerdicts(
    encodeVerdicts([{ ticket: 1, id: '00'.repeat(20), expiration: 0, refusal: sentRefusal(refusal) }]),
  );
  assert(arrived?.refusal !== undefined);
  const received = receivedRefusal(arrived.refusal);
  assert(received instanceof Refusal);
  const { code, message, details, lineageCode } = received;
  assert.deepEqual([code, message, lineageCode], ['fee_too_small', 'fee of 2 required', 10]);
  assert.deepEqual(details, { required: (2n ** 60n).toString(), payer: 'alice', signers: ['a', 'b'] });
});
