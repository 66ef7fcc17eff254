import type { TrafficReport } from './traffic_report.ts';

/** Which rates are tried, and what makes one too high. */
export interface RampSettings {
  readonly from: number;
  readonly to: number;
  /** The 99th percentile of latencies must stay below. */
  readonly p99Ms: number;
}

/** A rate that was tried. */
export interface Step {
  readonly perSecond: number;
  readonly p99Ms: number;
  /** Calls that were refused, or due and never sent. */
  readonly refusedCalls: number;
  /** The load tester could not keep up, so the step says nothing of the node. */
  readonly isOwnLimit: boolean;
  readonly holds: boolean;
}

/** The result of a ramp. */
export interface Ramp {
  readonly steps: readonly Step[];
  /** The highest rate that held; undefined when not even the lowest did. */
  readonly highest: number | undefined;
  /** Somebody has ended it before its time. */
  readonly interrupted: boolean;
}

/** Rates are told apart to so much. */
const PRECISION = 1.05;
const GROWTH = 2;

/** Doubles the rate until it is too high, then halves what lies between. `tried` runs one step. */
export async function ramp(
  settings: RampSettings,
  tried: (perSecond: number) => Promise<TrafficReport>,
  told: (step: Step) => void,
): Promise<Ramp> {
  const steps: Step[] = [];
  let highest: number | undefined;
  let tooHigh: number | undefined;
  for (let rate: number | undefined = settings.from; rate !== undefined;) {
    const report = await tried(rate);
    if (report.interrupted) return { steps, highest, interrupted: true };
    const step = makeStep(rate, report, settings);
    steps.push(step);
    told(step);
    if (step.holds) highest = rate;
    else tooHigh = rate;
    rate = nextRate(highest, tooHigh, settings);
  }
  return { steps, highest, interrupted: false };
}

function nextRate(highest: number | undefined, tooHigh: number | undefined, { to }: RampSettings): number | undefined {
  if (highest === undefined || highest >= to) return undefined;
  if (tooHigh === undefined) return Math.min(to, highest * GROWTH);
  const between = Math.round(Math.sqrt(highest * tooHigh));
  return tooHigh / highest < PRECISION || between === highest || between === tooHigh ? undefined : between;
}

function makeStep(
  perSecond: number,
  { latencies, refusedCalls, sent, self }: TrafficReport,
  { p99Ms: bound }: RampSettings,
): Step {
  // Whatever a call waits for, its answer is what the limit is of.
  const p99Ms = Math.max(latencies.acceptance.p99, latencies.untilBlock.p99, latencies.untilFinal.p99);
  const refused = refusedCalls + sent.unsent;
  const isOwnLimit = self.limits.length > 0;
  return { perSecond, p99Ms, refusedCalls: refused, isOwnLimit, holds: p99Ms < bound && refused === 0 };
}
