/** What a node says and does among others, as settings (src/p2p/README.md). Names are the lineage's where it has them. */
export const networkOptions = {
  'p2p-endpoint': { kind: 'endpoint', doc: 'host:port where peers are let in; nobody is when left out' },
  'p2p-seed-node': {
    kind: 'texts',
    doc: 'host:port of a node to begin with, or id@host:port, where nobody else is believed to be; repeatable',
  },
  'p2p-public-endpoint': { kind: 'texts', doc: 'address:port where others can reach this node, up to four; told to peers' },
  'p2p-max-connections': { kind: 'count', doc: 'peers of both directions together', initial: '40' },
  'p2p-target-peers': { kind: 'count', doc: 'connections that this node makes itself', initial: '8' },
  'p2p-allowed-node': { kind: 'texts', doc: 'id of a node that may be a peer, repeatable; everybody may when left out' },
  'p2p-accept-transactions': { kind: 'flag', doc: 'take transactions of peers and pass them on', initial: 'true' },
  'p2p-peer-exchange': { kind: 'flag', doc: 'tell peers the addresses of others, and ask for them', initial: 'true' },
  'p2p-sync-rate': { kind: 'count', doc: 'mebibytes a second that nodes which are behind get together', initial: '64' },
} as const;
