import type { Refusal } from '../base/refusal.ts';
import { refusals } from '../base/refusal.ts';
import { blockNumberOf, ZERO_HASH160, type BlockId } from '../values/hash.ts';
import { Bucket } from './bucket.ts';
import type { ByteBudget } from './byte_budget.ts';
import { Channel, type ChannelListener } from './channel.ts';
import type { MessageForm, MessageKind } from './message_kind.ts';
import type { MessageRouter } from './message_router.ts';
import { ancestor } from './messages/ancestor.ts';
import { ancestorRequest } from './messages/ancestor_request.ts';
import { block } from './messages/block.ts';
import { blockAnnouncement } from './messages/block_announcement.ts';
import { blockRequest } from './messages/block_request.ts';
import { bundle } from './messages/bundle.ts';
import { genesis } from './messages/genesis.ts';
import { genesisRequest } from './messages/genesis_request.ts';
import { goodbye, MOST_TEXT_CHARACTERS, type Goodbye } from './messages/goodbye.ts';
import { messageNumber } from './messages/index.ts';
import type { NetworkCounts } from './network_counts.ts';
import { hello, PROTOCOL, TAKES_TRANSACTIONS, type Hello } from './messages/hello.ts';
import { peers } from './messages/peers.ts';
import { peersRequest } from './messages/peers_request.ts';
import { ping } from './messages/ping.ts';
import { pong } from './messages/pong.ts';
import { range } from './messages/range.ts';
import { rangeRequest } from './messages/range_request.ts';
import { status, type Status } from './messages/status.ts';
import { unavailable } from './messages/unavailable.ts';
import type { Outside } from './outside.ts';
import { ownHello, ownStatus, type Introduction } from './own_hello.ts';
import type { Pipe } from './pipe.ts';
import { reasons, retryAfterSeconds, type ReasonName } from './reasons.ts';
import { RememberedIds } from './remembered_ids.ts';
import { LOWEST_SCORE, offences, Score, type Offence } from './score.ts';
import { isBeyondSlots } from './slot_limits.ts';
import type { NodeId } from './wire_values.ts';

const refuse = refusals({
  before_hello: 'a {kind} before hello',
  second_hello: 'a second hello',
  wrong_status: 'a status that contradicts itself: {what}',
  head_beyond_slots: 'a head of number {number}, more than there have been slots',
});

/** What a peer's fate means to those who keep it. */
export interface PeerKeeper {
  /** It has said hello, and its chain is ours. False when it can't stay; then it has been closed. */
  greeted(peer: Peer): boolean;
  /** It said where its chain stands. */
  moved(peer: Peer): void;
  /** What it did nobody does by accident. */
  ban(peer: Peer, why: string): void;
  /** The link is gone; once. */
  gone(peer: Peer, reason: string): void;
}

/** What all peers share. */
export interface PeerParts {
  readonly outside: Outside;
  readonly introduction: Introduction;
  readonly ownId: NodeId;
  readonly budget: ByteBudget;
  readonly router: MessageRouter<Peer>;
  readonly keeper: PeerKeeper;
  readonly counts: NetworkCounts;
}

const HELLO_WITHIN_MS = 5000; // a stranger's place is free again
const PING_EACH_MS = 10_000;
const SILENCE_MS = 30_000;
const STATUS_EACH_MS = 10_000;
const STATUS_AT_MOST_EACH_MS = 1000;
/** Above this a peer gets nothing more of lanes 2 and 3: it is too slow for what there is. */
const BUSY_QUEUE_BYTES = 8 * 1024 * 1024;
/** How long an answer may come that nobody waits for any more. */
const LATE_ANSWER_MS = 60_000;
const MOST_QUESTIONS = 64; // more are not asked in a minute
/** Ids of blocks that a peer is known to have: a quarter of an hour. */
const KNOWN_BLOCKS = 300;
const KNOWN_BUNDLES = 2048;
const BUCKET_SECONDS = 60;

