import type { Log } from '../../base/log.ts';
import type { SyncState } from '../../p2p/sync.ts';

const LINE_EACH_MS = 10_000;
const TELL_BEHIND = 10; // fewer blocks are caught up with in a moment

/** Tells the operator when the node falls behind, how far it is, and when it has caught up. */
export class SyncProgress {
  readonly #log: Log;
  #told: SyncState = 'alone';
  #saidAtMs = 0;
  #saidAt = 0;

  constructor(log: Log) {
    this.#log = log;
  }

  take(state: SyncState, head: number, behindBy: number, nowMs: number): void {
    if (state === 'behind') return this.#behind(head, behindBy, nowMs);
    const before = this.#told;
    this.#told = state;
    if (state === before) return;
    if (state === 'contested') this.#log.error('peers have another irreversible block: give a checkpoint, or a seed with its id');
    if (state === 'alone') this.#log.notice('no peers');
    if (state === 'live') this.#log.notice(before === 'behind' ? `caught up at block ${head}` : `in step with peers at block ${head}`);
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
