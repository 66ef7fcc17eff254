import type { Clock } from '../../base/clock.ts';
import { refusals } from '../../base/refusal.ts';
import type { Notation } from '../../codec/notation.ts';
import { blockRow } from '../../state/stored_blocks.ts';
import { customContents, type CustomContent } from '../../state/tables/custom_content.ts';
import { dynamicGlobalProperties } from '../../state/tables/dynamic_global_property.ts';
import type { BlockId } from '../../values/hash.ts';
import type { Seconds } from '../../values/time.ts';
import { DocumentStream, Follower, type StreamDocument } from './document_stream.ts';
import { FollowedStreams } from './followed_streams.ts';
import type { Limits } from '../../jsonrpc/limits.ts';
import { MessageText } from './message_text.ts';
import type { Subscriber } from '../../jsonrpc/subscriber.ts';
import type { CommittedState, SubscriptionRequest } from '../services.ts';

const refuse = refusals({
  too_many_subscriptions: 'this connection has {limit} subscriptions, as many as it can; open another one',
  node_has_too_many_subscriptions: 'this node serves {limit} subscriptions, as many as it can; try again later',
});

/** What subscribing may be refused for. */
export const subscriptionRefusals = refuse.texts;

export interface SubscriptionParts {
  readonly rows: CommittedState;
  readonly clock: Clock;
  readonly notation: Notation;
  readonly limits: Pick<Limits, 'subscriptions' | 'subscriptionsPerSocket' | 'stalledMs'>;
  readonly report: (error: unknown, method: string) => void;
}

/** New messages that are read at once: some 10 ms when each has thousands of recipients. */
const MESSAGES_AT_ONCE = 16;
/** Looking whether so many recipients of a message are followed costs as much as a notice. */
const RECIPIENTS_A_NOTICE = 50;
/** Documents that a follower who lags gets before it is another's turn. */
const PAGE_DOCUMENTS = 100;
/** While so much waits for a reader, nothing is added: its documents wait in the database instead. */
const MOST_UNSENT_BYTES = 256 * 1024;
/** Notices that are sent before others get their turn: some 10 ms, so that a block with news for ten thousand holds up nobody. */
const NOTICES_AT_ONCE = 1000;
/** How often it is looked whether a slow reader has got on. */
const SLOW_READER_MS = 50;

/** A document on its way to those who follow its stream. */
interface Notice {
  readonly document: StreamDocument;
  /** Whoever has not been looked at yet. */
  readonly followers: Iterator<Follower>;
  /** Who knows the document already. */
  readonly told: ReadonlySet<Follower>;
}

/** What a look at the committed state found. */
interface News {
  readonly reversibleSince: Seconds;
  readonly fresh: readonly CustomContent[];
  readonly nextDocumentId: bigint;
}

/** A change of the main branch, as far as it matters here. */
interface Update {
  readonly undone: readonly BlockId[];
  readonly head: { readonly id: BlockId };
}

/** Changes that were missed. */
interface Gap {
  readonly head: { readonly id: BlockId };
}

/**
 * Tells clients of documents: first those that exist, then each as a block carries it, in the order of their numbers, once each.
 * Where another branch replaces a block, the documents that it has at numbers which others had are announced, and no others.
 * A block costs what its own documents cost, however many wait for others, and a document is written once, however many follow it.
 * A reader that is slow is read for later from the database; one that stands still is let go.
 */
export class Subscriptions {
  readonly #parts: SubscriptionParts;
  readonly #streams = new FollowedStreams();
  readonly #bySubscriber = new Map<Subscriber, Set<Follower>>();
  /** Those whose next document is in the database already. */
  readonly #lagging = new Set<Follower>();
  /** False while nobody follows anything. */
  #isFollowed = false;
  /** Documents below were announced. */
  #nextDocumentId = 0n;
  #newsIsDue = false;
  /** Blocks left the main branch since the last look. */
  #hasForked = false;
  /** Up to which block it is known whether any did. */
  #toldId: BlockId | undefined;
  /** In the order in which they are sent; blocks wait until it is empty. */
  #outbox: Notice[] = [];
  #cancelSending: (() => void) | undefined;
  #cancelPump: (() => void) | undefined;
  #count = 0;

  constructor(parts: SubscriptionParts) {
    this.#parts = parts;
  }

  /** How many subscriptions there are. */
  get size(): number {
    return this.#count;
  }

