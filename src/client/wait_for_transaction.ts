import type { Clock } from '../base/clock.ts';
import type { Result } from '../rpc/method_types.ts';
import type { WaitFor } from '../rpc/wait_for.ts';
import { pause, unlessAborted } from './abort.ts';
import { NodeTimeout } from './answer.ts';
import { isAway } from './away.ts';
import { CALL_MS, CHANGE_MS } from './call_limits.ts';
import { requireTimeout, type CallOptions } from './call_options.ts';

/** Blocks come every few seconds, or several a second on a development chain. */
const LOOK_AGAIN_MS = 500;

/** The state of a transaction, as the node tells it. */
export type TransactionStanding = Result<'transaction_status_api.find_transaction'>;

/**
 * Options of a wait for a transaction. `timeoutMs` limits the whole wait, to ten minutes unless said. `retries` are for
 * the first question: behind an answer, nodes that are away are asked again anyway.
 */
export interface WaitOptions extends CallOptions {
  /** The state that ends the wait; `block` by default. */
  readonly waitFor?: WaitFor | undefined;
  /** When the transaction expires, as it was signed: a transaction that no node knows ends the wait behind that time. */
  readonly expiration?: string | undefined;
}

type Status = TransactionStanding['status'];

const ENDS = ['final', 'expired', 'dropped', 'too_old'];
const REACHED: Readonly<Record<WaitFor, ReadonlySet<Status>>> = {
  accepted: new Set([...ENDS, 'pending', 'in_block']),
  block: new Set([...ENDS, 'in_block']),
  final: new Set(ENDS),
};

/** Asks until a transaction is where it should be, or gets nowhere any more. Nodes that are away are asked again. */
export async function waitForTransaction(
  ask: (options: CallOptions) => Promise<TransactionStanding>,
  clock: Clock,
  { waitFor = 'block', signal, timeoutMs = CHANGE_MS, retries }: WaitOptions,
): Promise<TransactionStanding> {
  requireTimeout(timeoutMs);
  const untilMs = clock.elapsedMs() + timeoutMs;
  for (let found: TransactionStanding | undefined; ;) {
    const leftMs = untilMs - clock.elapsedMs();
    if (leftMs <= 0)
      throw new NodeTimeout(
        `the transaction is ${found?.status ?? 'unknown'} after ${timeoutMs} ms, and may still come: look before you send anything in its place`,
      );
    try {
      found = await unlessAborted(ask({ signal, retries, timeoutMs: Math.min(leftMs, CALL_MS) }), signal);
      if (REACHED[waitFor].has(found.status)) return found;
    } catch (error) {
      // The first answer shows that a node is there; from then on one that restarts is back soon.
      if (found === undefined || !isAway(error)) throw error;
    }
    await pause(clock, Math.min(LOOK_AGAIN_MS, Math.max(1, untilMs - clock.elapsedMs())), signal);
  }
}
