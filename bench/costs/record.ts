import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../../src/base/fault.ts';
import { readThreadCpuMicros } from '../../src/load_test/process_cpu.ts';
import { nextEvent } from '../next_event.ts';
import { recoverMicros } from '../recovery.ts';
import { SampleReader, type Sample } from './frames.ts';
import type { RunningLoad, SheetLoad, Watch } from './loads.ts';
import { partNames, findPart, stepNames, findStep, type PartName, type StepName } from './steps.ts';
import type { LoadCosts, PartCosts, StepCosts } from './sheet.ts';
import { keepNewestSymbols } from './symbol_map.ts';

/** Compiled code keeps its place and its name in a file that perf reads; interpreted functions have frames of their own. */
const FLAGS = ['--perf-basic-prof', '--interpreted-frames-native-stack'];
const WARM_ROUNDS = 5;
const SAMPLES_A_SECOND = 1999;
const SETTLE_MS = 1500;
const SYSTEM_CALLS = ['futex', 'epoll_wait', 'epoll_pwait', 'write', 'read', 'sendto', 'recvfrom', 'fdatasync'];

/** Records a load: rounds for the compiler, one that perf samples, and one in which it counts system calls. */
export async function recordCosts({ name, start }: SheetLoad, progress: (text: string) => void): Promise<LoadCosts> {
  if (spawnSync('perf', ['--version']).status !== 0)
    throw new Fault('configuration', 'the sheet of costs needs `perf`: install linux-perf');
  const folder = mkdtempSync(join(tmpdir(), 'pharos-costs-'));
  const load = await start(FLAGS);
  const { pid } = load.node;
  try {
    for (let round = 0; round < WARM_ROUNDS; round++) {
      progress(`${name}: round ${round + 1} for the compiler`);
      await load.run({ begin: () => {}, end: () => {} });
    }
    const recover = recoverMicros();
    progress(`${name}: samples`);
    const samples = await runSampled(load, join(folder, 'samples'));
    progress(`${name}: system calls`);
    const calls = await runCounted(load, join(folder, 'calls'));
    return addUp(name, recover, samples, calls);
  } finally {
    await load.stop();
    rmSync(folder, { recursive: true, force: true });
    rmSync(symbolsOf(pid), { force: true });
  }
}

/** The file in which V8 names the code that it places: perf looks for it there. */
const symbolsOf = (pid: number): string => join('/', 'tmp', `perf-${pid}.map`);

/** The window of a round. */
interface Round {
  readonly transactions: number;
  readonly fromSeconds: number;
  readonly toSeconds: number;
  readonly threads: readonly ThreadUse[];
}

interface ThreadUse {
  readonly id: number;
  readonly micros: number;
  /** Times that it went to sleep by itself, and thus was woken. */
  readonly sleeps: number;
}

async function runRound(load: RunningLoad): Promise<Round> {
  const { pid } = load.node;
  const marks: { readonly seconds: number; readonly use: ReadonlyMap<number, ThreadUse> }[] = [];
  const mark = (): void => void marks.push({ seconds: Number(process.hrtime.bigint()) / 1e9, use: readThreads(pid) });
  const watch: Watch = { begin: mark, end: mark };
  const transactions = await load.run(watch);
  const [first, last] = marks;
  if (first === undefined || last === undefined) throw new Error('a load begins and ends its window');
  const threads = [...last.use].map(([id, { micros, sleeps }]) => {
    const before = first.use.get(id);
    return { id, micros: micros - (before?.micros ?? 0), sleeps: sleeps - (before?.sleeps ?? 0) };
  });
  return { transactions, fromSeconds: first.seconds, toSeconds: last.seconds, threads };
}

function readThreads(pid: number): ReadonlyMap<number, ThreadUse> {
  return new Map(
    [...readThreadCpuMicros(pid)].map(([id, micros]) => {
      const status = readFileSync(`/proc/${pid}/task/${id}/status`, 'utf8');
      return [id, { id, micros, sleeps: Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1] ?? 0) }];
    }),
  );
}

interface Sampled extends Round {
  readonly samples: readonly Sample[];
}

async function runSampled(load: RunningLoad, file: string): Promise<Sampled> {
  const { pid } = load.node;
  const flags = [
    '-e',
    'cpu-clock',
    '-F',
    String(SAMPLES_A_SECOND),
    '-k',
    'CLOCK_MONOTONIC',
    '-g',
    '-p',
    String(pid),
    '-o',
    file,
  ];
  const round = await beside(['record', ...flags], () => runRound(load));
  keepNewestSymbols(symbolsOf(pid));
  const samples = await readSamples(file);
  return {
    ...round,
    samples: samples.filter(({ seconds }) => seconds >= round.fromSeconds && seconds <= round.toSeconds),
  };
}

