import { vector } from '../../codec/collections.ts';
import { bool, i64, text, u16, u32, u64 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { hash160 } from '../../values/hash.ts';
import { method } from '../method.ts';
import { requireNetwork } from './require_network.ts';

const peerRecord = struct({
  node_id: text,
  host: text,
  port: u16,
  is_inbound: bool,
  agent: text,
  head_block_number: u32,
  last_irreversible_block_num: u32,
  last_irreversible_block_id: hash160,
  ping_ms: i64,
  score: i64,
  received_bytes: u64,
  sent_bytes: u64,
  queued_bytes: u64,
  connected_seconds: u32,
  blocks_delivered: u32,
});

/** Lists the connected peers. */
export const getConnectedPeers = method({
  name: 'network_node_api.get_connected_peers',
  doc: 'The nodes that this one is connected with: where they stand, how far they are (`ping_ms`, −1 until it is known), what they have been sent and have sent, how often one was the first to deliver a block, and its score: at −100 a link is closed.',
  params: {},
  result: Type.Object({ peers: coded(vector(peerRecord)) }),
  example: { params: {}, result: { peers: [] } },
  stability: 'experimental',
  forOperator: true,
  thread: 'writer',
  changes: false,
  handler: async (_, call) => {
    const peers = await requireNetwork(call).peers();
    return {
      peers: peers.map((peer) => ({
        node_id: peer.id,
        host: peer.host,
        port: peer.port,
        is_inbound: peer.isInbound,
        agent: peer.agent,
        head_block_number: peer.headNumber,
        last_irreversible_block_num: peer.irreversibleNumber,
        last_irreversible_block_id: peer.irreversibleId,
        ping_ms: BigInt(peer.pingMs),
        score: BigInt(peer.score),
        received_bytes: BigInt(peer.receivedBytes),
        sent_bytes: BigInt(peer.sentBytes),
        queued_bytes: BigInt(peer.queuedBytes),
        connected_seconds: peer.connectedSeconds,
        blocks_delivered: peer.blocksDelivered,
      })),
    };
  },
});
