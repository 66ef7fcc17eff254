import type { AccountName } from '../values/account_name.ts';
import { receivedList, sentList, type TimedDocumentList } from '../queries/document_lists.ts';
import type { CommittedRows } from '../storage/rows.ts';
import type { Seconds } from '../values/time.ts';
import { MessageText } from '../queries/notices/message_text.ts';
import { LARGEST_HISTORY_PAGE } from '../queries/paging.ts';
import type { Subscriber } from '../jsonrpc/limits/subscriber.ts';

/** The account and the application of a stream. */
export interface StreamKey {
  readonly side: 'sender' | 'recipient';
  readonly account_name: AccountName;
  readonly app_id: bigint;
}

/** A subscription to a stream's documents, from one number on. */
export class Follower {
  readonly subscriber: Subscriber;
  readonly stream: DocumentStream;
  /** JSON text. */
  readonly returnId: string;
  /** Documents with lower numbers are not sent. */
  readonly start: bigint;
  /** The number of the next document to send. */
  position: bigint;
  /** When it was last seen to make progress. */
  movedMs: number;
  readonly #frameStart: string;

  constructor(subscriber: Subscriber, stream: DocumentStream, returnId: string, start: bigint, nowMs: number) {
    this.subscriber = subscriber;
    this.stream = stream;
    this.returnId = returnId;
    this.start = start;
    this.position = start;
    this.movedMs = nowMs;
    this.#frameStart = `{"method":"notice","params":[${returnId},[`;
  }

  /** False when the connection is gone or has been closed. */
  send(pair: string): boolean {
    return this.subscriber.push(`${this.#frameStart}${pair}]]}`);
  }
}

/** A document in a stream: its number there, and which copy of which message it is. */
export interface StreamDocument {
  readonly number: bigint;
  readonly place: number;
  readonly text: MessageText;
}

/** A document announced from a block that another branch may still replace. */
interface Recent {
  readonly number: bigint;
  readonly fingerprint: string;
  readonly received: Seconds;
}

const NOBODY: ReadonlySet<Follower> = new Set();

/**
 * The documents of one account in one application, and their followers. `next` is the first number that has not been
 * announced to any follower.
 */
export class DocumentStream {
  readonly key: StreamKey;
  readonly followers = new Set<Follower>();
  next = 1n;
  #recent: Recent[] = [];
  /** Documents of a replaced branch, until their numbers are taken again: mostly by the same documents. */
  readonly #withdrawn = new Map<bigint, { readonly fingerprint: string; readonly told: ReadonlySet<Follower> }>();

  constructor(key: StreamKey) {
    this.key = key;
  }

  /** Starts after the existing documents, and remembers those that may still be replaced. */
  open(rows: CommittedRows, reversibleSince: Seconds): void {
    const list = this.#list(rows);
    this.next = list.latest + 1n;
    this.#recent = this.from(rows, list.findFirst(reversibleSince), LARGEST_HISTORY_PAGE).map(recentDocument);
  }

  /** Documents from a number on, ascending, at most `count`; for a message with several recipients, the first copy. */
  from(rows: CommittedRows, number: bigint, count: number): StreamDocument[] {
    const list = this.#list(rows);
    const last = number + BigInt(count) - 1n;
    const documents = number > list.latest ? [] : list.between(number, last < list.latest ? last : list.latest);
    return documents.map((document) => ({
      number: document.number,
      place: document.place ?? 0,
      text: new MessageText(document.message),
    }));
  }

  #list(rows: CommittedRows): TimedDocumentList {
    const { side, account_name, app_id } = this.key;
    return side === 'sender' ? sentList(rows, app_id, account_name) : receivedList(rows, app_id, account_name);
  }

  /**
   * Records the document as announced. Returns the followers that already have it from a replaced branch; undefined
   * when its number was announced before.
   */
  take(document: StreamDocument, reversibleSince: Seconds): ReadonlySet<Follower> | undefined {
    const { number } = document;
    if (number < this.next) return undefined;
    this.next = number + 1n;
    this.#forget(reversibleSince);
    const recent = recentDocument(document);
    this.#recent.push(recent);
    const before = this.#withdrawn.get(number);
    this.#withdrawn.delete(number);
    return before?.fingerprint === recent.fingerprint ? before.told : NOBODY;
  }

  #forget(reversibleSince: Seconds): void {
    const [oldest] = this.#recent;
    if (oldest !== undefined && oldest.received < reversibleSince)
      this.#recent = this.#recent.filter(({ received }) => received >= reversibleSince);
    // When a chain stays reversible for that long, followers may keep an outdated document until they subscribe again.
    if (this.#recent.length >= LARGEST_HISTORY_PAGE) this.#recent = this.#recent.slice(LARGEST_HISTORY_PAGE / 2);
  }

  /** The documents that now have the numbers of recent ones. */
  currentDocuments(rows: CommittedRows): readonly StreamDocument[] {
    const [first] = this.#recent;
    return first === undefined ? [] : this.from(rows, first.number, this.#recent.length);
  }

  /**
   * Compares announced documents with those of another branch: returns the documents at numbers that belonged to others
   * before, and goes back to the first number that is free again. `alreadyTold` returns the followers that were sent a
   * number.
   */
  reconsider(
    documents: readonly StreamDocument[],
    toldOf: (number: bigint) => ReadonlySet<Follower>,
  ): StreamDocument[] {
    const [first] = this.#recent;
    if (first === undefined) return [];
    const current = new Map(documents.map((document) => [document.number, document]));
    const [kept, gone] = [
      this.#recent.filter(({ number }) => current.has(number)),
      this.#recent.filter(({ number }) => !current.has(number)),
    ];
    for (const { number, fingerprint } of gone) this.#withdrawn.set(number, { fingerprint, told: toldOf(number) });
    const displaced: StreamDocument[] = [];
    this.#recent = kept.map((announced) => {
      const document = current.get(announced.number);
      if (document === undefined) return announced;
      const now = recentDocument(document);
      if (now.fingerprint !== announced.fingerprint) displaced.push(document);
      return now;
    });
    this.next = (kept.at(-1)?.number ?? first.number - 1n) + 1n;
    return displaced;
  }
}

function recentDocument({ number, text }: StreamDocument): Recent {
  return { number, fingerprint: text.fingerprint, received: text.message.received };
}
