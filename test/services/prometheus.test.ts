import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { encodeWif } from '../../src/crypto/wif.ts';
import { profileNamed } from '../../src/settings/chain_settings.ts';
import { devGenesisText, devSecret } from '../../src/dev_chain/dev_genesis.ts';
import { freePort } from '../outside/free_port.ts';
import { inStep, peerPort } from '../outside/network_nodes.ts';
import type { Program } from '../outside/program.ts';
import { send, transfer } from '../outside/signer.ts';
import { Site } from '../outside/site.ts';
import { waitUntil } from '../outside/wait_until.ts';
import { project, temporaryFolder } from './commands.ts';

// The rules and the dashboard of scripts/operate, asked of Debian's Prometheus that scrapes a node.

const site = new Site();
const folder = temporaryFolder();
const operate = (name: string): string => join(project, 'scripts', 'operate', name);
const WITNESS = 'initminer';
/** On this chain confirmations of witnesses make blocks final. */
const WITHOUT_VOTES = ['pharos_votes_cast_total', 'pharos_votes_missed_total'];
/** This node is no standby, and none stands by for it. */
const WITHOUT_SAMPLES = [
  ...['pharos_standby_obstacle', 'pharos_standby_switch_expires_timestamp_seconds'],
  ...WITHOUT_VOTES,
];
/** The calls that make a client a heavy one. */
const [MANY_CALLS, CALLS_OF_A_BATCH] = [800, 50];
let node: Program;
let metricsPort = 0;
let indexPort = 0;
let prometheus = '';
let server: ChildProcess | undefined;

interface Rule {
  readonly name: string;
  readonly query: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly health: string;
  readonly lastError?: string;
}

const DOCS = 'https://node.example';

/** The alerts that promtool must find at a time. */
interface Expected {
  readonly alertname: string;
  readonly eval_time: string;
  readonly exp_alerts: readonly object[];
}

/** Series by which a rule fires. */
interface Fired {
  readonly input_series: readonly object[];
  readonly alert: Expected;
}

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string }[];
  readonly fieldConfig?: { readonly defaults: { readonly unit: string } };
}

const dashboard = JSON.parse(readFileSync(operate('grafana.json'), 'utf8')) as {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string }[] };
};

async function startNode(name: string, lines: readonly string[]): Promise<Program> {
  const genesisFile = site.path('genesis.json');
  const flags = [
    'run',
    '--genesis-json',
    genesisFile,
    '--data-dir',
    site.path(name),
    '--webserver-http-endpoint',
    '127.0.0.1:0',
    ...lines,
  ];
  const program = site.start(flags);
  await program.ready();
  return program;
}

before(async () => {
  const genesis: object = JSON.parse(devGenesisText(profileNamed('default'), Math.trunc(Date.now() / 1000) - 60));
  writeFileSync(site.path('genesis.json'), JSON.stringify({ ...genesis, block_interval: 1 }));
  metricsPort = await freePort();
  node = await startNode('node', [
    ...[
      '--metrics-endpoint',
      `127.0.0.1:${metricsPort}`,
      '--p2p-endpoint',
      '127.0.0.1:0',
      '--sink-nats',
      'nats://127.0.0.1:1',
    ],
    ...['--witness', WITNESS, '--private-key', encodeWif(devSecret(WITNESS)), '--enable-stale-production'],
    ...['--required-participation', '0', '--accept-low-participation'],
  ]);
  await inStep(await startNode('peer', ['--p2p-seed-node', `127.0.0.1:${peerPort(node)}`]), 1);
  await send(node, [transfer('alice', 'bob', '1.000000')], 'alice');
  indexPort = await freePort();
  site.start([
    'index',
    '--postgres',
    'postgres://nobody@127.0.0.1:1/none',
    '--metrics-endpoint',
    `127.0.0.1:${indexPort}`,
  ]);
  await waitUntil(
    'the page of the index',
    async () => await fetch(`http://127.0.0.1:${indexPort}/livez`).catch(() => undefined),
  );
  prometheus = await startPrometheus();
});

after(async () => {
  server?.kill('SIGKILL');
  await site.clear();
});

