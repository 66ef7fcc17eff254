import { refusals } from '../../base/refusal.ts';
import { addressGroup, type Address } from '../../wire/addresses.ts';
import { Channel, type ChannelListener, type ReadMeter } from '../../wire/link/channel.ts';
import { GenesisServer } from '../../wire/link/genesis_server.ts';
import { findMismatch, requireStatus } from './greeting.ts';
import { BLOCKS, type Lane } from '../../wire/lanes.ts';
import type { MessageForm, MessageKind } from '../../wire/message_kind.ts';
import { block, MOST_PUSHED_BYTES } from '../../wire/messages/block.ts';
import { compactBlock } from '../../wire/messages/compact_block.ts';
import { genesis } from '../../wire/messages/genesis.ts';
import { genesisRequest } from '../../wire/messages/genesis_request.ts';
import { goodbye, type Goodbye, MOST_TEXT_CHARACTERS } from '../../wire/messages/goodbye.ts';
import {
  hello,
  RELAYS_VOTES,
  TAKES_PUSHES,
  TAKES_TRANSACTIONS,
  VOUCHES,
  WANTS_STATE_HASHES,
  type Hello,
} from '../../wire/messages/hello.ts';
import { ping } from '../../wire/messages/ping.ts';
import { pong } from '../../wire/messages/pong.ts';
import { status, type Status } from '../../wire/messages/status.ts';
import { OpenQuestions } from './open_questions.ts';
import { ownHello } from './own_hello.ts';
import { PeerCredit, type Receipt } from './peer_credit.ts';
import type { PeerParts } from './peer_parts.ts';
import { PeerPulse } from './peer_pulse.ts';
import type { Pipe } from '../../wire/link/pipe.ts';
import { type ReasonName, reasons, retryAfterSeconds } from '../../wire/reasons.ts';
import { RememberedIds } from './remembered_ids.ts';
import { LOWEST_SCORE, offences, Score, type Offence } from './score.ts';
import type { NodeId } from '../../wire/wire_values.ts';

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
/** Of 51 voters, each with two votes in a slot, for two minutes. */
const KNOWN_VOTES = 4096;
/** Two in a slot, for five minutes. */
const KNOWN_CERTIFICATES = 200;
/** Those that it was asked for in the last minute, of the highest rate. */
const ASKED_BUNDLES = 4096;

/** One connected node: hello, where its chain stands, whether it is there, what it is owed and what it has coming. */
export class Peer {
  readonly id: NodeId;
  readonly pipe: Pipe;
  readonly sinceMs: number;
  readonly channel: Channel;
  readonly score: Score;
  /** The work that it may cause. */
  readonly credit: PeerCredit;
  /** Blocks and bundles that it is known to have. */
  readonly knownBlocks = new RememberedIds(KNOWN_BLOCKS);
  readonly knownBundles = new RememberedIds(KNOWN_BUNDLES);
  readonly knownHeartbeats = new RememberedIds(KNOWN_ALIVES);
  readonly knownVotes = new RememberedIds(KNOWN_VOTES);
  readonly knownCertificates = new RememberedIds(KNOWN_CERTIFICATES);
  readonly askedBundles = new RememberedIds(ASKED_BUNDLES);
  /** The address at which this node has dialled it; undefined for an inbound peer that was never dialled. */
  dialledAt: Address | undefined;
  /** The number of blocks that it delivered first. */
  deliveries = 0;
  /** The reason that it gave when it closed the link. */
  farewell: Goodbye | undefined;
  readonly #parts: PeerParts<Peer>;
  readonly #questions = new OpenQuestions();
  readonly #pulse: PeerPulse;
  readonly #genesis: GenesisServer;
  #hello: Hello | undefined;
  #status: Status | undefined;
  #isGone = false;
  /** The charge for the message that is being handled. */
  #receipt: Receipt = { ms: 0 };
  #wasAsked = false;
  /** The time of its clock when the monotonic one of this machine was at zero: our own may be set meanwhile. */
  #clockBeganMs: number | undefined;

