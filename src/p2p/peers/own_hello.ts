import type { Environment } from '../environment/environment.ts';
import {
  PROTOCOL,
  RELAYS_VOTES,
  TAKES_PUSHES,
  TAKES_TRANSACTIONS,
  VOUCHES,
  WANTS_STATE_HASHES,
  type Hello,
} from '../../wire/messages/hello.ts';
import type { Status } from '../../wire/messages/status.ts';
import { present } from '../../base/assert.ts';

/** The introduction of a node. */
export interface Introduction {
  /** Program and version, printable. */
  readonly agent: string;
  /** Addresses at which others can reach it. */
  readonly endpoints: readonly string[];
  readonly takesTransactions: boolean;
  readonly wantsStateHashes?: boolean;
  /** True if it takes part in spreading votes, on a chain that has finality. */
  readonly relaysVotes?: boolean;
}

/** Returns the head and the irreversible block of this node's chain. */
export function ownStatus({ view }: Pick<Environment, 'view'>): Status {
  const { number, id, irreversible } = view.head;
  return {
    head_number: number,
    head_id: id,
    irreversible_number: irreversible,
    irreversible_id: present(view.blockId(irreversible), 'the id of the last irreversible block'),
  };
}

export function ownHello(environment: Environment, introduction: Introduction): Hello {
  const { view, clock } = environment;
  const { agent, endpoints } = introduction;
  return {
    protocol: PROTOCOL,
    chain_id: view.chainId,
    profile: view.profile,
    agent,
    endpoints,
    roles: listRoles(introduction, view.finality !== undefined),
    oldest_block: view.oldestBlock,
    status: ownStatus(environment),
    clock_ms: BigInt(clock.nowMs()),
  };
}

function listRoles(
  { takesTransactions, wantsStateHashes = false, relaysVotes = false }: Introduction,
  hasFinality: boolean,
): number {
  const own = (takesTransactions ? TAKES_TRANSACTIONS : 0) | (wantsStateHashes ? WANTS_STATE_HASHES : 0);
  return TAKES_PUSHES | VOUCHES | own | (relaysVotes && hasFinality ? RELAYS_VOTES : 0);
}
