import type { Operation } from '../../client/index.ts';

/** Operations of transactions that this page heard of while they were pending: no method tells them later. */
const seen = new Map<string, Map<number, Operation>>();
const MOST_SEEN = 1000;

/** Remembers an operation of a pending transaction. */
export function notePending(id: string, index: number, operation: Operation): void {
  const operations = seen.get(id) ?? new Map<number, Operation>();
  operations.set(index, operation);
  seen.set(id, operations);
  const [oldest] = seen.keys();
  if (seen.size > MOST_SEEN && oldest !== undefined) seen.delete(oldest);
}

/** Returns the operations of a pending transaction in their order; none if this page has not seen it. */
export function seenOperations(id: string): readonly Operation[] {
  return [...(seen.get(id) ?? [])].sort(([a], [b]) => a - b).map(([, operation]) => operation);
}
