import { Refusal } from '../../base/refusal.ts';
import { ByteReader, ByteWriter } from '../../codec/bytes.ts';
import { Misfit } from '../../codec/misfit.ts';
import type { SentRefusal } from './messages.ts';
import { ID_BYTES } from './finding_bytes.ts';

/** What the writer decided about a broadcast. */
export interface Verdict {
  readonly ticket: number;
  /** 40 hex digits. */
  readonly id: string;
  /** Seconds since 1970. */
  readonly expiration: number;
  readonly refusal: SentRefusal | undefined;
}

/** All verdicts of a batch in one buffer. */
export function encodeVerdicts(verdicts: readonly Verdict[]): Uint8Array<ArrayBuffer> {
  const out = new ByteWriter(verdicts.length * 32 + 16);
  out.u32(verdicts.length);
  for (const { ticket, id, expiration, refusal } of verdicts) {
    out.u32(ticket);
    out.hex(id);
    out.u32(expiration);
    out.u8(refusal === undefined ? 0 : 1);
    if (refusal !== undefined) out.text(encodeRefusal(refusal));
  }
  return out.finish();
}

export function decodeVerdicts(bytes: Uint8Array): Verdict[] {
  const input = new ByteReader(bytes);
  return Array.from({ length: input.u32() }, () => {
    const ticket = input.u32();
    const id = input.hex(ID_BYTES);
    const expiration = input.u32();
    return { ticket, id, expiration, refusal: input.u8() === 0 ? undefined : decodeRefusal(input.text()) };
  });
}

/** A refusal as text; its large integers become texts too. */
export function encodeRefusal(refusal: SentRefusal): string {
  return JSON.stringify(refusal, bigintAsText);
}

function bigintAsText(_member: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}

/** A refusal as data. */
export function sentRefusal(refusal: Refusal): SentRefusal {
  const { code, message, details, lineageCode } = refusal;
  // Which member does not fit is known to the class alone, which does not travel.
  const member = refusal instanceof Misfit ? { member: refusal.path } : {};
  return { code, message, details: { ...details, ...member }, lineageCode };
}

/** The refusal that was sent. */
export function receivedRefusal({ code, message, details, lineageCode }: SentRefusal): Refusal {
  return new Refusal(code, message, details, lineageCode);
}

/** The refusal that `encodeRefusal` wrote. */
export function decodeRefusal(text: string): SentRefusal;
export function decodeRefusal(text: string): unknown {
  const refusal: unknown = JSON.parse(text);
  return refusal;
}
