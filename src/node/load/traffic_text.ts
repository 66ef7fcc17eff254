import type { WatchedHead } from './block_watch.ts';
import type { Ramp, Step } from './ramp.ts';
import type { Moment } from './timeline.ts';
import type { Spread, TrafficReport } from './traffic_report.ts';

/** A moment of a run in one line. */
export function momentText(moment: Moment, head: WatchedHead): string {
  const { second, answered, refused, halfMs, mostMs, backlog, ownCpu, nodeCpu } = moment;
  const parts = [
    `${second.toFixed(0)} s`,
    `${answered} calls/s`,
    `${shown(halfMs)} ms half, ${shown(mostMs)} ms 99 %`,
    `${refused} refused`,
    `block ${head.number}`,
    `${backlog} wait for one`,
    `CPU ${percent(ownCpu)} own${nodeCpu === undefined ? '' : `, ${percent(nodeCpu)} node`}`,
  ];
  return parts.join(' · ');
}

/** The report as text, a fact a line. */
export function trafficText(report: TrafficReport): string {
  return `\n${[...sentLines(report), ...latencyLines(report), ...formLines(report), ...hostileLines(report), ...chainLines(report), ...machineLines(report)].join('\n')}\n`;
}

/** A rate that a ramp has tried, in one line. */
export function stepText({ perSecond, p99Ms, refusedCalls, isOwnLimit, holds }: Step): string {
  const own = isOwnLimit ? '; the load tester was at its own limit' : '';
  return `${line('step', `${perSecond} a second ${holds ? 'hold' : 'are too many'}: ${shown(p99Ms)} ms 99 %, ${refusedCalls} refused${own}`)}\n`;
}

/** How a ramp ended, in one line. */
export function rampText({ highest, steps }: Ramp): string {
  if (highest === undefined) return `${line('highest', 'not even the lowest rate holds')}\n`;
  const isOwn = steps.some(({ perSecond, isOwnLimit }) => isOwnLimit && perSecond >= highest);
  return `${line('highest', `${highest} a second${isOwn ? ', and what lies above was this program’s limit, not only the node’s' : ''}`)}\n`;
}

function sentLines({ settings, sent, seconds, answered, answeredPerSecond, refused, refusedCalls, leftOut }: TrafficReport): string[] {
  const { mix, perSecond, lanes, overSocket, accounts } = settings;
  const pace = perSecond === null ? 'as fast as they are answered' : `${perSecond} a second`;
  const way = `${lanes} ${overSocket ? 'WebSockets' : 'connections'} at most, ${accounts} accounts`;
  return [
    line('load', `mix ${mix}, ${pace}, ${way}`),
    ...(leftOut.length === 0 ? [] : [line('left out', `${leftOut.join(', ')}: no account can send these`)]),
    line('sent', `${sent.calls} calls in ${sent.posts} posts in ${seconds.toFixed(1)} s`),
    ...(sent.unsent === 0 ? [] : [line('not sent', `${sent.unsent} calls were due and found no free connection`)]),
    line('answered', `${answered}, of which ${answered - refusedCalls} were not refused: ${answeredPerSecond.toFixed(1)} a second`),
    ...Object.entries(refused).map(([reason, times]) => line('refused', `${times} × ${reason}`)),
  ];
}

function latencyLines({ latencies, settings }: TrafficReport): string[] {
  const { acceptance, service, inclusion, irreversibility } = latencies;
  return [
    line('acceptance', `${spreadText(acceptance)}, ${settings.perSecond === null ? 'from sending' : 'from when it was due'} to the answer`),
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
  const kinds = Object.entries(hostile.kinds).map(([kind, { sent, taken }]) => `${sent} × ${kind}${taken > 0 ? ` (${taken} TAKEN)` : ''}`);
  return [line('strangers', `${kinds.join(', ')}; ${spreadText(hostile.latency)}`)];
}

function chainLines({ blocks, included, audit }: TrafficReport): string[] {
  const { first, last, transactions, mostTransactions, undone, missedSlots, silences, intervals, averageBytes, maximumBytes } = blocks;
  if (last < first) return [line('blocks', 'none')];
  const each = transactions / (last - first + 1);
  const fill = `the average one ${averageBytes} of ${maximumBytes} bytes (${percent(averageBytes / Math.max(maximumBytes, 1))})`;
  return [
    line(
      'blocks',
      `${first} to ${last}, ${undone} undone, ${missedSlots} slots missed; ${each.toFixed(1)} transactions each, ${mostTransactions} at most; ${fill}`,
    ),
    ...(intervals.count === 0 ? [] : [line('between', `${spreadText(intervals)}, from block to block`)]),
    line('in blocks', String(included)),
    ...(silences === 0 ? [] : [line('silent', `the node could not be asked ${silences} times`)]),
    ...(audit.acknowledged === 0 ? [] : auditLines(audit)),
  ];
}

function auditLines({ acknowledged, irreversible, reversible, stillValid, twice, lost, examples }: TrafficReport['audit']): string[] {
  return [
    line(
      'acknowledged',
      `${acknowledged}: ${irreversible} in irreversible blocks, ${reversible} in others, ${stillValid} still valid, ${twice} twice, ${lost} lost`,
    ),
    ...examples.map((id) => line('look at', id)),
  ];
}

function machineLines({ node, self, included, answered }: TrafficReport): string[] {
  const work = included === 0 ? answered : included;
  const nodeLine =
    node === null
      ? 'unknown; give --pid where the node runs on this machine'
      : `${node.cpuSeconds.toFixed(2)} CPU-seconds of process ${node.pid}, all threads: ${Math.round(work / Math.max(node.cpuSeconds, 0.01))} a CPU-second; ${megabytes(node.bytes)} of memory, ${megabytes(node.mostBytes)} at most`;
  const threads =
    node === null
      ? []
      : [
          line(
            'threads',
            `${node.threadCpuSeconds
              .slice(0, 4)
              .map((used) => ((used * 1e6) / Math.max(work, 1)).toFixed(1))
              .join(', ')} µs each, the main one first`,
          ),
        ];
  return [
    line('node', nodeLine),
    ...threads,
    line(
      'load tester',
      `${self.cpuSeconds.toFixed(2)} CPU-seconds, ${percent(self.shareOfMachine)} of the machine; ${percent(self.postingBusy)} of the posting thread, ${megabytes(self.mostBytes)} at most`,
    ),
    ...self.limits.map((limit) => line('LIMIT', limit)),
  ];
}

function spreadText({ p50, p90, p99, p999, max }: Spread): string {
  return `${shown(p50)} ms half, ${shown(p90)} ms 90 %, ${shown(p99)} ms 99 %, ${shown(p999)} ms 99.9 %, ${shown(max)} ms all`;
}

/** Three digits say enough. */
function shown(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
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
