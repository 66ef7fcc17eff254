import type { CommittedState } from '../../queries/committed_state.ts';
import type { Clock } from '../../base/clock.ts';
import { readHeadRecord } from '../../state/head_record.ts';
import { confirmedBesideFinality } from '../../state/last_irreversible.ts';
import type { HttpServerKind, Page, PageRequestSource } from '../../jsonrpc/http/http_server.ts';
import { ENOUGH_CONFIRMATIONS } from '../../p2p/sync/confirmations.ts';
import { oldestBlock } from '../../state/stored_blocks.ts';
import { dynamicGlobalProperties } from '../../state/tables/dynamic_global_property.ts';
import type { HardforkStanding } from '../../queries/hardfork_standing.ts';
import { hardforkWarnings, warningSentence, type HardforkWarning } from '../../queries/hardfork_warnings.ts';
import { ENOUGH_SLOTS, lastRound, ROUND_SLOTS, type LastRound } from '../network/last_round.ts';
import type { NetworkState } from '../network/network_messages.ts';
import { networkProblems, networkWarnings } from '../network/network_problems.ts';
import type { NetworkRecord } from '../network/network_record.ts';
import type { ProductionRecord } from './production_record.ts';
import type { SinkRecord } from '../sinks/sink_record.ts';
import type { NetworkShare } from '../network/network_load.ts';
import type { ClockOffset } from './clock_offset.ts';
import type { ReadyLag } from '../../settings/server_settings.ts';
import { timeText } from '../../values/time.ts';

/** A head older than this many intervals means that no blocks arrive. */
const READY_INTERVALS = 10;
/** One block is on its way while the others have it. */
const READY_BLOCKS = 1;
/** A clock that is off by more makes blocks that nobody takes. */
const WRONG_CLOCK_MS = 4000;
/** The number of silent witnesses that are named. */
const MOST_NAMES = 10;

/** A page of JSON as text. */
type HealthPage = Page & { readonly body: string };

/** The parts that the health pages look at. */
export interface HealthParts {
  /** The server that answers HTTP. */
  readonly server: Pick<HttpServerKind, 'name' | 'reason'>;
  /** The path of the Unix socket; undefined where there is none. */
  readonly unixEndpoint?: string | undefined;
  readonly rows: CommittedState;
  readonly clock: Clock;
  readonly blockIntervalSeconds: number;
  /** True if votes with certificates make blocks final; false unless said. */
  readonly hasFinality?: boolean;
  /** Undefined where the chain sets its own time. */
  readonly clockOffset: Pick<ClockOffset, 'seconds'> | undefined;
  /** The node's standing among others; undefined where it has no peers. */
  readonly network: Pick<NetworkRecord, 'state'> | undefined;
  /** The load of its thread. */
  readonly networkLoad?: () => NetworkShare | undefined;
  /** The blocks by which a ready node may lag behind; as READY_… by default. */
  readonly readyLag: ReadyLag | undefined;
  /** Problems of block production and of finality for an operator, and the state of finality. */
  readonly production: Pick<ProductionRecord, 'problems'> & Partial<Pick<ProductionRecord, 'warnings' | 'voting'>>;
  /** The next hardfork of the chain; undefined when nobody is told. */
  readonly hardforks?: (() => HardforkStanding) | undefined;
  /** The same of the event stream. */
  readonly sink: Pick<SinkRecord, 'problems'> | undefined;
}

/** Answers a GET request of a health page; undefined for any other path. */
export type HealthPages = (path: string, requestSource?: Pick<PageRequestSource, 'isLocal'>) => HealthPage | undefined;

