import assert from 'node:assert/strict';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { pastChain } from '../builders/past_chain.ts';
import { peerPort, producing } from '../outside/network_nodes.ts';
import type { Machine, Program } from '../outside/program.ts';
import { numberMember, type Json } from '../outside/json.ts';
import { Site } from '../outside/site.ts';
import { waitUntil } from '../outside/wait_until.ts';
import { isLong, project, succeed, temporaryFolder } from './commands.ts';
import { Namespaces } from './namespaces.ts';
import { installedNode, nodeVersions, supportedNodes, type NodeVersion } from './nodes.ts';

// Measures the cost of strangers of many address groups for a node that makes blocks and for its honest peers. The
// strangers are Python programs that know nothing but the page of the network. Beside it runs a node of the same chain,
// on the same Node, that nobody disturbs: whatever else this machine does delays the blocks of both, and whatever a
// node takes by itself both take.

const [MAKER, FOLLOWER, ASKERS, BESIDE] = [0, 1, 2, 3];
const STRANGERS = 24;
const [PAST_BLOCKS, FEW_BLOCKS] = [1515, 5];
/** Of a node whose voter is there the newest blocks are final but for the one that is being voted for. */
const MOST_NOT_FINAL = 2;
/** By then the strangers have shaken hands. */
const ARRIVED_AFTER_MS = 5000;
const SLOT_SECONDS = 3;
const SECONDS = isLong ? 60 : 15;
/** They come before and go after the blocks that are watched. */
const ASKING_SECONDS = SECONDS + 15;
/** Questions and others of one stranger a second: what an honest node never asks, and as many as it can. */
const [WITHIN, OVER] = [20, 0];
/**
 * A pause of the machine, or a collection of garbage, hits one of two nodes: what the strangers cause shows each time.
 */
const ROUNDS = 3;
/**
 * The budget: what blocks are later, the share of a core for receiving and that for answering, and growth of the
 * process.
 */
const MOST_LATER_SECONDS = 0.2;
const MOST_SHARE = 0.1;
const MOST_GROWTH_BYTES = 32 * 2 ** 20;
/**
 * The process must not use more than the charges of strangers: all but a fifth, and the use of a disturbed process
 * besides.
 */
const [MOST_UNCHARGED, BESIDES] = [1.2, 0.01];
const LOOK_EACH_MS = 1000;

interface Watched {
  readonly delays: readonly number[];
}

interface Asked {
  readonly sent: number;
  readonly received: number;
  readonly ended: number;
  readonly reasons: readonly string[];
}

/** The observations while blocks were watched. */
interface Seen {
  /** The seconds between the latest block and the latest of the node beside. */
  readonly laterSeconds: number;
  /** Of a core: what strangers are charged for receiving and for answering. */
  readonly receiving: number;
  readonly answering: number;
  readonly maker: Taken;
  readonly beside: Taken;
}

/** A process's share of a core, and its largest memory. */
interface Taken {
  readonly process: number;
  readonly residentBytes: number;
}

const machines = new Namespaces(4);
const sources = machines.addGroups(ASKERS, STRANGERS);

after(() => machines.remove());

/** The strangers' behaviour for a while: questions a second or floods, and whether they read the answers. */
type Phase = readonly [name: string, rate: number | 'floods' | 'finality', reads: '0' | '1'];

interface Case {
  readonly who: string;
  readonly version: NodeVersion;
  readonly blocks: number;
  readonly phases: readonly Phase[];
  /** Votes make blocks final, and strangers lie about them. */
  readonly hasFinality: boolean;
}

const ASKING: readonly Phase[] = [
  ['within', WITHIN, '1'],
  ['over', OVER, '1'],
  ['over, reading nothing', OVER, '0'],
  ...(isLong ? ([['floods of one kind each', 'floods', '1']] as const) : []),
];

// Node 24 makes more garbage room than Node 20: the recommended one and, in the long form, the oldest that is taken.
const cases: readonly Case[] = [
  ...[supportedNodes[0], ...(isLong ? [nodeVersions.at(-1) ?? nodeVersions[0]] : [])].map((version) => {
    return { who: 'within their credit and over it', version, blocks: PAST_BLOCKS, phases: ASKING, hasFinality: false };
  }),
  {
    who: 'with floods of votes, certificates and questions of finality',
    ...{ version: supportedNodes[0], blocks: FEW_BLOCKS, hasFinality: true },
    phases: [['votes and certificates', 'finality', '1']],
  },
];

