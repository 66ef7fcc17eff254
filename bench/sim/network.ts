import { assert } from '../../src/base/assert.ts';
import { SimWorld } from '../../test/sim/sim_world.ts';
import type { SimNode } from '../../test/sim/sim_node.ts';
import { amountRow, row, type BenchOptions, type Row } from '../bench.ts';

const SLOT_SECONDS = 3;
const [WITNESSES, SIDE] = [51, 25];
const [WELL_SECONDS, PARTED_SECONDS, HEALED_SECONDS] = [60, 90, 2 * WITNESSES * SLOT_SECONDS];

/**
 * 51 witnesses in one thread, all with real chains, messages and signatures: when all is well, and parted 25 to 26 and
 * healed.
 */
export function run({ quick }: BenchOptions): Row[] {
  const witnesses = quick ? 9 : WITNESSES;
  const side = quick ? 4 : SIDE;
  const world = new SimWorld({ seed: 51, witnesses });
  const nodes = world.populate((index) => ((index * 397) % 2000) - 1000);
  world.run(30);
  const before = commonHeight(nodes);
  const started = process.cpuUsage();
  world.run(quick ? SLOT_SECONDS * 3 : WELL_SECONDS);
  const { user, system } = process.cpuUsage(started);
  const well = row(
    'network of 51, simulated',
    'block at all nodes',
    { work: commonHeight(nodes) - before, cpuMicros: user + system },
    {
      note: `empty blocks, ${witnesses} nodes in one thread`,
    },
  );
  world.assertTogether();
  if (quick) return [well];

  world.part(nodes.slice(0, side), nodes.slice(side));
  world.run(PARTED_SECONDS);
  assert(nodes[0]?.chain.head.id !== nodes[witnesses - 1]?.chain.head.id, 'the halves have gone on by themselves');
  world.heal();
  const healed = untilTogether(world, nodes);
  world.run(HEALED_SECONDS);
  world.assertTogether();
  const note = `${side} and ${witnesses - side} of ${witnesses} for ${PARTED_SECONDS} s, clocks ±1 s, up to 150 ms`;
  return [
    well,
    amountRow(
      'from a healed partition to one head',
      'seconds of the simulated clock',
      { value: healed, unit: 's' },
      {
        budget: { atMost: HEALED_SECONDS },
        note,
      },
    ),
  ];
}

function commonHeight(nodes: readonly SimNode[]): number {
  return Math.min(...nodes.map(({ chain }) => chain.head.number));
}

/** Seconds until all have the same head, or differ by what is on its way. */
function untilTogether(world: SimWorld, nodes: readonly SimNode[]): number {
  for (let seconds = 1; ; seconds++) {
    world.run(1);
    const least = commonHeight(nodes);
    const isOne = new Set(nodes.map(({ chain }) => chain.block(least)?.id)).size === 1;
    if (isOne && Math.max(...nodes.map(({ chain }) => chain.head.number)) - least <= 1) return seconds;
    assert(seconds < HEALED_SECONDS, 'a healed network is one again within two rounds');
  }
}