/**
 * Health pages for GET requests: whether the node is alive, and whether it is in sync. They are served even when calls
 * are refused. Two nodes with the same head have the same `state_hash`. `irreversible_block_number` is the last block
 * that this node never undoes: the number that its methods and its status tell peers. Where votes with certificates
 * make blocks irreversible, `confirmed_block_number` is the last block that enough witnesses have built on, and
 * `finality` says how votes stand: epoch, voters, how many are needed, who has not voted for ten slots, the newest
 * certificate, and since when no block has become irreversible (`stalled_since`, null where that is not too long).
 * `oldest_block_number` is the first block that it still has (setting blocks-kept). `http_server` is what answers, and
 * `http_server_reason` says why it is this one. `unix_endpoint` is the path of the Unix socket that answers too;
 * programs of this machine alone are told. `clock_offset_seconds` is how far the clock of this machine is ahead of the
 * times of blocks. Where a chain `sets_own_time`, neither that nor the age of the head says anything. A node with peers
 * also says how many there are, and how many blocks they have that it has not; while it misses some, or has met none of
 * its seeds yet, it isn't ready. `/health` is an error when there are `problems`
 * that a ready node may have, too. `warnings` never change a status: strangers can cause some. A version that witnesses
 * vote for and this program doesn't know is a warning, and a problem as soon as they have agreed on it.
 */
export function healthPages({
  server,
  unixEndpoint,
  rows,
  clock,
  blockIntervalSeconds,
  hasFinality = false,
  clockOffset,
  network,
  networkLoad = () => undefined,
  production,
  hardforks,
  readyLag,
  sink,
}: HealthParts): HealthPages {
  return (path, requestSource) => {
    if (path === '/livez') return json(200, { status: 'alive' });
    if (path !== '/health' && path !== '/readyz') return undefined;
    const head = rows.only(dynamicGlobalProperties);
    // Read from one record, so that numbers and hash belong to the same block.
    const { head_block_number, irreversible_number, state_hash } = readHeadRecord(rows);
    // A chain that sets its own time may stand still for a day, or be years behind.
    const headAgeSeconds = clockOffset === undefined ? 0 : Math.max(0, Math.trunc(clock.nowMs() / 1000) - head.time);
    const state = network?.state;
    const { blocks = READY_BLOCKS, seconds = READY_INTERVALS * blockIntervalSeconds } = readyLag ?? {};
    const isReady = isInStep(network, blocks) && headAgeSeconds <= seconds;
    const round = clockOffset && lastRound(rows, blockIntervalSeconds, clock.nowMs());
    const upgrades = hardforks === undefined ? [] : hardforkWarnings(hardforks());
    const standing = [...(state === undefined ? [] : networkProblems(state)), ...hardforkSentences(upgrades, true)];
    const problems = isReady
      ? [
          ...standing,
          ...clockProblems(state),
          ...roundProblems(round),
          ...production.problems,
          ...(sink?.problems ?? []),
        ]
      : [...standing, ...unconfirmedProblems(state, hasFinality)];
    const isError = path === '/health' && isReady && problems.length > 0;
    const body = {
      status: isError ? 'error' : isReady ? 'ready' : 'behind',
      problems,
      warnings: [...listWarnings(state, networkLoad, production), ...hardforkSentences(upgrades, false)],
      head_block_number,
      irreversible_block_number: irreversible_number,
      ...confirmedMember(rows, hasFinality),
      ...finalityMember(production.voting),
      oldest_block_number: oldestBlock(rows),
      head_age_seconds: headAgeSeconds,
      clock_offset_seconds: clockOffset?.seconds ?? 0,
      sets_own_time: clockOffset === undefined,
      state_hash,
      http_server: server.name,
      http_server_reason: server.reason,
      ...socketMember(unixEndpoint, requestSource),
      ...(state === undefined
        ? {}
        : { peers: state.inbound + state.outbound, blocks_behind: state.behindBy, network: state.sync }),
    };
    return json(isReady && !isError ? 200 : 503, body);
  };
}

function listWarnings(
  state: NetworkState | undefined,
  networkLoad: NonNullable<HealthParts['networkLoad']>,
  { warnings = [] }: HealthParts['production'],
): readonly string[] {
  return state === undefined ? warnings : [...networkWarnings(state, networkLoad()), ...warnings];
}

