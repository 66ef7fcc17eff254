import type { Clock } from '../base/clock.ts';
import { groupOf } from './addresses.ts';
import type { MessageForm, MessageKind } from './message_kind.ts';
import type { MessageRouter } from './message_router.ts';
import type { Peer } from './peer.ts';
import { answerMs, type WorkBudgets } from './peer_credit.ts';

/** How long answers are built before the thread looks at what has come: nobody notices so little. */
const TURN_MS = 5;
/** What one of several gets of a turn. */
const PEER_TURN_MS = 1;
/** Questions of a peer that wait; an honest one has a dozen open. More are dropped, and nobody is blamed. */
const MOST_WAITING = 64;
/** What answers to all peers may take in memory, and the answer to one at least. */
const MOST_ANSWER_BYTES = 16 * 1024 * 1024;
const LEAST_ANSWER_BYTES = 64 * 1024;
/** Who waits for room or for the pace of a link is looked at again. */
const LOOK_AGAIN_MS = 50;
const LONGEST_SLEEP_MS = 1000;
/** Whoever has waited alone for so long is the only one who wants anything. */
const ALONE_MS = 1000;
/** To look at all who wait takes a little itself. */
const LEAST_WAIT_MS = 5;

/** An answer that is being built. */
export interface Answer {
  /** Builds on until about that time; true when the answer has been sent, which it is at the end of one call. */
  build(endMs: number): boolean;
  /** How long it has to wait for something else than credit. */
  waitMs?(nowMs: number): number;
}

interface Question {
  readonly form: MessageForm;
  readonly answer: Answer;
  spentMs: number;
}

interface Asker {
  readonly peer: Peer;
  readonly group: string;
  /** What new blocks and transactions need, and what goes behind it. */
  readonly urgent: Question[];
  readonly others: Question[];
}

export interface AnswerTurnsParts {
  readonly clock: Clock;
  readonly router: MessageRouter<Peer>;
  readonly budgets: Pick<WorkBudgets, 'prices' | 'spare'>;
  /** How many peers there are. */
  readonly peers: () => number;
}

/**
 * Answers questions of peers outside of the sockets' callbacks: for five milliseconds at most, then the thread takes what has come. Groups of addresses take
 * turns, and in each its peers. Who has no credit, or hasn't taken its last answers, waits; who waits alone has the thread's spare time.
 */
export class AnswerTurns {
  readonly #parts: AnswerTurnsParts;
  /** Who waits, by group; both in the order of their turns. */
  readonly #groups = new Map<string, Map<Peer, Asker>>();
  #cancel: (() => void) | undefined;
  #dueMs = Infinity;
  /** Who waited for credit last, and when two did. */
  #waiter: Peer | undefined;
  #waitedMs = -Infinity;
  #contestedMs = -Infinity;

  constructor(parts: AnswerTurnsParts) {
    this.#parts = parts;
  }

