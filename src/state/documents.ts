import type { AccountName } from '../values/account_name.ts';
import { headOf, type ChainState } from './chain_state.ts';
import { customContents } from './tables/custom_content.ts';
import { customContentCounters } from './tables/custom_content_counter.ts';

/** A message as it was sent: one document a recipient. */
export interface Message {
  readonly app_id: bigint;
  readonly sender: AccountName;
  readonly recipients: readonly AccountName[];
  readonly binary: boolean;
  /** The JSON text, or the bytes as hex digits. */
  readonly payload: string;
}

/** What a sequence number counts. */
const counted = { ofSender: 0, ofRecipient: 1, ofApplication: 2 } as const;

/** Stores a message for each of its recipients; without one it leaves no trace (chain.md 13.1). */
export function storeDocuments(state: ChainState, { app_id, sender, recipients, binary, payload }: Message): void {
  if (recipients.length === 0) return;
  const sender_sequence = nextSequence(state, counted.ofSender, sender, app_id);
  const app_message_sequence = nextSequence(state, counted.ofApplication, '', app_id);
  for (const recipient of recipients) {
    state.rows.append(customContents, {
      id: state.rows.nextId(customContents),
      app_id,
      sender,
      recipient,
      all_recipients: recipients,
      sender_sequence,
      recipient_sequence: nextSequence(state, counted.ofRecipient, recipient, app_id),
      app_message_sequence,
      received: headOf(state).time,
      binary,
      payload,
    });
  }
}

/** Advances a counter, which starts at 1. */
function nextSequence(state: ChainState, kind: number, name: AccountName, app_id: bigint): bigint {
  const latest = (state.rows.get(customContentCounters, { kind, name, app_id })?.latest ?? 0n) + 1n;
  state.rows.put(customContentCounters, { kind, name, app_id, latest });
  return latest;
}
