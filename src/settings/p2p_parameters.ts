import { Fault } from '../base/fault.ts';
import { nearest } from '../base/nearest.ts';
import { usualLimits, type PeerLimits, type WorkBudgetLimits } from '../p2p/peers/network_settings.ts';
import type { WorkLimits } from '../p2p/peers/work_budget.ts';

/** The values of `p2p-parameters`; missing ones keep their defaults. */
export interface P2pParameters {
  readonly targetPeers: number | undefined;
  readonly maxConnections: number | undefined;
  readonly limits: PeerLimits;
}

/** Members that change something here, and the largest value that makes sense. The first three are the lineage's. */
const MEMBERS = {
  desired_number_of_connections: 1000,
  maximum_number_of_connections: 1000,
  peer_connection_retry_timeout: 86_400,
  inbound_of_address: 1000,
  inbound_of_group: 1000,
  handshakes_per_second: 1000,
  handshakes_per_second_of_address: 1000,
  unfinished: 1000,
  unfinished_of_address: 1000,
  unfinished_of_group: 1000,
  receiving_percent: 100,
  answering_percent: 100,
} as const;

type Member = keyof typeof MEMBERS;

/** Members of the lineage's protocol, which means nothing here; files that have them are taken. */
const OF_THE_LINEAGE: ReadonlySet<string> = new Set([
  ...[
    'listen_endpoint',
    'accept_incoming_connections',
    'wait_if_endpoint_is_busy',
    'private_key',
    'peer_inactivity_timeout',
  ],
  ...[
    'peer_advertising_disabled',
    'maximum_number_of_blocks_to_handle_at_one_time',
    'maximum_number_of_sync_blocks_to_prefetch',
  ],
  ...['maximum_blocks_per_peer_during_syncing', 'active_ignored_request_timeout_microseconds'],
]);

/** Reads the JSON of the setting. Throws Fault `configuration` that names the wrong member. */
export function readP2pParameters(text: string): P2pParameters {
  const said = readMembers(text);
  const { gate, ofAddress, ofGroup, longestRetryMs, work } = usualLimits;
  const retrySeconds = said.peer_connection_retry_timeout;
  return {
    targetPeers: said.desired_number_of_connections,
    maxConnections: said.maximum_number_of_connections,
    limits: {
      ofAddress: said.inbound_of_address ?? ofAddress,
      ofGroup: said.inbound_of_group ?? ofGroup,
      work: readWorkLimits(said, work),
      longestRetryMs: retrySeconds === undefined ? longestRetryMs : retrySeconds * 1000,
      gate: {
        handshakesPerSecond: said.handshakes_per_second ?? gate.handshakesPerSecond,
        handshakesPerSecondOfAddress: said.handshakes_per_second_of_address ?? gate.handshakesPerSecondOfAddress,
        unfinished: said.unfinished ?? gate.unfinished,
        unfinishedOfAddress: said.unfinished_of_address ?? gate.unfinishedOfAddress,
        unfinishedOfGroup: said.unfinished_of_group ?? gate.unfinishedOfGroup,
      },
    },
  };
}

/** Percent of a core are ten milliseconds a second. One peer has the part of it that it usually has. */
function readWorkLimits(said: Partial<Record<Member, number>>, usual: WorkBudgetLimits): WorkBudgetLimits {
  const scaled = ({ ofAll, ofPeer }: WorkLimits, percent = ofAll / 10): WorkLimits => ({
    ofAll: percent * 10,
    ofPeer: (ofPeer / ofAll) * percent * 10,
  });
  return {
    receiving: scaled(usual.receiving, said.receiving_percent),
    answering: scaled(usual.answering, said.answering_percent),
    verifying: usual.verifying,
  };
}

function readMembers(text: string): Partial<Record<Member, number>> {
  const found: Partial<Record<Member, number>> = {};
  for (const [name, value] of Object.entries(parseObject(text))) {
    if (isMember(name)) found[name] = requireCount(name, value);
    else if (!OF_THE_LINEAGE.has(name))
      fail(`${name} is unknown; the nearest known member is ${nearest(name, Object.keys(MEMBERS))}`);
  }
  return found;
}

function parseObject(text: string): object {
  const value = parsed(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? value
    : fail(`a JSON object expected, got ${text}`);
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

function isMember(name: string): name is Member {
  return Object.hasOwn(MEMBERS, name);
}

function requireCount(name: Member, value: unknown): number {
  const most = MEMBERS[name];
  const isFit = typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most;
  return isFit ? value : fail(`${name}: a whole number from 1 to ${most} expected, got ${JSON.stringify(value)}`);
}

function fail(message: string): never {
  throw new Fault('configuration', `p2p-parameters: ${message}`);
}