for (const { who, version, blocks, phases, hasFinality } of cases)
  test(
    `24 strangers of as many address groups, ${who}, delay no honest block, and take a tenth of a core for receiving, one for answering, and 32 MiB at most, on Node ${version}`,
    { timeout: 900_000 },
    async (t) => {
      const site = new Site();
      t.after(async () => await site.clear());
      const past = await pastChain(site.path('past'), blocks, undefined, SLOT_SECONDS, { finality: hasFinality });
      await cp(site.path('past/chain'), site.path('beside'), { recursive: true });
      const run = async (machine: Machine, folder: string, ...flags: readonly string[]): Promise<Program> => {
        const chain = ['run', '--genesis-json', past.genesisFile, '--data-dir', site.path(folder)];
        const program = site.start([...chain, '--webserver-http-endpoint', `${machine.host}:0`, ...flags], {}, machine);
        await program.ready();
        return program;
      };
      const { host } = machines.nodeMachine(MAKER);
      const open = (machine: number): string[] => ['--p2p-endpoint', `${machines.nodeMachine(machine).host}:0`];
      const maker = await run(
        onNode(version, machines.nodeMachine(MAKER)),
        'past/chain',
        ...[...producing(past), ...open(MAKER)],
        ...['--metrics-endpoint', `${host}:9999`, '--p2p-max-connections', '60'],
      );
      const { host: hostBeside } = machines.nodeMachine(BESIDE);
      const beside = await run(
        onNode(version, machines.nodeMachine(BESIDE)),
        'beside',
        ...[...producing(past), ...open(BESIDE)],
        ...['--metrics-endpoint', `${hostBeside}:9999`],
      );
      const follower = await run(
        machines.nodeMachine(FOLLOWER),
        'follower',
        '--p2p-seed-node',
        `${host}:${peerPort(maker)}`,
      );
      await waitUntil(
        'the follower to have the chain',
        async () => (await follower.health()).number >= blocks || undefined,
      );

      const python = async <Result>(
        from: number,
        to: Program,
        at: number,
        ...words: readonly string[]
      ): Promise<Result> => {
        const [program = '', ...before] = machines.nodeMachine(from).command;
        const script = join(project, 'test', 'services', 'asking_strangers.py');
        const args = [
          ...before,
          'python3',
          script,
          machines.nodeMachine(at).host,
          peerPort(to),
          temporaryFolder(),
          ...words,
        ];
        const said: Result = JSON.parse(await succeed(program, args, { folder: site.folder }));
        return said;
      };
      const watch = async (to: Program, at: number): Promise<number> =>
        latest(await python<Watched>(FOLLOWER, to, at, String(SECONDS), 'watch', machines.nodeMachine(FOLLOWER).host));

      const look = async (): Promise<Seen> => {
        const [before, startMs] = [await Promise.all([readSpent(host), readSpent(hostBeside)]), performance.now()];
        const most = [0, 0];
        const over = new AbortController();
        const looking = async (): Promise<void> => {
          while (!over.signal.aborted) {
            for (const [index, one] of [host, hostBeside].entries())
              most[index] = Math.max(most[index] ?? 0, await figure(one, 'process_resident_memory_bytes'));
            await pause(LOOK_EACH_MS);
          }
        };
        const looked = looking();
        const [ours, theirs] = await Promise.all([watch(maker, MAKER), watch(beside, BESIDE)]);
        const [behind, seconds] = [
          await Promise.all([readSpent(host), readSpent(hostBeside)]),
          (performance.now() - startMs) / 1000,
        ];
        over.abort();
        await looked;
        const spentShare = (name: keyof Spent, index: 0 | 1): number =>
          (behind[index][name] - before[index][name]) / seconds;
        const takenTime = (index: 0 | 1): Taken => ({
          process: spentShare('process', index),
          residentBytes: most[index] ?? 0,
        });
        const charged = { receiving: spentShare('receiving', 0), answering: spentShare('answering', 0) };
        return { ...charged, maker: takenTime(0), beside: takenTime(1), laterSeconds: ours - theirs };
      };

      await look();
      const quiet = await look();
      const missed: string[] = [];
      for (const [name, rate, reads] of phases) {
        let [problems, round]: [Problems | undefined, number] = [undefined, 0];
        do {
          const asking = python<Asked>(ASKERS, maker, MAKER, String(ASKING_SECONDS), String(rate), reads, ...sources);
          await pause(ARRIVED_AFTER_MS);
          const seen = await look();
          const asked = await asking;
          t.diagnostic(
            `${name}: ${asked.sent} sent, ${mebibytes(asked.received)} answered, ${asked.ended} ended for ${asked.reasons.join()}; ${told(seen, quiet)}`,
          );
          const behind = (await maker.health()).number - (await follower.health()).number;
          problems = missedAgain(problems, {
            ...listProblems(seen, quiet),
            follower: behind > 1 && `the follower is ${behind} blocks behind`,
            final: hasFinality && (await notFinal(follower)),
          });
        } while (Object.keys(problems).length > 0 && ++round < ROUNDS);
        missed.push(...Object.values(problems).map((problem) => `${name}: ${problem}`));
      }
      assert.deepEqual(missed, []);
      await waitUntil(
        'the strangers to be gone',
        async () => (await figure(host, 'pharos_peers{direction="inbound"}')) === 1 || undefined,
      );
      assert.doesNotMatch(follower.stderr, /seed node/, 'the follower has kept its link');
      // Who asks is banned for nothing; who lies is, and nobody but a stranger does here.
      if (hasFinality) assert.match(maker.stderr, /banned a peer/);
      else assert.doesNotMatch(maker.stderr, /banned a peer/);
    },
  );

