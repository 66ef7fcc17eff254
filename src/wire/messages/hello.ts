import { u16, u32, u64 } from '../../codec/primitives.ts';
import { digest } from '../../values/hash.ts';
import { CONTROL } from '../lanes.ts';
import { messageKind } from '../message_kind.ts';
import { atMost, members, printable, type WireValue } from '../wire_values.ts';
import { statusMembers } from './status.ts';

/** Raised when nodes of both versions could not understand each other; new kinds and longer messages don't need it. */
export const PROTOCOL = 1;
/** Bits of `roles`. */
export const TAKES_TRANSACTIONS = 1;
/** Takes blocks that it has not asked for, compact ones and small ones; older nodes are told of blocks and ask. */
export const TAKES_PUSHES = 2;
/** Wants to be told what the state is each thousand blocks. */
export const WANTS_STATE_HASHES = 4;
/**
 * Gives a new block to peers that want to be told the state only when its own chain has taken it: so it vouches for the
 * whole block.
 */
export const VOUCHES = 8;
/** Is pushed votes and certificates, and passes them on; other nodes are told of certificates and ask for them. */
export const RELAYS_VOTES = 16;
const MOST_AGENT_CHARACTERS = 64;
const MOST_ENDPOINTS = 4; // IPv4 and IPv6, each direct and through a relay
export const MOST_ENDPOINT_CHARACTERS = 64;

const wire = members({
  protocol: u16,
  chain_id: digest,
  /** Of the chain's profile: words that stand in no genesis. */
  profile: digest,
  agent: printable(MOST_AGENT_CHARACTERS),
  endpoints: atMost(MOST_ENDPOINTS, printable(MOST_ENDPOINT_CHARACTERS)),
  roles: u32,
  /** The oldest block that the node can give. */
  oldest_block: u32,
  status: statusMembers,
  clock_ms: u64,
});

export type Hello = WireValue<typeof wire>;

/** The first message of both sides. */
export const hello = messageKind({
  name: 'hello',
  layout: 'see [Greeting](#greeting)',
  price: { payer: 'sender', firstMs: 0.1 },
  lane: CONTROL,
  mostBytes: 1024,
  wire,
  mayGrow: true,
});
