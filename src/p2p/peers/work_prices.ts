import type { MessageForm } from '../../wire/message_kind.ts';
import type { NetworkCounts } from './network_counts.ts';
import type { SpareTime } from './spare_time.ts';

/**
 * The weight of a new measurement in a price: a pause of the machine moves it little, and twenty messages are enough to
 * learn it.
 */
const LEARNED = 0.1;
/**
 * The factor from measured time to all time, with work that can't be measured: garbage that other threads of V8
 * collect, timers, the event loop. Beside other work 24 strangers took 1.3 times the measured time. On an idle machine
 * it was up to 1.6 times, because V8's helpers wake for little.
 */
const WITH_UNMEASURED = 1.6;
/** The thread, with V8's helpers and the kernel's part of waking it, of which its event loop does not know. */
const WITH_HELPERS = 1.2;
/** Below that share of the thread links have nothing that prices could be learned of. */
const LEAST_LINK_SHARE = 0.005;
/**
 * The most by which other work of the thread makes links dearer. A ping that came alone took 75 µs on an idle machine,
 * a stop 200.
 */
const MOST_LINK_FACTOR = 2;
const LINK_LEARNED = 0.3;

/** Returns the cost of measured work, with what can't be measured. */
export function workCost(ms: number): number {
  return ms * WITH_UNMEASURED;
}

/** Learns the price of each kind of message from its measurements, and sums the time of all work. */
export class WorkPrices {
  readonly #prices = new Map<MessageForm, number>();
  readonly #spent: NetworkCounts['work'];
  readonly #spare: SpareTime;
  #workedMs = -Infinity;
  /** The present price of link work as a multiple of its usual one. */
  #linkFactor = 1;
  /** Since the thread's time was last looked at: what was measured, and links at their usual prices. */
  #measuredMs = 0;
  #usualLinkMs = 0;
  #looked: { readonly workedMs: number; readonly nowMs: number } | undefined;

  /** All work is added to `spent`, by kind, and taken off the spare time. */
  constructor(spent: NetworkCounts['work'], spare: SpareTime) {
    this.#spent = spent;
    this.#spare = spare;
  }

  /** The time at which the thread worked last. */
  get workedMs(): number {
    return this.#workedMs;
  }

  /** The expected milliseconds for the next message of the kind. */
  of(form: MessageForm): number {
    return this.#prices.get(form) ?? form.price.firstMs;
  }

  /** One took so long. */
  learn(form: MessageForm, ms: number): void {
    const before = this.of(form);
    this.#prices.set(form, before + (ms - before) * LEARNED);
  }

  /** The thread has worked so long, on a kind of message or on something else that has a name. */
  note(what: string, ms: number, nowMs: number): void {
    this.#measuredMs += ms;
    this.#add(what, ms, nowMs);
  }

  /** Returns the present cost of link work with that usual price. */
  linkMs(usualMs: number): number {
    return usualMs * this.#linkFactor;
  }

  /** A link has made the thread work where nobody can measure it, at a usual price; what it costs at present. */
  noteLink(what: 'link' | 'handshake' | 'dropped', usualMs: number, nowMs: number): number {
    const ms = this.linkMs(usualMs);
    this.#usualLinkMs += usualMs;
    this.#add(what, ms, nowMs);
    return ms;
  }

  /**
   * The thread has worked so long since it began. What nobody has measured of that is what links cost: sockets, TLS,
   * timers and streams cost twice as much where the thread is woken for little as where much comes at once.
   */
  look(workedMs: number, nowMs: number): void {
    const before = this.#looked ?? { workedMs, nowMs };
    const unmeasuredMs = (workedMs - before.workedMs) * WITH_HELPERS - workCost(this.#measuredMs);
    const isEnough = this.#usualLinkMs > (nowMs - before.nowMs) * LEAST_LINK_SHARE;
    const factor = isEnough ? Math.min(Math.max(unmeasuredMs / this.#usualLinkMs, 1), MOST_LINK_FACTOR) : 1;
    this.#linkFactor += (factor - this.#linkFactor) * LINK_LEARNED;
    this.#looked = { workedMs, nowMs };
    this.#measuredMs = 0;
    this.#usualLinkMs = 0;
  }

  #add(what: string, ms: number, nowMs: number): void {
    this.#spent[what] = (this.#spent[what] ?? 0) + ms;
    this.#workedMs = nowMs;
    this.#spare.worked(ms, nowMs);
  }
}
