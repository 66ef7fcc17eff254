import { readFileSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';
import type { NatsConnectionSettings, NatsSinkSettings } from '../../sinks/nats/nats_settings.ts';
import type { sinkOptions } from './sink_options.ts';
import type { OptionValues } from './options.ts';

type SinkValues = Pick<OptionValues, keyof typeof sinkOptions>;

/** The settings of the event stream; undefined where none is wanted. Throws Fault `configuration`. */
export function sinkSettingsOf(values: SinkValues): NatsSinkSettings | undefined {
  const addresses = values['sink-nats'] ?? [];
  if (addresses.length === 0) return requireNothing(values);
  const format = values['sink-nats-format'] ?? 'avro';
  if (format !== 'avro' && format !== 'json') fail(`sink-nats-format: avro or json expected, got "${format}"`);
  const stream = values['sink-nats-stream'];
  if (stream !== undefined && !/^[\w-]{1,255}$/.test(stream)) fail(`sink-nats-stream: letters, digits, _ and - expected, got "${stream}"`);
  return {
    connection: connectionOf(addresses, values),
    ...{ stream, format, irreversibleOnly: values['sink-nats-irreversible-only'] === true },
    withOperations: values['sink-nats-operations'] !== false,
  };
}

/** A setting of a stream without an address would be a mistake that nobody notices. */
function requireNothing(values: SinkValues): undefined {
  const named = [
    'sink-nats-stream',
    'sink-nats-credentials',
    'sink-nats-nkey',
    'sink-nats-tls-ca',
    'sink-nats-tls-cert',
    'sink-nats-tls-key',
  ] as const;
  for (const key of named) if (values[key] !== undefined) fail(`${key} is of no use without sink-nats, the address of a server`);
  return undefined;
}

/** How servers are reached. */
export function connectionOf(
  addresses: readonly string[],
  values: { readonly [K in keyof SinkValues]?: SinkValues[K] | undefined },
): NatsConnectionSettings {
  const servers = addresses.map(serverIn);
  const [first] = servers;
  const [caFile, certFile, keyFile] = [values['sink-nats-tls-ca'], values['sink-nats-tls-cert'], values['sink-nats-tls-key']];
  if ((certFile === undefined) !== (keyFile === undefined)) fail('sink-nats-tls-cert and sink-nats-tls-key: both are needed, or neither');
  const files = {
    ...(caFile === undefined ? {} : { caFile }),
    ...(certFile === undefined ? {} : { certFile }),
    ...(keyFile === undefined ? {} : { keyFile }),
  };
  for (const path of Object.values(files)) textOf(path);
  const needsTls = servers.some(({ isTls }) => isTls) || Object.keys(files).length > 0;
  return {
    servers: servers.map(({ server }) => server),
    ...{ user: first?.user, password: first?.password, token: first?.token },
    credentials: textOf(values['sink-nats-credentials']),
    nkeySeed: textOf(values['sink-nats-nkey']),
    tls: needsTls ? files : undefined,
  };
}

interface NamedServer {
  readonly server: string;
  readonly isTls: boolean;
  readonly user?: string;
  readonly password?: string;
  readonly token?: string;
}

/** As in the URLs of other clients of NATS: what stands alone before the host is a token. */
function serverIn(text: string): NamedServer {
  const withScheme = text.includes('://') ? text : `nats://${text}`;
  const url = URL.canParse(withScheme) ? new URL(withScheme) : undefined;
  if (
    url === undefined ||
    !['nats:', 'tls:'].includes(url.protocol) ||
    url.hostname === '' ||
    (url.pathname !== '' && url.pathname !== '/')
  )
    return fail(`sink-nats: nats://host:port or tls://host:port expected, got "${withoutSecret(text)}"`);
  const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  const secret = user === '' ? {} : password === '' ? { token: user } : { user, password };
  return { server: `${url.hostname}:${url.port === '' ? NATS_PORT : url.port}`, isTls: url.protocol === 'tls:', ...secret };
}

const NATS_PORT = '4222';

function withoutSecret(text: string): string {
  return text.replace(/^([a-z]*:\/\/)?[^@]*@/, '$1');
}

function textOf(path: string): string;
function textOf(path: string | undefined): string | undefined;
function textOf(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Fault('configuration', `cannot read ${path}, which a setting of sink-nats names`, error);
  }
}

function fail(message: string): never {
  throw new Fault('configuration', message);
}
