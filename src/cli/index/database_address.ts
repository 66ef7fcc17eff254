import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { Fault } from '../../base/fault.ts';
import { passwordInFile, type Login } from './password_file.ts';

const SCHEME = /^postgres(?:ql)?:\/\//;
/** Folders of server sockets: those of Debian and its derivatives, and of builds without options. */
const SOCKET_FOLDERS = ['/var/run/postgresql', '/tmp'];
/** The settings of psql's environment that the library does not read, or not as psql does. */
const OF_ENVIRONMENT = {
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
} as const;

/** The address of a database. */
export interface DatabaseAddress {
  readonly url: string;
  /** Advice about the password file for a user that the server does not let in. */
  readonly passwordAdvice: string;
}

/**
 * The same address with what psql would take where it says nothing: the socket of this machine, the user of the system,
 * a password of its file, TLS of the environment.
 */
export function completeAddress(text: string, environment: NodeJS.ProcessEnv = process.env): DatabaseAddress {
  const url = parseUrl(text);
  const { searchParams: params } = url;
  const login = readLogin(url, parseHostname(text), environment);
  let passwordAdvice = '';
  if (parseHostname(text) === '') params.set('host', login.host);
  if (url.username === '') params.set('user', login.user);
  if (url.password === '' && !params.has('password') && environment['PGPASSWORD'] === undefined) {
    const { password, advice } = passwordInFile(login, environment);
    passwordAdvice = advice;
    if (password !== undefined) params.set('password', password);
  }
  completeTls(params, login.host, environment);
  const [base = ''] = withHost(text).split('?');
  return { url: params.size === 0 ? base : `${base}?${params.toString()}`, passwordAdvice };
}

function readLogin(url: URL, hostname: string, environment: NodeJS.ProcessEnv): Login {
  const { searchParams: params } = url;
  const port = params.get('port') ?? (url.port || (environment['PGPORT'] ?? '5432'));
  const named = params.get('host') ?? (hostname === '' ? environment['PGHOST'] : hostname);
  const user =
    params.get('user') ?? (decodeURIComponent(url.username) || (environment['PGUSER'] ?? userInfo().username));
  const host = decodeURIComponent(named ?? socketFolder(port) ?? 'localhost');
  return { host, port, user, database: decodeURIComponent(url.pathname.slice(1)) || user };
}

function completeTls(params: URLSearchParams, host: string, environment: NodeJS.ProcessEnv): void {
  for (const [name, variable] of Object.entries(OF_ENVIRONMENT)) {
    const value = environment[variable] ?? '';
    // A socket has none.
    if (host.startsWith('/')) params.delete(name);
    else if (value !== '' && !params.has(name)) params.set(name, value);
  }
  if (params.has('sslmode') && !params.has('uselibpqcompat')) params.set('uselibpqcompat', 'true');
}

/** A Fault for what is none shows nothing of the text, because it may hold a password. */
function parseUrl(text: string): URL {
  const whole = withHost(text);
  if (!SCHEME.test(text) || !URL.canParse(whole)) throw unusable();
  const url = new URL(whole);
  // A character that has to be encoded ends the name or the password, and the rest is taken for something else.
  if (url.hash !== '' || `${url.pathname}${url.search}`.includes('@')) throw unusable();
  try {
    for (const part of [url.username, url.password, url.hostname, url.pathname]) decodeURIComponent(part);
  } catch {
    throw unusable();
  }
  return url;
}

function unusable(): Fault {
  return new Fault(
    'configuration',
    '--postgres: an address such as postgres://user@host/database expected; in a user or a password write %25 for %, %40 for @, %2F for /, %3A for :, %3F for ? and %23 for #',
  );
}

/** URLs of other schemes than these may lack a host; with a user they may not. */
function withHost(text: string): string {
  return text.replace(/^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)(?=[/?:]|$)/, '$1localhost');
}

function parseHostname(text: string): string {
  return withHost(text) === text ? new URL(text).hostname : '';
}

function socketFolder(port: string): string | undefined {
  return SOCKET_FOLDERS.find((folder) => existsSync(`${folder}/.s.PGSQL.${port}`));
}
