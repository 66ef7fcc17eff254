import { cpus } from 'node:os';
import { performance, type EventLoopUtilization } from 'node:perf_hooks';
import { readFileSync } from 'node:fs';

/** The times of a thread since it began, in milliseconds. */
interface ThreadTime {
  /** It had a processor. */
  readonly usedMs: number;
  /** It could have gone on and waited for a processor; undefined where the system doesn't count that. */
  readonly waitedMs: number | undefined;
}

const NANOSECONDS = 1e6;

/** Of the thread that calls; undefined where neither the system nor this Node tells. */
export function threadTime(): ThreadTime | undefined {
  return ofScheduler() ?? ofNode();
}

/** Linux counts both: the time on a processor, then the time in the queue for one. */
function ofScheduler(): ThreadTime | undefined {
  try {
    const [used, waited] = readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ').map(Number);
    if (used === undefined || waited === undefined || !(used > 0)) return undefined;
    return { usedMs: used / NANOSECONDS, waitedMs: waited / NANOSECONDS };
  } catch {
    return undefined; // another system, or a kernel that doesn't count
  }
}

/** From Node 22 on. */
function ofNode(): ThreadTime | undefined {
  const usage: unknown = Reflect.get(process, 'threadCpuUsage');
  if (typeof usage !== 'function') return undefined;
  const used: unknown = Reflect.apply(usage, process, []);
  const micros =
    typeof used === 'object' && used !== null
      ? Object.values(used).reduce((sum: number, part) => sum + Number(part), 0)
      : NaN;
  return Number.isFinite(micros) ? { usedMs: micros / 1000, waitedMs: undefined } : undefined;
}

/** The used parts of the time between two looks, each as a part of 1. */
export interface ProcessorShares {
  /** Of this thread: at 1 it does nothing but answer, and calls wait. */
  readonly thread: number;
  /**
   * Of this thread, with a processor: less than `thread` where it was held up. Undefined where the system doesn't tell.
   */
  readonly threadUsed: number | undefined;
  /** Of this thread, in the queue for a processor. Undefined where the system doesn't tell. */
  readonly threadWaited: number | undefined;
  /** Of all processors of this machine, by anybody. */
  readonly machine: number;
  /** Of all processors of this machine, by this process. */
  readonly process: number;
}

/** A part of 1, for people. */
export function toPercent(part: number): number {
  return Math.round(part * 100);
}

/** Measures which threads have used the processors since the look before. */
export class ProcessorLoad {
  #loop: EventLoopUtilization = performance.eventLoopUtilization();
  #machine = machineTimes();
  #used = process.cpuUsage();
  #thread = threadTime();
  #lookedMs = performance.now();
  #shares: ProcessorShares = { thread: 0, threadUsed: undefined, threadWaited: undefined, machine: 0, process: 0 };

  /** As of the last look. */
  get shares(): ProcessorShares {
    return this.#shares;
  }

  look(): void {
    const [loop, machine, used] = [performance.eventLoopUtilization(), machineTimes(), process.cpuUsage()];
    const [thread, nowMs] = [threadTime(), performance.now()];
    const all = Math.max(1, machine.all - this.#machine.all);
    const usedMs = (used.user + used.system - this.#used.user - this.#used.system) / 1000;
    this.#shares = {
      thread: performance.eventLoopUtilization(loop, this.#loop).utilization,
      threadUsed: processorShare(thread?.usedMs, this.#thread?.usedMs, nowMs - this.#lookedMs),
      threadWaited: processorShare(thread?.waitedMs, this.#thread?.waitedMs, nowMs - this.#lookedMs),
      machine: 1 - (machine.idle - this.#machine.idle) / all,
      process: usedMs / all,
    };
    [this.#loop, this.#machine, this.#used] = [loop, machine, used];
    [this.#thread, this.#lookedMs] = [thread, nowMs];
  }
}

function processorShare(nowMs: number | undefined, beforeMs: number | undefined, allMs: number): number | undefined {
  return nowMs === undefined || beforeMs === undefined
    ? undefined
    : Math.min(1, (nowMs - beforeMs) / Math.max(1, allMs));
}

/** Milliseconds of all processors since the machine began. */
function machineTimes(): { readonly all: number; readonly idle: number } {
  const times = cpus().map(({ times: { user, nice, sys, idle, irq } }) => ({
    all: user + nice + sys + idle + irq,
    idle,
  }));
  return { all: times.reduce((sum, { all }) => sum + all, 0), idle: times.reduce((sum, { idle }) => sum + idle, 0) };
}
