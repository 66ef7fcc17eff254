import { present } from '../../src/base/assert.ts';
import { devAccounts, devSecret } from '../../src/dev_chain/dev_genesis.ts';
import { mixNamed, plainTransfer, type AskedOperation, type Mix } from '../../src/load_test/mix.ts';
import { accountsOfSeed, prepareAccounts } from '../../src/load_test/prepared_accounts.ts';
import { runTraffic } from '../../src/load_test/run_traffic.ts';
import type { TrafficSettings } from '../../src/load_test/traffic_settings.ts';
import type { TrafficReport } from '../../src/load_test/traffic_report.ts';
import { against, row, type BenchOptions, type Row } from '../bench.ts';
import { DevNode } from '../dev_node.ts';
import { QUIET_RECOVER_MICROS, recoverMicros, recoveryRow } from '../recovery.ts';

export const SEED = 'bench';
export const FUND = 1000_000_000n;
const CONNECTIONS = 24;
/** Those that wait for a block send hardly anything else meanwhile. */
const WAITING_CONNECTIONS = 400;
/** Enough that the compiler's share is small; those that are alone in their posts, or large, take longer. */
const CALLS = 20_000;
const DEAR_CALLS = 8000;
const LARGE_BYTES = 1000;
const QUICK_CALLS = 150;

/**
 * The promise for plain transfers in a CPU-second, for the other forms in relation to it, and for the load tester
 * itself.
 */
const PLAIN = 45_000;
const ANY_FORM = 0.6 * PLAIN;
const OWN = 20_000;

/** A load, and what is promised for it in a CPU-second of a quiet machine. */
export interface Load {
  readonly mix: Mix;
  readonly budget: number;
  readonly connections: number;
}

const alone = (name: string, asked: Partial<AskedOperation>, batch = 100, budget = ANY_FORM): Load => ({
  mix: { name, forms: [{ name, share: 1, batch, asks: { ...plainTransfer, ...asked } }] },
  budget,
  connections: asked.waitFor === 'block' ? WAITING_CONNECTIONS : CONNECTIONS,
});

export const plain = alone('plain transfers', {}, 100, PLAIN);
/** Forty of a hundred at the price of new memos, a quarter alone in their posts, the rest at that of any form. */
export const mixLoad: Load = {
  mix: mixNamed('real'),
  budget: 1 / (0.4 / 25_000 + 0.25 / 15_000 + 0.35 / ANY_FORM),
  connections: CONNECTIONS,
};
export const onePost = alone('one a post', {}, 1, 15_000);
export const newMemos = alone('a different memo in each', { bytes: [12, 80] }, 100, 25_000);
const LOADS: readonly Load[] = [
  mixLoad,
  plain,
  alone('members in any order', { members: 'any' }),
  newMemos,
  onePost,
  alone('one a post, answered in a block', { waitFor: 'block' }, 1, 15_000),
  alone('five operations each', { operations: 5 }, 20),
  alone('multi-signature, 2 of 3', { signers: 2 }),
  alone('by an account that acts for the sender', { authority: 'account' }),
  alone('custom_json, 100 bytes', { operation: 'custom_json', bytes: [100, 100] }),
  alone('custom_json, 4 KiB', { operation: 'custom_json', bytes: [4000, 4000] }, 20),
  alone('custom_binary, 1 KiB', { operation: 'custom_binary', bytes: [1000, 1000] }, 50),
  alone('escrow', { operation: 'escrow_transfer' }),
  alone('votes', { operation: 'account_witness_vote' }),
  alone('vesting', { operation: 'transfer_to_vesting' }),
];

/** The smallest form: each of them, all in one load. */
const quickLoads: readonly Load[] = [
  plain,
  { mix: mixNamed('real'), budget: 1, connections: CONNECTIONS },
  {
    mix: { name: 'each form', forms: LOADS.flatMap(({ mix: { forms } }) => (forms.length === 1 ? forms : [])) },
    budget: 1,
    connections: CONNECTIONS,
  },
];

/** `pharos load` against the plain program: the traffic of a network that people use, and each form of it alone. */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const node = await DevNode.start({ blockIntervalMs: quick ? 100 : 500, largeBlocks: !quick });
  try {
    const accounts = quick ? 20 : 1000;
    const from = { name: 'initminer', secret: devSecret('initminer') };
    await prepareAccounts({
      url: node.url,
      profileName: 'default',
      from,
      count: accounts,
      seed: SEED,
      fund: FUND,
      progress: () => {},
    });
    const rows: Row[] = [];
    const recovered: number[] = [];
    for (const load of quick ? quickLoads : LOADS) {
      const rounds = await runRounds(() => loaded(node, load, accounts, quick), quick);
      recovered.push(...rounds.flatMap(({ recover }) => recover ?? []));
      rows.push(
        makeRow(
          load,
          cheapest(rounds, (report) => requireNode(report).cpuSeconds),
        ),
      );
      if (load === plain) rows.push(ownRow(cheapest(rounds, ownCpuSeconds)));
    }
    const baseline = recoveryRow(recovered);
    return baseline === undefined ? rows : [...rows.map((each) => against(each, baseline)), baseline];
  } finally {
    await node.stop();
  }
}

