import { assert, present } from '../../src/base/assert.ts';
import { isVoteSigned } from '../../src/blocks/finality/vote_signature.ts';
import { testKey, testSecret } from '../../test/builders/chain.ts';
import { quickSignature } from '../../test/builders/quick_signature.ts';
import { voteChecks } from '../../test/builders/verified_votes.ts';
import type { SimNode } from '../../test/sim/sim_node.ts';
import { SimWorld } from '../../test/sim/sim_world.ts';
import { VotingStorm } from '../../test/sim/voting_storm.ts';
import { QUIET_RECOVER_MICROS, recoverMicros } from '../recovery.ts';
import { amountRow, measure, type BenchOptions, type Row } from '../bench.ts';

const SLOT_SECONDS = 3;
const WITNESSES = 51;
/** From 50 to 150 ms. */
const LINKS = { leastLatencyMs: 50, mostLatencyMs: 101 };
/** From the slowest clock to the fastest. */
const CLOCKS_APART_MS = 1000;
const FOLLOWERS = 3;
const [BEGIN_SECONDS, WELL_SLOTS, PARTED_SECONDS, HEALED_SECONDS] = [30, 20, 45, 60];
const KIB = 1024;
const VERIFIED = 64;

/** With 20 dialled connections a node has about 40 peers, the default limit. */
const MANY_DIALLED = 20;

/** The costs of a network while nothing happens. */
interface Costs {
  readonly world: SimWorld;
  readonly witnesses: readonly SimNode[];
  readonly peers: number;
  /** A second and node. */
  readonly relay: Traffic;
  readonly follower: Traffic;
  readonly cpuMs: number;
  readonly checks: number;
}

interface Traffic {
  readonly sent: number;
  readonly received: number;
}

/** Measures the promises of finality, with the real code on a simulated network of 51 voters. */
export function run({ quick }: BenchOptions): Row[] {
  const witnesses = quick ? 7 : WITNESSES;
  const slots = quick ? 3 : WELL_SLOTS;
  const plain = measureCosts({ witnesses, slots, hasFinality: false });
  const voted = measureCosts({ witnesses, slots, hasFinality: true });
  // Blocks of late clocks find no commits of early ones in their own slot: they are final with the next one.
  const apart = measureCosts({ witnesses, slots, hasFinality: true, clocksApartMs: 2 * CLOCKS_APART_MS });
  const many = { witnesses, slots, targetPeers: quick ? witnesses : MANY_DIALLED };
  const dense = measureCosts({ ...many, hasFinality: true });
  return [
    ...timeRows(voted.world, CLOCKS_APART_MS, { p50: 1200, p99: 4000 }),
    ...timeRows(apart.world, 2 * CLOCKS_APART_MS),
    ...relayRows(voted, plain),
    ...relayRows(dense, measureCosts({ ...many, hasFinality: false })),
    ...costRows(voted, plain),
    ...healedRows(voted, quick),
    ...liarRows(quick),
  ];
}

interface CostOptions {
  readonly witnesses: number;
  readonly slots: number;
  readonly hasFinality: boolean;
  readonly clocksApartMs?: number;
  readonly targetPeers?: number;
}

function measureCosts({ witnesses: count, slots, hasFinality, ...more }: CostOptions): Costs {
  const { clocksApartMs = CLOCKS_APART_MS, targetPeers } = more;
  const world = new SimWorld({ seed: 51, witnesses: count, hasFinality, ...LINKS });
  const witnesses = world.names.map((name, index) => {
    const voting = world.voting(name);
    const clockOffsetMs = ((index * 397) % (clocksApartMs + 1)) - clocksApartMs / 2;
    const settings = { ...voting.settings, ...(targetPeers === undefined ? {} : { targetPeers }) };
    return world.add({ ...voting, settings, name: `node${index}`, witnesses: [name], clockOffsetMs });
  });
  const followers = Array.from({ length: FOLLOWERS }, (_, index) => world.add({ name: `follower${index}` }));
  world.run(BEGIN_SECONDS);
  world.checks.blockFinalTimesMs.length = 0;
  const before = [sumTraffic(witnesses), sumTraffic(followers)];
  const started = process.cpuUsage();
  const checked = voteChecks.count;
  world.run(slots * SLOT_SECONDS);
  const { user, system } = process.cpuUsage(started);
  world.assertTogether();
  const each = (nodes: readonly SimNode[], since: Traffic = { sent: 0, received: 0 }): Traffic => {
    const now = sumTraffic(nodes);
    const per = nodes.length * slots * SLOT_SECONDS;
    return { sent: (now.sent - since.sent) / per, received: (now.received - since.received) / per };
  };
  const nodeSeconds = world.nodes.length * slots * SLOT_SECONDS;
  return {
    world,
    witnesses,
    peers: witnesses.reduce((sum, { network }) => sum + network.connections.live.length, 0) / witnesses.length,
    relay: each(witnesses, before[0]),
    follower: each(followers, before[1]),
    cpuMs: (user + system) / 1000 / nodeSeconds,
    checks: (voteChecks.count - checked) / nodeSeconds,
  };
}

