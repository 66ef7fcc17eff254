import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { pastChain } from '../builders/past_chain.ts';
import { peerPortOf, producing } from '../outside/network_nodes.ts';
import type { Program } from '../outside/program.ts';
import { Site } from '../outside/site.ts';
import { waitFor } from '../outside/wait_for.ts';
import { isLong, project, succeed, temporaryFolder } from './commands.ts';
import { Namespaces } from './namespaces.ts';

// What strangers of many address groups cost a node that makes blocks, and whether its honest peers notice. The strangers are Python programs
// that know nothing but the page of the network.

const [MAKER, FOLLOWER, ASKERS] = [0, 1, 2];
/** As many as the issue of budgets names. */
const STRANGERS = 24;
const PAST_BLOCKS = 1515;
/** By then they have shaken hands, as far as they get. */
const ARRIVED_AFTER_MS = 3000;
const SLOT_SECONDS = 3;
const SECONDS = isLong ? 60 : 15;
/** Questions and others of one stranger a second: what an honest node never asks, and as many as it can. */
const [WITHIN, OVER] = [20, 0];
/** Later ones miss their slot's second half. Other tests run beside this one; the budget of 200 ms is measured in bench/p2p. */
const MOST_LATER_SECONDS = SLOT_SECONDS / 2;

interface Watched {
  readonly delays: readonly number[];
}

interface Asked {
  readonly sent: number;
  readonly received: number;
  readonly ended: number;
  readonly reasons: readonly string[];
}

const site = new Site();
const machines = new Namespaces(3);

after(async () => {
  await site.clear();
  machines.remove();
});

test('24 strangers of as many address groups, within their credit and over it, delay no honest block', { timeout: 600_000 }, async (t) => {
  const sources = machines.addGroups(ASKERS, STRANGERS);
  const past = await pastChain(site.path('past'), PAST_BLOCKS);
  const { host } = machines.machineOf(MAKER);
  const live = await mkdtemp(join(temporaryFolder(), 'live-'));
  const run = async (machine: number, folder: string, ...flags: readonly string[]): Promise<Program> => {
    const program = site.start(
      [
        ...['run', '--genesis-json', past.genesisFile, '--data-dir', site.path(folder)],
        ...['--webserver-http-endpoint', `${machines.machineOf(machine).host}:0`, ...flags],
      ],
      machine === MAKER ? { LIVE_BYTES_FOLDER: live, NODE_OPTIONS: `--import ${new URL('live_bytes.js', import.meta.url).href}` } : {},
      machines.machineOf(machine),
    );
    await program.ready();
    return program;
  };
  const maker = await run(
    MAKER,
    'past/chain',
    ...producing(past),
    ...['--p2p-endpoint', `${host}:0`, '--metrics-endpoint', `${host}:9999`, '--p2p-max-connections', '60'],
  );
  const port = peerPortOf(maker);
  const follower = await run(FOLLOWER, 'follower', '--p2p-seed-node', `${host}:${port}`);
  await waitFor('the follower to have the chain', async () => (await follower.health()).number >= PAST_BLOCKS || undefined);
  const python = async <Result>(machine: number, seconds: number, ...words: readonly string[]): Promise<Result> => {
    const { command } = machines.machineOf(machine);
    const [program = '', ...before] = command;
    const script = join(project, 'test', 'services', 'asking_strangers.py');
    const args = [...before, 'python3', script, host, port, temporaryFolder(), String(seconds), ...words];
    const said: Result = JSON.parse(await succeed(program, args, { folder: site.folder }));
    return said;
  };
  const watch = (): Promise<Watched> => python<Watched>(FOLLOWER, SECONDS, 'watch', machines.machineOf(FOLLOWER).host);
  const cpu = async (): Promise<number> => await figure(host, 'process_cpu_seconds_total');

  const warm = await cpu();
  const quiet = latest(await watch());
  const quietCpu = (await cpu()) - warm;
  const resident = await figure(host, 'process_resident_memory_bytes');
  const held = await mostLive(live);
  const missed: string[] = [];
  for (const [name, rate, reads] of [
    ['within', WITHIN, '1'],
    ['over', OVER, '1'],
    ['over, reading nothing', OVER, '0'],
  ] as const) {
    const before = await cpu();
    const asking = python<Asked>(ASKERS, SECONDS + 10, String(rate), reads, ...sources);
    await pause(ARRIVED_AFTER_MS);
    const [watched, asked] = await Promise.all([watch(), asking]);
    const share = ((await cpu()) - before) / (SECONDS + 10) - quietCpu / SECONDS;
    const grown = (await mostLive(live)) - held;
    const roomier = (await figure(host, 'process_resident_memory_bytes')) - resident;
    t.diagnostic(
      `${name}: ${asked.sent} sent, ${(asked.received / 2 ** 20).toFixed(1)} MiB answered, ${asked.ended} ended for ${asked.reasons.join()}; ` +
        `latest block ${latest(watched)} s, undisturbed ${quiet} s; ${(100 * share).toFixed(0)} % of a core more, ${(grown / 2 ** 20).toFixed(0)} MiB more live, ${(roomier / 2 ** 20).toFixed(0)} MiB resident`,
    );
    if (latest(watched) > quiet + MOST_LATER_SECONDS) missed.push(`${name}: a block took ${latest(watched)} s, ${quiet} s undisturbed`);
    const behind = (await maker.health()).number - (await follower.health()).number;
    if (behind > 1) missed.push(`${name}: the follower is ${behind} blocks behind`);
  }
  assert.deepEqual(missed, []);
  await waitFor('the strangers to be gone', async () => (await inbound(host)) === 1 || undefined);
  assert.doesNotMatch(follower.stderr, /seed node/, 'the follower has kept its link');
  assert.doesNotMatch(maker.stderr, /banned a peer/);
});

/** A block that never came is later than all others. */
function latest({ delays }: Watched): number {
  return delays.length >= SECONDS / SLOT_SECONDS - 1 ? Math.max(...delays) : Infinity;
}

/** The most bytes that lived in each thread since this was last asked, together. */
async function mostLive(folder: string): Promise<number> {
  let sum = 0;
  for (const thread of await readdir(folder)) {
    const file = join(folder, thread);
    sum += Math.max(0, ...(await readFile(file, 'utf8')).trim().split('\n').map(Number));
    await truncate(file);
  }
  return sum;
}

async function inbound(host: string): Promise<number> {
  return await figure(host, 'pharos_peers{direction="inbound"}');
}

async function figure(host: string, name: string): Promise<number> {
  const text = await (await fetch(`http://${host}:9999/metrics`)).text();
  const line = text.split('\n').find((one) => one.startsWith(`${name} `)) ?? assert.fail(`${name} is shown`);
  return Number(line.slice(name.length));
}
