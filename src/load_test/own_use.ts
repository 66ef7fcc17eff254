import { availableParallelism } from 'node:os';
import { performance, type EventLoopUtilization } from 'node:perf_hooks';

/** Resources that this program took of its machine while it posted. */
export interface OwnUse {
  /** All threads, those that sign included. */
  readonly cpuSeconds: number;
  /** Of all cores, 0 to 1. */
  readonly shareOfMachine: number;
  /** The share of time in which the posting thread was busy, 0 to 1. */
  readonly postingBusy: number;
}

/** Measures this process from now on; the returned function tells. */
export function ownUse(): () => OwnUse {
  const cpu = process.cpuUsage();
  const startedMs = performance.now();
  const loop: EventLoopUtilization = performance.eventLoopUtilization();
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    const cpuSeconds = (user + system) / 1e6;
    const seconds = (performance.now() - startedMs) / 1000;
    const { utilization } = performance.eventLoopUtilization(loop);
    return { cpuSeconds, shareOfMachine: cpuSeconds / seconds / availableParallelism(), postingBusy: utilization };
  };
}

/** A thread that is busier makes what is due wait one and a half times as long as it takes to send (a queue M/D/1). */
const BUSY = 0.75;
const STARVED = 0.01;
const LARGE_SHARE = 0.5;

/** The report's figures of this program. */
export interface OwnFigures extends OwnUse {
  /** Before the clock started: most of it for signing ahead. */
  readonly aheadCpuSeconds: number;
  /** Calls that were made, signed, posted and answered in one of its CPU-seconds, those before the clock included. */
  readonly perCpuSecond: number;
  /** In which something was due and not signed yet. */
  readonly starvedSeconds: number;
  readonly mostBytes: number;
  /** Reasons why the rate may be this program's limit and not the node's; empty when it isn't. */
  readonly limits: readonly string[];
}

/** Resources that this program took, in relation to its work. */
interface OwnWork {
  readonly seconds: number;
  readonly starvedMs: number;
  readonly aheadCpuSeconds: number;
  readonly calls: number;
  readonly isNodeHere: boolean;
}

export function ownFigures(
  used: OwnUse,
  { seconds, starvedMs, aheadCpuSeconds, calls, isNodeHere }: OwnWork,
): OwnFigures {
  const self = { ...used, starvedSeconds: starvedMs / 1000 };
  const perCpuSecond = calls / Math.max(used.cpuSeconds + aheadCpuSeconds, Number.EPSILON);
  const mostBytes = process.resourceUsage().maxRSS * 1024;
  return { ...self, aheadCpuSeconds, perCpuSecond, mostBytes, limits: listLimits(self, seconds, isNodeHere) };
}

/** Sentences about what may have been slow besides the node. */
function listLimits(self: OwnUse & Pick<OwnFigures, 'starvedSeconds'>, seconds: number, isNodeHere: boolean): string[] {
  const limits: string[] = [];
  const percent = (share: number): string => `${Math.round(share * 100)} %`;
  if (self.starvedSeconds > seconds * STARVED)
    limits.push(
      `signing was too slow: for ${self.starvedSeconds.toFixed(1)} s something was due and not signed yet; give it more --threads`,
    );
  if (self.postingBusy > BUSY)
    limits.push(
      `posting was too slow: its thread was busy ${percent(self.postingBusy)} of the time; larger batches, or another tester beside it, help`,
    );
  if (isNodeHere && self.shareOfMachine > LARGE_SHARE)
    limits.push(
      `it took ${percent(self.shareOfMachine)} of the machine on which the node runs, too: load it from another machine`,
    );
  return limits;
}
