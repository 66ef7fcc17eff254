import { ByteReader, ByteWriter } from '../../codec/bytes.ts';
import type { SentRefusal } from './messages.ts';
import { decodeRefusal, encodeRefusal } from './verdicts.ts';

/**
 * What a verifier tells the front about a batch: only what the front can't know by itself. All others of the batch were handed to
 * the writer, and who sent them doesn't wait for a block.
 */
export interface VerifierReport {
  /** Handed to the writer too. `transaction` is the JSON text of it as the chain reads it. */
  readonly waiting: readonly { readonly ticket: number; readonly transaction: string }[];
  readonly refused: readonly { readonly ticket: number; readonly refusal: SentRefusal }[];
  /** How long the verifier was busy with the batch. */
  readonly elapsedMicros: number;
}

/** A report in one buffer of its own: twelve bytes for a batch of which nothing needs to be said. */
export function encodeVerifierReport({ waiting, refused, elapsedMicros }: VerifierReport): Uint8Array<ArrayBuffer> {
  const out = new ByteWriter(12 + (waiting.length + refused.length) * 512);
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
  return out.finish();
}

export function decodeVerifierReport(bytes: Uint8Array): VerifierReport {
  const input = new ByteReader(bytes);
  const elapsedMicros = input.u32();
  const waiting = Array.from({ length: input.u32() }, () => ({ ticket: input.u32(), transaction: input.text() }));
  const refused = Array.from({ length: input.u32() }, () => ({ ticket: input.u32(), refusal: decodeRefusal(input.text()) }));
  return { waiting, refused, elapsedMicros };
}
