import type { Audit } from './audit.ts';
import type { WatchedHead } from './block_reader.ts';
import type { Ramp, Step } from './ramp.ts';
import type { Moment } from './timeline.ts';
import type { Spread, TrafficReport } from './traffic_report.ts';
import { auditVerdict } from './verdict.ts';

/** A moment of a run in one line of so many columns: what does not fit is left out, the least needed first. */
export function momentText(moment: Moment, head: WatchedHead, columns: number): string {
  const { second, answered, refused, p50Ms, p99Ms, backlog, ownCpu, nodeCpu } = moment;
  const parts = [
    `${second.toFixed(0)} s`,
    `${answered} calls/s`,
    p50Ms === undefined || p99Ms === undefined ? 'no answer' : `p50 ${shown(p50Ms)} ms, p99 ${shown(p99Ms)} ms`,
    `${refused} refused`,
    `block ${head.number}`,
    `${backlog} wait for one`,
    `CPU ${percent(ownCpu)} own${nodeCpu === undefined ? '' : `, ${percent(nodeCpu)} node`}`,
  ];
  let fitting = parts.shift() ?? '';
  for (const part of parts) {
    const longer = `${fitting} · ${part}`;
    if (longer.length >= columns) break;
    fitting = longer;
  }
  return fitting;
}

/** The report as text, a fact a line. */
export function trafficText(report: TrafficReport): string {
  return `\n${[...sentLines(report), ...latencyLines(report), ...formLines(report), ...hostileLines(report), ...chainLines(report), ...machineLines(report)].join('\n')}\n`;
}

/** A rate that a ramp has tried, in one line. */
export function stepText({ perSecond, p99Ms, refusedCalls, isOwnLimit, holds }: Step): string {
  const own = isOwnLimit ? '; the load tester was at its own limit' : '';
  return `${line('step', `${perSecond} a second ${holds ? 'hold' : 'are too many'}: p99 ${shown(p99Ms)} ms, ${refusedCalls} refused${own}`)}\n`;
}

/** Describes the result of a ramp in one line. */
export function rampText({ highest, steps, interrupted }: Ramp): string {
  const how = interrupted ? ', as far as it came before it was interrupted' : '';
  if (highest === undefined)
    return `${line('highest', interrupted ? 'interrupted before a rate held' : 'not even the lowest rate holds')}\n`;
  const isOwn = steps.some(({ perSecond, isOwnLimit }) => isOwnLimit && perSecond >= highest);
  const own = isOwn ? ', and what lies above was this program’s limit, not only the node’s' : '';
  const all = steps.every(({ holds }) => holds) && !interrupted ? ', and no higher one was asked for' : '';
  return `${line('highest', `${highest} a second${all}${own}${how}`)}\n`;
}

function sentLines({
  settings,
  sent,
  seconds,
  interrupted,
  answered,
  answeredPerSecond,
  refused,
  refusedCalls,
  recoveries,
  leftOut,
}: TrafficReport): string[] {
  const { mix, perSecond, lanes, overSocket, accounts } = settings;
  const pace = perSecond === null ? 'as fast as they are answered' : `${perSecond} a second`;
  const way = `${lanes} ${overSocket ? 'WebSockets' : 'connections'} at most, ${accounts} accounts`;
  return [
    line('load', `mix ${mix}, ${pace}, ${way}`),
    ...(leftOut.length === 0 ? [] : [line('left out', `${leftOut.join(', ')}: no account can send these`)]),
    line(
      'sent',
      `${sent.calls} calls in ${sent.posts} posts in ${seconds.toFixed(1)} s${interrupted ? ', when it was interrupted' : ''}`,
    ),
    ...(sent.unsent === 0 ? [] : [line('not sent', `${sent.unsent} calls were due and found no free connection`)]),
    line(
      'answered',
      `${answered}, of which ${answered - refusedCalls} were not refused: ${answeredPerSecond.toFixed(1)} a second`,
    ),
    ...(refusedCalls === 0 ? [] : [line('recovery', recoveryText(recoveries))]),
    ...Object.entries(refused).map(([reason, times]) => line('refused', `${times} × ${reason}`)),
  ];
}

