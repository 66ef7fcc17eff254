/** A file that programs keep or are given. */
export interface ProgramFile {
  /** Its usual place, or the setting that names it. */
  readonly place: string;
  /** The effect of its loss, and what to do. */
  readonly lost: string;
}

/**
 * Files by their kind, as operators meet them. `data-dir` stands for the folder of that setting, usually `data/node`.
 * Tests hold the kinds against all places of the program that open files.
 */
export const programFiles: Readonly<Record<string, ProgramFile>> = {
  'settings file': { place: '`--config`', lost: 'Write it again: `pharos settings` prints every key.' },
  'genesis of a node': {
    place: '`genesis-json`, else `data-dir/genesis.json`',
    lost: 'Copy it from another node: its sha256 is the chain id.',
  },
  database: {
    place: '`data-dir`: `CURRENT`, `MANIFEST-*`, `*.sst`, `*.log`, `LOG*`, `OPTIONS-*`',
    lost: 'Restore a backup, or begin with a snapshot or with peers.',
  },
  'identity of a data folder': {
    place: '`data-dir/pharos-identity.json`',
    lost: 'The node refuses the folder with code 3. Restore the whole folder.',
  },
  'head journal': {
    place: '`data-dir/pharos-head.journal`',
    lost: 'The node refuses the folder with code 3. Restore the whole folder.',
  },
  'lock of a data folder': {
    place: '`data-dir/pharos-lock.json`',
    lost: 'Nothing to do. The next start writes it.',
  },
  'note of a snapshot that peers have to confirm': {
    place: '`data-dir/foreign_head`',
    lost: 'Do not remove it: peers have not confirmed the chain of the snapshot yet.',
  },
  'note of blocks that are not verified': {
    place: '`data-dir/unverified_blocks`',
    lost: 'Do not remove it: the blocks up to the checkpoint are not proven yet.',
  },
  'evidence against voters': {
    place: '`data-dir/pharos-evidence.txt`',
    lost: 'Evidence is missing. Nothing else depends on it.',
  },
  'identity key': { place: '`p2p-key-file`, else `data-dir/p2p_key`', lost: 'The node gets a new node id.' },
  'address book': {
    place: '`data-dir/p2p_peers.json`',
    lost: 'Nothing to do. The node finds peers by its seeds.',
  },
  'slots of own witnesses': {
    place: '`data-dir/own_slots`',
    lost: '`pharos witness status` shows no older slots. Nothing else depends on them.',
  },
  'missed slots of all witnesses': {
    place: '`data-dir/missed_slots.json`',
    lost: 'The explorer counts the missed slots of a week anew. Nothing else depends on them.',
  },
  'end of an event stream': {
    place: '`data-dir/sink_acknowledged.json`',
    lost: 'Compare the stream with the chain: `pharos stream check`.',
  },
  'file of a standby': {
    place: '`data-dir.standby`',
    lost: 'The standby does not take over. Give it a new key.',
  },
  'signing journal': {
    place: '`signing-journal`, else `data-dir.signed`; of a signer, its socket with `.signed`',
    lost: 'The witness waits for a round before it signs. Never restore an old copy.',
  },
  'voting journal': {
    place: 'the signing journal with `.votes`',
    lost: 'The witness votes again from the next round on. Never restore an old copy.',
  },
  'key file of a witness': {
    place: '`private-key-file`',
    lost: 'Lost for good. The owner key of the witness names a new signing key.',
  },
  'encrypted key file of a witness': {
    place: '`private-key-file`',
    lost: 'Lost for good. The owner key of the witness names a new signing key.',
  },
  'password file of a key': { place: '`private-key-password-file`', lost: 'Write the password there again.' },
  'credentials of NATS': { place: '`sink-nats-credentials`', lost: 'Make new credentials with nsc.' },
  'credentials of NATS while a node runs': {
    place: '`sink-nats-credentials`',
    lost: 'The next connection fails, and the node tries again until the file is there.',
  },
  'seed of a user of NATS': { place: '`sink-nats-nkey`', lost: 'Make a new NKey with nsc.' },
  'seed of a user of NATS while a node runs': {
    place: '`sink-nats-nkey`',
    lost: 'The next connection fails, and the node tries again until the file is there.',
  },
  certificate: { place: '`sink-nats-tls-ca`, `sink-nats-tls-cert`', lost: 'Issue it again.' },
  'key of a certificate': { place: '`sink-nats-tls-key`', lost: 'Issue key and certificate again.' },
  snapshot: {
    place: '`snapshot-dir`, else `data-dir.snapshots`: `snapshot-NUMBER.avro`',
    lost: 'Write another: `pharos snapshot create`.',
  },
  'signature of a snapshot': {
    place: 'the snapshot with `.sig`',
    lost: 'Write the snapshot again: `pharos snapshot create --sign-with`.',
  },
  'note of an interrupted download': {
    place: 'the snapshot with `.from`',
    lost: 'The download begins again.',
  },
  'block log': { place: '`--block-log`', lost: 'Write it again: `pharos export`.' },
  'certificates of a block log': {
    place: 'the block log with `.certificates`',
    lost: 'Blocks of the log become irreversible only once peers give a certificate.',
  },
  'accounts of a genesis': { place: '`pharos genesis create --accounts`', lost: 'Write it again.' },
  'genesis of a development chain': {
    place: '`data/dev/genesis.json`',
    lost: 'Put it back, or start over with `--fresh`.',
  },
  'seed of a development chain': { place: '`data/dev/seed.txt`', lost: 'Put it back, or start over with `--fresh`.' },
  'genesis of a fork': { place: '`data/dev/genesis.json`', lost: 'Put it back, or start over with `--fresh`.' },
  'note beside the file of a development chain': {
    place: 'the file of `--state` with `.running/began_with.txt`',
    lost: 'Start over with the file of `--state`.',
  },
  'size of a net': { place: '`net.json` in the folder of the net', lost: 'Make the net anew: `pharos net up`.' },
  'process of a node of a net': {
    place: '`node1/started.json` in the folder of the net',
    lost: 'Nothing to do. The lock of the data folder names the process, too.',
  },
  'wallet file': { place: '`--wallet-file`, else `wallet.json`', lost: 'Lost for good, unless you kept a copy.' },
  'history of a wallet': { place: 'the wallet file with `.history`', lost: 'Nothing to do.' },
  'password file of a wallet': { place: '`--password-file`', lost: 'Write the password there again.' },
  'token of the RPC of a wallet': {
    place: '`--rpc-token-file`, else the wallet file with `.token`',
    lost: 'Start the daemon again: it writes another.',
  },
  'JSON that a command of the wallet is given': { place: '`@FILE` of a command', lost: 'Write it again.' },
  'password file of PostgreSQL': { place: '`PGPASSFILE`, else `~/.pgpass`', lost: 'Write the line again.' },
  'price of a feed': { place: '`pharos witness feed --file`', lost: 'The source of prices writes it again.' },
  'report of a load': { place: '`pharos load --json`', lost: 'Run the load test again.' },
  'mix of a load': { place: '`pharos load --mix`', lost: 'Write it again.' },
};
