import { refusals } from '../base/refusal.ts';
import { groupOf } from './addresses.ts';
import { Channel, type ChannelListener, type ReadMeter } from './channel.ts';
import { describedFarewell, farewellOf } from './farewell.ts';
import { GenesisServer } from './genesis_server.ts';
import { mismatchOf, requireStatus } from './greeting.ts';
import { BLOCKS, type Lane } from './lanes.ts';
import type { MessageForm, MessageKind } from './message_kind.ts';
import { block, MOST_PUSHED_BYTES } from './messages/block.ts';
import { compactBlock } from './messages/compact_block.ts';
import { genesis } from './messages/genesis.ts';
import { genesisRequest } from './messages/genesis_request.ts';
import { goodbye, type Goodbye } from './messages/goodbye.ts';
import { hello, TAKES_PUSHES, TAKES_TRANSACTIONS, VOUCHES, WANTS_STATE_HASHES, type Hello } from './messages/hello.ts';
import { ping } from './messages/ping.ts';
import { pong } from './messages/pong.ts';
import { status, type Status } from './messages/status.ts';
import { OpenQuestions } from './open_questions.ts';
import { ownHello } from './own_hello.ts';
import { PeerCredit, type Receipt } from './peer_credit.ts';
import type { PeerParts } from './peer_parts.ts';
import { PeerPulse } from './peer_pulse.ts';
import type { Pipe } from './pipe.ts';
import type { ReasonName } from './reasons.ts';
import { RememberedIds } from './remembered_ids.ts';
import { LOWEST_SCORE, offences, Score, type Offence } from './score.ts';
import type { NodeId } from './wire_values.ts';

const refuse = refusals({
  before_hello: 'a {kind} before hello',
  second_hello: 'a second hello',
});

const HELLO_WITHIN_MS = 5000; // a stranger's place is free again
/** Above this a peer gets nothing more of lanes 2 and 3: it is too slow for what there is. */
const BUSY_QUEUE_BYTES = 8 * 1024 * 1024;
/** Ids of blocks that a peer is known to have: a quarter of an hour. */
const KNOWN_BLOCKS = 300;
const KNOWN_BUNDLES = 2048;
/** Of 51 witnesses for a minute, each three seconds. */
const KNOWN_ALIVES = 1024;
/** Those that it was asked for in the last minute, of the highest rate. */
const ASKED_BUNDLES = 4096;

/** One connected node: hello, where its chain stands, whether it is there, what it is owed and what it has coming. */
export class Peer {
  readonly id: NodeId;
  readonly pipe: Pipe;
  readonly sinceMs: number;
  readonly channel: Channel;
  readonly score: Score;
  /** What it may cost us. */
  readonly credit: PeerCredit;
  /** Blocks and bundles that it is known to have. */
  readonly knownBlocks = new RememberedIds(KNOWN_BLOCKS);
  readonly knownBundles = new RememberedIds(KNOWN_BUNDLES);
  readonly knownAlives = new RememberedIds(KNOWN_ALIVES);
  readonly askedBundles = new RememberedIds(ASKED_BUNDLES);
  /** How often it was the first to deliver a block. */
  deliveries = 0;
  /** What it said when it closed the link. */
  farewell: Goodbye | undefined;
  readonly #parts: PeerParts<Peer>;
  readonly #questions = new OpenQuestions();
  readonly #pulse: PeerPulse;
  readonly #genesis: GenesisServer;
  #hello: Hello | undefined;
  #status: Status | undefined;
  #isGone = false;
  /** What is charged for the message that is being taken. */
  #receipt: Receipt = { ms: 0 };
  #wasAsked = false;
  #clockAheadMs: number | undefined;

