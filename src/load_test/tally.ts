import { findRecovery, type Recovery } from '../base/recovery.ts';
import type { Outcome } from '../client/answer.ts';
import { member } from '../client/chain_of_node.ts';
import type { LatencyHistogram } from './latency_histogram.ts';
import type { WaitFor } from '../rpc/wait_for.ts';
import type { Form } from './mix.ts';
import type { Moments } from './pace.ts';
import type { Moment } from './timeline.ts';
import { postId, type TrafficPost } from './traffic_post.ts';

/** Reasons that are counted one by one; a node whose every text is another one must not fill the memory. */
const MOST_REASONS = 200;
const LONGEST_REASON = 120;
const OTHER = 'other reasons';
/** Numbers, ids and signatures: the same reason with others in it is the same reason. Names of accounts stay. */
const VARYING = /\b(?:[0-9a-f]{16,}|\d+(?:\.\d+)?)\b/g;
/** The result of a synchronous broadcast that expired. */
const EXPIRED = { code: 'expired', message: 'the transaction expired before it got into a block' };

/** The load tester's own names for what kept a node from answering. */
const UNANSWERED: ReadonlySet<string> = new Set(['connection', 'timeout', 'http', 'no_answer']);
const RECOVERIES = ['wait', 'next_node', 'final'] as const satisfies readonly Recovery[];

/**
 * Counts of refusals that time cures, that another node may not have, and that only another call avoids: by the table
 * of all errors.
 */
export type RecoveryCounts = Readonly<Record<Recovery, number>>;

function recoveryOfCode(code: string): Recovery {
  return UNANSWERED.has(code) ? 'next_node' : findRecovery(code);
}

/** Reasons, which begin with a code, and how often each was given: those that time cures first, those for good last. */
export function inOrderOfRecovery(reasons: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const place = ([reason]: readonly [string, number]): number =>
    RECOVERIES.indexOf(recoveryOfCode(reason.split(':', 1)[0] ?? ''));
  return new Map([...reasons].toSorted((a, b) => place(a) - place(b)));
}

/** A node's answer to a post. */
export interface NodeAnswer {
  /** Its place among those that are loaded. */
  readonly node: number;
  readonly outcomes: readonly Outcome[];
}

/** Counts of one form's calls. */
export interface FormTally {
  readonly name: string;
  calls: number;
  refused: number;
  readonly latency: LatencyHistogram;
}

/** Returns the stage that a form's call waits for; a read is answered at once, as an accepted one. */
export function formWait(form: Pick<Form, 'asks'> | undefined): WaitFor {
  return form !== undefined && 'operation' in form.asks ? form.asks.waitFor : 'accepted';
}

/** Counts of everything that was sent. */
export class Tally {
  /** From the moment that a call was due to its answer, by what it waited for. */
  readonly latencies: Readonly<Record<WaitFor, LatencyHistogram>>;
  /** From the moment that it was sent: what a closed loop would have told. */
  readonly service: LatencyHistogram;
  readonly forms: readonly FormTally[];
  readonly #refused = new Map<string, number>();
  readonly #recoveries = { wait: 0, next_node: 0, final: 0 };
  readonly #second: LatencyHistogram;
  readonly #waits: readonly WaitFor[];
  /** Called for each transaction that a node has acknowledged. */
  readonly #acknowledged: (id: string, post: TrafficPost, node: number, dueMs: number) => void;
  sentCalls = 0;
  sentPosts = 0;
  answeredCalls = 0;
  refusedCalls = 0;
  unsentCalls = 0;

  constructor(
    makeHistogram: () => LatencyHistogram,
    forms: readonly Pick<Form, 'name' | 'asks'>[],
    acknowledged: (id: string, post: TrafficPost, node: number, dueMs: number) => void,
  ) {
    this.latencies = { accepted: makeHistogram(), block: makeHistogram(), final: makeHistogram() };
    this.service = makeHistogram();
    this.#second = makeHistogram();
    this.#waits = forms.map(formWait);
    this.forms = forms.map(({ name }) => ({ name, calls: 0, refused: 0, latency: makeHistogram() }));
    this.#acknowledged = acknowledged;
  }

  sent(post: TrafficPost): void {
    this.sentPosts++;
    this.sentCalls += post.count;
  }

  /** `node` is the place of the one that answered. */
  answered(post: TrafficPost, { dueMs, sentMs, answeredMs }: Moments, { node, outcomes }: NodeAnswer): void {
    this.#record(post, answeredMs - dueMs);
    this.service.record(answeredMs - sentMs, post.count);
    this.answeredCalls += post.count;
    outcomes.forEach((outcome, index) => this.#note(post, index, outcome, { node, dueMs }));
  }

  /** It was due and found no free connection: its latency is at least this. */
  unsent(post: TrafficPost, latencyMs: number): void {
    this.unsentCalls += post.count;
    this.#record(post, latencyMs);
  }

  /** Counts of each refusal's reason, in the order of recovery. */
  get refused(): ReadonlyMap<string, number> {
    return inOrderOfRecovery(this.#refused);
  }

  get recoveries(): RecoveryCounts {
    return this.#recoveries;
  }

  /** Percentiles of what was answered since the last time. */
  takeSecond(): Pick<Moment, 'p50Ms' | 'p99Ms' | 'p999Ms'> {
    const at = (share: number): number | undefined =>
      this.#second.count === 0 ? undefined : this.#second.percentile(share);
    const taken = { p50Ms: at(0.5), p99Ms: at(0.99), p999Ms: at(0.999) };
    this.#second.clear();
    return taken;
  }

  #record(post: TrafficPost, latencyMs: number): void {
    this.latencies[this.#waits[post.form] ?? 'accepted'].record(latencyMs, post.count);
    this.#second.record(latencyMs, post.count);
    const form = this.forms[post.form];
    if (form === undefined) return;
    form.calls += post.count;
    form.latency.record(latencyMs, post.count);
  }

  #note(
    post: TrafficPost,
    index: number,
    outcome: Outcome,
    { node, dueMs }: { readonly node: number; readonly dueMs: number },
  ): void {
    if ('result' in outcome && member(outcome.result, 'expired') !== true) {
      if (post.ids.length > 0) this.#acknowledged(postId(post, index), post, node, dueMs);
      return;
    }
    const { code, message } = 'refusal' in outcome ? outcome.refusal : EXPIRED;
    this.refusedCalls++;
    this.#recoveries[recoveryOfCode(code)]++;
    const form = this.forms[post.form];
    if (form !== undefined) form.refused++;
    this.#count(`${code}: ${message.replaceAll(VARYING, 'N').slice(0, LONGEST_REASON)}`);
  }

  #count(reason: string): void {
    const counted = this.#refused.has(reason) || this.#refused.size < MOST_REASONS ? reason : OTHER;
    this.#refused.set(counted, (this.#refused.get(counted) ?? 0) + 1);
  }
}
