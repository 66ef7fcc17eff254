import type { Clock } from '../../base/clock.ts';
import { addressGroup } from '../../wire/addresses.ts';
import type { MessageForm, MessageKind } from '../../wire/message_kind.ts';
import type { MessageRouter } from './message_router.ts';
import type { Peer } from './peer.ts';
import { answerMs, type WorkBudgets } from './peer_credit.ts';
import { workCost } from './work_prices.ts';

/** The time for which answers are built before the thread takes received bytes: nobody notices it. */
const TURN_MS = 5;
/** The share of one of several peers in a turn. */
const PEER_TURN_MS = 1;
/** Questions of a peer that wait; an honest one has a dozen open. More are dropped, and nobody is blamed. */
const MOST_WAITING = 64;
/** Bytes that answers to all peers may take in memory, and the least for one. */
const MOST_ANSWER_BYTES = 2 * 1024 * 1024;
const LEAST_ANSWER_BYTES = 64 * 1024;
/** Peers that wait for room or for the pace of a link are looked at again after this time. */
const LOOK_AGAIN_MS = 50;
const LONGEST_SLEEP_MS = 1000;
/** A peer that has waited alone for this long is the only one with questions. */
const ALONE_MS = 1000;
/** To look at all who wait takes a tenth of a millisecond itself. */
const LEAST_WAIT_MS = 20;

/** An answer that is being built. */
export interface Answer {
  /** Builds on until about that time; true when the answer has been sent, which it is at the end of one call. */
  build(endMs: number): boolean;
  /** The wait for anything other than credit. */
  waitMs?(nowMs: number): number;
}

interface Question {
  readonly form: MessageForm;
  readonly answer: Answer;
  spentMs: number;
}

interface PeerQueue {
  readonly peer: Peer;
  readonly group: string;
  /** Questions about new blocks and transactions; they are answered first. */
  readonly urgent: Question[];
  readonly others: Question[];
}

export interface AnswerTurnsParts {
  readonly clock: Clock;
  readonly router: MessageRouter<Peer>;
  readonly budgets: Pick<WorkBudgets, 'prices' | 'spare'>;
  /** The number of peers. */
  readonly peers: () => number;
}

/**
 * Answers questions of peers outside of the sockets' callbacks: for five milliseconds at most, then the thread takes
 * what has come. Groups of addresses take turns, and in each its peers. Who has no credit, or hasn't taken its last
 * answers, waits; who waits alone has the thread's spare time.
 */
export class AnswerTurns {
  readonly #parts: AnswerTurnsParts;
  /** Waiting peers by address group; both in the order of their turns. */
  readonly #groups = new Map<string, Map<Peer, PeerQueue>>();
  #cancel: (() => void) | undefined;
  #dueMs = Infinity;
  /** The peer that waited for credit last, and the times of its wait and of the last wait of two peers. */
  #waiter: Peer | undefined;
  #waitedMs = -Infinity;
  #contestedMs = -Infinity;

  constructor(parts: AnswerTurnsParts) {
    this.#parts = parts;
  }

