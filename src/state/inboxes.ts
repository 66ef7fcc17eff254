import { ByteReader, ByteWriter } from '../codec/bytes.ts';
import type { ValueOf } from '../codec/codec.ts';
import { u8 } from '../codec/primitives.ts';
import { struct } from '../codec/struct.ts';
import type { MutableRows } from '../storage/rows.ts';
import type { AccountName } from '../values/account_name.ts';
import { listDeliveries, pointer, POINTER_BYTES, writeCopy } from './document_copies.ts';
import type { CustomContent } from './tables/custom_content.ts';
import { inboxes, type Inbox } from './tables/inbox.ts';

// The documents of a recipient in an application form a skew-binary list: trees of 2^height − 1 documents each, whose
// roots are in the inbox and whose branches are in the copies of the roots. A new document becomes a tree of its own,
// or the root of the two newest trees if they have equal height. So a delivery changes one small row, and any document
// is found in logarithmic time.

/** A tree whose root is the newest of its documents. */
const tree = struct({ height: u8, root: pointer });
const TREE_BYTES = 1 + POINTER_BYTES;

export type Tree = ValueOf<typeof tree>;

/** Number of documents in a tree. */
export function treeSize(height: number): bigint {
  return (1n << BigInt(height)) - 1n;
}

/** The trees of an inbox, newest first. */
export function inboxTrees({ trees }: Inbox): Tree[] {
  const input = new ByteReader(trees);
  const found: Tree[] = [];
  while (input.remaining > 0) found.push(tree.read(input));
  return found;
}

const NO_TREES = new Uint8Array(0);
const copies = new ByteWriter();
const grown = new ByteWriter();

/** Adds a message to the inbox of each of its recipients. Returns its copies. */
export function deliver(
  rows: MutableRows,
  app_id: bigint,
  message: bigint,
  recipients: readonly AccountName[],
): Uint8Array {
  copies.reset();
  const keys = recipients.map((recipient) => ({ app_id, recipient }));
  rows.changeEach(inboxes, keys, (inbox, { recipient }, place) => {
    const latest = (inbox?.latest ?? 0n) + 1n;
    const trees = inbox?.trees ?? NO_TREES;
    const branches = newBranches(trees);
    writeCopy(copies, recipient, latest, branches);
    return { app_id, recipient, latest, trees: withRoot(trees, branches, { message, place }) };
  });
  return copies.finish();
}

/** Makes the inboxes again from all messages, which must come in the order of their ids. */
export class InboxesOfMessages {
  /** By application and recipient, which no name's characters can confuse. */
  readonly #inboxes = new Map<string, Inbox>();

  add(message: CustomContent): void {
    const { id, app_id } = message;
    for (const [place, { recipient, recipient_sequence: latest }] of listDeliveries(message).entries()) {
      const name = `${app_id} ${recipient}`;
      const trees = this.#inboxes.get(name)?.trees ?? NO_TREES;
      this.#inboxes.set(name, {
        app_id,
        recipient,
        latest,
        trees: withRoot(trees, newBranches(trees), { message: id, place }),
      });
    }
  }

  /** In the order in which they were begun. */
  get all(): Iterable<Inbox> {
    return this.#inboxes.values();
  }
}

// Trees are handled as bytes where there may be thousands: decoding them would double the cost of a message.

/** The roots of the two newest trees if they have equal height, as pointers. */
function newBranches(trees: Uint8Array): Uint8Array[] {
  if (trees.length < 2 * TREE_BYTES || trees[0] !== trees[TREE_BYTES]) return [];
  return [trees.subarray(1, TREE_BYTES), trees.subarray(TREE_BYTES + 1, 2 * TREE_BYTES)];
}

/** The trees after a delivery: the new document is the root of the branches, or a tree before all others. */
function withRoot(trees: Uint8Array, branches: readonly Uint8Array[], root: Tree['root']): Uint8Array {
  grown.reset();
  tree.write(grown, { height: branches.length === 0 ? 1 : (trees[0] ?? 0) + 1, root });
  grown.bytes(trees.subarray(branches.length * TREE_BYTES));
  return grown.copy();
}
