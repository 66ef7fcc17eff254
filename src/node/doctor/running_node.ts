import { connect, type Client } from '../../client/index.ts';
import { Fault } from '../../base/fault.ts';
import { Refusal } from '../../base/refusal.ts';
import { membersIn, type JsonMembers } from '../json_members.ts';
import { TOP_PATH } from '../watch/top_page.ts';
import { witnessReport, type WitnessReport } from '../witness_command/witness_report.ts';

/** What a running node says of itself. */
export interface RunningNode {
  /** Whether its head is as new as those of its peers. */
  readonly isReady: boolean;
  readonly problems: readonly string[];
  readonly head: number;
  readonly headAgeSeconds: number;
  readonly clockOffsetSeconds: number;
  /** Undefined where it speaks to no other node. */
  readonly peers: number | undefined;
  readonly blocksBehind: number;
  /** Of the program that runs. */
  readonly version: string;
  /** At the rate of the last hour; undefined where it isn't known, or never. */
  readonly diskFullInHours: number | undefined;
  /** Empty where it doesn't tell this program. */
  readonly peerHeads: readonly PeerHead[];
  /** Those of the settings that the chain knows. */
  readonly witnesses: readonly WitnessReport[];
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
  const health = await pageAt(`${url}/health`);
  if (typeof health['head_block_number'] !== 'number') return undefined;
  const client = await connect(url).catch(undefinedIfSilent);
  if (client === undefined) return undefined;
  try {
    return { ...ofHealth(health), ...ofTop(await pageAt(`${url}${TOP_PATH}`)), ...(await ofCalls(client, witnesses)) };
  } finally {
    client.close();
  }
}

type OfHealth = Pick<RunningNode, 'isReady' | 'problems' | 'head' | 'headAgeSeconds' | 'clockOffsetSeconds' | 'peers' | 'blocksBehind'>;

function ofHealth(health: JsonMembers): OfHealth {
  const { status, problems } = health;
  return {
    isReady: status !== 'behind',
    problems: Array.isArray(problems) ? problems.map(String) : [],
    head: numberIn(health, 'head_block_number') ?? 0,
    headAgeSeconds: numberIn(health, 'head_age_seconds') ?? 0,
    clockOffsetSeconds: numberIn(health, 'clock_offset_seconds') ?? 0,
    peers: numberIn(health, 'peers'),
    blocksBehind: numberIn(health, 'blocks_behind') ?? 0,
  };
}

function ofTop(top: JsonMembers): Pick<RunningNode, 'diskFullInHours'> {
  const hours = numberIn(top, 'disk_full_in_hours') ?? -1;
  return { diskFullInHours: hours < 0 ? undefined : hours };
}

async function ofCalls(client: Client, names: readonly string[]): Promise<Pick<RunningNode, 'version' | 'peerHeads' | 'witnesses'>> {
  const { about } = await client.call('alexandria_api.about', {});
  const reports = await Promise.all(names.map(async (name) => await witnessReport(client, name)));
  return { version: about.client_version, peerHeads: await peerHeads(client), witnesses: reports.filter((report) => report !== undefined) };
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

async function pageAt(url: string): Promise<JsonMembers> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) });
    return membersIn(await answer.text()) ?? {};
  } catch {
    return {};
  }
}

function numberIn(members: JsonMembers, name: string): number | undefined {
  const value = members[name];
  return typeof value === 'number' ? value : undefined;
}

function undefinedIfSilent(error: unknown): undefined {
  if (error instanceof Fault) return undefined;
  throw error;
}
