import { assert } from '../base/assert.ts';
import { isBeyondItem } from '../base/fault.ts';
import { Refusal, type RefusalDetails } from '../base/refusal.ts';
import { DecodeError } from '../codec/decode_error.ts';

/** A refusal on its way between threads. */
export interface SentRefusal {
  readonly code: string;
  readonly message: string;
  readonly details: RefusalDetails;
  readonly lineageCode: number;
  /** Absent where the lineage has no text. */
  readonly lineage?: string | undefined;
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
 * Makes the sent error of one item of a batch. An unexpected exception is attributed to the item that caused it, and
 * its stack goes to the log; an error that means that the program or the disk can't be trusted is rethrown, and ends
 * more than the item.
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
export function decodeRefusal(text: string): SentRefusal {
  const refusal: unknown = JSON.parse(text);
  assert(isSentRefusal(refusal), 'a refusal');
  return refusal;
}

function isSentRefusal(value: unknown): value is SentRefusal {
  if (typeof value !== 'object' || value === null) return false;
  return 'code' in value && 'message' in value && 'details' in value && 'lineageCode' in value;
}