/** Answers come only to questions. */
const answers: ReadonlySet<MessageForm> = new Set<MessageForm>([ancestor, block, range, peers, genesis]);
const requests: ReadonlySet<MessageForm> = new Set<MessageForm>([ancestorRequest, blockRequest, rangeRequest, peersRequest, ping]);
const REQUESTS_PER_SECOND = 50;
const ANNOUNCEMENTS_PER_SECOND = 20;
const BUNDLE_BYTES_PER_SECOND = 2 * 1024 * 1024;

/** One connected node: hello, where its chain stands, whether it is there, what it is owed and what it has coming. */
export class Peer {
  readonly id: NodeId;
  readonly pipe: Pipe;
  readonly sinceMs: number;
  readonly channel: Channel;
  readonly score: Score;
  /** Blocks and bundles that it is known to have. */
  readonly knownBlocks = new RememberedIds(KNOWN_BLOCKS);
  readonly knownBundles = new RememberedIds(KNOWN_BUNDLES);
  /** How often it was the first to deliver a block. */
  deliveries = 0;
  /** What it said when it closed the link. */
  farewell: Goodbye | undefined;
  readonly #parts: PeerParts;
  readonly #buckets: { readonly requests: Bucket; readonly announcements: Bucket; readonly bundles: Bucket; readonly statuses: Bucket };
  readonly #questions: { readonly form: MessageForm; readonly untilMs: number }[] = [];
  #hello: Hello | undefined;
  #status: Status | undefined;
  #isGone = false;
  #gaveGenesis = false;
  #heardAtMs: number;
  #ping: { readonly number: bigint; readonly atMs: number } | undefined;
  #pingedAtMs: number;
  #pingMs: number | undefined;
  #clockAheadMs: number | undefined;
  #statusSentMs: number;
  #saidHead: BlockId;

  constructor(pipe: Pipe, parts: PeerParts) {
    const nowMs = parts.outside.clock.elapsedMs();
    this.id = pipe.peer;
    this.pipe = pipe;
    this.sinceMs = nowMs;
    this.score = new Score(nowMs);
    this.#parts = parts;
    this.#heardAtMs = nowMs;
    this.#pingedAtMs = nowMs;
    this.#statusSentMs = nowMs;
    this.#saidHead = parts.outside.view.head.id;
    const bucket = (perSecond: number): Bucket => new Bucket(perSecond, BUCKET_SECONDS, nowMs);
    this.#buckets = {
      requests: bucket(REQUESTS_PER_SECOND),
      announcements: bucket(ANNOUNCEMENTS_PER_SECOND),
      bundles: bucket(BUNDLE_BYTES_PER_SECOND),
      statuses: bucket(1),
    };
    this.channel = new Channel(pipe, parts.outside.clock, parts.budget, this.#listener());
    this.send(hello, ownHello(parts.outside, parts.introduction));
  }

  /** Whether it has said hello and is still there. */
  get isLive(): boolean {
    return this.#hello !== undefined && !this.#isGone;
  }

  get hello(): Hello | undefined {
    return this.#hello;
  }

  /** Where its chain stood last. */
  get status(): Status | undefined {
    return this.#status;
  }

  /** How far its clock was ahead of ours when it said hello, which was on its way for half a ping. */
  get clockAheadMs(): number | undefined {
    return this.#clockAheadMs === undefined ? undefined : this.#clockAheadMs + (this.#pingMs ?? 0) / 2;
  }

  get pingMs(): number | undefined {
    return this.#pingMs;
  }

