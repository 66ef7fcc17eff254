import { pathToFileURL } from 'node:url';
import { assert } from '../../src/base/assert.ts';
import type { ExpectedSigners } from '../../src/crypto/verify_signers.ts';
import { verifySigners } from '../../src/crypto/verify_signers.ts';
import { recoverKeys } from '../../src/crypto/recover.ts';
import { atMostMicros, type Budget, type Row } from '../bench.ts';
import { QUIET_RECOVER_MICROS } from '../recovery.ts';
import { measureMicros, makeRow, rowsText } from './timed.ts';
import { nativeAddon, noble, tiny, type PeerRecover } from './peers.ts';
import { signedBatch } from './signed_batch.ts';

const SIGNATURE = 'one signature whose signer is known for sure';

/** Verifies every item without recovering any. */
function verifyMicros(batch: ExpectedSigners, isQuick: boolean): number {
  return measureMicros(batch.count, isQuick, () =>
    assert(verifySigners(batch).recovered === 0, 'every item is verified'),
  );
}

/** Verification and recovery of signers against the native addon, tiny-secp256k1 and noble, all in this run. */
export function run({ quick }: { quick: boolean }): Row[] {
  const repeating = signedBatch(1024, 16);
  const different = signedBatch(1024, 1024);
  const addon = nativeAddon();
  const count = 256;
  const native =
    addon &&
    makeRow(
      'native secp256k1 addon, recover',
      SIGNATURE,
      measureMicros(count, quick, () => addon(repeating, count)),
    );
  const first = signedBatch(count, 16);
  const recover = makeRow(
    'recover',
    SIGNATURE,
    measureMicros(count, quick, () => recoverKeys(count, first.digests, first.signatures)),
    native,
  );
  const busy = native === undefined ? 1 : native.cpuMicros / QUIET_RECOVER_MICROS;
  const batches: readonly [string, ExpectedSigners, Budget?][] = [
    ['verify, batch of 1024, 16 keys', repeating, atMostMicros(5 * busy)],
    ['verify, batch of 1024, every key another', different, atMostMicros(10 * busy)],
    ['verify, batch of 256, 16 keys', first],
    ['verify, batch of 256, every key another', signedBatch(256, 256)],
    ['verify, batch of 64, 16 keys', signedBatch(64, 16)],
    ['verify, batch of 24, 10 keys', signedBatch(24, 10)],
    ['verify, batch of 4, one key', signedBatch(4, 1)],
    ['verify, one alone, known key', signedBatch(1, 1)],
  ];
  const verifications = batches.map(([name, batch, budget]) =>
    makeRow(name, SIGNATURE, verifyMicros(batch, quick), native ?? recover, budget),
  );
  const slow = (name: string, peer: PeerRecover): Row =>
    makeRow(
      `${name}, recover`,
      SIGNATURE,
      measureMicros(32, quick, () => peer(repeating, 32)),
      native,
    );
  return [
    ...(native === undefined ? [] : [native]),
    recover,
    ...verifications,
    slow('tiny-secp256k1', tiny),
    slow('@noble/curves', noble),
  ];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  process.stdout.write(`${rowsText(run({ quick: process.argv.includes('--quick') }))}\n`);
