import type { CommittedRows } from '../storage/rows.ts';
import type { AccountName } from '../values/account_name.ts';
import { NEVER } from '../values/limits.ts';
import type { Seconds } from '../values/time.ts';
import { getCopy } from '../state/document_copies.ts';
import { treeSize, inboxTrees, type Tree } from '../state/inboxes.ts';
import { customContents, type CustomContent } from '../state/tables/custom_content.ts';
import { counted, customContentCounters } from '../state/tables/custom_content_counter.ts';
import { inboxes } from '../state/tables/inbox.ts';

/** A document in a list: its number there, and the message with the position of the copy. */
export interface ListedDocument {
  readonly number: bigint;
  readonly message: CustomContent;
  /** Undefined where all copies of a message have the same number. */
  readonly place: number | undefined;
}

/** Documents with the numbers 1 to `latest`, in the order in which they were received. */
export interface DocumentList {
  readonly latest: bigint;
  /** The documents from `lowest` to `highest`, both included, ascending. */
  between(lowest: bigint, highest: bigint): ListedDocument[];
}

/** A list that can be searched by time. */
export interface TimedDocumentList extends DocumentList {
  /** The lowest number received at that time or later; one above the latest if there is none. */
  findFirst(time: Seconds): bigint;
}

/** The highest number received at that time or earlier; 0 if there is none. */
export function findLast(list: TimedDocumentList, time: Seconds): bigint {
  return time === NEVER ? list.latest : list.findFirst(time + 1) - 1n;
}

/** The messages of an application. */
export function applicationList(rows: CommittedRows, app_id: bigint): DocumentList {
  return {
    latest: findLatest(rows, counted.ofApplication, '', app_id),
    between(lowest, highest) {
      const bounds = { from: [app_id, lowest], to: [app_id, highest], limit: Number(highest - lowest + 1n) } as const;
      const messages = rows.range(customContents.by_app_id, bounds);
      return messages.map((message) => ({ number: message.app_message_sequence, message, place: undefined }));
    },
  };
}

/** The messages of a sender in an application. */
export function sentList(rows: CommittedRows, app_id: bigint, sender: AccountName): TimedDocumentList {
  const latest = findLatest(rows, counted.ofSender, sender, app_id);
  return {
    latest,
    between(lowest, highest) {
      const bounds = {
        from: [sender, app_id, lowest],
        to: [sender, app_id, highest],
        limit: Number(highest - lowest + 1n),
      } as const;
      const messages = rows.range(customContents.by_sender, bounds);
      return messages.map((message) => ({ number: message.sender_sequence, message, place: undefined }));
    },
    findFirst(time) {
      const all: [AccountName, bigint] = [sender, app_id];
      const [first] = rows.range(customContents.by_sender_time, { from: [sender, app_id, time], to: all, limit: 1 });
      return first?.sender_sequence ?? latest + 1n;
    },
  };
}

function findLatest(rows: CommittedRows, kind: number, name: AccountName, app_id: bigint): bigint {
  return rows.get(customContentCounters, { kind, name, app_id })?.latest ?? 0n;
}

/** The documents of a recipient in an application. */
export function receivedList(rows: CommittedRows, app_id: bigint, recipient: AccountName): TimedDocumentList {
  const inbox = rows.get(inboxes, { app_id, recipient });
  const latest = inbox?.latest ?? 0n;
  const trees = inbox === undefined ? [] : numbered(inboxTrees(inbox), latest);
  return {
    latest,
    between: (lowest, highest) => walkDocuments(rows, trees, lowest, highest),
    findFirst: (time) => findFirstDocument(rows, trees, time) ?? latest + 1n,
  };
}

/** A tree with the number of its root; its other documents have the numbers before. */
interface NumberedTree extends Tree {
  readonly number: bigint;
}

interface ReadTree extends NumberedTree {
  readonly message: CustomContent;
}

/** Adjacent trees, newest first, numbered down from the first root. */
function numbered(trees: readonly Tree[], newest: bigint): NumberedTree[] {
  let number = newest;
  return trees.map((tree) => {
    const numberedTree = { ...tree, number };
    number -= treeSize(tree.height);
    return numberedTree;
  });
}

/** Each round reads the roots of trees that overlap the range; their branches are read in the next round. */
function walkDocuments(
  rows: CommittedRows,
  trees: readonly NumberedTree[],
  lowest: bigint,
  highest: bigint,
): ListedDocument[] {
  const found: ListedDocument[] = [];
  const overlapsRange = ({ number, height }: NumberedTree): boolean =>
    number >= lowest && number - treeSize(height) < highest;
  for (let round = trees.filter(overlapsRange); round.length > 0;) {
    const read = readRoots(rows, round);
    for (const { number, message, root } of read)
      if (number <= highest) found.push({ number, message, place: root.place });
    round = read.flatMap(childTrees).filter(overlapsRange);
  }
  return found.toSorted((a, b) => (a.number < b.number ? -1 : 1));
}

/**
 * In each round, the oldest tree whose root is not too old contains the result: the root itself, unless one of its
 * branches is as late.
 */
function findFirstDocument(rows: CommittedRows, trees: readonly NumberedTree[], time: Seconds): bigint | undefined {
  let first: bigint | undefined;
  for (let round = trees; round.length > 0;) {
    const late = readRoots(rows, round).findLast(({ message }) => message.received >= time);
    if (late === undefined) break;
    first = late.number;
    round = childTrees(late);
  }
  return first;
}

function readRoots(rows: CommittedRows, trees: readonly NumberedTree[]): ReadTree[] {
  const messages = rows.getMany(
    customContents,
    trees.map(({ root }) => root.message),
  );
  // During a commit, a row may already be gone; the read is then repeated.
  return trees.flatMap((tree, index) => {
    const message = messages[index];
    return message === undefined ? [] : [{ ...tree, message }];
  });
}

function childTrees({ number, height, root, message }: ReadTree): NumberedTree[] {
  if (height === 1) return [];
  const branches = getCopy(message, root.place).branches.map((branch) => ({ height: height - 1, root: branch }));
  return numbered(branches, number - 1n);
}
