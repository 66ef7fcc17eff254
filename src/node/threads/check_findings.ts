import { refusalOf } from '../../base/refusal.ts';
import { verifyTransaction } from '../../blocks/verify.ts';
import { withOneForm } from '../../blocks/signature_form.ts';
import { readTransaction, type VerifiedTransaction } from '../../blocks/transaction.ts';
import { ByteReader, ByteWriter } from '../../codec/bytes.ts';
import type { ChainParameters } from '../../state/parameters.ts';
import type { RowReader } from '../../storage/rows.ts';
import { MemoGuard } from './memo_guard.ts';
import type { SentRefusal } from './messages.ts';
import { encodeVerifiedBatch } from './verified_batch.ts';
import { decodeRefusal, encodeRefusal, sentRefusal } from './verdicts.ts';

/** What a verifier finds out about a transaction that is to be checked. */
export interface CheckFindings {
  /** A batch of one, for the writer. */
  readonly verified: Uint8Array<ArrayBuffer>;
  /** What a verifier would refuse it for if it were sent. */
  readonly refusal: SentRefusal | undefined;
}

/**
 * Recovers the signers of a transaction and looks at its memos, as for a broadcast, but keeps neither: no sender's reputation
 * changes, and a memo that may be a password is not remembered.
 */
export function verifyForCheck(
  parameters: ChainParameters,
  rows: RowReader,
  packed: Uint8Array,
  guardsMemos?: boolean,
): Uint8Array<ArrayBuffer> {
  const posted = readTransaction(new ByteReader(packed));
  const verified = verifyTransaction(parameters.chainId, parameters.rules.one_signature_form ? withOneForm(posted) : posted);
  const refusal = refusalOf(() => requireNoSecret(new MemoGuard(rows, guardsMemos), verified));
  const batch = encodeVerifiedBatch([{ ticket: 0, verified }]);
  const out = new ByteWriter(batch.length + 512);
  out.u32(batch.length);
  out.bytes(batch);
  out.text(refusal === undefined ? '' : encodeRefusal(sentRefusal(refusal)));
  return out.finish();
}

/** Reads what `verifyForCheck` wrote. */
export function decodeCheckFindings(bytes: Uint8Array): CheckFindings {
  const input = new ByteReader(bytes);
  const verified = input.bytes(input.u32()).slice();
  const refusal = input.text();
  return { verified, refusal: refusal === '' ? undefined : decodeRefusal(refusal) };
}

function requireNoSecret(guard: MemoGuard, verified: VerifiedTransaction): void {
  const memos = guard.memosOf(verified);
  guard.prepare(memos);
  for (const memo of memos) guard.check(memo);
}