function sumTraffic(nodes: readonly SimNode[]): Traffic {
  const sum = (lanes: Readonly<Record<number, number>>): number => Object.values(lanes).reduce((a, b) => a + b, 0);
  const all = nodes.map(({ network }) => network.connections.traffic());
  return {
    sent: all.reduce((total, { sent }) => total + sum(sent), 0),
    received: all.reduce((total, { received }) => total + sum(received), 0),
  };
}

function timeRows({ checks }: SimWorld, clocksApartMs: number, atMost: { p50?: number; p99?: number } = {}): Row[] {
  const times = checks.blockFinalTimesMs.toSorted((a, b) => a - b);
  const at = (part: number): number => present(times[Math.trunc(part * (times.length - 1))], 'a final block');
  const counted = 'from the slot of a block until it is final at a node';
  const clocks = `clocks within ${clocksApartMs / 1000} s`;
  const note = `${times.length} times, links of 50 to 150 ms`;
  const makeRow = (name: string, value: number, most: number | undefined): Row =>
    amountRow(
      `final, ${name}, ${clocks}`,
      counted,
      { value, unit: 'ms' },
      {
        ...(most === undefined ? {} : { budget: { atMost: most } }),
        note,
      },
    );
  return [makeRow('p50', at(0.5), atMost.p50), makeRow('p99', at(0.99), atMost.p99)];
}

function relayRows(voted: Costs, plain: Costs): Row[] {
  const peers = `${voted.peers.toFixed(0)} peers`;
  const note = `on average; what the same network without finality takes is subtracted`;
  const kib = (name: string, value: number, atMost: number): Row =>
    amountRow(`${name}, ${peers}`, 'bytes a second', { value, unit: 'B' }, { budget: { atMost: atMost * KIB }, note });
  return [
    kib('a node that relays votes sends', voted.relay.sent - plain.relay.sent, 40),
    kib('a node that relays votes receives', voted.relay.received - plain.relay.received, 40),
    kib('a follower receives', voted.follower.received - plain.follower.received, 2),
  ];
}

function costRows(voted: Costs, plain: Costs): Row[] {
  const key = testKey('initminer');
  const digest = new Uint8Array(32).fill(7);
  const signature = quickSignature(digest, testSecret('initminer'));
  const verified = measure(VERIFIED, 5, () => {
    for (let count = 0; count < VERIFIED; count++) isVoteSigned(digest, signature, key);
  });
  const verifyMs = verified.cpuMicros / VERIFIED / 1000;
  const cpuMs = voted.cpuMs - plain.cpuMs + voted.checks * verifyMs;
  const scale = (recoverMicros() ?? QUIET_RECOVER_MICROS) / QUIET_RECOVER_MICROS;
  return [
    amountRow(
      'CPU of finality at a node',
      'CPU time a second',
      { value: cpuMs, unit: 'ms' },
      {
        budget: { atMost: 10 * scale },
        note: `${voted.checks.toFixed(0)} signatures a second of ${(verifyMs * 1000).toFixed(0)} µs, and what the simulation takes besides; the budget is 10 ms where a recovery takes ${QUIET_RECOVER_MICROS} µs`,
      },
    ),
  ];
}

/** Two sides of which neither has two thirds, and then one network. */
function healedRows({ world, witnesses }: Costs, quick: boolean): Row[] {
  const side = Math.trunc(witnesses.length / 2);
  world.part(
    witnesses.slice(0, side),
    world.nodes.filter((node) => !witnesses.slice(0, side).includes(node)),
  );
  world.run(quick ? 2 * SLOT_SECONDS : PARTED_SECONDS);
  const stood = Math.max(...witnesses.map(({ chain }) => chain.head.number));
  world.heal();
  let seconds = 0;
  const isFinal = (): boolean => witnesses.every(({ chain }) => chain.head.lastIrreversible >= stood);
  for (; !isFinal() && seconds < HEALED_SECONDS; seconds++) world.run(1);
  assert(isFinal(), 'what has stood is final when the sides have met');
  return [
    amountRow(
      'from a healed partition until all of it is final everywhere',
      'seconds of the simulated clock',
      { value: seconds, unit: 's' },
      { note: `${side} and ${witnesses.length - side} of ${witnesses.length} for ${PARTED_SECONDS} s` },
    ),
  ];
}

/** Sixteen that lie as they like, and show hidden certificates when slots begin. */
function liarRows(quick: boolean): Row[] {
  const [voters, liars] = quick ? [7, 2] : [WITNESSES, 16];
  const storm = new VotingStorm({ seed: 16, voters, liars });
  const slots = quick ? 3 : WELL_SLOTS;
  let rises = 0;
  for (let slot = 0; slot < slots; slot++) {
    const before = storm.finals.highest;
    storm.slots(1);
    if (storm.finals.highest > before) rises++;
  }
  storm.assertSound();
  const own = (slots * (voters - liars)) / voters;
  return [
    amountRow(
      `slots in which a block became final, ${liars} of ${voters} lie`,
      'percent of the slots that honest witnesses own',
      { value: (100 * rises) / own, unit: '%' },
      { note: `${slots} slots, links of 5 to 155 ms, clocks ±1 s` },
    ),
  ];
}