interface Round {
  readonly report: TrafficReport;
  /** Beside it, nothing else done; undefined where the addon has no binary. */
  readonly recover: number | undefined;
}

/** The price of everything as a multiple of that on a quiet machine. */
function machineScale({ recover = QUIET_RECOVER_MICROS }: Round): number {
  return recover / QUIET_RECOVER_MICROS;
}

/** Two rounds after one for the compiler. */
async function runRounds(round: () => Promise<Round>, quick: boolean): Promise<Round[]> {
  const rounds: Round[] = [];
  for (let number = 0; number < (quick ? 1 : 3); number++) rounds.push(await round());
  return quick ? rounds : rounds.slice(1);
}

/** The cheapest, each judged by the recovery beside it. */
function cheapest(rounds: readonly Round[], cpuSeconds: (report: TrafficReport) => number): Round {
  const cost = (one: Round): number => cpuSeconds(one.report) / one.report.included / machineScale(one);
  return rounds.reduce((a, b) => (cost(b) < cost(a) ? b : a));
}

async function loaded(node: DevNode, load: Load, accounts: number, quick: boolean): Promise<Round> {
  const report = await runTraffic(makeSettings(node, load, accounts, quick));
  const { refusedCalls, refused, audit } = report;
  if (refusedCalls > 0 || audit.lost > 0 || audit.twice > 0)
    throw new Error(`${load.mix.name}: ${JSON.stringify(refused)}, ${audit.lost} lost, ${audit.twice} twice`);
  return { report, recover: recoverMicros() };
}

function requireNode({ node }: TrafficReport): NonNullable<TrafficReport['node']> {
  return present(node ?? undefined, 'the figures of the node');
}

function ownCpuSeconds({ self }: TrafficReport): number {
  return self.cpuSeconds + self.aheadCpuSeconds;
}

function makeRow({ mix, budget }: Load, round: Round): Row {
  const { included, self, latencies } = round.report;
  const { cpuSeconds, threadCpuSeconds } = requireNode(round.report);
  const threads = threadCpuSeconds.slice(0, 4).map((used) => ((used * 1e6) / included).toFixed(1));
  const note = [
    `${Math.round((included / cpuSeconds) * machineScale(round))} a CPU-second if a recovery took ${QUIET_RECOVER_MICROS} µs`,
    `µs by thread, main first: ${threads.join(', ')}`,
    `p50 ${latencies.acceptance.p50.toFixed(1)} ms, p99 ${latencies.acceptance.p99.toFixed(1)} ms`,
    `load tester ${Math.round(self.perCpuSecond)} a CPU-second`,
  ].join('; ');
  const measured = { work: included, cpuMicros: cpuSeconds * 1e6 };
  return row(`traffic: ${mix.name}`, 'transaction, HTTP in to synced block', measured, {
    budget: { perCpuSecond: budget / machineScale(round) },
    note,
  });
}

/**
 * The row of the load tester itself: drawn, signed, written, posted, found in a block and looked up, with all of its
 * threads.
 */
function ownRow(round: Round): Row {
  const { self, included } = round.report;
  const cpuMicros = ownCpuSeconds(round.report) * 1e6;
  const scaled = Math.round((included / cpuMicros) * 1e6 * machineScale(round));
  const note = `${scaled} a CPU-second if a recovery took ${QUIET_RECOVER_MICROS} µs; ${Math.round((self.aheadCpuSeconds * 1e6) / included)} µs of each before the clock started`;
  const budget = { perCpuSecond: OWN / machineScale(round) };
  return row(
    'load tester, plain transfers',
    'transfer signed, posted and seen in a block',
    { work: included, cpuMicros },
    { budget, note },
  );
}

/** The settings of a load of the bench’s length. */
export function makeSettings(
  node: DevNode,
  { mix, connections }: Load,
  accounts: number,
  quick: boolean,
): TrafficSettings {
  const isDear = mix.forms.every(({ batch, asks }) => batch === 1 || ('bytes' in asks && asks.bytes[0] >= LARGE_BYTES));
  return {
    urls: [node.url],
    profileName: 'default',
    mix,
    accounts: accountsOfSeed({ seed: SEED, profileName: 'default', count: accounts }),
    witnesses: [...devAccounts, 'initminer'].map((name) => ({ name, secret: devSecret(name) })),
    perSecond: undefined,
    durationMs: undefined,
    count: quick ? QUICK_CALLS : isDear ? DEAR_CALLS : CALLS,
    lanes: connections,
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
