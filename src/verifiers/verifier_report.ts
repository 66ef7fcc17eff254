import { present } from '../base/assert.ts';
import { ByteReader, ByteWriter } from '../codec/bytes.ts';
import type { BytesOf } from '../base/bytes_of.ts';
import { WAIT_FOR, type WaitFor } from '../rpc/wait_for.ts';
import { type SentRefusal, decodeRefusal, encodeRefusal } from '../system/sent_refusal.ts';

/**
 * A verifier's report to the front on a batch: only what the front can't know by itself. All other broadcasts of the
 * batch were passed to the writer, and their callers are answered as soon as that has accepted them.
 */
export interface VerifierReport {
  /** Also passed to the writer: those whose callers wait for more, or are shown the transaction. */
  readonly told: readonly ({ readonly ticket: number } & ToldBroadcast)[];
  readonly refused: readonly { readonly ticket: number; readonly refusal: SentRefusal }[];
  /** Tickets of those that came with a key that has not signed them. */
  readonly misled: readonly number[];
  /** The time for which the verifier was busy with the batch. */
  readonly elapsedMicros: number;
}

/** A broadcast whose answer needs more than the writer's verdict. */
export interface ToldBroadcast {
  readonly waitFor: WaitFor;
  /** JSON text of the transaction as the chain reads it. */
  readonly transaction: string;
}

/** Encodes a report into a buffer of its own: sixteen bytes for a batch with nothing to report. */
export function encodeVerifierReport({
  told,
  refused,
  misled,
  elapsedMicros,
}: VerifierReport): BytesOf<VerifierReport> {
  const out = new ByteWriter(16 + 4 * misled.length + (told.length + refused.length) * 512);
  out.u32(elapsedMicros);
  out.u32(told.length);
  for (const { ticket, waitFor, transaction } of told) {
    out.u32(ticket);
    out.u8(WAIT_FOR.indexOf(waitFor));
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

export function decodeVerifierReport(bytes: BytesOf<VerifierReport>): VerifierReport {
  const input = new ByteReader(bytes);
  const elapsedMicros = input.u32();
  const told = Array.from({ length: input.u32() }, () => {
    const ticket = input.u32();
    return { ticket, waitFor: present(WAIT_FOR[input.u8()], 'what is waited for'), transaction: input.text() };
  });
  const refused = Array.from({ length: input.u32() }, () => ({
    ticket: input.u32(),
    refusal: decodeRefusal(input.text()),
  }));
  const misled = Array.from({ length: input.u32() }, () => input.u32());
  return { told, refused, misled, elapsedMicros };
}

/** Passes a batch to any free verifier. */
export interface BatchPool {
  /** Batches that are processed at once; further ones wait for a thread. */
  readonly threads: number;
  verify(batch: Uint8Array<ArrayBuffer>): Promise<VerifierReport>;
}