  constructor(pipe: Pipe, parts: PeerParts<Peer>) {
    const nowMs = parts.outside.clock.elapsedMs();
    this.id = pipe.peer;
    this.pipe = pipe;
    this.sinceMs = nowMs;
    this.score = new Score(nowMs);
    this.#parts = parts;
    this.credit = new PeerCredit(parts.budgets, parts.isChosen ? undefined : groupOf(pipe.address.host), nowMs);
    this.#pulse = new PeerPulse({ outside: parts.outside, send: (kind, value) => this.send(kind, value) });
    this.#genesis = new GenesisServer(parts.outside.genesis);
    this.channel = new Channel(pipe, parts.outside.clock, parts.budget, this.#listener(), this.#meter());
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
    return this.#clockAheadMs === undefined ? undefined : this.#clockAheadMs + (this.pingMs ?? 0) / 2;
  }

  get pingMs(): number | undefined {
    return this.#pulse.pingMs;
  }

  /** Whether it takes blocks that it has not asked for. */
  get takesPushes(): boolean {
    return this.#hasRole(TAKES_PUSHES);
  }

  get takesTransactions(): boolean {
    return this.#hasRole(TAKES_TRANSACTIONS) && !this.isBusy;
  }

  /** Whether it takes somebody's word, perhaps ours: it is told of states, and gets no block that our chain hasn't taken. */
  get takesWords(): boolean {
    return this.#hasRole(WANTS_STATE_HASHES);
  }

  /** Whether the blocks that it gives to those who take its word are blocks that its chain has taken. */
  get vouches(): boolean {
    return this.#hasRole(VOUCHES);
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
    this.#questions.add(answer, this.#nowMs);
    this.send(kind, value);
  }

  /** It will not answer such a question any more, and says so. */
  unanswered(form: MessageForm): void {
    this.#questions.close(form);
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
    this.channel.close(goodbye, farewellOf(reason, text));
    this.#leave(text === '' ? reason : `${reason}: ${text}`);
  }

  /** Tells where our chain stands when that is due. */
  tick(): void {
    const nowMs = this.#nowMs;
    if (this.#hello === undefined) {
      if (nowMs - this.sinceMs > HELLO_WITHIN_MS) this.close('silent', 'no hello');
      return;
    }
    // What waits for credit may be what it has to say.
    if (this.channel.isWaiting) this.#pulse.heard(nowMs);
    if (this.#pulse.isSilent(nowMs)) return this.close('silent');
    this.#pulse.tick(nowMs);
  }

  #hasRole(role: number): boolean {
    return this.isLive && ((this.#hello?.roles ?? 0) & role) !== 0;
  }

  get #nowMs(): number {
    return this.#parts.outside.clock.elapsedMs();
  }

  #meter(): ReadMeter {
    return {
      piece: (bytes) => this.credit.chargePiece(bytes, this.#nowMs),
      frame: (ms) => this.credit.chargeFrame(ms, this.#nowMs),
      message: (form, ms) => this.#charge(form, ms),
      waitMs: () => this.credit.readingWaitMs(this.#nowMs),
    };
  }

  #listener(): ChannelListener {
    return {
      isWanted: (form, lane) => this.#isWanted(form, lane),
      take: (form, bytes) => this.#take(form, bytes),
      malformed: (refusal) => this.offend('malformed', refusal.message),
      overLimit: (refusal) => this.close('over_limit', refusal.message),
      closed: () => this.#leave('closed by the peer'),
    };
  }

  /** Called when a message begins. */
  #isWanted(form: MessageForm, lane: Lane): boolean {
    if (this.#isGone) return false;
    // A small block may come unasked; how long it gets is not known yet.
    if ((form === block && lane === BLOCKS) || this.#questions.mayCome(form, this.#nowMs)) return true;
    this.offend('body_unasked', `a ${form.name} that nobody asked for`);
    return false;
  }

  #charge(form: MessageForm, ms: number): void {
    const receipt = this.#receipt;
    this.#receipt = { ms: 0 };
    receipt.ms = this.credit.charge(form, ms, this.#wasAsked, this.#nowMs);
  }

  #take(form: MessageForm, bytes: Uint8Array): void {
    const nowMs = this.#nowMs;
    this.#receipt = { ms: 0 };
    this.#wasAsked = this.#questions.isAsked(form, nowMs);
    this.#pulse.heard(nowMs);
    if (form === hello) return this.#takeHello(hello.decode(bytes));
    if (form === goodbye) return this.#takeGoodbye(bytes);
    if (form === genesisRequest) return this.channel.leavesAnswers ? undefined : this.#genesis.answer(this.channel);
    if (this.#hello === undefined && form !== genesis) refuse.before_hello({ kind: form.name });
    const isPushed = form === compactBlock || (form === block && !this.#wasAsked);
    const isSmallBlock = form === block && bytes.length <= MOST_PUSHED_BYTES;
    if (form === block && isPushed && !isSmallBlock) return this.offend('body_unasked', 'a large block that nobody asked for');
    // It may be one that was pushed while a large one is on its way, which then is no surprise.
    if (!isSmallBlock) this.#questions.close(form);
    if (form === status) return this.credit.takeStatus(nowMs) ? this.#takeStatus(status.decode(bytes)) : undefined;
    if (form === ping) return this.channel.leavesAnswers ? undefined : this.send(pong, ping.decode(bytes));
    if (form === pong) return this.#takePong(pong.decode(bytes).number);
    this.#parts.router.deliver(this, form, bytes);
  }

  /** What will have been charged for the message that is being taken. */
  get receipt(): Receipt {
    return this.#receipt;
  }

  #takeHello(said: Hello): void {
    if (this.#hello !== undefined) refuse.second_hello();
    const { outside, ownId, keeper } = this.#parts;
    if (this.id === ownId) return this.close('oneself');
    const mismatch = mismatchOf(said, outside);
    if (mismatch !== undefined) return this.close(mismatch.reason, mismatch.text);
    requireStatus(outside, said.status);
    this.#hello = said;
    this.#clockAheadMs = Number(said.clock_ms) - outside.clock.nowMs();
    this.#status = said.status;
    if (!keeper.greeted(this) || this.#isGone) return;
    this.knownBlocks.add(said.status.head_id);
    this.#pulse.ping(this.#nowMs);
    keeper.moved(this);
  }

  #takeStatus(said: Status): void {
    requireStatus(this.#parts.outside, said);
    this.#status = said;
    this.knownBlocks.add(said.head_id);
    this.#parts.keeper.moved(this);
  }

  #takePong(number: bigint): void {
    const tookMs = this.#pulse.answered(number, this.#nowMs);
    if (tookMs !== undefined) this.channel.notePing(tookMs);
  }

  #takeGoodbye(bytes: Uint8Array): void {
    const said = goodbye.decode(bytes);
    this.farewell = said;
    this.channel.drop();
    this.#leave(describedFarewell(said));
  }

  #leave(reason: string): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.credit.close();
    this.#parts.counts.ended(this.channel);
    this.#parts.keeper.gone(this, reason);
  }
}
