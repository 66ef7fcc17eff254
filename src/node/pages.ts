import type { Clock } from '../base/clock.ts';
import type { Page } from '../rpc/http/door_options.ts';
import type { CommittedState } from '../rpc/services.ts';
import { dynamicGlobalProperties } from '../state/tables/dynamic_global_property.ts';

/** A head older than this many intervals means that no blocks arrive. */
const READY_INTERVALS = 10;

/** What GET requests show: whether the node lives, and whether it is current. They are answered even when calls are refused. */
export function healthPages(rows: CommittedState, clock: Clock, blockIntervalSeconds: number): (path: string) => Page | undefined {
  return (path) => {
    if (path === '/livez') return json(200, { status: 'alive' });
    if (path !== '/health' && path !== '/readyz') return undefined;
    const { head_block_number, time } = rows.only(dynamicGlobalProperties);
    const headAgeSeconds = Math.max(0, Math.trunc(clock.nowMs() / 1000) - time);
    const isReady = headAgeSeconds <= READY_INTERVALS * blockIntervalSeconds;
    return json(isReady ? 200 : 503, { status: isReady ? 'ready' : 'behind', head_block_number, head_age_seconds: headAgeSeconds });
  };
}

function json(status: number, body: Readonly<Record<string, string | number>>): Page {
  return { status, contentType: 'application/json', body: JSON.stringify(body) };
}
