import { setPriority } from 'node:os';

const LOWER = 10;

/**
 * A client that only makes work steps back behind the node: the node is what is looked at, and they share the cores.
 */
export function stepBack(): void {
  setPriority(LOWER);
}
