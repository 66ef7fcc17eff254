import { catchRefusal } from '../base/refusal.ts';
import { verifyTransaction } from '../blocks/verify.ts';
import { withOneForm } from '../blocks/signature_form.ts';
import { readTransaction, type VerifiedTransaction } from '../blocks/transaction.ts';
import { ByteReader, ByteWriter } from '../codec/bytes.ts';
import type { ChainParameters } from '../state/parameters.ts';
import type { CommittedRows } from '../storage/rows.ts';
import type { BytesOf } from '../base/bytes_of.ts';
import { MemoGuard } from './memo_guard.ts';
import { type SentRefusal, decodeRefusal, encodeRefusal, sentRefusal } from '../system/sent_refusal.ts';
import { encodeVerifiedBatch } from '../blocks/verified_batch.ts';

/** The findings of a verifier about a transaction that is to be checked. */
export interface CheckFindings {
  /** A batch of one, for the writer. */
  readonly verified: Uint8Array<ArrayBuffer>;
  /** The refusal of a verifier if it were sent. */
  readonly refusal: SentRefusal | undefined;
}

/**
 * Recovers the signers of a transaction and looks at its memos, as for a broadcast, but keeps neither: no sender's
 * reputation changes, and a memo that may be a password is not remembered.
 */
export function verifyForCheck(
  parameters: ChainParameters,
  rows: CommittedRows,
  packed: Uint8Array,
  guardsMemos?: boolean,
): BytesOf<CheckFindings> {
  const posted = readTransaction(new ByteReader(packed));
  const verified = verifyTransaction(
    parameters.chainId,
    parameters.rules.one_signature_form ? withOneForm(posted) : posted,
  );
  const refusal = catchRefusal(() => requireNoSecret(new MemoGuard(rows, guardsMemos), verified));
  const batch = encodeVerifiedBatch([{ ticket: 0, verified }]);
  const out = new ByteWriter(batch.length + 512);
  out.u32(batch.length);
  out.bytes(batch);
  out.text(refusal === undefined ? '' : encodeRefusal(sentRefusal(refusal)));
  return out.finish();
}

/** Reads what `verifyForCheck` wrote. */
export function decodeCheckFindings(bytes: BytesOf<CheckFindings>): CheckFindings {
  const input = new ByteReader(bytes);
  const verified = input.bytes(input.u32()).slice();
  const refusal = input.text();
  return { verified, refusal: refusal === '' ? undefined : decodeRefusal(refusal) };
}

function requireNoSecret(guard: MemoGuard, verified: VerifiedTransaction): void {
  guard.begin([verified]);
  const memos = guard.memosOf(verified);
  guard.prepare(memos);
  for (const memo of memos) guard.check(memo);
}
