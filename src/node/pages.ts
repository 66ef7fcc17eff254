import type { Clock } from '../base/clock.ts';
import { headRecordOf } from '../state/head_record.ts';
import type { Page } from '../jsonrpc/http/http_server.ts';
import { ENOUGH_CONFIRMATIONS } from '../p2p/confirmations.ts';
import type { CommittedState } from '../rpc/services.ts';
import { oldestBlock } from '../state/stored_blocks.ts';
import { dynamicGlobalProperties } from '../state/tables/dynamic_global_property.ts';
import { ENOUGH_SLOTS, lastRound, ROUND_SLOTS, type LastRound } from './last_round.ts';
import type { NetworkState } from './network/network_messages.ts';
import { networkProblems, networkWarnings } from './network/network_problems.ts';
import type { NetworkRecord } from './network/network_record.ts';
import type { ProductionRecord } from './production_record.ts';
import type { SinkRecord } from './sinks/sink_record.ts';
import type { NetworkShare } from './watch/network_load.ts';
import type { ClockOffset } from './clock_offset.ts';

/** A head older than this many intervals means that no blocks arrive. */
const READY_INTERVALS = 10;
/** One block is on its way while the others have it. */
const READY_BLOCKS = 1;
/** A clock that is off by more makes blocks that nobody takes. */
const WRONG_CLOCK_MS = 4000;
/** So many names of silent witnesses are given. */
const MOST_NAMES = 10;

/** A page of JSON as text. */
type HealthPage = Page & { readonly body: string };

/** How far a node may lag behind and yet be ready. */
export interface ReadyLag {
  /** Blocks that peers have and it has not. */
  readonly blocks: number | undefined;
  /** The age of its head. */
  readonly seconds: number | undefined;
}

/** What the health pages are built from. */
export interface HealthParts {
  readonly rows: CommittedState;
  readonly clock: Clock;
  readonly blockIntervalSeconds: number;
  /** Undefined where the chain sets its own time. */
  readonly clockOffset: Pick<ClockOffset, 'seconds'> | undefined;
  /** How the node stands to others; undefined where it speaks to none. */
  readonly network: Pick<NetworkRecord, 'state'> | undefined;
  /** How busy its thread was. */
  readonly networkLoad?: () => NetworkShare | undefined;
  /** How far a ready node may lag behind; as READY_… unless said. */
  readonly readyLag: ReadyLag | undefined;
  /** What an operator has to look at in the production of blocks. */
  readonly production: Pick<ProductionRecord, 'problems'>;
  /** The same of the event stream. */
  readonly sink: Pick<SinkRecord, 'problems'> | undefined;
}

/**
 * Health pages for GET requests: whether the node is alive, and whether it is in sync. They are served even when calls are refused.
 * Two nodes with the same head have the same `state_hash`.
 * `irreversible_block_number` is the last block that this node never undoes: the number that its methods and its status tell peers.
 * `oldest_block_number` is the first block that it still has (setting blocks-kept).
 * `clock_offset_seconds` is how far the clock of this machine is ahead of the times of blocks.
 * A node with peers also says how many there are, and how many blocks they have that it has not; while it misses some, or has met none of its
 * seeds yet, it isn't ready. `/health` is an error when there are `problems` that a ready node may have, too. `warnings` never change a status:
 * strangers can cause some.
 */
