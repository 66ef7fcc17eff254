import { Fault } from '../base/fault.ts';

/** The user and password before the host of an address. */
export type NatsLogin = { readonly user: string; readonly password: string } | { readonly token: string };

/** The servers of one cluster. */
export interface NatsServers {
  /** Each as host:port. */
  readonly servers: readonly string[];
  readonly isTls: boolean;
  readonly login: NatsLogin | undefined;
}

const NATS_PORT = '4222';

/**
 * Reads addresses as other clients of NATS do: what stands alone before the host is a token. Throws Fault
 * `configuration`, whose text has no secret.
 */
export function natsServers(addresses: readonly string[]): NatsServers {
  const named = addresses.map(parseServer);
  const logins = named.flatMap(({ login }) => login ?? []);
  const [login] = logins;
  // Any of them may be the one that answers.
  if (logins.some((other) => JSON.stringify(other) !== JSON.stringify(login)))
    fail('sink-nats: the servers of one cluster take the same user or token, these addresses have several');
  return { servers: named.map(({ server }) => server), isTls: named.some(({ isTls }) => isTls), login };
}

interface NamedServer {
  readonly server: string;
  readonly isTls: boolean;
  readonly login: NatsLogin | undefined;
}

function parseServer(text: string): NamedServer {
  // A password may have an @ that nobody has escaped.
  const [, scheme = 'nats', before, host = ''] = /^(?:([a-z]+):\/\/)?(?:([^/?#]*)@)?([^/?#@]+)\/?$/i.exec(text) ?? [];
  const url = URL.canParse(`nats://${host}`) ? new URL(`nats://${host}`) : undefined;
  if (url === undefined || !['nats', 'tls'].includes(scheme.toLowerCase()) || url.hostname === '')
    return fail(`sink-nats: nats://host:port or tls://host:port expected${shown(text)}`);
  const isTls = scheme.toLowerCase() === 'tls';
  return { server: `${url.hostname}:${url.port === '' ? NATS_PORT : url.port}`, isTls, login: parseLogin(before) };
}

function parseLogin(text: string | undefined): NatsLogin | undefined {
  if (text === undefined) return undefined;
  const colon = text.indexOf(':');
  const [user, password] = colon < 0 ? [plain(text)] : [plain(text.slice(0, colon)), plain(text.slice(colon + 1))];
  if (user === '' || password === '')
    return fail('sink-nats: before the @, user:password or a token expected, one of them is empty');
  return password === undefined ? { token: user } : { user, password };
}

function plain(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return fail('sink-nats: in user, password and token a % stands before two hexadecimal digits; % itself is %25');
  }
}

/** Of a wrong address what can't be a part of a password or a token. */
function shown(text: string): string {
  const rest = text.slice(text.lastIndexOf('@') + 1);
  return /^(?:[a-z]+:\/\/)?[\w.-]+(?::\d+)?(?:\/[\w./-]*)?$/i.test(rest) ? `, got "${rest}"` : '';
}

function fail(message: string): never {
  throw new Fault('configuration', message);
}
