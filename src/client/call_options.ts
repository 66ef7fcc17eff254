import type { Clock } from '../base/clock.ts';
import { findRecovery } from '../base/recovery.ts';
import { refusals } from '../base/refusal.ts';
import { pause, unlessAborted, type CallSignal } from './abort.ts';
import { ConnectionClosed, NodeSilent } from './answer.ts';
import { NodeRefusal } from './node_refusal.ts';
import { CALL_MS, CHANGE_MS, isRepeatable } from './call_limits.ts';
import type { CallTerms } from './connection.ts';

const refuse = refusals({
  bad_timeout: 'timeoutMs: a time above 0 and at most {most} milliseconds expected, got {given}',
  bad_retries: 'retries: an integer of 0 to {most} expected, got {given}',
});

/** Options of one call. */
export interface CallOptions {
  /** Ends the call: it rejects with the signal's reason. What was sent by then may be done all the same. */
  readonly signal?: CallSignal | undefined;
  /** Time limit for the answer of one node; 15 seconds for a read unless said. */
  readonly timeoutMs?: number | undefined;
  /**
   * Repetitions of the call, with growing pauses, where no node answers or time cures the error; 0 unless said.
   * A call that changes something is repeated only where it has not arrived.
   */
  readonly retries?: number | undefined;
}

/** A program that waits longer has forgotten what it waits for. */
const MOST_TIMEOUT_MS = 24 * 3_600_000;
const MOST_RETRIES = 20;
const FIRST_PAUSE_MS = 500;
const MOST_PAUSE_MS = 10_000;

/** Returns the terms of a call of this method. Refuses options that mean nothing. */
export function callTerms(method: string, { signal, timeoutMs }: CallOptions): CallTerms {
  if (timeoutMs !== undefined) requireTimeout(timeoutMs);
  const repeatable = isRepeatable(method);
  return { timeoutMs: timeoutMs ?? (repeatable ? CALL_MS : CHANGE_MS), repeatable, signal };
}

/** Refuses a time limit that is none. */
export function requireTimeout(timeoutMs: number): void {
  if (!(timeoutMs > 0 && timeoutMs <= MOST_TIMEOUT_MS))
    refuse.bad_timeout({ most: MOST_TIMEOUT_MS, given: String(timeoutMs) });
}

/** Makes a call, and makes it again as often as its options say. */
export async function withRetries<T>(
  clock: Clock,
  { retries = 0, signal }: CallOptions,
  repeatable: boolean,
  attempt: () => Promise<T>,
): Promise<T> {
  if (!Number.isInteger(retries) || retries < 0 || retries > MOST_RETRIES)
    refuse.bad_retries({ most: MOST_RETRIES, given: String(retries) });
  for (let made = 0; ; made++) {
    try {
      return await unlessAborted(attempt(), signal);
    } catch (error) {
      if (made >= retries || !passes(error, repeatable)) throw error;
      await pause(clock, Math.min(FIRST_PAUSE_MS * 2 ** made, MOST_PAUSE_MS), signal);
    }
  }
}

/** True when the same call may succeed later, and has no second effect. */
function passes(error: unknown, repeatable: boolean): boolean {
  if (error instanceof NodeRefusal) return error.code !== 'internal_error' && findRecovery(error.code) !== 'final';
  return error instanceof NodeSilent && !(error instanceof ConnectionClosed) && (repeatable || !error.wasSent);
}
