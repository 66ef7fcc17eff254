import { ConnectionClosed, NodeSilent } from './answer.ts';
import { NodeRefusal } from './node_refusal.ts';

/** True when a node was silent or is stopping. A connection that this side has ended is no silence. */
export function isAway(error: unknown): boolean {
  if (error instanceof NodeRefusal) return error.code === 'stopping';
  return error instanceof NodeSilent && !(error instanceof ConnectionClosed);
}
