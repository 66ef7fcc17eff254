import { Refusal } from '../../base/refusal.ts';
import type { Client, Result } from '../../client/index.ts';
import { toSeconds, fetchWitness, type ChainWitness } from './chain_access.ts';
import type { HardforkReport } from './hardfork_report.ts';

/** The finality of a producing node. */
export type Voting = Result<'witness_node_api.get_voting'>['voting'][number];

type Production = Result<'witness_node_api.get_production'>;

/** A witness as the node that produces for it tells of it. */
export type OwnProducer = Production['witnesses'][number];

/** Standby state: this node for a witness, and others for its own. */
export interface StandbyFacts {
  readonly standingBy: Production['standing_by'][number] | undefined;
  readonly standbys: Production['standbys'];
}

/** A witness's slots, as far as the chain alone shows them. */
export interface RoundFacts {
  readonly isIn: boolean;
  /** The number of witnesses that share the slots. */
  readonly size: number;
  /** Since its last block, whoever's they were; undefined when it has made none. */
  readonly slotsSinceBlock: number | undefined;
}

/** All that is known of a witness. */
export interface WitnessReport {
  readonly chain: ChainWitness;
  /** Its place by votes, counted from 1; undefined beyond the first thousand. */
  readonly rank: number | undefined;
  /** The node's time at its head. */
  readonly now: number;
  readonly round: RoundFacts;
  /** Undefined where the node asked doesn't produce for it, or tells programs of its own machine only. */
  readonly own: OwnProducer | undefined;
  readonly standby: StandbyFacts;
  /** Undefined where the node asked tells nothing of votes, or confirmations make blocks final. */
  readonly voting: Voting | undefined;
  /** Undefined where confirmations make blocks final, and where nothing is proven yet. */
  readonly checkpoint: string | undefined;
  readonly hardforks: HardforkReport;
}

const RANKS = 1000;

/** Undefined when the account owns no witness. */
export async function witnessReport(client: Client, name: string): Promise<WitnessReport | undefined> {
  const chain = await fetchWitness(client, name);
  if (chain === undefined) return undefined;
  const { witnesses_by_vote: ranks } = await client.call('alexandria_api.list_witnesses_by_vote', {
    name: '',
    limit: RANKS,
  });
  const place = ranks.findIndex(({ owner }) => owner === name);
  const { properties } = await client.call('alexandria_api.get_dynamic_global_properties', {});
  const { active_witnesses: active } = await client.call('alexandria_api.get_active_witnesses', {});
  const hasMadeBlocks = Number(chain.last_confirmed_block_num) > 0;
  const slotsSinceBlock = hasMadeBlocks ? Number(properties.current_aslot) - Number(chain.last_aslot) : undefined;
  const round = { isIn: active.includes(name), size: active.length, slotsSinceBlock };
  return {
    chain,
    rank: place < 0 ? undefined : place + 1,
    now: toSeconds(properties.time),
    round,
    ...(await ownProducer(client, name)),
    voting: await fetchVoting(client),
    checkpoint: await fetchCheckpoint(client),
    hardforks: await client.call('database_api.get_hardfork_properties', {}),
  };
}

/**
 * True when it has missed at least one slot: its turns lie less than two rounds apart, and one more round is left for a
 * new witness.
 */
export function isSilent({ chain, round: { isIn, size, slotsSinceBlock } }: WitnessReport): boolean {
  const isOverdue = slotsSinceBlock === undefined ? chain.total_missed > 0 : slotsSinceBlock > 3 * size;
  return isIn && isOverdue;
}

/** Of the newest price that a witness has published; undefined when it has published none. */
export function feedAgeSeconds({ chain, now }: WitnessReport): number | undefined {
  const changes = [...chain.submitted_exchange_rates].map(([, { last_change }]) => toSeconds(last_change));
  return changes.length === 0 ? undefined : now - Math.max(...changes);
}

async function fetchVoting(client: Client): Promise<Voting | undefined> {
  try {
    return (await client.call('witness_node_api.get_voting', {})).voting[0];
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

async function fetchCheckpoint(client: Client): Promise<string | undefined> {
  try {
    return (await client.call('block_api.get_finality', {})).checkpoint;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

async function ownProducer(client: Client, name: string): Promise<Pick<WitnessReport, 'own' | 'standby'>> {
  try {
    const { witnesses, standing_by, standbys } = await client.call('witness_node_api.get_production', {});
    const own = witnesses.find(({ witness }) => witness === name);
    const standingBy = standing_by.find(({ witness }) => witness === name);
    return { own, standby: { standingBy, standbys: own === undefined ? [] : standbys } };
  } catch (error) {
    if (error instanceof Refusal) return { own: undefined, standby: { standingBy: undefined, standbys: [] } };
    throw error;
  }
}
