import type { Outside } from './outside.ts';
import { PROTOCOL, TAKES_PUSHES, TAKES_TRANSACTIONS, VOUCHES, WANTS_STATE_HASHES, type Hello } from './messages/hello.ts';
import type { Status } from './messages/status.ts';
import { present } from '../base/assert.ts';

/** How a node introduces itself. */
export interface Introduction {
  /** Program and version, printable. */
  readonly agent: string;
  /** Where others can reach it. */
  readonly endpoints: readonly string[];
  readonly takesTransactions: boolean;
  readonly wantsStateHashes?: boolean;
}

/** Where our chain stands. */
export function ownStatus({ view }: Pick<Outside, 'view'>): Status {
  const { number, id, irreversible } = view.head;
  return {
    head_number: number,
    head_id: id,
    irreversible_number: irreversible,
    irreversible_id: present(view.idAt(irreversible), 'the id of the last irreversible block'),
  };
}

export function ownHello(outside: Outside, { agent, endpoints, takesTransactions, wantsStateHashes = false }: Introduction): Hello {
  const { view, clock } = outside;
  const roles = (takesTransactions ? TAKES_TRANSACTIONS : 0) | (wantsStateHashes ? WANTS_STATE_HASHES : 0);
  return {
    protocol: PROTOCOL,
    chain_id: view.chainId,
    profile: view.profile,
    agent,
    endpoints,
    roles: TAKES_PUSHES | VOUCHES | roles,
    oldest_block: view.oldestBlock,
    status: ownStatus(outside),
    clock_ms: BigInt(clock.nowMs()),
  };
}