  /** From now on questions of the kind are answered so. Urgent ones are those that new blocks and transactions wait for. */
  on<T>(kind: MessageKind<T>, begin: (peer: Peer, value: T) => Answer | undefined, isUrgent = false): void {
    this.#parts.router.on(kind, (peer, value) => {
      const asker = this.#askerOf(peer);
      const line = isUrgent ? asker.urgent : asker.others;
      if (asker.urgent.length + asker.others.length >= MOST_WAITING) return;
      const answer = begin(peer, value);
      if (answer !== undefined) line.push({ form: kind, answer, spentMs: 0 });
      if (this.#isIdle(asker)) this.left(peer);
      else this.#wakeIn(0);
    });
  }

  /** How many bytes an answer to one peer may have, so that all together have room. */
  get answerBytes(): number {
    return Math.max(LEAST_ANSWER_BYTES, MOST_ANSWER_BYTES / Math.max(1, this.#parts.peers()));
  }

  /** How many questions of a kind wait for their answers. */
  waiting(peer: Peer, form: MessageForm): number {
    const asker = this.#groups.get(groupOf(peer.pipe.address.host))?.get(peer);
    return [...(asker?.urgent ?? []), ...(asker?.others ?? [])].filter((one) => one.form === form).length;
  }

  left(peer: Peer): void {
    const group = groupOf(peer.pipe.address.host);
    const askers = this.#groups.get(group);
    askers?.delete(peer);
    if (askers?.size === 0) this.#groups.delete(group);
  }

  stop(): void {
    this.#cancel?.();
    this.#groups.clear();
  }

  #askerOf(peer: Peer): Asker {
    const group = groupOf(peer.pipe.address.host);
    const askers = this.#groups.get(group) ?? new Map<Peer, Asker>();
    this.#groups.set(group, askers);
    const asker = askers.get(peer) ?? { peer, group, urgent: [], others: [] };
    askers.set(peer, asker);
    return asker;
  }

  #isIdle({ urgent, others }: Asker): boolean {
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
    let ready = this.#nextReady();
    while (ready !== undefined && this.#nowMs < endMs) {
      this.#serve(ready, Math.min(endMs, this.#nowMs + (this.#groups.size > 1 ? PEER_TURN_MS : TURN_MS)));
      ready = this.#nextReady();
    }
    if (ready !== undefined) return this.#wakeIn(0);
    if (this.#groups.size > 0) this.#wakeIn(Math.min(this.#shortestWaitMs(), LONGEST_SLEEP_MS));
  }

  /** Whose turn it is: of who has something urgent first. */
  #nextReady(): Asker | undefined {
    const nowMs = this.#nowMs;
    let other: Asker | undefined;
    for (const askers of this.#groups.values()) {
      for (const asker of askers.values()) {
        if (asker.urgent.length === 0 && other !== undefined) continue;
        if (this.#waitMs(asker, nowMs) > 0) continue;
        if (asker.urgent.length > 0) return asker;
        other = asker;
      }
    }
    return other;
  }

  #serve(asker: Asker, endMs: number): void {
    const { peer } = asker;
    // Its next turn is behind those of all others.
    const askers = this.#groups.get(asker.group);
    if (askers === undefined) return;
    askers.delete(peer);
    askers.set(peer, asker);
    this.#groups.delete(asker.group);
    this.#groups.set(asker.group, askers);
    do {
      const line = asker.urgent.length > 0 ? asker.urgent : asker.others;
      const [question] = line;
      if (question === undefined) break;
      if (this.#build(peer, question, endMs)) line.shift();
    } while (peer.isLive && this.#nowMs < endMs && !this.#isIdle(asker) && this.#waitMs(asker, this.#nowMs) === 0);
    if (!peer.isLive || this.#isIdle(asker)) this.left(peer);
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
    if (!isSpare) peer.credit.chargeAnswer(ms, nowMs);
    if (isDone) prices.learn(question.form, question.spentMs);
    return isDone;
  }

  #waitMs({ peer, urgent, others }: Asker, nowMs: number): number {
    const [question = others[0]] = urgent;
    if (question === undefined) return LONGEST_SLEEP_MS;
    if (peer.channel.queuedBytes > this.answerBytes / 2 || peer.channel.leavesAnswers) return LOOK_AGAIN_MS;
    const ownMs = this.#creditWaitMs(peer, question, nowMs);
    const creditMs = ownMs > 0 && this.#waitsAlone(peer, nowMs) ? Math.min(ownMs, this.#parts.budgets.spare.waitMs(nowMs)) : ownMs;
    return Math.max(creditMs, question.answer.waitMs?.(nowMs) ?? 0);
  }

  /** What is begun goes on as soon as there is any credit. */
  #creditWaitMs({ credit }: Peer, { form, spentMs }: Question, nowMs: number): number {
    return credit.answeringWaitMs(spentMs > 0 ? 0 : this.#parts.budgets.prices.of(form), nowMs);
  }

  /** Whether nobody else has waited for credit lately. */
  #waitsAlone(peer: Peer, nowMs: number): boolean {
    if (this.#waiter !== peer && nowMs - this.#waitedMs < ALONE_MS) this.#contestedMs = nowMs;
    this.#waiter = peer;
    this.#waitedMs = nowMs;
    return nowMs - this.#contestedMs >= ALONE_MS;
  }

  #shortestWaitMs(): number {
    const nowMs = this.#nowMs;
    let shortest = LONGEST_SLEEP_MS;
    for (const askers of this.#groups.values())
      for (const asker of askers.values()) shortest = Math.min(shortest, this.#waitMs(asker, nowMs));
    return Math.max(LEAST_WAIT_MS, shortest);
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
