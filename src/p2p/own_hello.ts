import type { Outside } from './outside.ts';
import { PROTOCOL, TAKES_TRANSACTIONS, type Hello } from './messages/hello.ts';
import type { Status } from './messages/status.ts';
import { present } from '../base/assert.ts';

/** How a node introduces itself. */
export interface Introduction {
  /** Program and version, printable. */
  readonly agent: string;
  /** Where others can reach it. */
  readonly endpoints: readonly string[];
  readonly takesTransactions: boolean;
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

export function ownHello(outside: Outside, { agent, endpoints, takesTransactions }: Introduction): Hello {
  const { view, clock } = outside;
  return {
    protocol: PROTOCOL,
    chain_id: view.chainId,
    profile: view.profile,
    agent,
    endpoints,
    roles: takesTransactions ? TAKES_TRANSACTIONS : 0,
    oldest_block: view.oldestBlock,
    status: ownStatus(outside),
    clock_ms: BigInt(clock.nowMs()),
  };
}
