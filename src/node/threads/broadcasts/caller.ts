import type { BroadcastOutcome } from '../../../rpc/services.ts';
import type { BroadcastTrace } from '../../../tracing/broadcast_trace.ts';

/** The caller that waits for the answer to a broadcast, or to several. */
export interface Caller {
  resolve(outcome: BroadcastOutcome, ticket: number): void;
  reject(error: unknown, ticket: number): void;
  /** True if it waits with other callers for the block of the same transaction, which its signers may send again. */
  readonly joins: boolean;
  /** Follows the broadcast, where it is one of the sample. */
  readonly trace?: BroadcastTrace | undefined;
}
