import { Fault } from '../base/fault.ts';
import type { NatsConnectionSettings, NatsSinkSettings } from '../sinks/nats/nats_settings.ts';
import { natsServers } from './nats_address.ts';
import { requireCredentials, requireSeed, readTlsFiles } from './nats_files.ts';
import type { SettingsOf } from './options.ts';

type SinkValues = SettingsOf<'sink'>;

/** The settings of the event stream; undefined where none is wanted. Throws Fault `configuration`. */
export function readNatsSettings(values: SinkValues): NatsSinkSettings | undefined {
  const addresses = values['sink-nats'] ?? [];
  if (addresses.length === 0) return requireNothing(values);
  const format = values['sink-nats-format'] ?? 'avro';
  if (format !== 'avro' && format !== 'json') fail(`sink-nats-format: avro or json expected, got "${format}"`);
  const stream = values['sink-nats-stream'];
  if (stream !== undefined && !/^[\w-]{1,255}$/.test(stream))
    fail(`sink-nats-stream: letters, digits, _ and - expected, got "${stream}"`);
  return {
    connection: readConnection(addresses, values),
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
  for (const key of named)
    if (values[key] !== undefined) fail(`${key} is of no use without sink-nats, the address of a server`);
  return undefined;
}

/** Reads the connection to the servers. Throws Fault `configuration`, whose text has no secret. */
export function readConnection(
  addresses: readonly string[],
  values: { readonly [K in keyof SinkValues]?: SinkValues[K] | undefined },
): NatsConnectionSettings {
  const { servers, isTls, login } = natsServers(addresses);
  const { 'sink-nats-credentials': credentialsFile, 'sink-nats-nkey': nkeyFile } = values;
  requireOneWay([
    login && 'what stands before the host in sink-nats',
    credentialsFile && 'sink-nats-credentials',
    nkeyFile && 'sink-nats-nkey',
  ]);
  if (credentialsFile !== undefined) requireCredentials(credentialsFile);
  if (nkeyFile !== undefined) requireSeed(nkeyFile);
  const tls = readTlsFiles(values['sink-nats-tls-ca'], values['sink-nats-tls-cert'], values['sink-nats-tls-key']);
  return { servers, ...login, credentialsFile, nkeyFile, tls: tls ?? (isTls ? {} : undefined) };
}

/** A server asks once who somebody is. */
function requireOneWay(said: readonly (string | undefined)[]): void {
  const [first, second] = said.filter((way) => way !== undefined);
  if (second !== undefined) fail(`${first} and ${second} both say who writes: leave one of them out`);
}

function fail(message: string): never {
  throw new Fault('configuration', message);
}
