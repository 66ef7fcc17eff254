import { RefusedConnection, StreamMoved, UnusableStream } from '../sink.ts';
import type { NatsConnectionSettings } from './nats_settings.ts';

/** Of TLS, and what to do about them. */
const adviceOnTls: Readonly<Record<string, string>> = {
  SELF_SIGNED_CERT_IN_CHAIN: 'name a file with the certificate of who vouches for the server by sink-nats-tls-ca',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'name a file with that certificate by sink-nats-tls-ca',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'name a file with the certificate of who vouches for the server by sink-nats-tls-ca',
  UNABLE_TO_GET_ISSUER_CERT: 'name a file with the certificate of who vouches for the server by sink-nats-tls-ca',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'name a file with the certificate of who vouches for the server by sink-nats-tls-ca',
  CERT_SIGNATURE_FAILURE: 'the file of sink-nats-tls-ca has another certificate of that name',
  CERT_HAS_EXPIRED: 'let its operator renew it',
  CERT_NOT_YET_VALID: 'compare the clocks of both machines',
  ERR_TLS_CERT_ALTNAME_INVALID: 'name it in sink-nats as its certificate does',
};

/** The server has said that it takes none without a certificate, and this client has none that it knows. */
export const WANTS_CERTIFICATE =
  'the NATS server wants a certificate of this client that it knows: name it and its key by sink-nats-tls-cert and sink-nats-tls-key';

/** An error of a connection as an operator needs it; RefusedConnection where only he can help. */
export function withAdvice(error: unknown, settings: NatsConnectionSettings): Error {
  const found = error instanceof Error ? error : new Error(String(error));
  const { name, message } = found;
  if (name === 'AuthorizationError' || name === 'UserAuthenticationExpiredError')
    return new RefusedConnection(`the NATS server refuses the connection (${message}): ${adviceOnLogin(settings)}`);
  if (message.startsWith('nkeys: '))
    return new RefusedConnection(
      `${settings.credentialsFile ?? settings.nkeyFile}: its seed is not right (${message})`,
    );
  if (message === "server does not support 'tls'")
    return new RefusedConnection(
      'the NATS server has no TLS, and nothing is told to it without: set it up there, or write nats:// for tls:// and name no files for TLS',
    );
  if (name === 'JetStreamNotEnabled')
    return new UnusableStream(
      'JetStream is not on at the NATS server, or not for this account: add jetstream to its settings',
    );
  if (name === 'PermissionViolationError')
    return new UnusableStream(
      `the NATS server does not let this user do all that is needed (${message}): allow pharos.> and $JS.API.>`,
    );
  const code = errorCode(found) ?? errorCode(found.cause);
  const advice = code === undefined ? undefined : adviceOnTls[code];
  if (advice !== undefined)
    return new RefusedConnection(`the certificate of the NATS server is not trusted (${message}): ${advice}`);
  if (code !== undefined && /ALERT_(?:CERTIFICATE_REQUIRED|BAD_CERTIFICATE|UNKNOWN_CA|HANDSHAKE_FAILURE)$/.test(code))
    return new RefusedConnection(WANTS_CERTIFICATE);
  return found;
}

/** Of streams whose limits are reached; each is a code of JetStream. */
const FULL: ReadonlySet<number> = new Set([10_002, 10_023, 10_028, 10_047, 10_077]);
const TOO_LARGE = 10_054;
const ANOTHER_SEQUENCE: ReadonlySet<number> = new Set([10_070, 10_071]);

/** Explains to an operator why a message was not taken. */
export function streamRefusal(
  { refused, code }: { readonly refused: string; readonly code: number },
  stream: string,
): Error {
  if (ANOTHER_SEQUENCE.has(code))
    return new StreamMoved(`another one has written to the stream ${stream} (${refused})`);
  if (code === TOO_LARGE)
    return new UnusableStream(
      `the stream ${stream} takes no message of 512 KiB (${refused}): raise its limit of the size of messages`,
    );
  if (FULL.has(code))
    return new UnusableStream(
      `the stream ${stream} is full (${refused}): give it or its server more room, or let it drop its oldest messages (discard: old)`,
    );
  return new Error(`the stream ${stream} has not taken a message: ${refused} (${code})`);
}

function errorCode(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}

function adviceOnLogin({ user, token, credentialsFile, nkeyFile, tls }: NatsConnectionSettings): string {
  if (credentialsFile !== undefined)
    return `put credentials of a user that it knows into ${credentialsFile}; their JWT may have expired, or been revoked`;
  if (nkeyFile !== undefined) return `it doesn't know the public key to the seed in ${nkeyFile}, or lets it do less`;
  if (user !== undefined) return 'correct user and password in sink-nats, or add them there';
  if (token !== undefined) return 'correct the token in sink-nats; a user has a password, too, user:password@host';
  const own = tls?.certFile === undefined ? '' : `; the certificate in ${tls.certFile} does not name one of its users`;
  return `say who writes, by user:password@ or token@ before the host in sink-nats, or by sink-nats-credentials or sink-nats-nkey${own}`;
}