/** With the settings and rules of scripts/operate, but for the address of the node and the time between scrapes. */
async function startPrometheus(): Promise<string> {
  const port = await freePort();
  const settings = readFileSync(operate('prometheus.yml'), 'utf8')
    .replaceAll('127.0.0.1:9191', `127.0.0.1:${metricsPort}`)
    .replaceAll(/^ {2}#(?=- | {2})/gm, '  ')
    .replaceAll('127.0.0.1:9192', `127.0.0.1:${indexPort}`)
    .replaceAll('15s', '1s');
  writeFileSync(join(folder, 'prometheus.yml'), settings);
  copyFileSync(operate('pharos.rules.yml'), join(folder, 'pharos.rules.yml'));
  mkdirSync(join(folder, 'tsdb'));
  const flags = [`--config.file=${join(folder, 'prometheus.yml')}`, `--storage.tsdb.path=${join(folder, 'tsdb')}`];
  const program = spawn('prometheus', [...flags, `--web.listen-address=127.0.0.1:${port}`], { stdio: 'ignore' });
  server = program;
  return `http://127.0.0.1:${port}`;
}

async function asked<T>(path: string): Promise<T>;
async function asked(path: string): Promise<unknown> {
  const answer = await fetch(`${prometheus}${path}`);
  const body = JSON.parse(await answer.text()) as { readonly status: string; readonly data: unknown };
  assert.equal(body.status, 'success', JSON.stringify(body));
  return body.data;
}

async function querySeries(query: string): Promise<readonly object[]> {
  return (await asked<{ readonly result: readonly object[] }>(`/api/v1/query?query=${encodeURIComponent(query)}`))
    .result;
}

async function untilScraped(): Promise<void> {
  await waitUntil('scrapes enough for a rate', async () => {
    try {
      const enough = ['pharos_head_block_number', 'pharos_index_working'].map(
        async (name) => await querySeries(`count_over_time(${name}[1m]) >= 4`),
      );
      return (await Promise.all(enough)).every((series) => series.length > 0) || undefined;
    } catch {
      return undefined; // it is starting
    }
  });
}

/** Returns the metrics pages of node and index. */
async function bothPages(): Promise<string> {
  const pages = [metricsPort, indexPort].map(
    async (port) => await (await fetch(`http://127.0.0.1:${port}/metrics`)).text(),
  );
  return (await Promise.all(pages)).join('');
}

function promtool(args: readonly string[], input = ''): string {
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8', cwd: folder });
  assert.equal(status, 0, `promtool ${args.join(' ')}\n${stdout}${stderr}`);
  return stdout + stderr;
}

test('promtool finds nothing to say about the metrics of a node, the rules and the settings', async () => {
  for (const port of [metricsPort, indexPort])
    assert.equal(promtool(['check', 'metrics'], await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()), '');
  promtool(['check', 'rules', operate('pharos.rules.yml')]);
  promtool(['check', 'config', operate('prometheus.yml')]);
});

test('each rule can be asked of a real node, names a guide that there is, and none wakes anybody for a node that is well', async () => {
  await untilScraped();
  const rules = await waitUntil('rules that were looked at', async () => {
    const { groups } = await asked<{ readonly groups: readonly { readonly rules: readonly Rule[] }[] }>(
      '/api/v1/rules',
    );
    const all = groups.flatMap((group) => group.rules);
    return all.length > 0 && all.every(({ health }) => health !== 'unknown') ? all : undefined;
  });
  assert.deepEqual(
    rules.filter(({ health }) => health !== 'ok'),
    [],
  );
  const link = /^\{\{ \$externalLabels\.docs \}\}(\/docs\/guides\/\w+\.html)$/;
  for (const { name, annotations } of rules) {
    const [, path = assert.fail(name)] = link.exec(annotations['guide'] ?? '') ?? [];
    assert.equal((await node.http('GET', path, {})).status, 200, path);
  }
  const fires: string[] = [];
  for (const { name, query } of rules) if ((await querySeries(query)).length > 0) fires.push(name);
  // Its chain began a minute ago, its NATS server and the database of the index are nowhere, and the machine has other
  // work; what a disk loses in some seconds says nothing.
  const machine = ['PharosMachineBusy', 'PharosBusy', 'PharosWriterStalled', 'PharosDiskFull', 'PharosDiskFullSoon'];
  const expected = new Set(['PharosParticipationLow', 'PharosSinkBehind', 'PharosIndexBehind', ...machine]);
  assert.deepEqual(
    fires.filter((name) => !expected.has(name)),
    [],
  );
  for (const name of ['PharosSinkBehind', 'PharosIndexBehind'])
    assert.ok(fires.includes(name), 'what is wrong is told');
});

test('rules fire when they should and not before', () => {
  const series = (name: string, values: string, labels = ''): object => ({
    series: `${name}{job="pharos",instance="a"${labels}}`,
    values,
  });
  const alerted = (
    alertname: string,
    evalTime: string,
    summary: string | undefined,
    labels: object,
    guide: string,
  ): Expected => ({
    eval_time: evalTime,
    alertname,
    exp_alerts:
      summary === undefined
        ? []
        : [
            {
              exp_labels: { job: 'pharos', instance: 'a', ...labels },
              exp_annotations: { summary: `a: ${summary}`, guide: `${DOCS}/docs/guides/${guide}.html` },
            },
          ],
  });
  const page = { severity: 'page' };
  const warning = { severity: 'warning' };
  const fires = (
    alertname: string,
    summary: string,
    labels: object,
    guide: string,
    ...input_series: readonly object[]
  ): Fired => ({
    input_series,
    alert: alerted(alertname, '30m', summary, labels, guide),
  });
  const busy = (of: string, share: string): object => series('pharos_busy_ratio', `${share}x60`, `,of="${of}"`);
  const singly = [
    fires(
      'PharosBehindPeers',
      'peers have 40 blocks that it has not',
      warning,
      'behind',
      series('pharos_blocks_behind', '40+0x60'),
    ),
    fires(
      'PharosNoPeers',
      'it is connected with no other node',
      page,
      'behind',
      series('pharos_peers', '0+0x60', ',direction="inbound"'),
      series('pharos_alive_witnesses', '0+0x60'),
    ),
    fires(
      'PharosClockWrong',
      'the clock of the machine is 9 seconds off',
      page,
      'missed_slots',
      series('pharos_clock_offset_seconds', '-9+0x60'),
    ),
    fires(
      'PharosStandbyNotReady',
      'it would not take over from alice: not_synced',
      { ...warning, witness: 'alice', obstacle: 'not_synced' },
      'missed_slots',
      series('pharos_standby_obstacle', '1+0x60', ',witness="alice",obstacle="not_synced"'),
    ),
    fires(
      'PharosFinalityStandsStill',
      'no block has become final for 90 seconds',
      page,
      'finality',
      series('pharos_finality_stalled_seconds', '90+0x60'),
    ),
    fires(
      'PharosVotesMissed',
      'alice has missed votes',
      { ...page, witness: 'alice', own: 'yes' },
      'finality',
      series('pharos_votes_missed_total', '0+5x60', ',witness="alice",own="yes"'),
    ),
    fires(
      'PharosUpgradeNeeded',
      '4 scheduled witnesses run or vote for a version that this node does not know',
      warning,
      'upgrade_chain',
      series('pharos_newer_version_witnesses', '4+0x60'),
    ),
    fires(
      'PharosUpgradeDue',
      'this node stops at 2027-01-15 08:00:00 +0000 UTC: install a release that knows the next hardfork',
      page,
      'upgrade_chain',
      series('pharos_unknown_hardfork_timestamp_seconds', '1800000000+0x60'),
    ),
    fires(
      'PharosParticipationLow',
      'only 50% of the last slots have a block',
      page,
      'behind',
      series('pharos_participation_ratio', '0.5+0x60'),
    ),
    fires(
      'PharosPartitionSuspected',
      'the network may have parted',
      page,
      'behind',
      series('pharos_partition_suspected', '1+0x60'),
    ),
    fires(
      'PharosContested',
      'peers contradict each other about a final block, and it fetches nothing',
      page,
      'behind',
      series('pharos_contested', '1+0x60'),
    ),
    fires(
      'PharosBusy',
      'calls wait: the thread that answers them is busy 95% of the time',
      { ...warning, of: 'thread' },
      'slow',
      busy('thread', '0.95+0'),
    ),
    fires(
      'PharosMachineBusy',
      'the processors of the machine are busy',
      { ...warning, of: 'machine' },
      'slow',
      busy('machine', '0.98+0'),
    ),
    fires(
      'PharosWriterStalled',
      'the writer was held up for 2s',
      warning,
      'slow',
      series('pharos_writer_delay_seconds', '2+0x60'),
    ),
    fires(
      'PharosClientOverLimit',
      '20 calls a second are refused because a client asks for too much',
      warning,
      'hammered',
      series('pharos_rpc_over_limit_total', '0+1200x60'),
    ),
    fires(
      'PharosDescriptorsLow',
      '80% of its descriptors are open',
      warning,
      'hammered',
      series('process_open_fds', '80+0x60'),
      series('process_max_fds', '100+0x60'),
    ),
    fires(
      'PharosSinkBehind',
      'the event stream is behind, or takes nothing',
      warning,
      'event_server',
      series('pharos_sink_working', '0+0x60'),
    ),
    fires(
      'PharosSinkLost',
      'the event stream lacked messages that the NATS server had acknowledged: readers may have counted blocks twice',
      warning,
      'event_server',
      series('pharos_sink_lost_messages_total', '0+0x20 43+0x40'),
    ),
    fires(
      'PharosIndexBehind',
      'the index is behind, or prevented from indexing; its /health says why',
      warning,
      'sql',
      series('pharos_index_working', '0+0x60'),
    ),
    fires(
      'PharosIndexUnreadable',
      'the index has met a record that it can not take; its /health names block and operation',
      warning,
      'sql',
      series('pharos_index_unreadable_total', '0+0x20 1+1x40'),
    ),
    fires('PharosIndexDown', 'the index answers no scrape', { ...warning, job: 'pharos-index' }, 'sql', {
      series: 'up{job="pharos-index",instance="a"}',
      values: '0+0x60',
    }),
    fires(
      'PharosRestarts',
      'it was started 3 times in an hour; its log says why it ended',
      warning,
      'down',
      series('process_start_time_seconds', '1 2 3 4+0x60'),
    ),
  ];
  const external_labels = { docs: DOCS };
  const tests = {
    rule_files: ['pharos.rules.yml'],
    evaluation_interval: '1m',
    tests: [
      {
        interval: '1m',
        external_labels,
        input_series: [
          series('pharos_head_age_seconds', '3 3 3 3 3 100 160 220 280'),
          series('up', '1 1 1 0 0 0 1 1 1'),
          series('pharos_slots_missed_total', '7+0x4 9+0x20', ',witness="alice"'),
          // 2 GiB that become less by 100 MiB a minute.
          series('pharos_store_free_bytes', '2147483648-104857600x60'),
          series('pharos_witness_obstacle', '1+0x20', ',witness="alice",obstacle="wrong_key"'),
        ],
        alert_rule_test: [
          alerted('PharosHeadOld', '5m', undefined, page, 'behind'),
          alerted('PharosHeadOld', '7m', 'no block for 3m 40s', page, 'behind'),
          alerted('PharosDown', '3m', undefined, page, 'down'),
          alerted('PharosDown', '4m', 'the node answers no scrape', page, 'down'),
          alerted('PharosSlotsMissed', '4m', undefined, { ...page, witness: 'alice' }, 'missed_slots'),
          alerted('PharosSlotsMissed', '6m', 'alice has missed slots', { ...page, witness: 'alice' }, 'missed_slots'),
          alerted('PharosWitnessHeldUp', '4m', undefined, {}, 'missed_slots'),
          alerted(
            'PharosWitnessHeldUp',
            '6m',
            'alice makes no blocks: wrong_key',
            { ...page, witness: 'alice', obstacle: 'wrong_key' },
            'missed_slots',
          ),
          alerted('PharosDiskFull', '9m', undefined, {}, 'disk_full'),
          alerted(
            'PharosDiskFullSoon',
            '40m',
            'the disk is full within a day if it goes on so',
            { severity: 'warning' },
            'disk_full',
          ),
        ],
      },
      ...singly.map(({ input_series, alert }) => ({
        interval: '1m',
        external_labels,
        input_series,
        alert_rule_test: [alert],
      })),
    ],
  };
  const tried = new Set(
    tests.tests.flatMap(({ alert_rule_test }) => alert_rule_test.map(({ alertname }) => alertname)),
  );
  const named = [...readFileSync(operate('pharos.rules.yml'), 'utf8').matchAll(/- alert: (\w+)/g)].map(
    ([, name]) => name,
  );
  assert.deepEqual(
    named.filter((name) => !tried.has(name ?? '')),
    [],
  );
  writeFileSync(join(folder, 'tests.yml'), JSON.stringify(tests)); // which is YAML, too
  promtool(['test', 'rules', 'tests.yml']);
});

test('each query of the dashboard can be asked, and has data where the node has any', async () => {
  await untilScraped();
  const calls = Array.from({ length: CALLS_OF_A_BATCH }, () => ({ method: 'alexandria_api.info', params: {} }));
  for (let sent = 0; sent < MANY_CALLS; sent += calls.length) await node.batch(calls);
  await waitUntil('a client that asks for much', async () =>
    (await querySeries('pharos_client_weight')).length > 0 ? true : undefined,
  );
  const page = await bothPages();
  const silent: string[] = [];
  const without = new Set<string>();
  for (const { title, targets = [] } of dashboard.panels)
    for (const { expr } of targets) {
      const query = expr.replaceAll('$instance', '.*').replaceAll('$__rate_interval', '1m');
      assert.doesNotMatch(query, /\$/, 'no other variable is used');
      const [name = ''] = /pharos_\w+/.exec(query) ?? [];
      const hasSamples = new RegExp(`^${name}(?:\\{.*\\})? `, 'm').test(page);
      if ((await querySeries(query)).length > 0) continue;
      if (hasSamples) silent.push(`${title}: ${query}`);
      else without.add(name.replace(/_bucket$/, ''));
    }
  assert.deepEqual(silent, []);
  assert.deepEqual([...without].toSorted(), WITHOUT_SAMPLES);
});

test('the dashboard marks restarts and hardforks by queries that Prometheus takes', async () => {
  const { annotations } = JSON.parse(readFileSync(operate('grafana.json'), 'utf8')) as {
    readonly annotations: {
      readonly list: readonly { readonly name: string; readonly target: { readonly expr: string } }[];
    };
  };
  assert.deepEqual(
    annotations.list.map(({ name }) => name),
    ['Restarts', 'Hardforks'],
  );
  for (const {
    target: { expr },
  } of annotations.list) {
    const query = expr.replaceAll('$instance', '.*');
    assert.deepEqual(await querySeries(query), [], 'nothing has happened');
    assert.ok((await querySeries(query.replace('> 0', '>= 0'))).length > 0, `it finds the nodes: ${query}`);
  }
});

test('the dashboard has a panel for each metric of a node, none twice, none upon another', async () => {
  const page = await bothPages();
  const declared = [...page.matchAll(/^# TYPE (pharos_\w+) /gm)].map(([, name = '']) => name);
  // The first line has figures of metrics that have a panel below.
  const panels = dashboard.panels.filter(({ type, gridPos }) => type !== 'row' && gridPos.y > 0);
  const shown = panels.map(({ targets = [] }) => /pharos_\w+?(?=_bucket\{|\{)/.exec(targets[0]?.expr ?? '')?.[0] ?? '');
  assert.deepEqual(shown.toSorted(), [...new Set(declared)].toSorted());
  assert.equal(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length);
  const places = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, k) => `${x + (k % w)} ${y + Math.trunc(k / w)}`),
  );
  assert.equal(new Set(places).size, places.length);
  for (const { gridPos } of dashboard.panels) assert.ok(gridPos.x + gridPos.w <= 24);
  const units = new Set(panels.map(({ fieldConfig }) => fieldConfig?.defaults.unit));
  assert.deepEqual([...units].map(String).toSorted(), [
    'Bps',
    'bytes',
    'dateTimeFromNow',
    'ops',
    'percentunit',
    's',
    'short',
  ]);
  assert.deepEqual(
    dashboard.templating.list.map(({ name }) => name),
    ['datasource', 'instance'],
  );
});
