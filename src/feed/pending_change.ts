import type { PendingChange } from '../notices/pending_notices.ts';
import { decodeVerifiedBatch } from '../blocks/verified_batch.ts';
import type { PendingMessage } from './transaction_feed.ts';

/** Translates a message of the writer for followers of pending transactions. */
export function pendingChange(message: PendingMessage): PendingChange {
  if (message.kind === 'missed') return message;
  const transactions = decodeVerifiedBatch(message.bytes).map(({ verified }) => verified);
  return message.kind === 'accepted'
    ? { kind: 'accepted', transactions }
    : { kind: 'dropped', transactions, reasons: message.reasons };
}
