import type { Method } from '../method.ts';
import { createSnapshot } from './create_snapshot.ts';

/** The snapshots of a running node; served where it can write some, to programs of the node's own machine. */
export const snapshotApi = [createSnapshot] as const satisfies readonly Method[];
