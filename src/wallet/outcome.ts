import type { Json } from '../codec/json.ts';
import { member } from '../client/chain_of_node.ts';
import type { Command } from './command.ts';

/** The outcome of a command, as readable text. */
export interface Outcome {
  readonly text: string;
  /** The transaction should be in a block, but isn't. */
  readonly hasFailed: boolean;
}

/** The outcome of the transaction that a command made; undefined for commands that make none. */
export function outcomeOf(command: Command, args: readonly Json[], result: Json): Outcome | undefined {
  const isSent = command.sends(args);
  if (isSent === undefined) return undefined;
  if (!isSent) return { text: 'not sent: add true to send it', hasFailed: false };
  if (hasExpired(result)) return { text: 'the transaction expired before it got into a block', hasFailed: true };
  return { text: `sent, in block ${String(member(result, 'block_num'))}`, hasFailed: false };
}

/** Whether a transaction expired without getting into a block, in the lineage's notation. */
function hasExpired(result: Json): boolean {
  const number = member(result, 'transaction_num');
  return number === 0xffff_ffff || number === -1 || number === '4294967295';
}
