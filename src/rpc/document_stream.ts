import { writeJson } from '../codec/json_writer.ts';
import type { Notation } from '../codec/notation.ts';
import { sha256Hex } from '../crypto/hashes.ts';
import type { DocumentRecord } from '../state/records/document.ts';
import { customContents } from '../state/tables/custom_content.ts';
import type { CommittedRows } from '../storage/rows.ts';
import { timeText, type Seconds } from '../values/time.ts';
import { numberedDocument, searchDocuments, type NumberedDocument } from './documents.ts';
import { LARGEST_HISTORY_PAGE } from './paging.ts';
import type { StreamKey, Subscriber } from './services.ts';

/** Somebody who is told of a stream's documents, from one number on. */
export class Follower {
  readonly subscriber: Subscriber;
  readonly stream: DocumentStream;
  /** Nothing below is sent. */
  readonly start: bigint;
  /** The number that it hears of next. */
  position: bigint;
  /** When it was last seen to get on. */
  movedMs: number;
  readonly #frameStart: string;

  /** `returnId` is JSON text. */
  constructor(subscriber: Subscriber, stream: DocumentStream, returnId: string, start: bigint, nowMs: number) {
    this.subscriber = subscriber;
    this.stream = stream;
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

/** A document that was announced from a block that another branch may still replace. */
interface Recent {
  readonly number: bigint;
  readonly fingerprint: string;
  readonly received: Seconds;
}

const NOBODY: ReadonlySet<Follower> = new Set();

/** The documents of one account in one application, and who follows them. `next` is the number that no follower has heard of. */
export class DocumentStream {
  readonly key: StreamKey;
  readonly followers = new Set<Follower>();
  next = 1n;
  #recent: Recent[] = [];
  /** Documents of a branch that lost, until their numbers are taken again: the same ones mostly come back. */
  readonly #withdrawn = new Map<bigint, { readonly fingerprint: string; readonly told: ReadonlySet<Follower> }>();

  constructor(key: StreamKey) {
    this.key = key;
  }

  /** Starts at the documents that there are, and remembers those that may still be replaced. */
  open(rows: CommittedRows, reversibleSince: Seconds): void {
    const { side, account_name, app_id } = this.key;
    const order = side === 'sender' ? customContents.by_sender : customContents.by_recipient;
    const [last] = rows.range(order, { from: [account_name, app_id], to: [account_name, app_id], reverse: true, limit: 1 });
    this.next = last === undefined ? 1n : (side === 'sender' ? last.sender_sequence : last.recipient_sequence) + 1n;
    const search = {
      app_id,
      account_name,
      search_type: `by_${side}_datetime_reverse`,
      start: timeText(reversibleSince),
      count: LARGEST_HISTORY_PAGE,
    };
    this.#recent = searchDocuments(rows, search).map(recentOf);
  }

  /** Documents from a number on, ascending, `count` at the most. */
  from(rows: CommittedRows, number: bigint, count: number): NumberedDocument[] {
    const { side, account_name, app_id } = this.key;
    return searchDocuments(rows, { app_id, account_name, search_type: `by_${side}_reverse`, start: String(number), count });
  }

  /** Takes the document as announced. Answers who knows it already, from a branch that lost; undefined when its number was announced before. */
  take(document: NumberedDocument, reversibleSince: Seconds): ReadonlySet<Follower> | undefined {
    const [number] = document;
    if (number < this.next) return undefined;
    this.next = number + 1n;
    this.#forget(reversibleSince);
    const recent = recentOf(document);
    this.#recent.push(recent);
    const before = this.#withdrawn.get(number);
    this.#withdrawn.delete(number);
    return before?.fingerprint === recent.fingerprint ? before.told : NOBODY;
  }

  #forget(reversibleSince: Seconds): void {
    const [oldest] = this.#recent;
    if (oldest !== undefined && oldest.received < reversibleSince)
      this.#recent = this.#recent.filter(({ received }) => received >= reversibleSince);
    // A chain that has not agreed for so long may show its followers an old document until they ask again.
    if (this.#recent.length >= LARGEST_HISTORY_PAGE) this.#recent = this.#recent.slice(LARGEST_HISTORY_PAGE / 2);
  }

  /** What stands now at the numbers of recent documents. */
  standing(rows: CommittedRows): readonly NumberedDocument[] {
    const [first] = this.#recent;
    return first === undefined ? [] : this.from(rows, first.number, this.#recent.length);
  }

  /**
   * Compares what was announced with what stands on another branch: answers the documents at numbers that others had, and goes
   * back to the first number that is free again. `toldOf` says who was told of a number.
   */
  reconsider(documents: readonly NumberedDocument[], toldOf: (number: bigint) => ReadonlySet<Follower>): NumberedDocument[] {
    const [first] = this.#recent;
    if (first === undefined) return [];
    const standing = new Map(documents);
    const [kept, gone] = [
      this.#recent.filter(({ number }) => standing.has(number)),
      this.#recent.filter(({ number }) => !standing.has(number)),
    ];
    for (const { number, fingerprint } of gone) this.#withdrawn.set(number, { fingerprint, told: toldOf(number) });
    const displaced: NumberedDocument[] = [];
    this.#recent = kept.map((announced) => {
      const document = standing.get(announced.number);
      if (document === undefined) return announced;
      const now = recentOf([announced.number, document]);
      if (now.fingerprint !== announced.fingerprint) displaced.push([announced.number, document]);
      return now;
    });
    this.next = (kept.at(-1)?.number ?? first.number - 1n) + 1n;
    return displaced;
  }
}

/** How a document stands in a notice, with its number. */
export function pairText(document: NumberedDocument, notation: Notation): string {
  return writeJson(numberedDocument.toJson(document, notation));
}

function recentOf([number, document]: NumberedDocument): Recent {
  return { number, fingerprint: fingerprintOf(document), received: document.received };
}

/** What makes a document the same one on another branch: there, its id and its time may differ. */
function fingerprintOf({ sender, recipients, app_id, data, binary }: DocumentRecord): string {
  return sha256Hex(Buffer.from(writeJson([sender, [...recipients], app_id, data, binary])));
}
