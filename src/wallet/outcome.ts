import { errorMessage } from '../base/error_message.ts';
import { Fault } from '../base/fault.ts';
import type { Json } from '../codec/json.ts';
import { member } from '../client/chain_of_node.ts';
import type { Command } from './command.ts';
import { hasExpired } from './has_expired.ts';

/** The outcome of a command, as readable text. */
export interface Outcome {
  readonly text: string;
  /** The transaction should be in a block, but isn't. */
  readonly hasFailed: boolean;
}

/** The outcome of the transaction that a command made; undefined for commands that make none. */
export function describeOutcome(command: Command, args: readonly Json[], result: Json): Outcome | undefined {
  const isSent = command.sends(args);
  if (isSent === undefined) return undefined;
  if (!isSent) return { text: 'not sent: add true to send it', hasFailed: false };
  if (hasExpired(result)) return { text: 'the transaction expired before it got into a block', hasFailed: true };
  const block = member(result, 'block_num');
  if (block === undefined) {
    const id = String(member(result, 'transaction_id'));
    return {
      text: `accepted by the node, and in no block yet: find_transaction ${id} says what becomes of it`,
      hasFailed: false,
    };
  }
  return { text: `sent, in block ${String(block)}`, hasFailed: false };
}

/** The error of a step behind a transaction that was sent: it names the transaction, so that nobody repeats it. */
export function failedAfterSending(cause: unknown, result: Json): Fault {
  const id = String(member(result, 'transaction_id'));
  return new Fault(
    cause instanceof Fault ? cause.code : 'runtime',
    `${errorMessage(cause)}. Transaction ${id} was sent before: ask get_transaction ${id} before you repeat it`,
    cause,
  );
}
