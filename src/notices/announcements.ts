import type { CommittedState } from '../queries/committed_state.ts';
import type { Clock } from '../base/clock.ts';
import { lastSettled } from '../state/last_irreversible.ts';
import { blockRow } from '../state/stored_blocks.ts';
import { customContents, type CustomContent } from '../state/tables/custom_content.ts';
import { dynamicGlobalProperties } from '../state/tables/dynamic_global_property.ts';
import type { BlockId } from '../values/hash.ts';
import type { Seconds } from '../values/time.ts';
import type { DocumentStream, Follower, StreamDocument } from './document_stream.ts';
import type { FollowedStreams } from './followed_streams.ts';
import { MOST_UNSENT_BYTES, PAGE_DOCUMENTS, type LaggingFollowers } from './lagging_followers.ts';
import { MessageText } from '../queries/notices/message_text.ts';

/** New messages read at once: some 10 ms when each has thousands of recipients. */
const MESSAGES_AT_ONCE = 16;
/** Checking whether this many recipients of a message are followed costs as much as a notice. */
const RECIPIENTS_A_NOTICE = 50;
/**
 * Notices sent before other work gets its turn: some 10 ms, so that a block with documents for ten thousand followers
 * delays nothing else.
 */
const NOTICES_AT_ONCE = 1000;

/** A document on its way to the followers of its stream. */
interface Notice {
  readonly document: StreamDocument;
  /** The followers that have not been visited yet. */
  readonly followers: Iterator<Follower>;
  /** The followers that already have the document. */
  readonly told: ReadonlySet<Follower>;
}

/** Messages that a read of the committed state found. */
interface CommittedMessages {
  readonly reversibleSince: Seconds;
  readonly fresh: readonly CustomContent[];
  readonly nextDocumentId: bigint;
}

export interface AnnouncementParts {
  readonly rows: CommittedState;
  readonly clock: Clock;
  readonly report: (error: unknown, method: string) => void;
  /** The text of a document in a notice. */
  readonly shown: (document: StreamDocument) => string;
  readonly streams: FollowedStreams;
  readonly lagging: LaggingFollowers;
}

/**
 * Announces the documents of new blocks to their followers: in the order of their numbers, once each, in time slices.
 * When another branch replaces a block, the documents whose numbers belonged to others before are announced, and no
 * others.
 */
export class Announcements {
  readonly #parts: AnnouncementParts;
  /** False while there are no followers. */
  #isFollowed = false;
  /** Documents below this id were announced. */
  #nextDocumentId = 0n;
  #messagesAreDue = false;
  /** Blocks have left the main branch since the last read. */
  #hasForked = false;
  /** The block up to which it is known whether any did. */
  #toldId: BlockId | undefined;
  /** In sending order; new blocks wait until it is empty. */
  #outbox: Notice[] = [];
  #cancelSending: (() => void) | undefined;

  constructor(parts: AnnouncementParts) {
    this.#parts = parts;
  }

