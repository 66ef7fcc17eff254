import { getCopy, listDeliveries } from '../../state/document_copies.ts';
import { treeSize, inboxTrees, type Tree } from '../../state/inboxes.ts';
import { customContents } from '../../state/tables/custom_content.ts';
import { inboxes, type Inbox } from '../../state/tables/inbox.ts';
import { walkEntries } from '../../storage/entries.ts';
import type { KeyValueReader } from '../../storage/key_value.ts';
import { decodeRow } from '../../storage/row_bytes.ts';
import { View } from '../../storage/view.ts';

const CACHED_ROWS = 1000;

/**
 * Compares the inboxes, which aren't covered by the state hash, with the messages, which are: yields what is missing or
 * wrong.
 */
export function* inboxProblems(reader: KeyValueReader): Generator<string> {
  const view = new View(reader, CACHED_ROWS);
  yield* missingDocuments(reader, view);
  for (const { value } of walkEntries(reader, inboxes)) {
    const inbox = decodeRow(inboxes, value);
    if (!isRight(view, inbox)) yield `${inboxText(inbox)} is not what the messages say`;
  }
}

function* missingDocuments(reader: KeyValueReader, view: View): Generator<string> {
  for (const { value } of walkEntries(reader, customContents)) {
    const message = decodeRow(customContents, value);
    const { app_id } = message;
    const deliveries = listDeliveries(message);
    const found = view.getMany(
      inboxes,
      deliveries.map(({ recipient }) => ({ app_id, recipient })),
    );
    for (const [index, { recipient, recipient_sequence }] of deliveries.entries()) {
      if ((found[index]?.latest ?? 0n) < recipient_sequence)
        yield `${inboxText({ app_id, recipient })} lacks document ${recipient_sequence}, of message ${message.id}`;
    }
  }
}

/** True when the roots hold the expected copies; everything below them is in the messages. */
function isRight(view: View, inbox: Inbox): boolean {
  const trees = inboxTrees(inbox);
  let sequence = inbox.latest;
  for (const tree of trees) {
    if (!isRoot(view, inbox, tree, sequence)) return false;
    sequence -= treeSize(tree.height);
  }
  // Only the two newest trees may have the same height.
  const ascends = trees.every(({ height }, index) => index < 2 || height > (trees[index - 1]?.height ?? 0));
  return sequence === 0n && ascends;
}

function isRoot(view: View, { app_id, recipient }: Inbox, { root }: Tree, sequence: bigint): boolean {
  const message = view.get(customContents, root.message);
  if (message === undefined || message.app_id !== app_id || root.place >= message.copy_count) return false;
  const copy = getCopy(message, root.place);
  return copy.recipient === recipient && copy.recipient_sequence === sequence;
}

function inboxText({ app_id, recipient }: Pick<Inbox, 'app_id' | 'recipient'>): string {
  return `the inbox of ${recipient} in application ${app_id}`;
}