function recoveryText({ wait, next_node: nextNode, final }: TrafficReport['recoveries']): string {
  return `of the refused calls ${wait} may succeed later, ${nextNode} at another node, ${final} only when they are changed`;
}

function latencyLines({ latencies, settings }: TrafficReport): string[] {
  const { acceptance, untilBlock, untilFinal, service, inclusion, irreversibility } = latencies;
  const from = settings.perSecond === null ? 'from sending' : 'from when it was due';
  return [
    ...(acceptance.count === 0 ? [] : [line('acceptance', `${spreadText(acceptance)}, ${from} to the answer`)]),
    ...(untilBlock.count === 0 ? [] : [line('until block', `${spreadText(untilBlock)}, ${from} to the answer`)]),
    ...(untilFinal.count === 0 ? [] : [line('until final', `${spreadText(untilFinal)}, ${from} to the answer`)]),
    ...(settings.perSecond === null ? [] : [line('service', `${spreadText(service)}, from sending`)]),
    ...(inclusion.count === 0 ? [] : [line('inclusion', `${spreadText(inclusion)}, in a block`)]),
    ...(irreversibility.count === 0 ? [] : [line('irreversible', spreadText(irreversibility))]),
  ];
}

function formLines({ forms }: TrafficReport): string[] {
  if (forms.length < 2) return [];
  return forms.map(({ name, calls, refused, latency }) =>
    line('form', `${name}: ${calls} calls, ${refused} refused, ${spreadText(latency)}`),
  );
}

function hostileLines({ hostile }: TrafficReport): string[] {
  if (hostile === null) return [];
  const kinds = Object.entries(hostile.kinds).map(
    ([kind, { sent, taken }]) => `${sent} × ${kind}${taken > 0 ? ` (${taken} TAKEN)` : ''}`,
  );
  return [line('strangers', `${kinds.join(', ')}; ${spreadText(hostile.latency)}`)];
}

function chainLines({ blocks, included, audit }: TrafficReport): string[] {
  const {
    first,
    last,
    transactions,
    mostTransactions,
    undone,
    missedSlots,
    silences,
    intervals,
    averageBytes,
    maximumBytes,
  } = blocks;
  if (last < first) return [line('blocks', 'none')];
  const each = transactions / (last - first + 1);
  const held =
    audit.unknown > 0
      ? 'what they held is unknown'
      : `${each.toFixed(1)} transactions each, ${mostTransactions} at most`;
  const fill = `the average one ${averageBytes} of ${maximumBytes} bytes (${percent(averageBytes / Math.max(maximumBytes, 1))})`;
  return [
    line('blocks', `${first} to ${last}, ${undone} undone, ${missedSlots} slots missed; ${held}; ${fill}`),
    ...(intervals.count === 0 ? [] : [line('between', `${spreadText(intervals)}, from block to block`)]),
    ...(audit.unknown > 0 ? [] : [line('in blocks', String(included))]),
    ...(silences === 0 ? [] : [line('silent', `the node could not be asked ${silences} times`)]),
    ...(audit.acknowledged === 0 ? [] : auditLines(audit)),
  ];
}

function auditLines(found: Audit): string[] {
  const {
    acknowledged,
    irreversible,
    reversible,
    stillValid,
    forgotten,
    twice,
    revoked,
    expired,
    lost,
    unknown,
    examples,
  } = found;
  if (unknown > 0) return [line('acknowledged', String(acknowledged)), line('verdict', auditVerdict(found))];
  const there = `${irreversible} in irreversible blocks, ${reversible} in others, ${stillValid} still valid`;
  return [
    line(
      'acknowledged',
      `${acknowledged}: ${there}, ${forgotten} forgotten, ${expired} expired, ${twice} twice, ${revoked} revoked, ${lost} lost`,
    ),
    line('verdict', auditVerdict(found)),
    ...examples.map((id) => line('look at', id)),
  ];
}