  constructor(pipe: Pipe, parts: PeerParts<Peer>) {
    const nowMs = parts.environment.clock.elapsedMs();
    this.id = pipe.peer;
    this.pipe = pipe;
    this.dialledAt = pipe.isInbound ? undefined : pipe.address;
    this.sinceMs = nowMs;
    this.score = new Score(nowMs);
    this.#parts = parts;
    this.credit = new PeerCredit(parts.budgets, parts.isChosen ? undefined : addressGroup(pipe.address.host), nowMs);
    this.#pulse = new PeerPulse({ environment: parts.environment, send: (kind, value) => this.send(kind, value) });
    this.#genesis = new GenesisServer(parts.environment.genesis);
    this.channel = new Channel(pipe, parts.environment.clock, parts.budget, this.#listener(), this.#meter());
    this.send(hello, ownHello(parts.environment, parts.introduction));
  }

  /** True if it has said hello and is still there. */
  get isLive(): boolean {
    return this.#hello !== undefined && !this.#isGone;
  }

  get hello(): Hello | undefined {
    return this.#hello;
  }

  /** The last status of its chain. */
  get status(): Status | undefined {
    return this.#status;
  }

  /** Milliseconds by which its clock is ahead of ours. It told the time in its hello, which was on its way for half a ping. */
  get clockAheadMs(): number | undefined {
    if (this.#clockBeganMs === undefined) return undefined;
    const { clock } = this.#parts.environment;
    return Math.round(this.#clockBeganMs + clock.elapsedMs() - clock.nowMs() + (this.pingMs ?? 0) / 2);
  }

  get pingMs(): number | undefined {
    return this.#pulse.pingMs;
  }

  /** True if it takes blocks that it has not asked for. */
  get takesPushes(): boolean {
    return this.#hasRole(TAKES_PUSHES);
  }

  get takesTransactions(): boolean {
    return this.#hasRole(TAKES_TRANSACTIONS) && !this.isBusy;
  }

  /**
   * True if it takes somebody's word, perhaps ours: it is told of states, and gets no block that our chain hasn't
   * taken.
   */
  get takesWords(): boolean {
    return this.#hasRole(WANTS_STATE_HASHES);
  }

  /** True if the blocks that it gives to those who take its word are blocks that its chain has taken. */
  get vouches(): boolean {
    return this.#hasRole(VOUCHES);
  }

  /** True if it wants votes, and passes them on. */
  get relaysVotes(): boolean {
    return this.#hasRole(RELAYS_VOTES);
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

  /** Notes an offence. Closes the link after a grave one, or when the peer has too many points. */
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
    this.channel.close(goodbye, makeGoodbye(reason, text));
    this.#leave(text === '' ? reason : `${reason}: ${text}`);
  }

  /** Tells where our chain stands when that is due. */
  tick(): void {
    this.channel.lookAtEmptyBytes();
    const nowMs = this.#nowMs;
    if (this.#hello === undefined) {
      if (nowMs - this.sinceMs > HELLO_WITHIN_MS) this.close('silent', 'no hello');
      return;
    }
    // The unread bytes that wait for credit may be its answer to the ping.
    if (this.channel.isWaiting) this.#pulse.heard(nowMs);
    if (this.#pulse.isSilent(nowMs)) return this.close('silent');
    this.#pulse.tick(nowMs);
  }

  #hasRole(role: number): boolean {
    return this.isLive && ((this.#hello?.roles ?? 0) & role) !== 0;
  }

  get #nowMs(): number {
    return this.#parts.environment.clock.elapsedMs();
  }

  #meter(): ReadMeter {
    return {
      piece: (bytes) => this.credit.chargePiece(bytes, this.#nowMs),
      empty: (bytes) => this.credit.chargeEmpty(bytes, this.#nowMs),
      frame: (ms) => this.credit.chargeFrame(ms, this.#nowMs),
      message: (form, ms, bytes) => this.#charge(form, ms, bytes),
      waitMs: () => this.credit.readingWaitMs(this.#nowMs),
      stops: () => this.credit.chargeStop(this.#nowMs),
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

  #charge(form: MessageForm, ms: number, bytes: number): void {
    const receipt = this.#receipt;
    this.#receipt = { ms: 0 };
    receipt.ms = this.credit.charge(form, ms, bytes, this.#wasAsked, this.#nowMs);
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
    if (form === block && isPushed && !isSmallBlock)
      return this.offend('body_unasked', 'a large block that nobody asked for');
    // It may be one that was pushed while a large one is on its way, which then is no surprise.
    if (!isSmallBlock) this.#questions.close(form);
    if (form === status) return this.credit.takeStatus(nowMs) ? this.#takeStatus(status.decode(bytes)) : undefined;
    if (form === ping) return this.channel.leavesAnswers ? undefined : this.send(pong, ping.decode(bytes));
    if (form === pong) return this.#takePong(pong.decode(bytes).number);
    this.#parts.router.deliver(this, form, bytes);
  }

  /** The receipt for the message that is being handled. */
  get receipt(): Receipt {
    return this.#receipt;
  }

  #takeHello(said: Hello): void {
    if (this.#hello !== undefined) refuse.second_hello();
    const { environment, ownId, keeper } = this.#parts;
    if (this.id === ownId) return this.close('oneself');
    const mismatch = findMismatch(said, environment);
    if (mismatch !== undefined) return this.close(mismatch.reason, mismatch.text);
    requireStatus(environment, said.status);
    this.#hello = said;
    this.#clockBeganMs = Number(said.clock_ms) - environment.clock.elapsedMs();
    this.#status = said.status;
    if (!keeper.greeted(this) || this.#isGone) return;
    this.knownBlocks.add(said.status.head_id);
    this.#pulse.ping(this.#nowMs);
    keeper.moved(this);
  }

  #takeStatus(said: Status): void {
    requireStatus(this.#parts.environment, said);
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

/** The goodbye to a peer whose link is closed. */
function makeGoodbye(reason: ReasonName, text: string): Goodbye {
  const said = text.replace(/[^\x20-\x7e]/g, '?').slice(0, MOST_TEXT_CHARACTERS);
  return { reason: reasons[reason], text: said, retry_after_seconds: retryAfterSeconds[reason] };
}

/** The goodbye of a peer as a sentence for people. */
function describedFarewell({ reason, text }: Goodbye): string {
  const name = Object.entries(reasons).find(([, number]) => number === reason)?.[0] ?? `reason ${reason}`;
  return `it said goodbye: ${name}${text === '' ? '' : `, ${text}`}`;
}
