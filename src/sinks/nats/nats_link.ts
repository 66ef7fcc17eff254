import type { Authenticator, NatsConnection } from '@nats-io/transport-node';
import { readCredentials, type NatsCredentials } from './nats_credentials.ts';
import type { NatsConnectionSettings } from './nats_settings.ts';
import { requiresCertificate } from './server_greeting.ts';
import { present } from '../../base/assert.ts';
import { RefusedConnection, UnusableStream } from '../sink.ts';
import { WANTS_CERTIFICATE, withAdvice } from './nats_advice.ts';

/** Longer than any server takes that is there. */
export const ANSWER_MS = 10_000;
/** A way that swallows everything is noticed after two. */
const PING_MS = 10_000;
const MOST_PINGS = 2;
/**
 * Connects once, to the first server that takes the connection: whoever uses it begins anew when it is gone. Rejects
 * with a sentence, with UnusableStream if trying again won't help.
 */
export async function connectToNats(settings: NatsConnectionSettings, name: string): Promise<NatsConnection> {
  const failures: Error[] = [];
  for (const server of settings.servers) {
    try {
      return await connectToServer(server, settings, name);
    } catch (error) {
      failures.push(await explained(server, settings, error));
    }
  }
  throw failures.find((error) => error instanceof UnusableStream) ?? present(failures[0], 'a server');
}

/**
 * TLS 1.3 is agreed before the server looks at the client's certificate. Its alert is lost where it also resets the
 * connection, so the server is asked why.
 */
async function explained(server: string, settings: NatsConnectionSettings, error: unknown): Promise<Error> {
  const found = withAdvice(error, settings);
  if (found instanceof UnusableStream || settings.tls?.certFile !== undefined) return found;
  return (await requiresCertificate(server)) ? new RefusedConnection(WANTS_CERTIFICATE) : found;
}

async function connectToServer(
  server: string,
  settings: NatsConnectionSettings,
  name: string,
): Promise<NatsConnection> {
  const { connect } = await import('@nats-io/transport-node');
  const { user, password, token, tls } = settings;
  const authenticator = await makeAuthenticator(await readCredentials(settings));
  return await connect({
    servers: server,
    name,
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { pass: password }),
    ...(token === undefined ? {} : { token }),
    ...(authenticator === undefined ? {} : { authenticator }),
    ...(tls === undefined ? {} : { tls: { ...tls, ...parseAddress(server) } }),
    reconnect: false,
    timeout: ANSWER_MS,
    pingInterval: PING_MS,
    maxPingOut: MOST_PINGS,
  });
}

/**
 * The library leaves it to Node.js what a certificate is compared with, which takes localhost for an address without a
 * name.
 */
function parseAddress(server: string): { readonly host?: string } {
  const host = /^(?:\[(?<v6>.*)\]|(?<v4>[\d.]+)):\d+$/.exec(server);
  const address = host?.groups?.['v6'] ?? host?.groups?.['v4'];
  return address === undefined ? {} : { host: address };
}

async function makeAuthenticator({ jwt, seed }: NatsCredentials): Promise<Authenticator | undefined> {
  if (seed === undefined) return undefined;
  const { jwtAuthenticator, nkeyAuthenticator } = await import('@nats-io/transport-node');
  const secret = Buffer.from(seed);
  return jwt === undefined ? nkeyAuthenticator(secret) : jwtAuthenticator(jwt, secret);
}

/**
 * Hears errors that a server reports apart from answers, such as a missing right: a request that needs it waits in
 * vain. Ends with the connection.
 */
export async function hearErrors(connection: NatsConnection, hear: (error: Error) => void): Promise<void> {
  for await (const status of connection.status()) if (status.type === 'error') hear(status.error);
}
