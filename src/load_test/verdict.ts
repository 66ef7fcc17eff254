import type { Audit } from './audit.ts';
import type { TrafficReport } from './traffic_report.ts';

/** A finding about a run; the first word of a page is that of the worst one. */
export interface Finding {
  readonly grade: 'kept' | 'note' | 'broken';
  readonly text: string;
}

/** A rate that is missed by less is reached: the last answers of a run come behind its end. */
const REACHED_SHARE = 0.98;

/** Tells what a run has shown, the promises of the node first. */
export function judge(report: TrafficReport): Finding[] {
  return [...auditFindings(report), ...rateFindings(report), ...refusalFindings(report), ...chainFindings(report)];
}

function auditFindings({ audit }: TrafficReport): Finding[] {
  if (audit.acknowledged === 0) return [];
  const text = `acknowledged transactions: ${auditVerdict(audit)}`;
  if (audit.unknown + audit.revoked + audit.lost + audit.twice > 0) return [{ grade: 'broken', text }];
  return [{ grade: audit.forgotten + audit.expired + audit.stillValid > 0 ? 'note' : 'kept', text }];
}

/** A slow load tester explains a rate that was not reached. */
function rateFindings({ settings, answeredPerSecond, sent, self, interrupted }: TrafficReport): Finding[] {
  const { perSecond } = settings;
  const reached = answeredPerSecond.toFixed(1);
  const limits = self.limits.map((limit): Finding => ({
    grade: 'note',
    text: `the load tester’s own limit: ${limit}`,
  }));
  const ended: Finding[] = interrupted ? [{ grade: 'note', text: 'the run was interrupted' }] : [];
  if (perSecond === null) return [...limits, ...ended];
  const isReached = answeredPerSecond >= REACHED_SHARE * perSecond;
  const unsent = sent.unsent === 0 ? '' : `; ${sent.unsent} calls found no free connection`;
  const text = `${perSecond} calls a second were asked for, ${reached} were answered and not refused${unsent}`;
  return [{ grade: isReached ? 'kept' : 'note', text }, ...limits, ...ended];
}

function refusalFindings({ refusedCalls, answered }: TrafficReport): Finding[] {
  if (refusedCalls === 0) return [];
  const share = ((100 * refusedCalls) / Math.max(answered, 1)).toPrecision(2);
  return [{ grade: 'note', text: `${refusedCalls} calls were refused: ${share} % of all calls` }];
}

function chainFindings({ blocks, told }: TrafficReport): Finding[] {
  const { undone, missedSlots, silences } = blocks;
  const restarts = told.metrics?.restarts ?? 0;
  const counted: readonly (readonly [count: number, one: string, text: string])[] = [
    [undone, 'block was undone', 'blocks were undone'],
    [missedSlots, 'slot had no block', 'slots had no block'],
    [silences, 'time the node could not be asked', 'times the node could not be asked'],
    [restarts, 'restart of the node', 'restarts of the node'],
  ];
  return counted.flatMap(([count, one, text]) =>
    count === 0 ? [] : [{ grade: 'note', text: `${count} ${count === 1 ? one : text}` }],
  );
}

/** Tells in a sentence which of the node's promises were kept. */
export function auditVerdict({ stillValid, forgotten, twice, revoked, expired, lost, unknown }: Audit): string {
  if (unknown > 0) return `UNKNOWN: the node could not be asked what became of ${unknown}`;
  if (revoked > 0)
    return `BROKEN: ${revoked} that were acknowledged as final are in no irreversible block; ${lost} others are lost, ${twice} are in two`;
  if (lost + twice > 0)
    return `BROKEN: ${lost} that were acknowledged are in no block although there was room, and can come into none, ${twice} are in two`;
  if (forgotten > 0)
    return `kept, but ${forgotten} were acknowledged as accepted only, and the node that had them in its memory has ended; who must know waits for the block (wait_for of a broadcast)`;
  if (expired > 0)
    return `kept, but ${expired} expired after they were accepted, before enough blocks with room came; sign for longer, or send less`;
  return stillValid > 0 ? 'kept so far: what is in no block may still come' : 'kept: each is in a block, once';
}
