import { present } from '../../src/base/assert.ts';
import { devAccounts, devSecret } from '../../src/node/dev/dev_genesis.ts';
import { mixNamed, plainTransfer, type AskedOperation, type Form, type Mix } from '../../src/node/load/mix.ts';
import { accountsOfSeed, prepareAccounts } from '../../src/node/load/prepared_accounts.ts';
import { runTraffic } from '../../src/node/load/run_traffic.ts';
import type { TrafficSettings } from '../../src/node/load/traffic_settings.ts';
import type { TrafficReport } from '../../src/node/load/traffic_report.ts';
import { row, type BenchOptions, type Row } from '../bench.ts';
import { DevNode } from '../dev_node.ts';

const SEED = 'bench';
const FUND = 1000_000_000n;
const CONNECTIONS = 24;

const formOf = (name: string, asked: Partial<AskedOperation>, batch = 100): Form => ({
  name,
  share: 1,
  batch,
  asks: { ...plainTransfer, ...asked },
});

/** Each form of what people send, alone. */
const ALONE: readonly Form[] = [
  formOf('plain transfers', {}),
  formOf('members in any order', { members: 'any' }),
  formOf('a different memo in each', { bytes: [12, 80] }),
  formOf('one a post', {}, 1),
  formOf('one a post, answered in a block', { synchronous: true }, 1),
  formOf('five operations each', { operations: 5 }, 20),
  formOf('multi-signature, 2 of 3', { signers: 2 }),
  formOf('custom_json, 100 bytes', { operation: 'custom_json', bytes: [100, 100] }),
  formOf('custom_json, 4 KiB', { operation: 'custom_json', bytes: [4000, 4000] }, 20),
  formOf('custom_binary, 1 KiB', { operation: 'custom_binary', bytes: [1000, 1000] }, 50),
  formOf('escrow', { operation: 'escrow_transfer' }),
  formOf('votes', { operation: 'account_witness_vote' }),
  formOf('vesting', { operation: 'transfer_to_vesting' }),
];

/** `pharos load` against the plain program: the traffic of a network that people use, and each form of it alone. */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const node = await DevNode.start({ blockIntervalMs: quick ? 100 : 500, largeBlocks: !quick });
  try {
    const accounts = quick ? 20 : 1000;
    const from = { name: 'initminer', secret: devSecret('initminer') };
    await prepareAccounts({ url: node.url, profileName: 'default', from, count: accounts, seed: SEED, fund: FUND, progress: () => {} });
    const rows: Row[] = [];
    for (const mix of [mixNamed('real'), ...ALONE.map((form) => ({ name: form.name, forms: [form] }))]) {
      rows.push(await measured(node, mix, accounts, quick));
    }
    return rows;
  } finally {
    await node.stop();
  }
}

/** The cheaper of two rounds after one for the compiler. */
async function measured(node: DevNode, mix: Mix, accounts: number, quick: boolean): Promise<Row> {
  const settings = settingsOf(node, mix, accounts, quick ? 60 : 4000);
  const reports: TrafficReport[] = [];
  for (let round = 0; round < (quick ? 1 : 3); round++) reports.push(await runTraffic(settings));
  const costs = (report: TrafficReport): number =>
    present(report.node ?? undefined, 'the figures of the node').cpuSeconds / report.included;
  const best = (quick ? reports : reports.slice(1)).reduce((a, b) => (costs(b) < costs(a) ? b : a));
  return rowOf(mix, best);
}

function rowOf({ name }: Mix, report: TrafficReport): Row {
  const { included, node, self, latencies, refusedCalls, audit } = report;
  const { cpuSeconds, threadCpuSeconds } = present(node ?? undefined, 'the figures of the node');
  if (refusedCalls > 0 || audit.lost > 0 || audit.twice > 0)
    throw new Error(`${name}: ${JSON.stringify(report.refused)}, ${audit.lost} lost, ${audit.twice} twice`);
  const threads = threadCpuSeconds.slice(0, 4).map((used) => ((used * 1e6) / included).toFixed(1));
  const note = [
    `µs by thread, main first: ${threads.join(', ')}`,
    `${latencies.acceptance.p50.toFixed(1)} ms half, ${latencies.acceptance.p99.toFixed(1)} ms 99 %`,
    `load tester ${((self.cpuSeconds * 1e6) / included).toFixed(0)} µs each`,
  ].join('; ');
  return row(`traffic: ${name}`, 'transaction, HTTP in to synced block', { work: included, cpuMicros: cpuSeconds * 1e6 }, { note });
}

function settingsOf(node: DevNode, mix: Mix, accounts: number, count: number): TrafficSettings {
  return {
    urls: [node.url],
    profileName: 'default',
    mix,
    accounts: accountsOfSeed(SEED, accounts),
    witnesses: [...devAccounts, 'initminer'].map((name) => ({ name, secret: devSecret(name) })),
    perSecond: undefined,
    durationMs: undefined,
    count,
    lanes: CONNECTIONS,
    hostileShare: 0,
    overSocket: false,
    threads: 1,
    lifetimeSeconds: 3000,
    untilIrreversible: false,
    pid: node.pid,
    metricsUrl: node.metricsUrl,
    live: () => {},
    progress: () => {},
  };
}