/** The machine, on which programs are run by that Node: whatever comes first after these words is left out. */
function onNode(version: NodeVersion, { command, host }: Machine): Machine {
  const program = version === process.versions.node ? process.execPath : installedNode(version);
  return { command: [...command, 'sh', '-c', 'shift; exec "$0" "$@"', program], host };
}

/** Which parts of the budget were missed, and how; a part that was kept is false. */
type Problems = Readonly<Record<string, string | false>>;

/** Keeps the promises that were missed in all rounds so far. */
function missedAgain(before: Problems | undefined, now: Problems): Problems {
  return Object.fromEntries(
    Object.entries(now).filter(([part, problem]) => problem !== false && (before === undefined || part in before)),
  );
}

/** Returns the load that strangers cause: the difference to the node beside, less the difference without them. */
function causedTime(strangers: Seen, quiet: Seen): Taken {
  const processDifference = ({ maker, beside }: Seen): number => maker.process - beside.process;
  const grown = (node: 'maker' | 'beside'): number => strangers[node].residentBytes - quiet[node].residentBytes;
  return {
    process: processDifference(strangers) - processDifference(quiet),
    residentBytes: grown('maker') - Math.max(0, grown('beside')),
  };
}

function listProblems(seen: Seen, quiet: Seen): Problems {
  const { process: cost, residentBytes: growth } = causedTime(seen, quiet);
  const charged = seen.receiving + seen.answering;
  return {
    later: seen.laterSeconds > MOST_LATER_SECONDS && `a block came ${seen.laterSeconds} s later than undisturbed`,
    receiving: seen.receiving > MOST_SHARE && `${percent(seen.receiving)} of a core for receiving`,
    answering: seen.answering > MOST_SHARE && `${percent(seen.answering)} of a core for answering`,
    cost: cost > MOST_SHARE * 2 && `${percent(cost)} of a core`,
    charged:
      cost > charged * MOST_UNCHARGED + BESIDES &&
      `${percent(cost)} of a core are spent, and ${percent(charged)} charged`,
    memory: growth > MOST_GROWTH_BYTES && `${mebibytes(growth)} more`,
  };
}

/** Returns the state of the newest blocks; false when they are final. */
async function notFinal(program: Program): Promise<string | false> {
  const { properties }: { properties: Json } = Object(
    await program.result('alexandria_api.get_dynamic_global_properties'),
  );
  const [head, final] = ['head_block_number', 'last_irreversible_block_num'].map((name) =>
    numberMember(properties, name),
  );
  const count = (head ?? 0) - (final ?? 0);
  return count > MOST_NOT_FINAL && `${count} blocks are not final`;
}

function told(seen: Seen, quiet: Seen): string {
  const { process: cost, residentBytes: growth } = causedTime(seen, quiet);
  return (
    `the latest block ${seen.laterSeconds.toFixed(3)} s later than beside, ${percent(cost)} of a core, charged ` +
    `${percent(seen.receiving)} for receiving and ${percent(seen.answering)} for answering, ` +
    `${mebibytes(growth)} more than ${mebibytes(quiet.maker.residentBytes)}`
  );
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

/** A block that never came is later than all others. */
function latest({ delays }: Watched): number {
  return delays.length >= SECONDS / SLOT_SECONDS - 1 ? Math.max(...delays) : Infinity;
}

/** Seconds of work since the start. */
interface Spent {
  readonly receiving: number;
  readonly answering: number;
  readonly process: number;
}

async function readSpent(host: string): Promise<Spent> {
  return {
    receiving: await figure(host, 'pharos_strangers_seconds_total{account="receiving"}'),
    answering: await figure(host, 'pharos_strangers_seconds_total{account="answering"}'),
    process: await figure(host, 'process_cpu_seconds_total'),
  };
}

async function figure(host: string, name: string): Promise<number> {
  const text = await (await fetch(`http://${host}:9999/metrics`)).text();
  const line = text.split('\n').find((one) => one.startsWith(`${name} `)) ?? assert.fail(`${name} is shown`);
  return Number(line.slice(name.length));
}
