import { isLoopback } from '../../../jsonrpc/http/loopback.ts';
import type { OptionValues } from '../../../settings/options.ts';
import type { Check } from '../check.ts';
import type { Facts } from '../facts.ts';
import { look, ok, wrong, type Finding } from '../finding.ts';
import { askProxy, type ProxyAnswer } from '../proxy_answer.ts';

const TLS_PORT = 443;
/** Time for an operator to get another one. */
const SOON_DAYS = 14;
const DAY_MS = 86_400_000;
const GUIDE = 'see the guide "A public node, start to finish"';
const RENEWAL_GUIDE = 'see the guide "Renew a certificate, drain a proxy"';
const UPSTREAM = new Set([502, 503, 504]);

/**
 * Checks that remote calls come by TLS: through a proxy of this machine that runs, reaches the node, and has a good
 * certificate.
 */
export const proxy: Check = async ({ values, running }) => {
  const { 'trusted-proxy': proxies = [], 'allowed-host': [name] = [] } = values;
  const here = proxies.find(isLoopback);
  if (here === undefined) return proxies.length === 0 ? bare(values) : [ok(`it is elsewhere: ${proxies.join(', ')}`)];
  const answer = await askProxy({ host: here, port: TLS_PORT, name });
  if (answer instanceof Error) return [silent(here, answer)];
  const found = [...reaching(answer, running), ...certified(answer, name)];
  return found.length > 0
    ? found
    : [ok(`it speaks TLS on port ${TLS_PORT}, as ${name ?? 'whatever it is asked for'}, and reaches the node`)];
};

function bare({ 'webserver-http-endpoint': http, 'webserver-ws-endpoint': ws }: OptionValues): Finding[] {
  const open = [http, ws].filter((endpoint) => endpoint !== undefined && !isLoopback(endpoint.host));
  return open.map((endpoint) =>
    look(
      `none is trusted, and ${endpoint?.host}:${endpoint?.port} takes calls of other machines as they are, without TLS`,
      `have the node listen on 127.0.0.1 behind a proxy; ${GUIDE}`,
    ),
  );
}

function silent(host: string, error: Error): Finding {
  const isClosed = 'code' in error && error.code === 'ECONNREFUSED';
  return isClosed
    ? look(
        `trusted-proxy is ${host}, and nothing on this machine listens on port ${TLS_PORT}`,
        `start nginx or haproxy (systemctl status nginx); ${GUIDE}`,
      )
    : wrong(`port ${TLS_PORT} of ${host} speaks no TLS: ${error.message}`, `look at the log of the proxy; ${GUIDE}`);
}

function reaching({ status }: ProxyAnswer, running: Facts['running']): Finding[] {
  if (running === undefined || status === 200) return [];
  if (UPSTREAM.has(status))
    return [
      wrong(
        `the proxy answers ${status}, and the node runs: it doesn't reach it`,
        'compare its upstream with webserver-http-endpoint',
      ),
    ];
  return [
    look(
      `what listens on port ${TLS_PORT} answers ${status} to GET /livez`,
      'compare its server with allowed-host, its upstream with webserver-http-endpoint',
    ),
  ];
}

function certified({ certificateEnds, unnamed, unvouched }: ProxyAnswer, name = ''): Finding[] {
  const of = `the certificate of ${name === '' ? 'the proxy' : name}`;
  const leftMs = certificateEnds.getTime() - Date.now();
  const day = certificateEnds.toISOString().slice(0, 'yyyy-mm-dd'.length);
  if (leftMs <= 0)
    return [
      wrong(
        `${of} has ended, on ${day}: clients refuse it`,
        `get a new one, and have the proxy read it (systemctl reload nginx); ${RENEWAL_GUIDE}`,
      ),
    ];
  if (unnamed !== undefined && name !== '')
    return [wrong(`${of} is of another name: ${unnamed}`, 'get one of that name, or correct allowed-host')];
  if (unvouched !== undefined)
    return [
      look(`${of} is one that no authority vouches for: ${unvouched}`, `clients take it only who know it; ${GUIDE}`),
    ];
  if (leftMs < SOON_DAYS * DAY_MS)
    return [
      look(`${of} ends on ${day}`, `see why it was not renewed, and have the proxy read the new one; ${RENEWAL_GUIDE}`),
    ];
  return [];
}
