import { assert, present } from '../../src/base/assert.ts';
import type { VerifiedTransaction } from '../../src/blocks/transaction.ts';
import { people, makeTransaction, transferJson } from '../../test/builders/chain.ts';
import { bundled } from '../../test/builders/chain_line.ts';
import type { SimNode } from '../../test/sim/sim_node.ts';
import { RandomSource } from '../../test/builders/random_source.ts';
import { SimWorld, witnessNames } from '../../test/sim/sim_world.ts';
import { amountRow, type BenchOptions, type Row } from '../bench.ts';

const WITNESSES = 51;
/** Of 10 to 150 ms, 100 Mbit/s: as in the design's table. */
const LINKS = { mostLatencyMs: 145, bytesPerMs: 12_500, blockBytes: 4 * 1024 * 1024 };
/**
 * A node spends this on a transfer: on its signature in a bundle of a thousand (bench/crypto), and on applying it in a
 * block.
 */
const [SIGNATURE_MS, APPLIED_MS] = [0.0075, 0.007];
const Y_BYTES = 32;
/** Lifting R from its x costs so much of that: measured by doing it twice (src/wire/README.md). */
const LIFT_MS = 0.0029;
const KNOWN = 8;
const PORT = 9290;
const STEP_MS = 5;
const MOST_MS = 3000;
const BLOCKS = 5;

/** Blocks and bundles from one of 51 nodes to all others, with the real code on a simulated network. */
export function run({ quick }: BenchOptions): Row[] {
  const sizes = quick ? [100] : [100, 1500, 10_000];
  const blocks = sizes.map((transfers) => blockRow(transfers, quick));
  return [...blocks, ...bundleRows(quick)];
}

function makeNetwork(quick: boolean, signatureMs: number): { world: SimWorld; nodes: SimNode[] } {
  const world = new SimWorld({ seed: 51, witnesses: quick ? 9 : WITNESSES, ...LINKS });
  const names = witnessNames(quick ? 9 : WITNESSES);
  const randomSource = new RandomSource(51);
  // Each knows eight others, as after a day: the seeds of a new network alone would make it a star.
  const nodes = names.map((name, index) => {
    const others = randomSource
      .shuffle(names.map((_, other) => other).filter((other) => other !== index))
      .slice(0, KNOWN);
    const seeds = others.map((other) => ({ host: hostAddress(other), port: PORT }));
    const options = { name: `node${index}`, host: hostAddress(index), witnesses: [name], seeds };
    return world.add({ ...options, signatureMs, appliedMs: APPLIED_MS });
  });
  world.run(30);
  return { world, nodes };
}

function hostAddress(index: number): string {
  return `10.${index + 1}.0.1`;
}

/** From the moment when its witness seals it until all have it as their head. */
function blockRow(transfers: number, quick: boolean): Row {
  const { world, nodes } = makeNetwork(quick, SIGNATURE_MS);
  const times: number[] = [];
  const before = sumSentBytes(nodes);
  for (let count = 0; count < (quick ? 1 : BLOCKS); count++) times.push(blockMs(world, nodes, transfers));
  times.sort((a, b) => a - b);
  const kib = (sumSentBytes(nodes) - before) / nodes.length / times.length / 1024;
  const budgets: Readonly<Record<number, number>> = { 1500: 0.4, 10_000: 0.5 };
  const budget = budgets[transfers];
  return amountRow(
    `block of ${transfers} at all of ${nodes.length} nodes`,
    'from its seal, simulated',
    { value: (times.at(-1) ?? 0) / 1000, unit: 's' },
    {
      ...(budget === undefined || quick ? {} : { budget: { atMost: budget } }),
      note: `the slowest of ${times.length}; fastest ${((times[0] ?? 0) / 1000).toFixed(2)} s; ${kib.toFixed(0)} KiB of blocks sent by a node for each`,
    },
  );
}

function blockMs(world: SimWorld, nodes: readonly SimNode[], transfers: number): number {
  const poster = present(nodes[0], 'a node');
  passUntilQuiet(world, nodes);
  const own = made(world, poster, transfers);
  // All have them, as after some seconds of bundles; the bundles are another row.
  for (const { chain, network } of nodes) {
    for (const one of own) chain.accept(one);
    network.known(own);
  }
  const { number } = poster.chain.head;
  until(world, () => nodes.some(({ chain }) => chain.head.number > number), 1);
  const took = until(world, () => nodes.every(({ chain }) => chain.head.number > number), STEP_MS);
  assert((poster.chain.block(number + 1)?.transactions.length ?? 0) >= transfers, 'they are in the block');
  return took;
}

/** A bundle of a thousand as it is, and with 32 bytes more a signature of which half of the proof is spared. */
function bundleRows(quick: boolean): Row[] {
  const transfers = quick ? 50 : 800;
  const rows: [string, number, number][] = [
    ['as it is', SIGNATURE_MS, 0],
    ['with y of R', SIGNATURE_MS - LIFT_MS, Y_BYTES],
  ];
  return rows.map(([name, signatureMs, more]) => {
    const { world, nodes } = makeNetwork(quick, signatureMs);
    const poster = present(nodes[3], 'a node');
    passUntilQuiet(world, nodes);
    const own = made(world, poster, transfers, more);
    for (const one of own) poster.chain.accept(one);
    poster.network.known(own);
    poster.network.accepted(own.map(bundled));
    const last = present(own.at(-1), 'a transfer').id;
    const ms = until(world, () => nodes.every(({ network }) => network.pool.get(last) !== undefined), STEP_MS);
    return amountRow(
      `bundle of ${transfers} at all of ${nodes.length} nodes`,
      `accepted, ${name}, simulated`,
      { value: ms / 1000, unit: 's' },
      { note: `${(signatureMs * 1000).toFixed(1)} µs a proof, ${more} bytes more a signature` },
    );
  });
}

function made(world: SimWorld, { chain }: SimNode, count: number, moreBytes = 0): VerifiedTransaction[] {
  const expiration = chain.head.time + 300;
  return Array.from({ length: count }, (_, index) => {
    const memo = `${world.heap.events} ${index}`.padEnd(16 + moreBytes, ' ');
    return makeTransaction(chain, world.parameters, [transferJson('alice', 'bob', 1, memo)], [people[0]], {
      expiration,
    });
  });
}

/** Until a block has just come to all. */
function passUntilQuiet(world: SimWorld, nodes: readonly SimNode[]): void {
  const { number } = present(nodes[0], 'a node').chain.head;
  until(world, () => nodes.every(({ chain }) => chain.head.number > number), STEP_MS);
  assert(new Set(nodes.map(({ chain }) => chain.head.id)).size === 1, 'all have one head');
}

/** Milliseconds until something is so. */
function until(world: SimWorld, isSo: () => boolean, stepMs: number): number {
  const startMs = world.heap.nowMs;
  while (!isSo()) {
    assert(world.heap.nowMs - startMs < 2 * MOST_MS, 'within two slots');
    world.run(stepMs / 1000);
  }
  return world.heap.nowMs - startMs;
}

/** Bytes of blocks. */
function sumSentBytes(nodes: readonly SimNode[]): number {
  return nodes.reduce((sum, { network }) => sum + network.connections.traffic().sent[1], 0);
}
