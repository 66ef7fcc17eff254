import type { Log } from '../../base/log.ts';
import type { SyncState } from '../../p2p/standing.ts';
import type { NetworkState } from './network_messages.ts';
import { networkProblems, networkWarnings } from './network_problems.ts';

const LINE_EACH_MS = 10_000;
const TELL_EACH_MS = 60_000;
const TELL_BEHIND = 10; // fewer blocks are caught up with in a moment

type Told = Pick<NetworkState, 'sync' | 'behindBy' | 'contest' | 'unproved' | 'voices' | 'inbound' | 'outbound'>;

/** Tells the operator when the node falls behind, how far it is, and when it has caught up. */
export class SyncProgress {
  readonly #log: Log;
  #told: SyncState = 'alone';
  #saidAtMs = 0;
  #saidAt = 0;
  #toldMs = -Infinity;

  constructor(log: Log) {
    this.#log = log;
  }

  take(told: Told, head: number, nowMs: number): void {
    const { sync: state, behindBy } = told;
    this.#tellSeldom(told, nowMs);
    if (state === 'behind') return this.#behind(head, behindBy, nowMs);
    const before = this.#told;
    this.#told = state;
    if (state === before) return;
    if (state === 'alone') this.#log.notice('no peers');
    if (state === 'live') this.#log.notice(before === 'behind' ? `caught up at block ${head}` : `in step with peers at block ${head}`);
  }

  /** What an operator has to know and may not see coming: again each minute while it lasts. */
  #tellSeldom(told: Told, nowMs: number): void {
    // Of whose group its peers are /health says; a node with one seed needs no line each minute.
    const sentences = [...networkProblems(told), ...networkWarnings({ ...told, voices: 2 }, undefined)];
    if (sentences.length === 0) return void (this.#toldMs = -Infinity);
    if (nowMs - this.#toldMs < TELL_EACH_MS) return;
    this.#toldMs = nowMs;
    for (const sentence of sentences) this.#log.warning(sentence);
  }

  #behind(head: number, behindBy: number, nowMs: number): void {
    if (this.#told !== 'behind') {
      if (behindBy < TELL_BEHIND) return;
      this.#told = 'behind';
      this.#log.notice(`behind by ${behindBy} blocks at block ${head}`);
    } else {
      const ms = nowMs - this.#saidAtMs;
      if (ms < LINE_EACH_MS) return;
      const rate = ((head - this.#saidAt) * 1000) / ms;
      const left = rate > 0 ? `, ${Math.ceil(behindBy / rate)} s left` : '';
      this.#log.notice(`block ${head} of ${head + behindBy}, ${Math.round(rate)} blocks/s${left}`);
    }
    this.#saidAtMs = nowMs;
    this.#saidAt = head;
  }
}