/** Nobody but the witnesses together can cause a problem. */
function hardforkSentences(upgrades: readonly HardforkWarning[], isProblem: boolean): string[] {
  return upgrades.filter(({ name }) => (name === 'unknown_hardfork') === isProblem).map(warningSentence);
}

function confirmedMember(rows: CommittedState, hasFinality: boolean): { readonly confirmed_block_number?: number } {
  const confirmed = confirmedBesideFinality(rows, { hasFinality });
  return confirmed === undefined ? {} : { confirmed_block_number: confirmed };
}

/** Finality as pages show it. */
type ShownFinality = Readonly<Record<string, string | number | null | readonly string[]>>;

function finalityMember(news: ProductionRecord['voting']): { readonly finality?: ShownFinality } {
  if (news === undefined) return {};
  const { epoch, voters, quorum, missing, missingNames, certificate, stalledSince } = news;
  return {
    finality: {
      ...{ epoch, voters, quorum, missing, missing_names: missingNames },
      certificate_block_number: certificate?.blockNumber ?? null,
      certificate_votes: certificate?.votes ?? 0,
      stalled_since: stalledSince === undefined ? null : timeText(stalledSince),
    },
  };
}

function socketMember(
  path: string | undefined,
  requestSource: Pick<PageRequestSource, 'isLocal'> | undefined,
): { readonly unix_endpoint?: string } {
  return path === undefined || requestSource?.isLocal !== true ? {} : { unix_endpoint: path };
}

function isInStep(network: HealthParts['network'], lagBlocks: number): boolean {
  if (network === undefined) return true;
  const { state } = network;
  if (state === undefined || state.unconfirmed !== undefined) return false;
  // Strangers that came by themselves make nothing of a node that has met none of its seeds.
  return state.sync !== 'contested' && !state.isSearching && state.behindBy <= lagBlocks;
}

/** Reasons why waiting may not make the node ready. */
function unconfirmedProblems(state: Pick<NetworkState, 'unconfirmed'> | undefined, hasFinality: boolean): string[] {
  if (state?.unconfirmed === undefined) return [];
  const { number, confirmedBy } = state.unconfirmed;
  const otherwise = hasFinality ? ', or finality-checkpoint' : '';
  return [
    `block ${number}, with which somebody else's snapshot begins this chain, is known to be in the chains of ${confirmedBy} of ${ENOUGH_CONFIRMATIONS} peers that this node has dialled: give more seeds, or one with its id (id@host:port)${otherwise}`,
  ];
}

/** Problems for the operator of a node that serves, each as a sentence. */
function clockProblems(state: NetworkState | undefined): string[] {
  const aheadMs = state?.figures.clockAheadMs ?? 0;
  if (Math.abs(aheadMs) <= WRONG_CLOCK_MS) return [];
  return [
    `the clocks of peers are ${(aheadMs / 1000).toFixed(1)} s ahead of this machine's, in the middle: set it right`,
  ];
}

/** No slot is missed on a chain that sets its own time. */
function roundProblems(round: LastRound | undefined): string[] {
  if (round === undefined || round.filledSlots >= ENOUGH_SLOTS) return [];
  const { filledSlots, silent } = round;
  const names = [
    ...silent.slice(0, MOST_NAMES),
    ...(silent.length > MOST_NAMES ? [`${silent.length - MOST_NAMES} more`] : []),
  ];
  const who = names.length === 0 ? '' : `; none in two rounds from ${names.join(', ')}`;
  return [
    `only ${filledSlots} of the last ${ROUND_SLOTS} slots have a block: look for the witnesses that make none${who}`,
  ];
}

function json(
  status: number,
  body: Readonly<Record<string, string | number | boolean | readonly string[] | ShownFinality>>,
): HealthPage {
  return { status, contentType: 'application/json', body: JSON.stringify(body) };
}
