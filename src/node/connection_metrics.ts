import type { Metrics } from '../base/metrics.ts';
import type { HttpServer } from '../jsonrpc/http/http_server.ts';
import { connectionsOfPort } from './connections_of_port.ts';

/** What a port tells of its connections. */
export type ConnectedServer = Pick<HttpServer, 'port' | 'webSockets' | 'connections'>;

/** How many clients are connected, which the ports are asked for when somebody looks: no connection and no call is counted on its way. */
export function addConnectionMetrics(metrics: Metrics, servers: readonly ConnectedServer[]): void {
  const declaration = {
    name: 'pharos_connections',
    doc: 'Open connections of the ports for calls, by what they are used for; see max-connections, and pharos_peers for those of peers.',
    labels: ['kind'],
  } as const;
  metrics.levels(declaration, async () => {
    const webSockets = servers.reduce((sum, server) => sum + server.webSockets, 0);
    const counts = await Promise.all(servers.map((server) => server.connections() ?? connectionsOfPort(server.port)));
    const samples = [{ labels: { kind: 'websocket' }, value: webSockets }] as const;
    if (counts.includes(undefined)) return samples;
    const all = counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
    return [...samples, { labels: { kind: 'http' }, value: Math.max(0, all - webSockets) }];
  });
}
