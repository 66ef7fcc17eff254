import { readCpuMicros, findListener, readMemory, readThreadCpuMicros } from './process_cpu.ts';
import type { TrafficReport } from './traffic_report.ts';

/** CPU time and memory of the process that serves a port of this machine, over its restarts. */
export class NodeFigures {
  readonly #given: number | undefined;
  readonly #port: number | undefined;
  #pid: number | undefined;
  /** Of the present process, when it was first seen; of one that was started meanwhile everything counts. */
  #before = 0;
  #threadsBefore: ReadonlyMap<number, number> = new Map();
  #earlierMicros = 0;
  #lastMicros = 0;
  #mostBytes = 0;

  /** `pid` when it is known. */
  constructor(url: URL, pid: number | undefined) {
    this.#given = pid;
    this.#port = localPort(url);
    this.#pid = pid ?? (this.#port === undefined ? undefined : findListener(this.#port));
    if (this.#pid === undefined) return;
    this.#before = readCpuMicros(this.#pid) ?? 0;
    this.#threadsBefore = readThreadCpuMicros(this.#pid);
    this.#lastMicros = this.#before;
  }

  /**
   * CPU time since the start, in microseconds, and the memory now, which a process that has ended does not have;
   * undefined where they can't be read.
   */
  sample(): { readonly cpuMicros: number; readonly bytes: number | undefined } | undefined {
    if (this.#pid === undefined) return undefined;
    const micros = readCpuMicros(this.#pid);
    const memory = readMemory(this.#pid);
    if (micros === undefined || memory === undefined) this.#findAgain();
    else this.#lastMicros = micros;
    this.#mostBytes = Math.max(this.#mostBytes, memory?.now ?? 0);
    return { cpuMicros: this.#earlierMicros + this.#lastMicros - this.#before, bytes: memory?.now };
  }

  figures(): TrafficReport['node'] {
    const sample = this.sample();
    if (sample === undefined || this.#pid === undefined) return null;
    const growth = [...readThreadCpuMicros(this.#pid)]
      .sort(([a], [b]) => a - b)
      .map(([id, used]) => used - (this.#threadsBefore.get(id) ?? 0));
    const [main = 0, ...others] = growth.map((micros) => micros / 1e6);
    return {
      pid: this.#pid,
      cpuSeconds: sample.cpuMicros / 1e6,
      threadCpuSeconds: [main, ...others.sort((a, b) => b - a)],
      bytes: sample.bytes ?? 0,
      mostBytes: this.#mostBytes,
    };
  }

  /** The process has ended; another one may serve the port by now. */
  #findAgain(): void {
    const next = this.#given === undefined && this.#port !== undefined ? findListener(this.#port) : undefined;
    if (next === undefined || next === this.#pid) return;
    this.#earlierMicros += this.#lastMicros - this.#before;
    this.#pid = next;
    this.#before = 0;
    this.#lastMicros = 0;
    this.#threadsBefore = new Map();
  }
}

function localPort({ hostname, port, protocol }: URL): number | undefined {
  if (!['127.0.0.1', 'localhost', '[::1]'].includes(hostname)) return undefined;
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}
