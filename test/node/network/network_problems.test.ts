import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Metrics } from '../../../src/base/metrics.ts';
import { CallsByClient } from '../../../src/jsonrpc/limits/calls_by_client.ts';
import { MethodTimes } from '../../../src/jsonrpc/limits/method_times.ts';
import { addNetworkMetrics } from '../../../src/node/network/network_metrics.ts';
import type { NetworkFigures, NetworkState } from '../../../src/node/network/network_messages.ts';
import { networkProblems, networkWarnings } from '../../../src/node/network/network_problems.ts';
import { NetworkRecord } from '../../../src/node/network/network_record.ts';
import { SyncProgress } from '../../../src/node/network/sync_progress.ts';
import { NodeWatch } from '../../../src/node/watch/node_watch.ts';
import { topPage, TOP_PATH } from '../../../src/node/watch/top_page.ts';
import { NetworkCounts } from '../../../src/p2p/peers/network_counts.ts';
import { makeStanding } from '../../builders/hardfork_standing.ts';
import { HandClock } from '../../builders/hand_clock.ts';

const QUIET = {
  contest: undefined,
  contestedByInbound: undefined,
  unproved: { peers: 0, blocks: 0 },
  voices: 2,
  inbound: 3,
  outbound: 2,
};

test('inbound peers that have another irreversible block are named as a warning, and are no problem', () => {
  assert.deepEqual(networkWarnings(QUIET, undefined), []);
  for (const [groups, who] of [
    [1, 'one address group'],
    [3, '3 address groups'],
  ] as const) {
    const told = { ...QUIET, contestedByInbound: { number: 17, groups } };
    assert.deepEqual(networkProblems(told), []);
    const [warning = '', ...others] = networkWarnings(told, undefined);
    assert.deepEqual(others, []);
    assert.match(
      warning,
      new RegExp(
        `^a contradiction by strangers: block 17, irreversible here, is another one for inbound peers of ${who};`,
      ),
    );
    assert.match(warning, /counts for nothing.*if other operators have that block, too, the chain has split/);
  }
});

const NO_BYTES = { 0: 0, 1: 0, 2: 0, 3: 0 };
const FIGURES: NetworkFigures = {
  ...{
    received: NO_BYTES,
    sent: NO_BYTES,
    queuedBytes: 0,
    aheadBytes: 0,
    awaitedBundles: 0,
    aliveWitnesses: 0,
    bans: 0,
    refusedHandshakes: 0,
  },
  bundles: { taken: 0, known: 0, refused: 0, sent: 0 },
  offences: new NetworkCounts().offences,
  ...{ shortIds: { hit: 0, miss: 0, fallback: 0 }, pool: { transactions: 0, waitingBytes: 0, includedBytes: 0 } },
  ...{
    delays: [],
    rebuiltMs: [],
    work: {},
    strangers: { receiving: 0, answering: 0, spare: 0 },
    clockAheadMs: 0,
    threadDelaySeconds: 0,
  },
};
const STATE: NetworkState = {
  ...{
    ...QUIET,
    sync: 'live',
    behindBy: 0,
    isSynced: true,
    isParted: false,
    isSearching: false,
    unconfirmed: undefined,
  },
  ...{ medianClockAheadMs: 0, inStep: [], sources: [], figures: FIGURES },
};

/** Each doubt for an operator, with the word in its sentence and its metric. */
const doubts: Readonly<
  Record<string, { readonly state: Partial<NetworkState>; readonly word: RegExp; readonly metric: RegExp }>
> = {
  'the network thread is busy': {
    state: { figures: { ...FIGURES, work: { range_request: 9800 } } },
    word: /network thread was busy 98 %.*range_request 98 %/,
    metric: /^pharos_network_work_seconds_total\{kind="range_request"\} 9\.8$/m,
  },
  'peers contradict each other': {
    state: { contest: { number: 7, agreeing: 1, contradicting: 2, isContradictedByPinned: false, isOpen: true } },
    word: /contested: block 7/,
    metric: /^pharos_contested 1$/m,
  },
  'there is no peer of another group': {
    state: { voices: 1 },
    word: /no peer of another group/,
    metric: /^pharos_peer_groups 1$/m,
  },
  'claims have no evidence': {
    state: { unproved: { peers: 3, blocks: 9 } },
    word: /claims without evidence: 3 of the peers/,
    metric: /^pharos_unproved_claims 3$/m,
  },
};

for (const [doubt, { state: part, word, metric }] of Object.entries(doubts)) {
  test(`that ${doubt} is said in /health, pharos top, the log and the metrics, and not while it is not so`, async () => {
    for (const [state, isSo] of [
      [{ ...STATE, ...part }, true],
      [STATE, false],
    ] as const) {
      const clock = new HandClock(1_000_000_000);
      const said: string[] = [];
      const log = {
        debug: () => {},
        notice: (text: string) => void said.push(text),
        warning: (text: string) => void said.push(text),
        error: () => {},
      };
      const { work } = state.figures;
      const watch = new NodeWatch({
        ...{
          clock,
          log,
          times: new MethodTimes(),
          clients: new CallsByClient(clock),
          callsPerSecond: 50,
          dataFolder: undefined,
        },
        ...{ blockIntervalSeconds: 3, isTimed: true, waits: () => false, peers: () => ({ ...state, work }) },
        head: () => ({ number: 7, time: clock.nowMs() / 1000 }),
        finality: () => ({ irreversible: 5, confirmed: undefined, voting: undefined }),
        hardforks: () => makeStanding([]),
        processors: { look: () => {}, shares: { thread: 0, threadUsed: 0, threadWaited: 0, machine: 0, process: 0 } },
      });
      const progress = new SyncProgress(log);
      for (let second = 0; second < 10; second++) {
        clock.pass(1000);
        progress.take(state, 7, clock.elapsedMs());
      }
      const share = watch.networkShare();
      const health = [...networkProblems(state), ...networkWarnings(state, share)];
      const top = topPage(watch)(TOP_PATH, { isLocal: true })?.body;
      for (let second = 0; second < 70; second++) {
        clock.pass(1000);
        progress.take(state, 7, clock.elapsedMs());
      }
      watch.stop();
      const record = new NetworkRecord();
      record.take(state);
      const metrics = new Metrics();
      addNetworkMetrics(metrics, record);
      const places = { health: health.join('\n'), top: String(top), log: said.join('\n') };
      for (const [place, text] of Object.entries(places)) assert.equal(word.test(text), isSo, `${place}: ${text}`);
      assert.equal(metric.test(await metrics.text()), isSo);
    }
  });
}

test('that all peers are of one group is said once, not while a node is starting, and again when it was otherwise meanwhile', () => {
  const said: string[] = [];
  const progress = new SyncProgress({
    debug() {},
    notice: (text) => void said.push(text),
    warning: (text) => void said.push(text),
    error() {},
  });
  let nowMs = 0;
  const pass = (voices: number, seconds: number): number => {
    for (let second = 0; second < seconds; second++) progress.take({ ...STATE, voices }, 7, (nowMs += 1000));
    return said.filter((line) => line.includes('no peer of another group')).length;
  };
  assert.deepEqual(
    [pass(1, 30), pass(2, 10), pass(1, 55), pass(1, 10), pass(1, 3600), pass(3, 5), pass(1, 70)],
    [0, 0, 0, 1, 1, 1, 2],
  );
});