export function healthPages({
  rows,
  clock,
  blockIntervalSeconds,
  clockOffset,
  network,
  networkLoad = () => undefined,
  production,
  readyLag,
  sink,
}: HealthParts): (path: string) => HealthPage | undefined {
  return (path) => {
    if (path === '/livez') return json(200, { status: 'alive' });
    if (path !== '/health' && path !== '/readyz') return undefined;
    const head = rows.only(dynamicGlobalProperties);
    // Read from one record, so that numbers and hash belong to the same block.
    const { head_block_number, irreversible_number, state_hash } = headRecordOf(rows);
    // A chain that sets its own time may stand still for a day, or be years behind.
    const headAgeSeconds = clockOffset === undefined ? 0 : Math.max(0, Math.trunc(clock.nowMs() / 1000) - head.time);
    const state = network?.state;
    const { blocks = READY_BLOCKS, seconds = READY_INTERVALS * blockIntervalSeconds } = readyLag ?? {};
    const isReady = isInStep(network, blocks) && headAgeSeconds <= seconds;
    const round = clockOffset && lastRound(rows, blockIntervalSeconds, clock.nowMs());
    const standing = state === undefined ? [] : networkProblems(state);
    const problems = isReady
      ? [...standing, ...clockProblems(state), ...roundProblems(round), ...production.problems, ...(sink?.problems ?? [])]
      : [...standing, ...unconfirmedProblems(state)];
    const isError = path === '/health' && isReady && problems.length > 0;
    const body = {
      status: isError ? 'error' : isReady ? 'ready' : 'behind',
      problems,
      warnings: state === undefined ? [] : networkWarnings(state, networkLoad()),
      head_block_number,
      irreversible_block_number: irreversible_number,
      oldest_block_number: oldestBlock(rows),
      head_age_seconds: headAgeSeconds,
      clock_offset_seconds: clockOffset?.seconds ?? 0,
      state_hash,
      ...(state === undefined ? {} : { peers: state.inbound + state.outbound, blocks_behind: state.behindBy, network: state.sync }),
    };
    return json(isReady && !isError ? 200 : 503, body);
  };
}

function isInStep(network: HealthParts['network'], lagBlocks: number): boolean {
  if (network === undefined) return true;
  const { state } = network;
  if (state === undefined || state.unconfirmed !== undefined) return false;
  // Strangers that came by themselves make nothing of a node that has met none of its seeds.
  return state.sync !== 'contested' && !state.isSearching && state.behindBy <= lagBlocks;
}

/** Why a node may not become ready by waiting. */
function unconfirmedProblems({ unconfirmed }: Partial<Pick<NetworkState, 'unconfirmed'>> = {}): string[] {
  if (unconfirmed === undefined) return [];
  const { number, confirmedBy } = unconfirmed;
  return [
    `block ${number}, with which somebody else's snapshot begins this chain, is known to be in the chains of ${confirmedBy} of ${ENOUGH_CONFIRMATIONS} peers that this node has dialled: give more seeds, or one with its id (id@host:port)`,
  ];
}

/** What an operator has to look at although the node serves, each as a sentence. */
function clockProblems(state: NetworkState | undefined): string[] {
  const aheadMs = state?.figures.clockAheadMs ?? 0;
  if (Math.abs(aheadMs) <= WRONG_CLOCK_MS) return [];
  return [`the clocks of peers are ${(aheadMs / 1000).toFixed(1)} s ahead of this machine's, in the middle: set it right`];
}

/** Where the chain sets its own time no slot is missed. */
function roundProblems(round: LastRound | undefined): string[] {
  if (round === undefined || round.filledSlots >= ENOUGH_SLOTS) return [];
  const { filledSlots, silent } = round;
  const names = [...silent.slice(0, MOST_NAMES), ...(silent.length > MOST_NAMES ? [`${silent.length - MOST_NAMES} more`] : [])];
  const who = names.length === 0 ? '' : `; none in two rounds from ${names.join(', ')}`;
  return [`only ${filledSlots} of the last ${ROUND_SLOTS} slots have a block: look for the witnesses that make none${who}`];
}

/** Serves the OpenRPC document under its usual name. It is put together at the first request, one of `pieces` a turn: all take tens of milliseconds. */
export function documentPage(pieces: () => Iterable<string>, clock: Clock): (path: string) => Promise<Page> | undefined {
  let page: Promise<Page> | undefined;
  const put = async (): Promise<Page> => {
    let body = '';
    for (const piece of pieces()) {
      body += piece;
      await new Promise<void>((resolve) => void clock.after(0, resolve));
    }
    return { status: 200, contentType: 'application/json', body };
  };
  return (path) => (path === '/openrpc.json' ? (page ??= put()) : undefined);
}

function json(status: number, body: Readonly<Record<string, string | number | readonly string[]>>): HealthPage {
  return { status, contentType: 'application/json', body: JSON.stringify(body) };
}
