import { ByteReader, ByteWriter } from '../codec/bytes.ts';
import { decodeRefusal, encodeRefusal, type SentRefusal } from '../system/sent_refusal.ts';
import { ID_BYTES } from '../values/hash.ts';

/** The writer's decision on a broadcast. */
export interface Verdict {
  readonly ticket: number;
  /** 40 hex digits. */
  readonly id: string;
  /** Seconds since 1970. */
  readonly expiration: number;
  readonly refusal: SentRefusal | undefined;
  /** Refused as a duplicate of one that still waits for its block. */
  readonly isPending?: boolean;
}

const ACCEPTED = 0;
const REFUSED = 1;
const PENDING = 2;

/** Encodes all verdicts of a batch into one buffer. */
export function encodeVerdicts(verdicts: readonly Verdict[]): Uint8Array<ArrayBuffer> {
  const out = new ByteWriter(verdicts.length * 32 + 16);
  out.u32(verdicts.length);
  for (const { ticket, id, expiration, refusal, isPending } of verdicts) {
    out.u32(ticket);
    out.hex(id);
    out.u32(expiration);
    if (refusal === undefined) out.u8(ACCEPTED);
    else out.u8(isPending === true ? PENDING : REFUSED);
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
    const outcome = input.u8();
    const refusal = outcome === ACCEPTED ? undefined : decodeRefusal(input.text());
    return { ticket, id, expiration, refusal, isPending: outcome === PENDING };
  });
}
