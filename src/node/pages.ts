import { present } from '../base/assert.ts';
import type { Clock } from '../base/clock.ts';
import { readHead } from '../chain/head_record.ts';
import type { Page } from '../jsonrpc/http/http_server.ts';
import type { CommittedState } from '../rpc/services.ts';
import { oldestBlock } from '../state/stored_blocks.ts';
import { dynamicGlobalProperties } from '../state/tables/dynamic_global_property.ts';
import type { KeyValueReader } from '../storage/key_value.ts';
import type { NetworkRecord } from './network/network_record.ts';
import type { ClockOffset } from './clock_offset.ts';

/** A head older than this many intervals means that no blocks arrive. */
const READY_INTERVALS = 10;

/** What the health pages are built from. */
export interface HealthParts {
  readonly rows: CommittedState;
  /** The store behind the rows: its head record has the state hash. */
  readonly store: KeyValueReader;
  readonly clock: Clock;
  readonly blockIntervalSeconds: number;
  /** Undefined where the chain sets its own time. */
  readonly clockOffset: Pick<ClockOffset, 'seconds'> | undefined;
  /** How the node stands to others; undefined where it speaks to none. */
  readonly network: Pick<NetworkRecord, 'state'> | undefined;
}

/**
 * Health pages for GET requests: whether the node is alive, and whether it is in sync. They are served even when calls are refused.
 * Two nodes with the same head have the same `state_hash`.
 * `oldest_block_number` is the first block that it still has (setting blocks-kept).
 * `clock_offset_seconds` is how far the clock of this machine is ahead of the times of blocks.
 * A node with peers also says how many there are, and how many blocks they have that it has not; while it misses some it isn't ready.
 */
export function healthPages({
  rows,
  store,
  clock,
  blockIntervalSeconds,
  clockOffset,
  network,
}: HealthParts): (path: string) => Page | undefined {
  return (path) => {
    if (path === '/livez') return json(200, { status: 'alive' });
    if (path !== '/health' && path !== '/readyz') return undefined;
    const { time } = rows.only(dynamicGlobalProperties);
    // Read from one record, so that number and hash belong to the same block.
    const { head_block_number, state_hash } = present(readHead(store), 'the record of an open chain');
    const headAgeSeconds = Math.max(0, Math.trunc(clock.nowMs() / 1000) - time);
    const state = network?.state;
    const isInStep = state === undefined || state.sync === 'live' || state.sync === 'alone';
    const isReady = isInStep && headAgeSeconds <= READY_INTERVALS * blockIntervalSeconds;
    const body = {
      status: isReady ? 'ready' : 'behind',
      head_block_number,
      oldest_block_number: oldestBlock(rows),
      head_age_seconds: headAgeSeconds,
      clock_offset_seconds: clockOffset?.seconds ?? 0,
      state_hash,
      ...(state === undefined ? {} : { peers: state.inbound + state.outbound, blocks_behind: state.behindBy, network: state.sync }),
    };
    return json(isReady ? 200 : 503, body);
  };
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

function json(status: number, body: Readonly<Record<string, string | number>>): Page {
  return { status, contentType: 'application/json', body: JSON.stringify(body) };
}
