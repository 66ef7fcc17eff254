/** Settings of what leaves the node as a stream. */
export const sinkOptions = {
  'sink-nats': {
    kind: 'texts',
    reader: 'sink',
    secret: 'login',
    doc: 'nats://host:port of a NATS server with JetStream, to which each event of the chain is written: its blocks with their operations, what is undone, what has become irreversible; tls:// insists on TLS, and user:password@ or token@ may stand before the host, with %2C for a comma, %2F, %3F and %23 for / ? #; repeatable for the servers of one cluster',
  },
  'sink-nats-stream': {
    kind: 'text',
    reader: 'sink',
    doc: 'name of the stream; pharos- and the first 8 digits of the chain id when left out',
  },
  'sink-nats-credentials': {
    kind: 'text',
    reader: 'sink',
    doc: 'credentials file of a user, as nsc writes it, for its owner alone; read for each connection',
  },
  'sink-nats-nkey': { kind: 'text', reader: 'sink', doc: 'file with the seed of a user’s NKey, for its owner alone' },
  'sink-nats-tls-ca': {
    kind: 'text',
    reader: 'sink',
    doc: 'file with the certificates of those who may vouch for the server, instead of the system’s',
  },
  'sink-nats-tls-cert': { kind: 'text', reader: 'sink', doc: 'file with the certificate of this client' },
  'sink-nats-tls-key': {
    kind: 'text',
    reader: 'sink',
    doc: 'file with the key of that certificate, without a passphrase, for its owner alone',
  },
  'sink-nats-irreversible-only': {
    kind: 'flag',
    reader: 'sink',
    doc: 'write a block only when no branch can replace it: nothing is ever undone',
    initial: 'false',
  },
  'sink-nats-operations': {
    kind: 'flag',
    reader: 'sink',
    doc: 'write each operation as a message of its own, too, for those who filter by kind',
    initial: 'true',
  },
  'sink-nats-format': { kind: 'text', reader: 'sink', doc: 'avro or json', initial: 'avro' },
} as const;
