import type { Target } from '../../src/wire/addresses.ts';
import type { Pipe, PipeListener } from '../../src/wire/link/pipe.ts';
import { HostilePeer, type Claimed } from '../p2p/hostile_peer.ts';
import type { SimWorld } from './sim_world.ts';

/** A script of a connection. */
export type Script = (peer: HostilePeer) => void;
/** Its claims, and its behaviour after them. */
export interface Lie {
  readonly greeting?: (seen: Claimed) => Claimed;
  readonly clockAheadMs?: number;
  readonly script?: Script;
}

/** The hostile peer at one end of a simulated pipe. */
export function hostile(
  world: SimWorld,
  pipe: Pipe,
  { greeting = (seen) => seen, clockAheadMs = 0, script }: Lie,
): PipeListener {
  const parts = { write: (bytes: Buffer) => pipe.write(bytes), end: () => pipe.close() };
  const peer = new HostilePeer(parts, (seen) => ({ claimed: greeting(seen), clockAheadMs, nowMs: world.heap.nowMs }));
  script?.(peer);
  return {
    received: (bytes) => peer.receive(bytes),
    drained: () => undefined,
    closed: () => void (peer.isClosed = true),
  };
}

/** The same where nodes dial it. */
export function openDoor(world: SimWorld, name: string, host: string, lie: Lie): Target {
  return world.open(name, host, (pipe) => hostile(world, pipe, lie));
}
