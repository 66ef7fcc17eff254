import { Fault } from '../base/fault.ts';
import { defaultLimits, PUBLIC_CALLS_PER_SECOND, type Limits } from '../jsonrpc/limits/limits.ts';

/** A setting for one limit of the server. */
export interface LimitOption {
  readonly kind: 'count';
  readonly reader: 'limits';
  readonly doc: string;
  readonly initial?: string;
  readonly limit: keyof Limits;
}

const option = (limit: keyof Limits, doc: string): LimitOption => ({
  kind: 'count',
  reader: 'limits',
  doc,
  initial: String(defaultLimits[limit]),
  limit,
});

/**
 * Settings for the limits on what this node does for one client. Their reasons are given with the defaults in
 * jsonrpc/limits/limits.ts.
 */
export const limitOptions = {
  'max-head-bytes': option('headBytes', 'bytes of the head of a request'),
  'max-body-bytes': option('bodyBytes', 'bytes of a request'),
  'max-answer-bytes': option('answerBytes', 'bytes of an answer'),
  'max-batch-elements': option('batchElements', 'calls in one request'),
  'max-batch-weight': option('batchWeight', 'weight of the calls in one request; a small read weighs 1'),
  'max-json-depth': option('jsonDepth', 'levels of JSON in a request'),
  'call-deadline-ms': option('callDeadlineMs', 'time that a call may take'),
  'wait-deadline-ms': option('waitDeadlineMs', 'time that a broadcast may wait for its block'),
  'body-deadline-ms': option('bodyDeadlineMs', 'time that a request may take to come'),
  'idle-ms': option('idleMs', 'time that a connection may be silent'),
  'max-connections': option('connections', 'connections of everybody together'),
  'max-connections-per-address': option('connectionsPerAddress', 'connections of one address'),
  'max-requests-in-flight': option('requestsInFlight', 'calls that may wait for something, of everybody together'),
  'max-requests-in-flight-per-address': option('requestsInFlightPerAddress', 'the same of one address'),
  'max-calls-per-socket': option('callsPerSocket', 'calls of one WebSocket that may wait for something'),
  'max-verifier-calls': option(
    'verifierCalls',
    'calls that may wait for a verifier or for the trial of a transaction, of everybody together',
  ),
  'max-verifier-calls-per-address': option('verifierCallsPerAddress', 'the same of one address'),
  'max-calls-per-second': {
    kind: 'count',
    reader: 'limits',
    limit: 'callsPerSecond',
    doc: `calls of one address in a second, by weight; none when 0, ${PUBLIC_CALLS_PER_SECOND} beyond loopback when left out`,
  },
  'max-received-bytes-per-address': option(
    'receivedBytesPerAddress',
    'bytes of requests of one address that have come in part',
  ),
  'max-received-bytes-in-all': option('receivedBytesInAll', 'the same of everybody together'),
  'max-unsent-bytes': option('unsentBytes', 'bytes that may wait for a slow reader before it is let go'),
  'max-unsent-bytes-per-address': option('unsentBytesPerAddress', 'the same for all connections of one address'),
  'max-unsent-bytes-in-all': option('unsentBytesInAll', 'the same for everybody together'),
  'answer-deadline-ms': option('answerDeadlineMs', 'time that a client may take to read an answer'),
  'max-subscriptions-per-socket': option('subscriptionsPerSocket', 'subscriptions of one WebSocket'),
  'max-subscriptions': option('subscriptions', 'subscriptions of everybody together'),
  'max-subscriptions-per-address': option('subscriptionsPerAddress', 'subscriptions of one address'),
  'stalled-ms': option('stalledMs', 'time that a subscriber may read nothing'),
} as const satisfies Readonly<Record<string, LimitOption>>;

/**
 * The limits of a node that `pharos run` starts. `max-calls-per-second` also limits local clients when the operator
 * sets it; its default limits remote clients alone. Throws Fault `configuration` as `readLimits` does.
 */
export function publicLimits(values: Readonly<Record<string, unknown>>): Limits {
  const limits = readLimits(values);
  const isSaid = values['max-calls-per-second'] !== undefined;
  return isSaid ? { ...limits, countsLocalCalls: true } : { ...limits, callsPerSecond: PUBLIC_CALLS_PER_SECOND };
}

/** The limits from the settings. Throws Fault `configuration` for a limit that would lock out all clients. */
export function readLimits(values: Readonly<Record<string, unknown>>): Limits {
  const given = Object.entries(limitOptions).flatMap(([key, { limit }]) => {
    const value = values[key];
    if (typeof value !== 'number') return [];
    if (value === 0 && limit !== 'callsPerSecond')
      throw new Fault('configuration', `${key}: a positive number expected`);
    return [[limit, value] as const];
  });
  return { ...defaultLimits, ...Object.fromEntries(given) };
}