  /** There is a first follower. */
  begin(): void {
    if (this.#isFollowed) return;
    const { rows } = this.#parts;
    this.#nextDocumentId = rows.consistentRead(() => nextContentId(rows));
    this.#isFollowed = true;
  }

  /** There are no followers until `begin`. */
  rest(): void {
    this.#cancelSending?.();
    this.#cancelSending = undefined;
    this.#outbox = [];
    this.#messagesAreDue = false;
    this.#hasForked = false;
    this.#isFollowed = false;
  }

  /** This is the head now. */
  takeHead(id: BlockId, hasForked: boolean): void {
    this.#toldId = id;
    if (!this.#isFollowed) return;
    this.#hasForked ||= hasForked;
    this.#messagesAreDue = true;
    if (this.#cancelSending === undefined) this.#sendOn();
  }

  /**
   * Sends what is due, and reads what blocks have brought meanwhile, until nothing is left or the time slice is over.
   */
  #sendOn(): void {
    this.#cancelSending = undefined;
    try {
      let room = NOTICES_AT_ONCE;
      while (room > 0 && (this.#outbox.length > 0 || this.#messagesAreDue)) {
        room = this.#outbox.length === 0 ? this.#announceMessages(room) : this.#sendNotices(room);
      }
    } catch (error) {
      this.#messagesAreDue = false;
      this.#parts.report(error, 'subscriptions');
    }
    if (this.#outbox.length > 0 || this.#messagesAreDue)
      this.#cancelSending = this.#parts.clock.after(0, () => this.#sendOn());
  }

  /** Sends at most this many notices; returns how many more could be sent now. */
  #sendNotices(most: number): number {
    let room = most;
    let done = 0;
    for (const { document, followers, told } of this.#outbox) {
      const { number } = document;
      let next = room > 0 ? followers.next() : undefined;
      for (; next?.done === false; next = room > 0 ? followers.next() : undefined) {
        if (!this.#isDue(next.value, number)) continue;
        if (told.has(next.value)) next.value.position = number + 1n;
        else this.#tell(next.value, document);
        room--;
      }
      if (next === undefined) break;
      done++;
    }
    this.#outbox.splice(0, done);
    return room;
  }

  /** A follower that lags, or subscribed while the document was on its way, reads it from the database. */
  #isDue(follower: Follower, number: bigint): boolean {
    return number >= follower.position && !this.#parts.lagging.has(follower);
  }

  /** Announces what is new; returns how many notices could be sent in the rest of this slice. */
  #announceMessages(room: number): number {
    const { rows } = this.#parts;
    const news = rows.consistentRead(() => this.#readMessages());
    if (news === undefined) {
      this.#messagesAreDue = false;
      return room;
    }
    this.#nextDocumentId = news.nextDocumentId;
    if (this.#hasForked) this.#changeBranch(news.reversibleSince);
    this.#hasForked = false;
    for (const message of news.fresh) this.#announceMessage(message, news.reversibleSince);
    this.#messagesAreDue = news.fresh.length === MESSAGES_AT_ONCE;
    return news.fresh.reduce((left, { copy_count }) => left - Math.ceil(copy_count / RECIPIENTS_A_NOTICE), room);
  }

  /**
   * Undefined when readers already see a later block: its update is on the way, and tells whether any block was undone.
   */
  #readMessages(): CommittedMessages | undefined {
    const { rows } = this.#parts;
    if (rows.only(dynamicGlobalProperties).head_block_id !== this.#toldId) return undefined;
    const fresh = this.#hasForked
      ? []
      : rows.rows(customContents, { from: this.#nextDocumentId, limit: MESSAGES_AT_ONCE });
    const last = fresh.at(-1);
    const nextDocumentId = this.#hasForked
      ? nextContentId(rows)
      : last === undefined
        ? this.#nextDocumentId
        : followingId(last);
    return { reversibleSince: reversibleTime(rows), fresh, nextDocumentId };
  }

  #announceMessage(message: CustomContent, since: Seconds): void {
    const text = new MessageText(message);
    for (const { stream, number, place } of this.#parts.streams.copiesOf(message))
      this.#announce(stream, { number, place, text }, since);
  }

  #announce(stream: DocumentStream, document: StreamDocument, since: Seconds): void {
    const told = stream.take(document, since);
    if (told !== undefined) this.#outbox.push({ document, followers: stream.followers.values(), told });
  }

  #tell(follower: Follower, document: StreamDocument): void {
    const { number } = document;
    if (follower.subscriber.unsentBytes() > MOST_UNSENT_BYTES) return this.#parts.lagging.add(follower, number);
    follower.send(this.#parts.shown(document));
    follower.position = number + 1n;
  }

  /** Another branch is the main one now. This checks every stream, which is rare enough. */
  #changeBranch(since: Seconds): void {
    const { rows } = this.#parts;
    for (const stream of this.#parts.streams.all()) {
      const current = rows.consistentRead(() => stream.currentDocuments(rows));
      for (const document of stream.reconsider(current, (number) => this.#alreadyTold(stream, number))) {
        for (const follower of this.#alreadyTold(stream, document.number)) follower.send(this.#parts.shown(document));
      }
      for (const follower of stream.followers) {
        if (follower.position < stream.next) continue;
        follower.position = follower.start > stream.next ? follower.start : stream.next;
        this.#parts.lagging.delete(follower);
      }
      this.#catchUp(stream, since);
    }
  }

  /** The followers that were sent the document of that number. */
  #alreadyTold({ followers }: DocumentStream, number: bigint): ReadonlySet<Follower> {
    return new Set([...followers].filter((follower) => number >= follower.start && follower.position > number));
  }

  #catchUp(stream: DocumentStream, since: Seconds): void {
    const { rows } = this.#parts;
    for (let more = true; more;) {
      const documents = rows.consistentRead(() => stream.from(rows, stream.next, PAGE_DOCUMENTS));
      for (const document of documents) this.#announce(stream, document, since);
      more = documents.length === PAGE_DOCUMENTS;
    }
  }
}

function nextContentId(rows: CommittedState): bigint {
  const [last] = rows.rows(customContents, { reverse: true, limit: 1 });
  return last === undefined ? 0n : followingId(last);
}

/** The first id after those of the message's copies. */
function followingId({ id, copy_count }: CustomContent): bigint {
  return id + BigInt(copy_count);
}

/**
 * Documents received before this time are in blocks that this node never undoes: a document's time is that of the block
 * before its own.
 */
export function reversibleTime(rows: CommittedState): Seconds {
  return blockRow(rows, lastSettled(rows) + 1)?.time_before ?? rows.only(dynamicGlobalProperties).time;
}