  get takesTransactions(): boolean {
    return this.isLive && ((this.#hello?.roles ?? 0) & TAKES_TRANSACTIONS) !== 0 && !this.isBusy;
  }

  /** It takes less than it is sent: nothing more of lanes 2 and 3 until it has caught up. */
  get isBusy(): boolean {
    return this.channel.queuedBytes > BUSY_QUEUE_BYTES;
  }

  send<T>(kind: MessageKind<T>, value: T): void {
    if (!this.#isGone) this.channel.send(kind, value);
  }

  /** The same for a question: an answer is taken from now on. */
  ask<T>(kind: MessageKind<T>, value: T, answer: MessageForm): void {
    this.#questions.push({ form: answer, untilMs: this.#nowMs + LATE_ANSWER_MS });
    if (this.#questions.length > MOST_QUESTIONS) this.#questions.shift();
    this.send(kind, value);
  }

  /** It will not answer such a question any more, and says so. */
  unanswered(form: MessageForm): void {
    this.#takeQuestion(form);
  }

  /** It did something wrong, so many times. */
  offend(offence: Offence, why: string, times = 1): void {
    if (this.#isGone) return;
    this.score.offend(offence, this.#nowMs, times);
    this.#parts.counts.offences[offence] += times;
    if (offences[offence].bans) this.#parts.keeper.ban(this, why);
    const isOver = offences[offence].bans || this.score.at(this.#nowMs) <= LOWEST_SCORE;
    if (isOver) this.close(offence === 'malformed' ? 'malformed' : 'misbehaved', why);
  }

  /** Closes the link with a word. */
  close(reason: ReasonName, text = ''): void {
    if (this.#isGone) return;
    const said = text.replace(/[^\x20-\x7e]/g, '?').slice(0, MOST_TEXT_CHARACTERS);
    this.channel.close(goodbye, { reason: reasons[reason], text: said, retry_after_seconds: retryAfterSeconds[reason] });
    this.#leave(text === '' ? reason : `${reason}: ${text}`);
  }

  /** Tells where our chain stands when that is due. */
  tick(): void {
    const nowMs = this.#nowMs;
    if (this.#hello === undefined) {
      if (nowMs - this.sinceMs > HELLO_WITHIN_MS) this.close('silent', 'no hello');
      return;
    }
    if (nowMs - this.#heardAtMs > SILENCE_MS) return this.close('silent');
    if (nowMs - this.#pingedAtMs >= PING_EACH_MS) this.#sendPing(nowMs);
    const sinceStatusMs = nowMs - this.#statusSentMs;
    const isNews = this.#parts.outside.view.head.id !== this.#saidHead;
    if (sinceStatusMs >= STATUS_EACH_MS || (isNews && sinceStatusMs >= STATUS_AT_MOST_EACH_MS)) this.#sendStatus(nowMs);
  }

  #sendStatus(nowMs: number): void {
    const own = ownStatus(this.#parts.outside);
    this.#statusSentMs = nowMs;
    this.#saidHead = own.head_id;
    this.send(status, own);
  }

  #sendPing(nowMs: number): void {
    // Not to be foreseen, so that nobody can answer before it is asked.
    const number = BigInt(this.#parts.outside.dice.roll(2 ** 31));
    this.#ping = { number, atMs: nowMs };
    this.#pingedAtMs = nowMs;
    this.send(ping, { number });
  }

  get #nowMs(): number {
    return this.#parts.outside.clock.elapsedMs();
  }

  #listener(): ChannelListener {
    return {
      isWanted: (form) => this.#isWanted(form),
      take: (form, bytes) => this.#take(form, bytes),
      malformed: (refusal) => this.#malformed(refusal),
      overLimit: (refusal) => this.close('over_limit', refusal.message),
      closed: () => this.#leave('closed by the peer'),
    };
  }

  #malformed(refusal: Refusal): void {
    this.offend('malformed', refusal.message);
  }

  /** Called when a message begins. */
  #isWanted(form: MessageForm): boolean {
    if (this.#isGone) return false;
    if (!answers.has(form)) return true;
    const nowMs = this.#nowMs;
    if (this.#questions.some((question) => question.form === form && question.untilMs >= nowMs)) return true;
    this.offend('body_unasked', `a ${form.name} that nobody asked for`);
    return false;
  }

  #take(form: MessageForm, bytes: Uint8Array): void {
    this.#heardAtMs = this.#nowMs;
    if (form === hello) return this.#takeHello(hello.decode(bytes));
    if (form === goodbye) return this.#takeGoodbye(bytes);
    if (form === genesisRequest) return this.#giveGenesis();
    if (this.#hello === undefined && form !== genesis) refuse.before_hello({ kind: form.name });
    if (answers.has(form)) this.#takeQuestion(form);
    if (!this.#mayTake(form, bytes.length)) return;
    if (form === status) return this.#takeStatus(status.decode(bytes));
    if (form === ping) return this.send(pong, ping.decode(bytes));
    if (form === pong) return this.#takePong(pong.decode(bytes).number);
    this.#parts.router.deliver(this, form, bytes);
  }

  /** Whether a bucket has credit for the message; what it has none for is dropped. */
  #mayTake(form: MessageForm, bytes: number): boolean {
    const nowMs = this.#nowMs;
    if (requests.has(form)) return this.#buckets.requests.take(1, nowMs);
    if (form === blockAnnouncement) return this.#buckets.announcements.take(1, nowMs);
    if (form === bundle) return this.#buckets.bundles.take(bytes, nowMs);
    return form === status ? this.#buckets.statuses.take(1, nowMs) : true;
  }

  #takeQuestion(form: MessageForm): void {
    const at = this.#questions.findIndex((question) => question.form === form);
    if (at >= 0) this.#questions.splice(at, 1);
  }

  #takeHello(said: Hello): void {
    if (this.#hello !== undefined) refuse.second_hello();
    const { view } = this.#parts.outside;
    if (this.id === this.#parts.ownId) return this.close('oneself');
    if (said.protocol !== PROTOCOL) return this.close('other_protocol', `protocol ${PROTOCOL} is spoken here`);
    if (said.chain_id !== view.chainId) return this.close('other_chain', `the chain here is ${view.chainId}`);
    if (said.profile !== view.profile) return this.close('other_chain', 'the chain has another profile here');
    this.#requireStatus(said.status);
    this.#hello = said;
    this.#clockAheadMs = Number(said.clock_ms) - this.#parts.outside.clock.nowMs();
    this.#status = said.status;
    if (!this.#parts.keeper.greeted(this)) return;
    this.knownBlocks.add(said.status.head_id);
    this.#sendPing(this.#nowMs);
    this.#parts.keeper.moved(this);
  }

  #takeStatus(said: Status): void {
    this.#requireStatus(said);
    this.#status = said;
    this.knownBlocks.add(said.head_id);
    this.#parts.keeper.moved(this);
  }

  #requireStatus({ head_number, head_id, irreversible_number, irreversible_id }: Status): void {
    if (blockNumberOf(head_id) !== head_number) refuse.wrong_status({ what: 'number and id of the head' });
    if (blockNumberOf(irreversible_id) !== irreversible_number) refuse.wrong_status({ what: 'number and id of the irreversible block' });
    if (irreversible_number > head_number) refuse.wrong_status({ what: 'an irreversible block above the head' });
    if (isBeyondSlots(this.#parts.outside, head_number)) refuse.head_beyond_slots({ number: head_number });
  }

  #takePong(number: bigint): void {
    if (this.#ping?.number !== number) return;
    const tookMs = this.#nowMs - this.#ping.atMs;
    this.#ping = undefined;
    this.#pingMs = tookMs;
    this.channel.notePing(tookMs);
  }

  #takeGoodbye(bytes: Uint8Array): void {
    const said = goodbye.decode(bytes);
    this.farewell = said;
    this.channel.drop();
    const name = Object.entries(reasons).find(([, number]) => number === said.reason)?.[0] ?? `reason ${said.reason}`;
    this.#leave(`it said goodbye: ${name}${said.text === '' ? '' : `, ${said.text}`}`);
  }

  /** Once: it is a hundred thousand times what it takes to ask. */
  #giveGenesis(): void {
    const own = this.#parts.outside.genesis;
    if (own !== undefined && !this.#gaveGenesis) this.channel.send(genesis, own);
    else this.send(unavailable, { kind: messageNumber(genesis), id: ZERO_HASH160 });
    this.#gaveGenesis = true;
  }

  #leave(reason: string): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#parts.counts.ended(this.channel);
    this.#parts.keeper.gone(this, reason);
  }
}
