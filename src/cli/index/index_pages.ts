import type { Clock } from '../../base/clock.ts';
import { defaultLimits } from '../../jsonrpc/limits/limits.ts';
import type { HttpServer, Page } from '../../jsonrpc/http/http_server.ts';
import { listen } from '../../jsonrpc/http/listen.ts';
import type { IndexFigures } from '../../sinks/postgres/index_record.ts';
import type { Endpoint } from '../../settings/options.ts';
import { metricsPage } from '../../node/http/node_metrics.ts';
import { indexMetrics } from './index_metrics.ts';

/** Blocks that are on their way from node to database. */
const READY_BLOCKS = 20;
const NO_METHODS = JSON.stringify({
  jsonrpc: '2.0',
  id: null,
  error: { code: -32_601, message: 'pharos index has no methods: GET /health, /readyz, /livez or /metrics' },
});

/** The port of an index, and the names by which it is asked besides addresses. */
export interface IndexPagesEndpoint extends Endpoint {
  readonly allowedHosts: readonly string[];
}

/** Opens a port with health and metrics of an index. Throws Fault `port_in_use`. */
export async function openIndexPages(
  endpoint: IndexPagesEndpoint,
  figures: () => IndexFigures,
  clock: Clock,
): Promise<HttpServer> {
  const metrics = metricsPage(indexMetrics(figures));
  return await listen({
    ...endpoint,
    ...{ limits: defaultLimits, clock, corsOrigins: [], trustedProxies: [], compresses: undefined },
    answer: () => NO_METHODS,
    page: (path) => metrics(path) ?? healthPage(path, figures()),
  });
}

/**
 * Answers health pages: `/health` fails while nothing can be indexed, `/readyz` also while the index is more than some
 * blocks behind its source.
 */
function healthPage(path: string, figures: IndexFigures): Page | undefined {
  if (path === '/livez') return json(200, { status: 'alive' });
  if (path !== '/health' && path !== '/readyz') return undefined;
  const {
    problem,
    block,
    irreversible,
    sourceBlock,
    lagBlocks,
    lagSeconds,
    rowsPerSecond,
    unreadableRecords,
    retries,
    lastError,
  } = figures;
  const isBehind = block === 0 || lagBlocks > READY_BLOCKS;
  const body = {
    status: problem !== undefined ? 'error' : isBehind ? 'behind' : 'ready',
    problems: problem === undefined ? [] : [problem],
    block_number: block,
    irreversible_block_number: irreversible,
    source_block_number: sourceBlock,
    blocks_behind: lagBlocks,
    ...(lagSeconds === undefined ? {} : { last_block_age_seconds: lagSeconds }),
    rows_per_second: rowsPerSecond,
    retries,
    unreadable_records: unreadableRecords,
    ...(lastError === undefined
      ? {}
      : { last_error: lastError.text, last_error_time: new Date(lastError.atMs).toISOString() }),
  };
  return json(problem !== undefined || (path === '/readyz' && isBehind) ? 503 : 200, body);
}

function json(status: number, body: object): Page {
  return { status, contentType: 'application/json', body: JSON.stringify(body) };
}
