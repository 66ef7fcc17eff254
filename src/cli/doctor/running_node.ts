import { connect, type Client } from '../../client/index.ts';
import { Fault } from '../../base/fault.ts';
import { Refusal } from '../../base/refusal.ts';
import { pageOfNode } from '../../system/page_of_node.ts';
import { parseMembers, toMembers, type JsonMembers } from '../../system/json_members.ts';
import { TOP_PATH } from '../../node/watch/top_page.ts';
import type { HardforkReport } from '../witness/hardfork_report.ts';
import { witnessReport, type Voting, type WitnessReport } from '../witness/witness_report.ts';

/** The report of a running node. */
export interface RunningNode {
  /** True when its head is as new as those of its peers. */
  readonly isReady: boolean;
  readonly problems: readonly string[];
  readonly head: number;
  readonly headAgeSeconds: number;
  readonly clockOffsetSeconds: number;
  /** True on a development chain, whose blocks say nothing about the clock. */
  readonly setsOwnTime: boolean;
  /** Undefined where it speaks to no other node. */
  readonly peers: number | undefined;
  readonly blocksBehind: number;
  /** Of the program that runs. */
  readonly version: string;
  /** The HTTP server that answers there, and why; '' when it doesn't tell. */
  readonly httpServer: string;
  /** At the rate of the last hour; undefined where it isn't known, or never. */
  readonly diskFullInHours: number | undefined;
  /** The finality of its chain; undefined when confirmations make blocks irreversible. */
  readonly finality: FinalityFacts | undefined;
  /** The votes of its keys; undefined where it makes no blocks, or doesn't tell this program. */
  readonly voting: Voting | undefined;
  /** Empty where it doesn't tell this program. */
  readonly peerHeads: readonly PeerHead[];
  /** The next hardfork of the chain; undefined when a node of an older version doesn't tell it. */
  readonly hardforks: HardforkReport | undefined;
  /** Those of the settings that the chain knows. */
  readonly witnesses: readonly WitnessReport[];
}

/** The finality of `/health`. */
export interface FinalityFacts {
  readonly irreversible: number;
  readonly confirmed: number;
  /** Undefined in the first slot of a node. */
  readonly votes: VoteFacts | undefined;
}

/** The state of the votes. */
export interface VoteFacts {
  readonly epoch: number;
  readonly voters: number;
  readonly quorum: number;
  readonly missing: number;
  /** The first of them, by witness or by key. */
  readonly missingNames: readonly string[];
  readonly stalledSince: string | undefined;
}

/** A peer, and how far its chain reaches. */
export interface PeerHead {
  readonly address: string;
  readonly head: number;
}

/** The health page comes at once, however busy a node is. */
const ANSWER_MS = 5000;

/** Undefined when no node answers there. */
export async function askNode(url: string, witnesses: readonly string[]): Promise<RunningNode | undefined> {
  const health = await fetchPage(url, '/health');
  if (typeof health['head_block_number'] !== 'number') return undefined;
  const client = await connect(url).catch(undefinedIfSilent);
  if (client === undefined) return undefined;
  try {
    return { ...ofHealth(health), ...ofTop(await fetchPage(url, TOP_PATH)), ...(await ofCalls(client, witnesses)) };
  } finally {
    client.close();
  }
}

type OfHealth = Pick<
  RunningNode,
  | 'isReady'
  | 'problems'
  | 'head'
  | 'finality'
  | 'headAgeSeconds'
  | 'clockOffsetSeconds'
  | 'setsOwnTime'
  | 'peers'
  | 'blocksBehind'
  | 'httpServer'
>;

function ofHealth(health: JsonMembers): OfHealth {
  const { status, problems } = health;
  return {
    isReady: status !== 'behind',
    problems: Array.isArray(problems) ? problems.map(String) : [],
    head: numberMember(health, 'head_block_number') ?? 0,
    finality: readFinality(health),
    headAgeSeconds: numberMember(health, 'head_age_seconds') ?? 0,
    clockOffsetSeconds: numberMember(health, 'clock_offset_seconds') ?? 0,
    setsOwnTime: health['sets_own_time'] === true,
    peers: numberMember(health, 'peers'),
    blocksBehind: numberMember(health, 'blocks_behind') ?? 0,
    httpServer: [health['http_server'], health['http_server_reason']]
      .filter((text) => typeof text === 'string')
      .join(', '),
  };
}

function readFinality(health: JsonMembers): FinalityFacts | undefined {
  const confirmed = numberMember(health, 'confirmed_block_number');
  if (confirmed === undefined) return undefined;
  const votes = toMembers(health['finality']);
  const irreversible = numberMember(health, 'irreversible_block_number') ?? 0;
  return { irreversible, confirmed, votes: votes && readVotes(votes) };
}

function readVotes(votes: JsonMembers): VoteFacts {
  const { missing_names: names, stalled_since: since } = votes;
  return {
    epoch: numberMember(votes, 'epoch') ?? 0,
    voters: numberMember(votes, 'voters') ?? 0,
    quorum: numberMember(votes, 'quorum') ?? 0,
    missing: numberMember(votes, 'missing') ?? 0,
    missingNames: Array.isArray(names) ? names.map(String) : [],
    stalledSince: typeof since === 'string' ? since : undefined,
  };
}

function ofTop(top: JsonMembers): Pick<RunningNode, 'diskFullInHours'> {
  const hours = numberMember(top, 'disk_full_in_hours') ?? -1;
  return { diskFullInHours: hours < 0 ? undefined : hours };
}

async function ofCalls(
  client: Client,
  names: readonly string[],
): Promise<Pick<RunningNode, 'version' | 'peerHeads' | 'voting' | 'hardforks' | 'witnesses'>> {
  const { about } = await client.call('alexandria_api.about', {});
  const found = await Promise.all(names.map(async (name) => await witnessReport(client, name)));
  const witnesses = found.filter((report) => report !== undefined);
  return {
    version: about.client_version,
    peerHeads: await peerHeads(client),
    hardforks: await fetchHardforks(client),
    voting: witnesses.find(({ voting }) => voting !== undefined)?.voting,
    witnesses,
  };
}

async function fetchHardforks(client: Client): Promise<HardforkReport | undefined> {
  const report = await client.call('database_api.get_hardfork_properties', {});
  return Array.isArray(report.warnings) ? report : undefined;
}

async function peerHeads(client: Client): Promise<PeerHead[]> {
  try {
    const { peers } = await client.call('network_node_api.get_connected_peers', {});
    return peers.map(({ host, port, head_block_number: head }) => ({ address: `${host}:${port}`, head }));
  } catch (error) {
    // It tells only who asks where its administration is.
    if (error instanceof Refusal) return [];
    throw error;
  }
}

async function fetchPage(url: string, path: string): Promise<JsonMembers> {
  try {
    return parseMembers((await pageOfNode(url, path, ANSWER_MS)).text) ?? {};
  } catch {
    return {};
  }
}

function numberMember(members: JsonMembers, name: string): number | undefined {
  const value = members[name];
  return typeof value === 'number' ? value : undefined;
}

function undefinedIfSilent(error: unknown): undefined {
  if (error instanceof Fault) return undefined;
  throw error;
}
