import type { MutableRows } from '../storage/rows.ts';
import type { AccountName } from '../values/account_name.ts';
import { headProperties, type ChainState } from './chain_state.ts';
import { deliver } from './inboxes.ts';
import { customContents } from './tables/custom_content.ts';
import { counted, customContentCounters } from './tables/custom_content_counter.ts';

/** A message as it was sent: one document per recipient. */
export interface Message {
  readonly app_id: bigint;
  readonly sender: AccountName;
  readonly recipients: readonly AccountName[];
  readonly binary: boolean;
  /** The JSON text, or the bytes as hex digits. */
  readonly payload: string;
}

/**
 * Stores a message with a copy for each of its recipients; without recipients nothing is stored
 * (chain_rules.md#storing-documents).
 */
export function storeDocuments(state: ChainState, { app_id, sender, recipients, binary, payload }: Message): void {
  if (recipients.length === 0) return;
  const { rows } = state;
  const id = rows.nextId(customContents, recipients.length);
  rows.append(customContents, {
    id,
    app_id,
    sender,
    sender_sequence: nextSequence(rows, counted.ofSender, sender, app_id),
    app_message_sequence: nextSequence(rows, counted.ofApplication, '', app_id),
    received: headProperties(state).time,
    binary,
    payload,
    copy_count: recipients.length,
    copies: deliver(rows, app_id, id, recipients),
  });
}

/** Increments a counter and returns it; the first value is 1. */
function nextSequence(rows: MutableRows, kind: number, name: AccountName, app_id: bigint): bigint {
  const latest = (rows.get(customContentCounters, { kind, name, app_id })?.latest ?? 0n) + 1n;
  rows.put(customContentCounters, { kind, name, app_id, latest });
  return latest;
}
