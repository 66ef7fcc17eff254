import { systemClock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { CHECKPOINT_FORM, parseCheckpoint } from '../values/checkpoint.ts';
import { openConnection } from './connect.ts';
import { VerifiedClient } from './verified/verified_client.ts';

export { Fault } from '../base/fault.ts';
export { Refusal } from '../base/refusal.ts';
export { NodeNonsense, NodeSilent, NodeTimeout } from './answer.ts';
export { NodeRefusal } from './node_refusal.ts';
export type { Following } from './follow.ts';
export type { Operation } from './transaction.ts';
export { NodesDiffer, type Evidence } from './verified/nodes_differ.ts';
export type { PaymentListener, PaymentOptions, VerifiedPayment } from './verified/payments.ts';
export type { FinalHead, VerifiedBlock, VerifiedTransaction } from './verified/proven_results.ts';
export { VerifiedClient } from './verified/verified_client.ts';

/** Options of a client that trusts no node. */
export interface VerifiedOptions {
  /** `NUMBER:BLOCK_ID:VOTERS_DIGEST:TIME`, from people whom you trust, at most 30 days old. */
  readonly checkpoint: string;
  /** Addresses of nodes. With two or more, other voters that one node shows are compared with what another one proves. */
  readonly nodes: readonly string[];
  /** The prefix of public keys in operations; `PHR` by default. */
  readonly keyPrefix?: string | undefined;
}

/**
 * A client that believes no node: what it reports is proven to be in a final block, from the checkpoint on, or is refused
 * with the reason. It connects at the first call.
 *
 *     const client = verifiedClient({ checkpoint, nodes: ['wss://one.example', 'wss://two.example'] });
 *     const { operations, block_num, head } = await client.transaction(id);
 */
export function verifiedClient({ checkpoint, nodes, keyPrefix = 'PHR' }: VerifiedOptions): VerifiedClient {
  const begun = parseCheckpoint(checkpoint.trim());
  if (begun === undefined)
    throw new Fault('configuration', `a checkpoint ${CHECKPOINT_FORM} expected, got ${checkpoint}`);
  if (nodes.length === 0) throw new Fault('configuration', 'at least one address of a node is needed');
  const connections = nodes.map((url) => ({ url, connection: openConnection(url, systemClock) }));
  return new VerifiedClient({ checkpoint: begun, nodes: connections, clock: systemClock, keyPrefix });
}
