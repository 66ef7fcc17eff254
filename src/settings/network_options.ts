/** Settings of a node among others (src/p2p/README.md). Names are the lineage's where it has them. */
export const networkOptions = {
  'p2p-endpoint': { kind: 'endpoint', reader: 'p2p', doc: 'host:port where peers are let in; nobody is when left out' },
  'p2p-seed-node': {
    kind: 'texts',
    reader: 'p2p',
    doc: 'host:port of a node to begin with, or id@host:port, where nobody else is believed to be; repeatable',
  },
  'p2p-trusted-node': {
    kind: 'texts',
    reader: 'p2p',
    doc: 'id@host:port of a node that is believed who signed the transactions of the blocks it gives; it is connected to as a seed, and when its state differs, this node stops; repeatable',
  },
  'p2p-public-endpoint': {
    kind: 'texts',
    reader: 'p2p',
    doc: 'address:port where others can reach this node, up to four; a peer tells it to others after it has reached this node there, if connections of this node come from that address',
  },
  'p2p-max-connections': { kind: 'count', reader: 'p2p', doc: 'peers of both directions together', initial: '40' },
  'p2p-target-peers': { kind: 'count', reader: 'p2p', doc: 'connections that this node makes itself', initial: '8' },
  'p2p-allowed-node': {
    kind: 'texts',
    reader: 'p2p',
    doc: 'id of a node that may be a peer, repeatable; everybody may when left out',
  },
  'p2p-accept-transactions': {
    kind: 'flag',
    reader: 'p2p',
    doc: 'take transactions of peers and pass them on',
    initial: 'true',
  },
  'p2p-peer-exchange': {
    kind: 'flag',
    reader: 'p2p',
    doc: 'tell peers the addresses of others, and ask for them',
    initial: 'true',
  },
  'p2p-key-file': {
    kind: 'text',
    reader: 'p2p',
    doc: 'file of the key that says who this node is to its peers; p2p_key in the data folder when left out',
  },
  'p2p-parameters': {
    kind: 'text',
    reader: 'p2p',
    doc: 'JSON of limits: desired_number_of_connections, maximum_number_of_connections, peer_connection_retry_timeout in seconds, as the lineage names them, and inbound_of_address, inbound_of_group, handshakes_per_second, handshakes_per_second_of_address, unfinished, unfinished_of_address, unfinished_of_group, and receiving_percent and answering_percent, what peers that nobody has named may take of the thread of the network',
  },
  'p2p-pool-mib': {
    kind: 'count',
    reader: 'p2p',
    doc: 'mebibytes of transactions that are kept for peers that come later',
    initial: '64',
  },
  'p2p-sync-rate': {
    kind: 'count',
    reader: 'p2p',
    doc: 'mebibytes a second that nodes which are behind get together',
    initial: '64',
  },
} as const;
