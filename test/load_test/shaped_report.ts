import type { Spread, TrafficReport } from '../../src/load_test/traffic_report.ts';

/** Differences of a report. */
export interface Shape {
  readonly perSecond: number;
  readonly p99: number;
  readonly refused?: number;
  readonly name?: string;
}

/** A report of a run that never was. */
export function shapedReport({ perSecond, p99, refused = 0, name = 'plain' }: Shape): TrafficReport {
  const spread: Spread = {
    count: 100,
    mean: p99 / 3,
    p50: p99 / 4,
    p90: p99 / 2,
    p99,
    p999: p99,
    max: p99,
    curve: [
      [0, 0],
      [0.99, p99],
      [1, p99],
    ],
  };
  const point = {
    sent: perSecond,
    answered: perSecond,
    refused,
    includedInBlocks: perSecond,
    backlog: 7,
    pending: 3,
    p50Ms: p99 / 4,
    p99Ms: p99,
    p999Ms: p99,
    nodeCpu: 0.5,
    ownCpu: 0.1,
    nodeBytes: 1e8,
    ownBytes: 5e7,
  };
  return {
    format: 2,
    started: '2026-01-01T00:00:00.000Z',
    settings: { mix: name, urls: ['http://node'], perSecond, lanes: 8, overSocket: false, accounts: 10, threads: 1 },
    seconds: 2,
    interrupted: false,
    sent: { calls: perSecond * 2, posts: perSecond, unsent: 0 },
    answered: perSecond * 2,
    answeredPerSecond: perSecond,
    refusedCalls: refused,
    recoveries: { wait: 0, next_node: 0, final: refused },
    refused: refused > 0 ? { 'some_reason: words & <signs>': refused } : {},
    latencies: {
      acceptance: spread,
      untilBlock: spread,
      untilFinal: spread,
      service: spread,
      inclusion: spread,
      irreversibility: spread,
    },
    hostile: null,
    forms: [{ name: 'transfers', calls: perSecond * 2, refused, latency: spread }],
    leftOut: [],
    blocks: {
      first: 5,
      last: 9,
      transactions: 20,
      mostTransactions: 8,
      undone: 0,
      course: [
        { second: 1, fullness: 0.25, transactions: 8 },
        { second: 4, fullness: 0.5, transactions: 12 },
      ],
      missedSlots: 0,
      silences: 0,
      intervals: spread,
      maximumBytes: 262_144,
      averageBytes: 500,
    },
    included: perSecond * 2,
    audit: {
      acknowledged: perSecond * 2,
      irreversible: perSecond * 2,
      reversible: 0,
      stillValid: 0,
      forgotten: 0,
      twice: 0,
      revoked: 0,
      expired: 0,
      lost: 0,
      unknown: 0,
      examples: [],
    },
    node: { pid: 1, cpuSeconds: 1, threadCpuSeconds: [0.5, 0.5], bytes: 1e8, mostBytes: 1e8 },
    told: {
      metricsUrl: 'http://node/metrics',
      metrics: {
        cpuSeconds: 1,
        bytes: 1e8,
        mostBytes: 1e8,
        restarts: 0,
        most: { 'open files': 40 },
        blockLateMs: { p50: 5, p99: 20 },
      },
      problem: null,
      health: { status: 'ready', headAgeSeconds: 0.5, clockOffsetSeconds: 0 },
    },
    self: {
      cpuSeconds: 0.2,
      aheadCpuSeconds: 0.1,
      perCpuSecond: 1000,
      shareOfMachine: 0.05,
      postingBusy: 0.1,
      starvedSeconds: 0,
      mostBytes: 1e8,
      limits: [],
    },
    timeline: [
      { second: 1, ...point },
      { second: 2, ...point },
    ],
  };
}