function machineLines(report: TrafficReport): string[] {
  const { self } = report;
  const { cpuSeconds, aheadCpuSeconds, perCpuSecond, shareOfMachine, postingBusy, mostBytes, limits } = self;
  const own = [
    `${cpuSeconds.toFixed(2)} CPU-seconds, ${percent(shareOfMachine)} of the machine`,
    `${percent(postingBusy)} of the posting thread, ${megabytes(mostBytes)} at most`,
    `with ${aheadCpuSeconds.toFixed(2)} before the clock ${Math.round(perCpuSecond)} calls a CPU-second`,
  ];
  return [
    ...nodeLines(report),
    ...toldLines(report),
    line('load tester', own.join('; ')),
    ...limits.map((limit) => line('LIMIT', limit)),
  ];
}

/** Describes the node by this machine's figures, or else by its own. */
function nodeLines({ node, told: { metrics }, included, answered }: TrafficReport): string[] {
  const work = included === 0 ? answered : included;
  const each = (cpuSeconds: number): string => `${Math.round(work / Math.max(cpuSeconds, 0.01))} a CPU-second`;
  if (node !== null) {
    const { cpuSeconds, pid, bytes, mostBytes, threadCpuSeconds } = node;
    const micros = threadCpuSeconds.slice(0, 4).map((used) => ((used * 1e6) / Math.max(work, 1)).toFixed(1));
    return [
      line(
        'node',
        `${cpuSeconds.toFixed(2)} CPU-seconds of process ${pid}, all threads: ${each(cpuSeconds)}; ${memoryText(bytes, mostBytes)}`,
      ),
      line('threads', `${micros.join(', ')} µs each, the main one first`),
    ];
  }
  if (metrics === null)
    return [line('node', 'CPU and memory unknown: it is not on this machine (else give --pid), and shows no metrics')];
  const { cpuSeconds, bytes, mostBytes } = metrics;
  return [
    line(
      'node',
      `${cpuSeconds.toFixed(2)} CPU-seconds, as it says: ${each(cpuSeconds)}; ${memoryText(bytes, mostBytes)}`,
    ),
  ];
}

/** Pages of the node itself. */
function toldLines({ told: { metricsUrl, metrics, problem, health } }: TrafficReport): string[] {
  const state =
    health === null
      ? 'it has no /health'
      : `${health.status}, head ${shown(health.headAgeSeconds)} s old, clock ${shown(health.clockOffsetSeconds)} s off`;
  if (metrics === null)
    return [
      line('health', state),
      line('metrics', `not readable at ${metricsUrl} (${problem}); --metrics says where they are`),
    ];
  const { most, restarts, blockLateMs } = metrics;
  const levels = Object.entries(most).map(([name, value]) => `${Math.round(value)} ${name}`);
  return [
    line('health', restarts === 0 ? state : `${state}, started again ${restarts} ${restarts === 1 ? 'time' : 'times'}`),
    line('at most', levels.join(', ')),
    ...(blockLateMs.p99 > 0
      ? [line('block', `on the disk p50 ${atMost(blockLateMs.p50)} after its slot, p99 ${atMost(blockLateMs.p99)}`)]
      : []),
  ];
}

/** The classes of a node's histogram end somewhere. */
function atMost(edgeMs: number): string {
  return Number.isFinite(edgeMs) ? `≤ ${shown(edgeMs)} ms` : 'later than it counts';
}

function memoryText(bytes: number, mostBytes: number): string {
  const now = bytes === 0 ? 'no process left' : `${megabytes(bytes)} of memory`;
  return `${now}, ${megabytes(mostBytes)} at most`;
}

function spreadText({ p50, p90, p99, p999, max }: Spread): string {
  return `p50 ${shown(p50)} ms, p90 ${shown(p90)} ms, p99 ${shown(p99)} ms, p99.9 ${shown(p999)} ms, max ${shown(max)} ms`;
}

/** Three digits say enough. */
function shown(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MiB`;
}

const LABEL = 13;

function line(label: string, text: string): string {
  return `${label.padEnd(LABEL)}${text}`;
}
