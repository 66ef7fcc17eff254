import assert from 'node:assert/strict';

import type { VerifiedBlock } from '../../src/blocks/block.ts';
import { summarizeBlock } from '../../src/p2p/blocks/block_summary.ts';
import { blockAnnouncement } from '../../src/wire/messages/block_announcement.ts';
import { ZERO_HASH160 } from '../../src/values/hash.ts';
import { Liar, standing } from './liar.ts';
import { chooseSeeds } from './seeds.ts';
import type { SimNode } from './sim_node.ts';
import { SimWorld, type SimWorldOptions } from './sim_world.ts';
import { isLong } from '../builders/forms.ts';

/** A seed by which liars are certainly asked. */
export const LIARS_ASKED = 13;
const ONCE_FAILED = 1025;
/** One that fails by command is added to these two. */
export const SEEDS: readonly number[] = chooseSeeds(LIARS_ASKED, ...(isLong ? [ONCE_FAILED] : []));

/** A liar who connects to each of the nodes. */
export function intrude(
  world: SimWorld,
  nodes: readonly SimNode[],
  name: string,
  script: (liar: Liar, node: SimNode) => void,
  more = 0,
): Liar[] {
  const liars: Liar[] = [];
  for (const [index, node] of nodes.entries()) {
    world.intrude(`${name} ${index}`, `172.16.${index}.${name.length}`, node, (pipe) => {
      const liar = new Liar(world, pipe, standing(node, more));
      liars.push(liar);
      script(liar, node);
      return liar.channel;
    });
  }
  return liars;
}

/** Nine witnesses that have found each other. */
export function started(seed: number, settings: Partial<SimWorldOptions> = {}): { world: SimWorld; nodes: SimNode[] } {
  const world = new SimWorld({ seed, witnesses: 9, ...settings });
  const nodes = world.populate((index) => ((index * 397) % 1000) - 500);
  world.run(12);
  return { world, nodes };
}

export const heads = (nodes: readonly SimNode[]): number[] => nodes.map(({ chain }) => chain.head.number);

/** Does something again and again, until it is thrown out. */
export function again(liar: Liar, everyMs: number, run: (time: number) => void, time = 0): void {
  if (liar.isClosed) return;
  run(time);
  liar.world.heap.at(liar.world.heap.nowMs + everyMs, () => again(liar, everyMs, run, time + 1));
}

/** Announces a block and gives it to whoever asks. */
export function offer(liar: Liar, made: VerifiedBlock): void {
  offerBytes(liar, made.packed, made.header.previous, made.id);
}

/** The same of bytes that may be none. */
export function offerBytes(liar: Liar, packed: Uint8Array, previous: string, id = computeId(packed, previous)): void {
  liar.blocks.set(id, packed);
  liar.channel.send(blockAnnouncement, { id, previous, transactions: 0, bytes: packed.length });
}

function computeId(packed: Uint8Array, previous: string): string {
  assert.notEqual(previous, ZERO_HASH160);
  return summarizeBlock(packed).id;
}

/** Somebody gives a block to nodes. */
export function give(world: SimWorld, nodes: readonly SimNode[], name: string, made: VerifiedBlock): void {
  intrude(world, nodes, name, (liar) => offer(liar, made));
}