  /** Documents that exist follow soon after this has returned. Throws the refusal when there are too many subscriptions. */
  subscribe({ subscriber, returnId, key, start }: SubscriptionRequest): void {
    const { rows, limits, clock } = this.#parts;
    const own = this.#bySubscriber.get(subscriber);
    if ((own?.size ?? 0) >= limits.subscriptionsPerSocket) refuse.too_many_subscriptions({ limit: limits.subscriptionsPerSocket });
    if (this.#count >= limits.subscriptions) refuse.node_has_too_many_subscriptions({ limit: limits.subscriptions });
    if (!this.#isFollowed) this.#begin();
    const stream = this.#streams.get(key) ?? new DocumentStream(key);
    if (stream.followers.size === 0) rows.consistentRead(() => stream.open(rows, reversibleSince(rows)));
    const first = start ?? stream.next;
    const follower = new Follower(subscriber, stream, returnId, first, clock.nowMs());
    this.#streams.add(stream);
    stream.followers.add(follower);
    this.#count++;
    if (own === undefined) subscriber.onClose(() => this.#leave(subscriber));
    this.#bySubscriber.set(subscriber, (own ?? new Set<Follower>()).add(follower));
    this.#letLag(follower, first);
  }

  /** Blocks have been committed, or have left the main branch. */
  takeUpdate({ undone, head }: Update): void {
    this.#takeHead(head.id, undone.length > 0);
  }

  /** So they have, and nobody says which: those that were told may be among them. */
  takeGap({ head }: Gap): void {
    this.#takeHead(head.id, true);
  }

  #takeHead(id: BlockId, hasForked: boolean): void {
    this.#toldId = id;
    if (!this.#isFollowed) return;
    this.#hasForked ||= hasForked;
    this.#newsIsDue = true;
    if (this.#cancelSending === undefined) this.#sendOn();
  }

  /** Nobody is told anything more. */
  stop(): void {
    this.#cancelPump?.();
    this.#lagging.clear();
    this.#rest();
  }

  /** Until somebody follows something. */
  #rest(): void {
    this.#cancelSending?.();
    this.#cancelSending = undefined;
    this.#outbox = [];
    this.#newsIsDue = false;
    this.#hasForked = false;
    this.#isFollowed = false;
  }

  #begin(): void {
    const { rows } = this.#parts;
    this.#nextDocumentId = rows.consistentRead(() => nextIdOf(rows));
    this.#isFollowed = true;
  }

  /** Sends what is due, and takes what blocks have brought meanwhile, until there is nothing more or it is somebody else's turn. */
  #sendOn(): void {
    this.#cancelSending = undefined;
    try {
      let room = NOTICES_AT_ONCE;
      while (room > 0 && (this.#outbox.length > 0 || this.#newsIsDue)) {
        room = this.#outbox.length === 0 ? this.#takeNews(room) : this.#sendNotices(room);
      }
    } catch (error) {
      this.#newsIsDue = false;
      this.#parts.report(error, 'subscriptions');
    }
    if (this.#outbox.length > 0 || this.#newsIsDue) this.#cancelSending = this.#parts.clock.after(0, () => this.#sendOn());
  }

  /** Sends so many notices at the most; answers how many more could be sent now. */
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

  /** A follower that lags, or came while the document was on its way, finds it in the database. */
  #isDue(follower: Follower, number: bigint): boolean {
    return number >= follower.position && !this.#lagging.has(follower);
  }

  /** Announces what is new; answers how many notices could be sent in the rest of this turn. */
  #takeNews(room: number): number {
    const { rows } = this.#parts;
    const news = rows.consistentRead(() => this.#readNews());
    if (news === undefined) {
      this.#newsIsDue = false;
      return room;
    }
    this.#nextDocumentId = news.nextDocumentId;
    if (this.#hasForked) this.#changeBranch(news.reversibleSince);
    this.#hasForked = false;
    for (const message of news.fresh) this.#announceMessage(message, news.reversibleSince);
    this.#newsIsDue = news.fresh.length === MESSAGES_AT_ONCE;
    return news.fresh.reduce((left, { copy_count }) => left - Math.ceil(copy_count / RECIPIENTS_A_NOTICE), room);
  }

  /** Undefined when readers see a later block already: the word of it is on its way, and says whether any was undone. */
  #readNews(): News | undefined {
    const { rows } = this.#parts;
    if (rows.only(dynamicGlobalProperties).head_block_id !== this.#toldId) return undefined;
    const fresh = this.#hasForked ? [] : rows.rows(customContents, { from: this.#nextDocumentId, limit: MESSAGES_AT_ONCE });
    const last = fresh.at(-1);
    const nextDocumentId = this.#hasForked ? nextIdOf(rows) : last === undefined ? this.#nextDocumentId : idBehind(last);
    return { reversibleSince: reversibleSince(rows), fresh, nextDocumentId };
  }

  #announceMessage(message: CustomContent, since: Seconds): void {
    const text = new MessageText(message);
    for (const { stream, number, place } of this.#streams.concernedBy(message)) this.#announce(stream, { number, place, text }, since);
  }

  #announce(stream: DocumentStream, document: StreamDocument, since: Seconds): void {
    const told = stream.take(document, since);
    if (told !== undefined) this.#outbox.push({ document, followers: stream.followers.values(), told });
  }

  #tell(follower: Follower, document: StreamDocument): void {
    const { number } = document;
    if (follower.subscriber.unsentBytes() > MOST_UNSENT_BYTES) return this.#letLag(follower, number);
    follower.send(this.#pairOf(document));
    follower.position = number + 1n;
  }

  /** Another branch is the main one now. This looks at every stream, which is rare enough. */
  #changeBranch(since: Seconds): void {
    const { rows } = this.#parts;
    for (const stream of this.#streams.all()) {
      const standing = rows.consistentRead(() => stream.standing(rows));
      for (const document of stream.reconsider(standing, (number) => this.#toldOf(stream, number))) {
        for (const follower of this.#toldOf(stream, document.number)) follower.send(this.#pairOf(document));
      }
      for (const follower of stream.followers) {
        if (follower.position < stream.next) continue;
        follower.position = follower.start > stream.next ? follower.start : stream.next;
        this.#lagging.delete(follower);
      }
      this.#catchUp(stream, since);
    }
  }

  /** Who has been told of the document of that number. */
  #toldOf({ followers }: DocumentStream, number: bigint): ReadonlySet<Follower> {
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

  /** From `number` on, this follower gets its documents from the database, as fast as it reads. */
  #letLag(follower: Follower, number: bigint): void {
    follower.position = number;
    follower.movedMs = this.#parts.clock.nowMs();
    this.#lagging.add(follower);
    // Later, so that the answer to the subscription comes before its documents.
    this.#pumpAfter(0);
  }

  #pumpAfter(delayMs: number): void {
    this.#cancelPump ??= this.#parts.clock.after(delayMs, () => {
      this.#cancelPump = undefined;
      try {
        this.#pump();
      } catch (error) {
        this.#parts.report(error, 'subscriptions');
      }
    });
  }

  /** A page for each who lags and has room for it. */
  #pump(): void {
    const { clock, limits } = this.#parts;
    const nowMs = clock.nowMs();
    let moved = false;
    for (const follower of [...this.#lagging]) {
      if (follower.subscriber.unsentBytes() <= MOST_UNSENT_BYTES) {
        moved = this.#sendPage(follower) || moved;
        follower.movedMs = nowMs;
      } else if (nowMs - follower.movedMs > limits.stalledMs) follower.subscriber.drop('too far behind');
    }
    if (this.#lagging.size > 0) this.#pumpAfter(moved ? 0 : SLOW_READER_MS);
  }

  /** False when the database does not have what is due: another branch has come meanwhile, and its notice is on the way. */
  #sendPage(follower: Follower): boolean {
    const { rows } = this.#parts;
    const { stream } = follower;
    const behind = stream.next - follower.position;
    const count = behind < BigInt(PAGE_DOCUMENTS) ? Number(behind) : PAGE_DOCUMENTS;
    const page = count <= 0 ? [] : rows.consistentRead(() => stream.from(rows, follower.position, count));
    for (const document of page) {
      if (document.number >= stream.next || !follower.send(this.#pairOf(document))) break;
      follower.position = document.number + 1n;
    }
    if (follower.position >= stream.next) this.#lagging.delete(follower);
    return page.length > 0 || !this.#lagging.has(follower);
  }

  #pairOf({ number, place, text }: StreamDocument): string {
    return text.pair(number, place, this.#parts.notation);
  }

  #leave(subscriber: Subscriber): void {
    for (const follower of this.#bySubscriber.get(subscriber) ?? []) {
      const { stream } = follower;
      this.#lagging.delete(follower);
      stream.followers.delete(follower);
      if (stream.followers.size === 0) this.#streams.delete(stream);
      this.#count--;
    }
    this.#bySubscriber.delete(subscriber);
    if (this.#count === 0) this.#rest();
  }
}

function nextIdOf(rows: CommittedState): bigint {
  const [last] = rows.rows(customContents, { reverse: true, limit: 1 });
  return last === undefined ? 0n : idBehind(last);
}

/** The first id behind those of the message's copies. */
function idBehind({ id, copy_count }: CustomContent): bigint {
  return id + BigInt(copy_count);
}

/** Documents received before are in irreversible blocks: a document's time is that of the block before its own. */
function reversibleSince(rows: CommittedState): Seconds {
  const { time, last_irreversible_block_num: irreversible } = rows.only(dynamicGlobalProperties);
  return blockRow(rows, irreversible + 1)?.time_before ?? time;
}