async function readSamples(file: string): Promise<Sample[]> {
  const child = spawn('perf', ['script', '-i', file, '--no-inline', '-F', 'comm,tid,time,ip,sym,dso'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const reader = new SampleReader();
  const samples: Sample[] = [];
  let lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    if (line !== '') lines.push(line);
    else {
      const sample = reader.read(lines);
      if (sample !== undefined) samples.push(sample);
      lines = [];
    }
  }
  return samples;
}

/** Counts the system calls of each thread, in a round of its own, because counting costs something. */
async function runCounted(load: RunningLoad, file: string): Promise<Counted> {
  const events = SYSTEM_CALLS.flatMap((call) => ['-e', `syscalls:sys_enter_${call}`]);
  const flags = ['--per-thread', '-x', ';', '-p', String(load.node.pid), '-o', file];
  const round = await beside(['stat', ...flags, ...events], () => runRound(load));
  const calls = new Map<string, number>();
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const [thread = '', count = '', , event = ''] = line.split(';');
    const call = /^syscalls:sys_enter_(\w+)/.exec(event)?.[1];
    if (call !== undefined && Number(count) > 0) calls.set(`${/(\d+)$/.exec(thread)?.[1]} ${call}`, Number(count));
  }
  return { ...round, calls };
}

interface Counted extends Round {
  /** By thread and name. */
  readonly calls: ReadonlyMap<string, number>;
}

/** Runs `perf` beside what `work` does. */
async function beside<Result>(args: readonly string[], work: () => Promise<Result>): Promise<Result> {
  const child = spawn('perf', args, { stdio: 'ignore' });
  await sleep(SETTLE_MS);
  try {
    return await work();
  } finally {
    const ended = nextEvent(child, 'exit');
    child.kill('SIGINT');
    await ended;
  }
}

function addUp(name: string, recover: number | undefined, sampled: Sampled, counted: Counted): LoadCosts {
  const partNamed = threadParts(sampled.samples);
  const sampleMicros = 1e6 / SAMPLES_A_SECOND;
  const parts = partNames.map((part): PartCosts => {
    const isOurs = ({ id }: { readonly id: number }): boolean => (partNamed.get(id) ?? 'others') === part;
    const steps = new Map<StepName, { samples: number; kernel: number }>();
    for (const { frames } of sampled.samples.filter(({ thread }) => isOurs({ id: thread }))) {
      const step = findStep(frames);
      const count = steps.get(step) ?? { samples: 0, kernel: 0 };
      count.samples++;
      if (frames[0]?.isKernel === true) count.kernel++;
      steps.set(step, count);
    }
    const calls = SYSTEM_CALLS.map((call) => {
      const ids = [...partNamed.keys()].filter((id) => isOurs({ id }));
      const count = sum(ids.map((id) => counted.calls.get(`${id} ${call}`) ?? 0));
      return { call, count: figure(count / counted.transactions) };
    });
    const each = (micros: number): number => figure(micros / sampled.transactions);
    return {
      part,
      micros: each(sum(sampled.threads.filter(isOurs).map(({ micros }) => micros))),
      wakes: figure(sum(counted.threads.filter(isOurs).map(({ sleeps }) => sleeps)) / counted.transactions),
      calls: calls.filter(({ count }) => count > 0),
      steps: stepNames.flatMap((step): StepCosts[] => {
        const found = steps.get(step);
        return found === undefined
          ? []
          : [{ step, micros: each(found.samples * sampleMicros), kernel: each(found.kernel * sampleMicros) }];
      }),
    };
  });
  return { load: name, transactions: sampled.transactions, recoverMicros: figure(recover ?? 0), parts };
}

/** Each thread is the part that most of its samples show. */
function threadParts(samples: readonly Sample[]): ReadonlyMap<number, PartName> {
  const votes = new Map<number, Map<PartName, number>>();
  for (const { thread, frames } of samples) {
    const own = votes.get(thread) ?? new Map<PartName, number>();
    votes.set(thread, own);
    const part = frames.map(findPart).find((found) => found !== undefined);
    if (part !== undefined) own.set(part, (own.get(part) ?? 0) + 1);
  }
  return new Map(
    [...votes].map(([thread, own]) => [thread, [...own].sort(([, a], [, b]) => b - a)[0]?.[0] ?? 'others']),
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}

function figure(value: number): number {
  return Number(value.toPrecision(3));
}
