import { declareEvents, NOTHING_TO_DO } from './event.ts';

const peer = { peer: 'string', host: 'string' } as const;

/** Events of the network thread. */
export const networkEvents = declareEvents({
  no_peers: {
    level: 'notice',
    meaning: 'The node has lost its last peer.',
    action: 'Look at pharos peers, the firewall and p2p-seed-node.',
  },
  caught_up: {
    level: 'notice',
    fields: { block: 'number' },
    meaning: 'The node was behind and has the head of its peers now.',
    action: NOTHING_TO_DO,
  },
  in_step: {
    level: 'notice',
    fields: { block: 'number' },
    meaning: 'The node has the head of its peers.',
    action: NOTHING_TO_DO,
  },
  fell_behind: {
    level: 'notice',
    fields: { block: 'number', behind: 'number' },
    meaning: 'The node lacks blocks of its peers, and fetches them.',
    action: 'Wait. If it does not end, follow the guide about a node that is behind.',
  },
  sync_progressed: {
    level: 'notice',
    fields: { block: 'number', target: 'number', blocks_per_second: 'number' },
    cause: [],
    meaning: 'The node fetches blocks that it lacks.',
    action: NOTHING_TO_DO,
  },
  standing_doubted: {
    level: 'warning',
    meaning: 'Peers contradict this node, or claim blocks that they do not deliver.',
    action: 'Compare the id of the block with other operators, and give a checkpoint.',
  },
  peers_in_one_group: {
    level: 'notice',
    meaning: 'All chosen peers may be in one hand.',
    action: 'Add a p2p-seed-node of somebody else.',
  },
  snapshot_block_confirmed: {
    level: 'notice',
    fields: { block: 'number' },
    meaning: 'The peers, or the finality checkpoint, confirm the block of the snapshot.',
    action: NOTHING_TO_DO,
  },
  block_size_voted_high: {
    level: 'warning',
    fields: { witness: 'string', bytes: 'number', carried_bytes: 'number' },
    cause: ['witness'],
    meaning: 'A witness votes for blocks that this network can’t carry within a slot.',
    action: 'Ask the witness to vote for a smaller maximum_block_size.',
  },
  peer_clocks_differ: {
    level: 'warning',
    fields: { ahead_seconds: 'number' },
    cause: [],
    meaning: 'The clock of this machine differs from those of its peers.',
    action: 'Set the clock, best by NTP.',
  },
  machine_clock_off: {
    level: 'warning',
    fields: { ahead_seconds: 'number' },
    cause: [],
    meaning: 'The clock of this machine differs from the times of blocks.',
    action: 'Set the clock, best by NTP.',
  },
  partition_suspected: {
    level: 'warning',
    fields: { blocks: 'number' },
    cause: [],
    meaning: 'Many slots have no block: other witnesses may be cut off from here.',
    action: 'Look at the peers, and call the operators of the other witnesses.',
  },
  partition_ended: {
    level: 'notice',
    fields: { blocks: 'number' },
    meaning: 'Most slots have a block again.',
    action: NOTHING_TO_DO,
  },
  peers_file_damaged: {
    level: 'warning',
    meaning: 'The file with addresses of peers is damaged. The node starts with its seeds.',
    action: 'Nothing. Check the disk if it happens again.',
  },
  peer_connected: {
    level: 'notice',
    fields: { ...peer, agent: 'string?', isInbound: 'boolean' },
    meaning: 'A peer has passed the handshake.',
    action: NOTHING_TO_DO,
  },
  peer_left: {
    level: 'debug',
    fields: peer,
    meaning: 'The connection to a peer has ended.',
    action: NOTHING_TO_DO,
  },
  peer_banned: {
    level: 'warning',
    fields: { ...peer, hours: 'number' },
    cause: ['peer', 'host'],
    meaning: 'A peer has broken the protocol, and may not come back for a while.',
    action: 'If it is a node of yours, look at its version, log and clock.',
  },
  dial_failed: {
    level: 'debug',
    fields: { address: 'string' },
    meaning: 'The node could not connect to an address.',
    action: NOTHING_TO_DO,
  },
  seed_unreachable: {
    level: 'warning',
    fields: { address: 'string' },
    cause: ['address'],
    meaning: 'The node can’t join a peer that its settings name. It tries again.',
    action: 'Check the address, the firewall and the chain of that node.',
  },
  irreversible_block_contradicted: {
    level: 'error',
    fields: { ...peer, block: 'number' },
    cause: ['peer', 'block'],
    meaning: 'A peer has another block where this node’s block is irreversible.',
    action: 'Compare the id of the block with other operators.',
  },
  disconnected_as_contradicting: {
    level: 'warning',
    fields: peer,
    cause: ['peer'],
    meaning: 'A peer has left because it has another irreversible block.',
    action: 'Compare the id of the block with other operators.',
  },
  chain_contested: {
    level: 'error',
    fields: { block: 'number' },
    cause: ['block'],
    meaning: 'Peers contradict each other, and the node fetches nothing until they agree.',
    action: 'Name a checkpoint, or a seed with its id, that you trust.',
  },
  contest_ended: {
    level: 'notice',
    fields: { block: 'number', agreeing: 'number' },
    meaning: 'Peers agree with this node again, and it goes on.',
    action: NOTHING_TO_DO,
  },
  state_differs: {
    level: 'error',
    meaning: 'This node’s state differs from that of others. The node stops.',
    action: 'Keep the data folder for a bug report, and start from a snapshot.',
  },
});
