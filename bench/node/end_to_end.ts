import { present } from '../../src/base/assert.ts';
import { devAccounts } from '../../src/dev_chain/dev_genesis.ts';
import { percentile, type LoadReport } from '../../src/load_test/run_load.ts';
import { against, row, type BenchOptions, type Row } from '../bench.ts';
import { BATCH, FLOOD, load, type LoadForm } from '../dev_load.ts';
import { DevNode } from '../dev_node.ts';
import { QUIET_RECOVER_MICROS, recoverMicros, recoveryRow } from '../recovery.ts';

interface Traffic {
  readonly name: string;
  readonly form: LoadForm;
  readonly count: number;
  /** A CPU-second of a quiet machine. */
  readonly budget: number;
}

const TRAFFIC: readonly Traffic[] = [
  { name: 'end to end', form: {}, count: 20_000, budget: 20_000 },
  { name: 'end to end, every memo different', form: { memo: 'invoice {number}' }, count: 20_000, budget: 25_000 },
  { name: 'end to end, one a post, 24 connections', form: { batch: 1 }, count: 5000, budget: 15_000 },
  {
    name: 'end to end, one a post, 200 connections',
    form: { batch: 1, connections: 200 },
    count: 10_000,
    budget: 22_000,
  },
];

interface Round {
  readonly report: LoadReport;
  /** Beside it, nothing else done; undefined where the addon has no binary. */
  readonly recover: number | undefined;
}

/**
 * Signed transfers over HTTP into durable blocks of the plain program, in CPU time of its process: JSON, signatures,
 * state, disk, all.
 */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const blockIntervalMs = quick ? 100 : 500;
  const node = await DevNode.start({ blockIntervalMs, largeBlocks: !quick });
  try {
    const rounds = new Map<Traffic, Round[]>(TRAFFIC.map((traffic) => [traffic, []]));
    for (let round = 0; round < (quick ? 1 : 4); round++) {
      for (const traffic of TRAFFIC) {
        const report = await load(node, quick ? 200 : traffic.count, traffic.form);
        // The first of each is for the compiler.
        if (quick || round > 0) rounds.get(traffic)?.push({ report, recover: recoverMicros() });
      }
    }
    const baseline = recoveryRow([...rounds.values()].flat().flatMap(({ recover }) => recover ?? []));
    return [
      ...TRAFFIC.map((traffic) => makeRow(traffic, present(rounds.get(traffic), 'rounds'), baseline, blockIntervalMs)),
      ...(baseline === undefined ? [] : [baseline]),
    ];
  } finally {
    await node.stop();
  }
}

/** The cheapest round, each judged by the recovery beside it. */
function makeRow(
  { name, form, budget }: Traffic,
  rounds: readonly Round[],
  baseline: Row | undefined,
  blockIntervalMs: number,
): Row {
  const cost = ({ report, recover = QUIET_RECOVER_MICROS }: Round): number => serverMicros(report) / recover;
  const best = rounds.reduce((a, b) => (cost(b) < cost(a) ? b : a));
  const { report, recover = QUIET_RECOVER_MICROS } = best;
  const scale = recover / QUIET_RECOVER_MICROS;
  const { found, threadCpuMicros, maximumBlockSize, elapsedMs, posting } = report;
  const measured = { work: found.count, cpuMicros: serverMicros(report) * found.count };
  const threads = threadCpuMicros.slice(0, 4).map((used) => (used / found.count).toFixed(1));
  const note = [
    `${Math.round((1e6 / serverMicros(report)) * scale)} a CPU-second if a recovery took ${QUIET_RECOVER_MICROS} µs, not the ${recover.toFixed(1)} beside it`,
    `posts of ${form.batch ?? BATCH}, ${form.connections ?? FLOOD} at once, ${devAccounts.length} keys`,
    `${found.lastBlock - found.firstBlock + 1} blocks, one every ${blockIntervalMs} ms, of at most ${maximumBlockSize} bytes`,
    `${Math.round((found.count * 1000) / elapsedMs)} a second of wall time, posts took ${percentile(posting.latenciesMs, 0.5).toFixed(0)} ms`,
    `µs by thread, main first: ${threads.join(', ')}`,
  ].join('; ');
  const ours = row(name, 'signed transfer, HTTP in to synced block', measured, {
    budget: { perCpuSecond: budget / scale },
    note,
  });
  return baseline === undefined ? ours : against(ours, baseline);
}

function serverMicros({ found, serverCpuMicros }: LoadReport): number {
  return present(serverCpuMicros, 'the CPU time of the node') / found.count;
}