  /**
   * From now on questions of the kind are answered so. Urgent ones are those that new blocks and transactions wait for.
   */
  on<T>(kind: MessageKind<T>, begin: (peer: Peer, value: T) => Answer | undefined, isUrgent = false): void {
    this.#parts.router.on(kind, (peer, value) => {
      const peerQueue = this.#queueOf(peer);
      const line = isUrgent ? peerQueue.urgent : peerQueue.others;
      if (peerQueue.urgent.length + peerQueue.others.length >= MOST_WAITING) return;
      const answer = begin(peer, value);
      if (answer !== undefined) line.push({ form: kind, answer, spentMs: 0 });
      if (this.#isIdle(peerQueue)) this.left(peer);
      else this.#wakeIn(0);
    });
  }

  /** The bytes that an answer to one peer may have, so that all together have room. */
  get answerBytes(): number {
    return Math.max(LEAST_ANSWER_BYTES, MOST_ANSWER_BYTES / Math.max(1, this.#parts.peers()));
  }

  /** The number of waiting questions of a kind. */
  waiting(peer: Peer, form: MessageForm): number {
    const peerQueue = this.#groups.get(addressGroup(peer.pipe.address.host))?.get(peer);
    return [...(peerQueue?.urgent ?? []), ...(peerQueue?.others ?? [])].filter((one) => one.form === form).length;
  }

  left(peer: Peer): void {
    const group = addressGroup(peer.pipe.address.host);
    const peerQueues = this.#groups.get(group);
    peerQueues?.delete(peer);
    if (peerQueues?.size === 0) this.#groups.delete(group);
  }

  stop(): void {
    this.#cancel?.();
    this.#groups.clear();
  }

  #queueOf(peer: Peer): PeerQueue {
    const group = addressGroup(peer.pipe.address.host);
    const peerQueues = this.#groups.get(group) ?? new Map<Peer, PeerQueue>();
    this.#groups.set(group, peerQueues);
    const peerQueue = peerQueues.get(peer) ?? { peer, group, urgent: [], others: [] };
    peerQueues.set(peer, peerQueue);
    return peerQueue;
  }

  #isIdle({ urgent, others }: PeerQueue): boolean {
    return urgent.length === 0 && others.length === 0;
  }

  #wakeIn(ms: number): void {
    const dueMs = this.#nowMs + ms;
    if (this.#cancel !== undefined && this.#dueMs <= dueMs) return;
    this.#cancel?.();
    this.#dueMs = dueMs;
    this.#cancel = this.#parts.clock.after(ms, () => {
      this.#cancel = undefined;
      this.#turn();
    });
  }

  #turn(): void {
    const endMs = this.#nowMs + TURN_MS;
    while (this.#nowMs < endMs) {
      const lookedMs = this.#nowMs;
      const ready = this.#nextReady();
      const lookMs = this.#nowMs - lookedMs;
      if (typeof ready === 'number') return this.#rest(ready, lookMs);
      this.#serve(ready, Math.min(endMs, this.#nowMs + (this.#groups.size > 1 ? PEER_TURN_MS : TURN_MS)));
      // Afterwards: it was found to have credit for its answer alone.
      this.#chargeLook([ready], lookMs);
    }
    this.#wakeIn(0);
  }

  /** Nobody is ready: all who wait have made us look. */
  #rest(shortestWaitMs: number, lookMs: number): void {
    const waiting: PeerQueue[] = [];
    for (const peerQueues of this.#groups.values()) waiting.push(...peerQueues.values());
    if (waiting.length === 0) return;
    this.#chargeLook(waiting, lookMs);
    this.#wakeIn(Math.max(LEAST_WAIT_MS, shortestWaitMs));
  }

  /** To find whose turn it is takes time, too. */
  #chargeLook(peerQueues: readonly PeerQueue[], ms: number): void {
    const nowMs = this.#nowMs;
    this.#parts.budgets.prices.note('turn', ms, nowMs);
    for (const { peer } of peerQueues) peer.credit.chargeAnswer(ms / peerQueues.length, nowMs);
  }

  /** Finds the queue whose turn it is, urgent questions first; or the milliseconds until a turn may begin. */
  #nextReady(): PeerQueue | number {
    const nowMs = this.#nowMs;
    let other: PeerQueue | undefined;
    let shortestMs = LONGEST_SLEEP_MS;
    for (const peerQueues of this.#groups.values()) {
      for (const peerQueue of peerQueues.values()) {
        if (peerQueue.urgent.length === 0 && other !== undefined) continue;
        const waitMs = this.#waitMs(peerQueue, nowMs);
        shortestMs = Math.min(shortestMs, waitMs);
        if (waitMs > 0) continue;
        if (peerQueue.urgent.length > 0) return peerQueue;
        other = peerQueue;
      }
    }
    return other ?? shortestMs;
  }

  #serve(peerQueue: PeerQueue, endMs: number): void {
    const { peer } = peerQueue;
    // Its next turn is behind those of all others.
    const peerQueues = this.#groups.get(peerQueue.group);
    if (peerQueues === undefined) return;
    peerQueues.delete(peer);
    peerQueues.set(peer, peerQueue);
    this.#groups.delete(peerQueue.group);
    this.#groups.set(peerQueue.group, peerQueues);
    do {
      const line = peerQueue.urgent.length > 0 ? peerQueue.urgent : peerQueue.others;
      const [question] = line;
      if (question === undefined) break;
      if (this.#build(peer, question, endMs)) line.shift();
    } while (
      peer.isLive &&
      this.#nowMs < endMs &&
      !this.#isIdle(peerQueue) &&
      this.#waitMs(peerQueue, this.#nowMs) === 0
    );
    if (!peer.isLive || this.#isIdle(peerQueue)) this.left(peer);
  }

  #build(peer: Peer, question: Question, endMs: number): boolean {
    const { prices } = this.#parts.budgets;
    const isSpare = this.#creditWaitMs(peer, question, this.#nowMs) > 0;
    const [startMs, sentBefore] = [this.#nowMs, peer.channel.queuedInAll];
    const isDone = question.answer.build(endMs);
    const nowMs = this.#nowMs;
    const ms = answerMs(nowMs - startMs, peer.channel.queuedInAll - sentBefore);
    question.spentMs += ms;
    prices.note(question.form.name, ms, nowMs);
    if (isSpare) this.#parts.budgets.spare.give(workCost(ms));
    else peer.credit.chargeAnswer(ms, nowMs);
    if (isDone) prices.learn(question.form, question.spentMs);
    return isDone;
  }

  #waitMs({ peer, urgent, others }: PeerQueue, nowMs: number): number {
    const [question = others[0]] = urgent;
    if (question === undefined) return LONGEST_SLEEP_MS;
    if (peer.channel.queuedBytes > this.answerBytes / 2 || peer.channel.leavesAnswers) return LOOK_AGAIN_MS;
    const ownMs = this.#creditWaitMs(peer, question, nowMs);
    const creditMs =
      ownMs > 0 && this.#waitsAlone(peer, nowMs) ? Math.min(ownMs, this.#parts.budgets.spare.waitMs(nowMs)) : ownMs;
    return Math.max(creditMs, question.answer.waitMs?.(nowMs) ?? 0);
  }

  /** An answer that was begun continues as soon as there is any credit. */
  #creditWaitMs({ credit }: Peer, { form, spentMs }: Question, nowMs: number): number {
    return credit.answeringWaitMs(spentMs > 0 ? 0 : this.#parts.budgets.prices.of(form), nowMs);
  }

  /** Returns whether nobody else has waited for credit lately. */
  #waitsAlone(peer: Peer, nowMs: number): boolean {
    if (this.#waiter !== peer && nowMs - this.#waitedMs < ALONE_MS) this.#contestedMs = nowMs;
    this.#waiter = peer;
    this.#waitedMs = nowMs;
    return nowMs - this.#contestedMs >= ALONE_MS;
  }

  get #nowMs(): number {
    return this.#parts.clock.elapsedMs();
  }
}

/** An answer that is built at once, because it takes no more than a part of a millisecond. */
export function atOnce(send: () => void): Answer {
  return {
    build: () => {
      send();
      return true;
    },
  };
}
