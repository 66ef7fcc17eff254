import type { Log } from '../../base/log.ts';
import type { SyncState } from '../../p2p/sync/standing.ts';
import type { NetworkState } from './network_messages.ts';
import { groupSentence, networkProblems, networkWarnings } from './network_problems.ts';

const LINE_EACH_MS = 10_000;
const TELL_EACH_MS = 60_000;
const TELL_BEHIND = 10; // fewer blocks are caught up with in a moment
/** A node that starts has one peer before it has several. */
const ONE_GROUP_FOR_MS = 60_000;

type Told = Pick<
  NetworkState,
  'sync' | 'behindBy' | 'contest' | 'contestedByInbound' | 'unproved' | 'voices' | 'inbound' | 'outbound'
>;

/** Tells the operator when the node falls behind, how far it is, and when it has caught up. */
export class SyncProgress {
  readonly #log: Log;
  #told: SyncState = 'alone';
  #saidAtMs = 0;
  #saidAt = 0;
  #toldMs = -Infinity;
  /** Since when all peers may be in one hand, and whether that was said. */
  #oneGroupSinceMs: number | undefined;
  #isOneGroupSaid = false;

  constructor(log: Log) {
    this.#log = log;
  }

  take(told: Told, head: number, nowMs: number): void {
    const { sync: state, behindBy } = told;
    this.#tellSeldom(told, nowMs);
    this.#tellGroup(groupSentence(told), nowMs);
    if (state === 'behind') return this.#behind(head, behindBy, nowMs);
    const before = this.#told;
    this.#told = state;
    if (state === before) return;
    if (state === 'alone') this.#log.notice('no peers', 'no_peers', {});
    if (state === 'live') {
      if (before === 'behind') this.#log.notice(`caught up at block ${head}`, 'caught_up', { block: head });
      else this.#log.notice(`in step with peers at block ${head}`, 'in_step', { block: head });
    }
  }

  /** Tells the operator problems that are easily missed, again each minute while they last. */
  #tellSeldom(told: Told, nowMs: number): void {
    // The group of its peers is said once: a node with one seed needs no line each minute.
    const sentences = [...networkProblems(told), ...networkWarnings({ ...told, voices: 2 }, undefined)];
    if (sentences.length === 0) return void (this.#toldMs = -Infinity);
    if (nowMs - this.#toldMs < TELL_EACH_MS) return;
    this.#toldMs = nowMs;
    for (const sentence of sentences) this.#log.warning(sentence, 'standing_doubted', {});
  }

  /** Once, when it lasts. */
  #tellGroup(sentence: string | undefined, nowMs: number): void {
    if (sentence === undefined) {
      this.#oneGroupSinceMs = undefined;
      this.#isOneGroupSaid = false;
      return;
    }
    this.#oneGroupSinceMs ??= nowMs;
    if (this.#isOneGroupSaid || nowMs - this.#oneGroupSinceMs < ONE_GROUP_FOR_MS) return;
    this.#isOneGroupSaid = true;
    this.#log.notice(sentence, 'peers_in_one_group', {});
  }

  #behind(head: number, behindBy: number, nowMs: number): void {
    if (this.#told !== 'behind') {
      if (behindBy < TELL_BEHIND) return;
      this.#told = 'behind';
      this.#log.notice(`behind by ${behindBy} blocks at block ${head}`, 'fell_behind', {
        block: head,
        behind: behindBy,
      });
    } else {
      const ms = nowMs - this.#saidAtMs;
      if (ms < LINE_EACH_MS) return;
      // The head falls where a certified branch is shorter.
      const rate = (Math.max(0, head - this.#saidAt) * 1000) / ms;
      const left = rate > 0 ? `, ${Math.ceil(behindBy / rate)} s left` : '';
      const [target, perSecond] = [head + behindBy, Math.round(rate)];
      this.#log.notice(`block ${head} of ${target}, ${perSecond} blocks/s${left}`, 'sync_progressed', {
        block: head,
        target,
        blocks_per_second: perSecond,
      });
    }
    this.#saidAtMs = nowMs;
    this.#saidAt = head;
  }
}
