import { connect } from 'node:net';
import { listenReasons, whyNotFree } from '../../../jsonrpc/http/listen_failure.ts';
import { socketState } from '../../../jsonrpc/http/unix_socket.ts';
import type { Endpoint, OptionValues } from '../../../settings/options.ts';
import type { Check } from '../check.ts';
import type { Facts } from '../facts.ts';
import { look, ok, wrong, type Finding } from '../finding.ts';
import { holderOfPort } from '../port_holder.ts';

const KEYS = [
  'webserver-http-endpoint',
  'webserver-ws-endpoint',
  'admin-endpoint',
  'metrics-endpoint',
  'p2p-endpoint',
] as const;
type PortKey = (typeof KEYS)[number];
/** On this machine it takes none. */
const ANSWER_MS = 2000;

/** Checks that each port of the settings is free for a node that is to start, or belongs to the one that runs. */
export const ports: Check = async (facts) => {
  const named = KEYS.flatMap((key) => listEndpoint(key, facts.values));
  const findings = await Promise.all([
    ...named.map(async ([key, endpoint]) => await checkPort(key, endpoint, facts)),
    ...socketPaths(facts.values).map(async (path) => await lookAtSocket(path, facts)),
  ]);
  const bad = findings.filter(({ state }) => state !== 'ok');
  if (bad.length > 0 || named.length === 0) return bad;
  const numbers = [...named.map(([, { port }]) => port), ...socketPaths(facts.values)].join(', ');
  const isTaken = facts.holder !== undefined || facts.runningPid !== undefined;
  return [ok(isTaken ? `the node listens on ${numbers}` : `free: ${numbers}`)];
};

function listEndpoint(key: PortKey, values: OptionValues): (readonly [PortKey, Endpoint])[] {
  const endpoint = values[key];
  // 0 is any that is free.
  return endpoint === undefined || endpoint === 'unix' || endpoint.port === 0 ? [] : [[key, endpoint]];
}

function socketPaths({ 'webserver-unix-endpoint': path }: OptionValues): readonly string[] {
  return path === undefined ? [] : [path];
}

/** Of a Unix socket: whether the running node listens on it, or one that is to start could. */
async function lookAtSocket(path: string, { holder, running, url }: Facts): Promise<Finding> {
  const name = `webserver-unix-endpoint, ${path}`;
  const state = await socketState(path);
  if (typeof state === 'object')
    return state.code === 'EACCES'
      ? look(
          `${name}: this user may not open it`,
          'run pharos doctor as the user that runs the node, or join the group of the socket',
        )
      : wrong(`${name}: ${state.code}`, 'choose another path by webserver-unix-endpoint');
  if (state === 'other')
    return wrong(`${name}: a file lies there that is no socket`, 'remove it, or choose another path');
  if (holder !== undefined) {
    if (state === 'listens') return ok(name);
    return wrong(
      `${name}: nobody listens there, and process ${holder.pid} has the data folder`,
      'restart the node: its socket was removed, or settings were changed',
    );
  }
  if (state !== 'listens' || (running !== undefined && url === `unix:${path}`)) return ok(name);
  return wrong(
    `${name}: another process listens there`,
    'stop that one, or choose another path by webserver-unix-endpoint',
  );
}

async function checkPort(
  key: PortKey,
  endpoint: Endpoint,
  { holder, running, runningPid, url }: Facts,
): Promise<Finding> {
  const { host, port } = endpoint;
  const name = `${key}, ${host}:${port}`;
  if (holder !== undefined)
    return (await answers(endpoint))
      ? ok(name)
      : wrong(
          `${name}: nobody listens there, and process ${holder.pid} has the data folder`,
          'if settings were changed, restart the node',
        );
  const code = await whyNotFree(endpoint);
  if (code === undefined) return ok(name);
  if (code === 'EADDRINUSE') {
    const who = holderOfPort(port);
    // Nobody is told to stop a node that answers.
    if (who !== undefined && who.pid === runningPid) return ok(name);
    if (who === undefined && running !== undefined)
      return look(
        `${name}: the port is taken, probably by the node at ${url}`,
        'run pharos doctor as the user that runs the node',
      );
    const text =
      who === undefined
        ? 'a program of another user (ss -ltnp as root names it)'
        : `process ${who.pid} (${who.program})`;
    return wrong(`${name}: the port is taken by ${text}`, `stop that one, or choose another port by ${key}`);
  }
  return wrong(`${name}: ${listenReasons[code] ?? code}`, `choose another address by ${key}`);
}

async function answers({ host, port }: Endpoint): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect({
      host: host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host,
      port,
      timeout: ANSWER_MS,
    });
    const end = (found: boolean): void => {
      socket.destroy();
      resolve(found);
    };
    socket.once('connect', () => end(true));
    for (const event of ['error', 'timeout']) socket.once(event, () => end(false));
  });
}
