import type { NatsConnection } from '@nats-io/transport-node';
import type { NatsConnectionSettings } from './nats_settings.ts';

/** Longer than any server takes that is there. */
export const ANSWER_MS = 10_000;
/** A way that swallows everything is noticed after two. */
const PING_MS = 10_000;
const MOST_PINGS = 2;

/** Connects once: whoever uses the connection begins anew when it is gone. Rejects with a sentence. */
export async function connectToNats(settings: NatsConnectionSettings, name: string): Promise<NatsConnection> {
  const { connect, credsAuthenticator, nkeyAuthenticator } = await import('@nats-io/transport-node');
  const { servers, user, password, token, credentials, nkeySeed, tls } = settings;
  const authenticators = [
    ...(credentials === undefined ? [] : [credsAuthenticator(Buffer.from(credentials))]),
    ...(nkeySeed === undefined ? [] : [nkeyAuthenticator(Buffer.from(nkeySeed.trim()))]),
  ];
  return await connect({
    servers: [...servers],
    name,
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { pass: password }),
    ...(token === undefined ? {} : { token }),
    ...(authenticators.length === 0 ? {} : { authenticator: authenticators }),
    ...(tls === undefined ? {} : { tls }),
    reconnect: false,
    timeout: ANSWER_MS,
    pingInterval: PING_MS,
    maxPingOut: MOST_PINGS,
  });
}
