import { ByteReader, ByteWriter } from '../../codec/bytes.ts';
import type { SentRefusal } from './messages.ts';
import { decodeRefusal, encodeRefusal } from './verdicts.ts';

/**
 * A verifier's report to the front on a batch: only what the front can't know by itself. All other broadcasts of the batch were passed
 * to the writer, and their callers don't wait for a block.
 */
export interface VerifierReport {
  /** Also passed to the writer. `transaction` is the JSON text of the transaction as the chain reads it. */
  readonly waiting: readonly { readonly ticket: number; readonly transaction: string }[];
  readonly refused: readonly { readonly ticket: number; readonly refusal: SentRefusal }[];
  /** Tickets of those that came with a key that has not signed them. */
  readonly misled: readonly number[];
  /** How long the verifier was busy with the batch. */
  readonly elapsedMicros: number;
}

/** Encodes a report into a buffer of its own: sixteen bytes for a batch with nothing to report. */
export function encodeVerifierReport({ waiting, refused, misled, elapsedMicros }: VerifierReport): Uint8Array<ArrayBuffer> {
  const out = new ByteWriter(16 + 4 * misled.length + (waiting.length + refused.length) * 512);
  out.u32(elapsedMicros);
  out.u32(waiting.length);
  for (const { ticket, transaction } of waiting) {
    out.u32(ticket);
    out.text(transaction);
  }
  out.u32(refused.length);
  for (const { ticket, refusal } of refused) {
    out.u32(ticket);
    out.text(encodeRefusal(refusal));
  }
  out.u32(misled.length);
  for (const ticket of misled) out.u32(ticket);
  return out.finish();
}

export function decodeVerifierReport(bytes: Uint8Array): VerifierReport {
  const input = new ByteReader(bytes);
  const elapsedMicros = input.u32();
  const waiting = Array.from({ length: input.u32() }, () => ({ ticket: input.u32(), transaction: input.text() }));
  const refused = Array.from({ length: input.u32() }, () => ({ ticket: input.u32(), refusal: decodeRefusal(input.text()) }));
  const misled = Array.from({ length: input.u32() }, () => input.u32());
  return { waiting, refused, misled, elapsedMicros };
}
