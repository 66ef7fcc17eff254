import type { HeadWatch } from './head_watch.ts';
import type { HostileReport } from './hostile.ts';
import type { LatencyHistogram } from './latency_histogram.ts';
import type { LookedUp } from './look_up.ts';
import type { ToldFigures } from './node_pages.ts';
import { ownFigures, type OwnUse } from './own_use.ts';
import type { PaceOutcome } from './pace.ts';
import type { Prepared } from './prepare_traffic.ts';
import type { Tally } from './tally.ts';
import type { Timeline } from './timeline.ts';
import { latencySpread, type TrafficReport } from './traffic_report.ts';
import type { TrafficSettings } from './traffic_settings.ts';

/** Figures of blocks. */
export interface ChainHistograms {
  readonly inclusion: LatencyHistogram;
  readonly irreversibility: LatencyHistogram;
  readonly intervals: LatencyHistogram;
}

/** A run that is over, with all that was counted. */
interface FinishedRun extends LookedUp {
  readonly settings: TrafficSettings;
  readonly parts: Prepared;
  readonly started: Date;
  readonly interrupted: boolean;
  readonly outcome: PaceOutcome;
  readonly used: OwnUse;
  readonly aheadCpuSeconds: number;
  readonly node: TrafficReport['node'];
  readonly told: ToldFigures;
  readonly tally: Tally;
  readonly histograms: ChainHistograms;
  readonly hostile: HostileReport | undefined;
  readonly watch: HeadWatch;
  readonly timeline: Timeline;
}

/** All that a run tells. */
export function makeReport(run: FinishedRun): TrafficReport {
  const { settings, parts, outcome, tally, audit, blocks, node, watch, histograms } = run;
  const { urls, perSecond = null, lanes, overSocket, threads } = settings;
  const { mix, accounts, leftOut } = parts;
  const seconds = (outcome.endedMs - outcome.startedMs) / 1000;
  const { maximumBlockBytes, averageBlockBytes } = watch.head;
  return {
    format: 2,
    started: run.started.toISOString(),
    settings: { mix: mix.name, urls, perSecond, lanes, overSocket, accounts: accounts.length, threads },
    seconds,
    interrupted: run.interrupted,
    sent: { calls: tally.sentCalls, posts: tally.sentPosts, unsent: tally.unsentCalls },
    answered: tally.answeredCalls,
    answeredPerSecond: (tally.answeredCalls - tally.refusedCalls) / Math.max(seconds, Number.EPSILON),
    refusedCalls: tally.refusedCalls,
    refused: Object.fromEntries(tally.refused),
    recoveries: tally.recoveries,
    latencies: {
      acceptance: latencySpread(tally.latencies.accepted),
      untilBlock: latencySpread(tally.latencies.block),
      untilFinal: latencySpread(tally.latencies.final),
      service: latencySpread(tally.service),
      inclusion: latencySpread(histograms.inclusion),
      irreversibility: latencySpread(histograms.irreversibility),
    },
    hostile: hostileFigures(run.hostile),
    forms: tally.forms.map(({ name, calls, refused, latency }) => ({
      name,
      calls,
      refused,
      latency: latencySpread(latency),
    })),
    leftOut,
    blocks: {
      ...watch.heads(),
      ...blocks,
      intervals: latencySpread(histograms.intervals),
      maximumBytes: maximumBlockBytes,
      averageBytes: averageBlockBytes,
    },
    included: audit.irreversible + audit.reversible + audit.twice,
    audit,
    node,
    told: run.told,
    self: ownFigures(run.used, {
      seconds,
      starvedMs: outcome.starvedMs,
      aheadCpuSeconds: run.aheadCpuSeconds,
      calls: tally.answeredCalls,
      isNodeHere: node !== null,
    }),
    timeline: run.timeline.points,
  };
}

function hostileFigures(report: HostileReport | undefined): TrafficReport['hostile'] {
  return report === undefined ? null : { latency: latencySpread(report.latency), kinds: report.kinds };
}
