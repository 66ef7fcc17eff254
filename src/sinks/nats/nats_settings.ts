/** The address of a NATS server, and the credentials. */
export interface NatsConnectionSettings {
  /** Addresses of the servers of one cluster, without credentials. */
  readonly servers: readonly string[];
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly token?: string | undefined;
  /** With a JWT and the seed of its key. Files are read for each connection, so that what is renewed there counts. */
  readonly credentialsFile?: string | undefined;
  /** With the seed of a key alone. */
  readonly nkeyFile?: string | undefined;
  /** Undefined where the server decides; otherwise nothing is said to a server without TLS. */
  readonly tls?: { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string } | undefined;
}

/** The events to write, and the stream. */
export interface NatsSinkSettings {
  readonly connection: NatsConnectionSettings;
  /** The name of the stream; one of the chain's own when undefined. */
  readonly stream: string | undefined;
  readonly irreversibleOnly: boolean;
  readonly withOperations: boolean;
  readonly format: 'avro' | 'json';
}

const CHAIN_DIGITS = 8; // as in positions of subscriptions

/** Returns the prefix of all subjects of a chain, which is also the default name of its stream. */
export function chainSubject(chainId: string): string {
  return `pharos.${chainId.slice(0, CHAIN_DIGITS)}`;
}

export function streamName(chainId: string, said: string | undefined): string {
  return said ?? chainSubject(chainId).replace('.', '-');
}

/** True when a stream with that subject takes all of a chain's. */
export function covers(subject: string, chain: string): boolean {
  const first = chain.split('.')[0] ?? '';
  return [`${chain}.>`, `${first}.>`, `${first}.*.>`, '*.*.>', '*.>', '>'].includes(subject);
}
