import { cpus } from 'node:os';
import { performance, type EventLoopUtilization } from 'node:perf_hooks';

/** How much of the time between two looks was used, each as a part of 1. */
export interface ProcessorShares {
  /** Of this thread: at 1 it does nothing but answer, and calls wait. */
  readonly thread: number;
  /** Of all processors of this machine, by anybody. */
  readonly machine: number;
  /** Of all processors of this machine, by this process. */
  readonly process: number;
}

/** A part of 1, for people. */
export function percentOf(part: number): number {
  return Math.round(part * 100);
}

/** Who has used the processors since the look before. */
export class ProcessorLoad {
  #loop: EventLoopUtilization = performance.eventLoopUtilization();
  #machine = machineTimes();
  #used = process.cpuUsage();
  #shares: ProcessorShares = { thread: 0, machine: 0, process: 0 };

  /** As of the last look. */
  get shares(): ProcessorShares {
    return this.#shares;
  }

  look(): void {
    const [loop, machine, used] = [performance.eventLoopUtilization(), machineTimes(), process.cpuUsage()];
    const all = Math.max(1, machine.all - this.#machine.all);
    const usedMs = (used.user + used.system - this.#used.user - this.#used.system) / 1000;
    this.#shares = {
      thread: performance.eventLoopUtilization(loop, this.#loop).utilization,
      machine: 1 - (machine.idle - this.#machine.idle) / all,
      process: usedMs / all,
    };
    [this.#loop, this.#machine, this.#used] = [loop, machine, used];
  }
}

/** Milliseconds of all processors since the machine began. */
function machineTimes(): { readonly all: number; readonly idle: number } {
  const times = cpus().map(({ times: { user, nice, sys, idle, irq } }) => ({ all: user + nice + sys + idle + irq, idle }));
  return { all: times.reduce((sum, { all }) => sum + all, 0), idle: times.reduce((sum, { idle }) => sum + idle, 0) };
}
