import { pathToFileURL } from 'node:url';
import { assert } from '../../src/base/assert.ts';
import type { ExpectedSigners } from '../../src/crypto/verify_signers.ts';
import { verifySigners } from '../../src/crypto/verify_signers.ts';
import { SenderReputation } from '../../src/crypto/sender_reputation.ts';
import type { Row } from '../bench.ts';
import { measureMicros, makeRow, rowsText } from './timed.ts';
import { signedBatch, withBadSignatures } from './signed_batch.ts';

const HONEST = 'one right signature, the search for wrong ones included';

/** Evenly spread places: neighbours would share their part of the bisection, so this is the worst for us. */
const spread = (count: number, wrong: number): number[] =>
  Array.from({ length: wrong }, (_, i) => Math.floor(((i + 0.5) * count) / wrong));

/** Time for each right signature when some are wrong and nothing is known about their senders. */
function strangersMicros(batch: ExpectedSigners, wrong: number, isQuick: boolean): number {
  const mixed = withBadSignatures(batch, spread(batch.count, wrong));
  return measureMicros(batch.count - wrong, isQuick, () => {
    const right = verifySigners(mixed).verified.reduce((sum, verdict) => sum + verdict, 0);
    assert(right === batch.count - wrong, 'exactly the wrong ones are found');
  });
}

/**
 * The same with a reputation: every place of the batch is a source; honest ones have earned trust, attackers come anew
 * each time.
 */
function knownMicros(batch: ExpectedSigners, wrong: number, isQuick: boolean): number {
  const places = spread(batch.count, wrong);
  const mixed = withBadSignatures(batch, places);
  const reputation = new SenderReputation();
  for (let source = 0; source < batch.count; source++) for (let i = 0; i < 1024; i++) reputation.note(source, true);
  let stranger = batch.count;
  return measureMicros(batch.count - wrong, isQuick, () => {
    const senderIds = Array.from({ length: batch.count }, (_, source) => source);
    for (const place of places) senderIds[place] = stranger++;
    const { verified } = verifySigners({
      ...mixed,
      groups: Uint8Array.from(senderIds, (source) => reputation.senderGroup(source)),
    });
    senderIds.forEach((source, item) => reputation.note(source, verified[item] === 1));
  });
}

/** Measures the price of right signatures beside wrong ones in every batch. */
export function run({ quick }: { quick: boolean }): Row[] {
  const batch = signedBatch(1024, 16);
  const honest = makeRow(
    'honest batch of 1024',
    HONEST,
    measureMicros(batch.count, quick, () => verifySigners(batch)),
  );
  const counts = quick ? [1, 64] : [1, 4, 8, 16, 64];
  return [
    honest,
    ...counts.map((wrong) =>
      makeRow(`${wrong} wrong among 1024, senders unknown`, HONEST, strangersMicros(batch, wrong, quick), honest),
    ),
    ...counts.map((wrong) =>
      makeRow(`${wrong} wrong among 1024, right ones trusted`, HONEST, knownMicros(batch, wrong, quick), honest),
    ),
  ];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  process.stdout.write(`${rowsText(run({ quick: process.argv.includes('--quick') }))}\n`);
