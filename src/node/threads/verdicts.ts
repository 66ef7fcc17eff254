import { isBeyondItem } from '../../base/fault.ts';
import { Refusal } from '../../base/refusal.ts';
import { ByteReader, ByteWriter } from '../../codec/bytes.ts';
import { DecodeError } from '../../codec/decode_error.ts';
import type { SentRefusal } from './messages.ts';
import { ID_BYTES } from './finding_bytes.ts';

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

/** A refusal as JSON text; bigints become strings. */
export function encodeRefusal(refusal: SentRefusal): string {
  return JSON.stringify(refusal, bigintAsText);
}

function bigintAsText(_member: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}

/** A refusal as data. */
export function sentRefusal(refusal: Refusal): SentRefusal {
  const { code, message, details, lineageCode, lineage } = refusal;
  // The path of the wrong member is a field of the class, which is lost between threads.
  const member = refusal instanceof DecodeError ? { member: refusal.path } : {};
  return { code, message, details: { ...details, ...member }, lineageCode, lineage };
}

/** The code of an unexpected exception between threads; the client only learns that there was one. */
const UNEXPECTED = 'internal_error';

/**
 * Why one item of a batch failed. An unexpected exception is attributed to the item that caused it, and its stack goes to the log; an
 * error that means that the program or the disk can't be trusted is rethrown, and ends more than the item.
 */
export function sentFailure(error: unknown): SentRefusal {
  if (error instanceof Refusal) return sentRefusal(error);
  if (isBeyondItem(error)) throw error;
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { code: UNEXPECTED, message, details: {}, lineageCode: 10 };
}

/** An unexpected exception in another thread. */
class UnexpectedFailure extends Error {
  override readonly name = 'UnexpectedFailure';

  constructor(stack: string) {
    super('an exception that nobody foresaw');
    this.stack = stack;
  }
}

/** The refusal that was sent, or the error that prevented the other thread from deciding. */
export function receivedRefusal(sent: SentRefusal): Error {
  return sent.code === UNEXPECTED ? new UnexpectedFailure(sent.message) : asRefusal(sent);
}

/** The refusal that `sentRefusal` turned into data. */
export function asRefusal({ code, message, details, lineageCode, lineage }: SentRefusal): Refusal {
  return new Refusal(code, message, details, lineageCode, lineage);
}

/** Reads the refusal that `encodeRefusal` wrote. */
export function decodeRefusal(text: string): SentRefusal;
export function decodeRefusal(text: string): unknown {
  const refusal: unknown = JSON.parse(text);
  return refusal;
}
