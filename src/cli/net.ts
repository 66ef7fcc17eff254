import { mkdirSync, readdirSync, rmdirSync } from 'node:fs';
import { Command, Option } from 'commander';
import { Fault } from '../base/fault.ts';
import { lockFolder } from '../data_folder/folder_lock.ts';
import { positive } from '../settings/flag_values.ts';
import { onDisk } from '../system/system_error.ts';
import { table, type Column } from '../wallet/show/table.ts';
import { makeWitnesses } from './net/first_witnesses.ts';
import { makeNet, readNet, removeNet, type Net, type NetNode } from './net/net_folder.ts';
import { answering, fetchPage, findProcess, startNode, stopNodes } from './net/node_processes.ts';

interface UpFlags {
  readonly dir: string;
  readonly nodes?: number;
  readonly witnesses?: number;
  readonly blockInterval?: number;
}

const EXAMPLES = `
Examples:
  $ pharos net up --nodes 4         a chain of four nodes below data/net, each with a witness
  $ pharos net status               which nodes run, where they answer, how far they are
  $ pharos net kill 2               ends node 2 as a failure of power does
  $ pharos net up                   starts those that are down
  $ pharos net down                 stops all; the chain stays
  $ pharos net down --delete        stops all and removes the net

Accounts and keys are those of a development chain: alice to judy have 10 million coins each, and keys/ holds the keys.
Nodes go on when the command or the terminal ends.

Exit codes: 0 done, 1 a node does not start or stop, 2 wrong usage`;

const NODES = 4;
/** More take longer to start than anybody waits on one machine. */
const MOST_NODES = 50;
const MOST_WITNESSES = 255;
/** Tests wait for blocks. */
const INTERVAL_SECONDS = 1;

/** `pharos net`: a private net of several nodes on this machine, for the tests of a team. */
export function netCommand(): Command {
  return new Command('net')
    .description('run several nodes of a private net on this machine, for tests')
    .addHelpText('after', EXAMPLES)
    .addCommand(
      order('up', 'make the net if there is none, and start its nodes')
        .option('--nodes <count>', `nodes of a new net (default: ${NODES})`, positive)
        .option('--witnesses <count>', 'witnesses of a new net, spread over its nodes (default: one a node)', positive)
        .option(
          '--block-interval <seconds>',
          `time between blocks of a new net (default: ${INTERVAL_SECONDS})`,
          positive,
        )
        .action(async (flags: UpFlags) => await locked(flags.dir, async () => await up(flags))),
    )
    .addCommand(
      order('kill', 'end a node at once, as a failure of power does')
        .argument('<node>', 'its number', positive)
        .action(async (number: number, { dir }: { readonly dir: string }) => {
          const node = findNode(requireNet(dir), number);
          await stopNodes([node], 'SIGKILL');
          process.stdout.write(`node ${number} does not run any more; pharos net up starts it again\n`);
        }),
    )
    .addCommand(
      order('status', 'show the nodes').action(
        async ({ dir }: { readonly dir: string }) => await show(requireNet(dir)),
      ),
    )
    .addCommand(
      order('down', 'stop all nodes')
        .option('--delete', 'remove the net, with its chain and its keys', false)
        .action(async ({ dir, delete: isDeleted }: { readonly dir: string; readonly delete: boolean }) => {
          requireNet(dir);
          await locked(dir, async () => await down(requireNet(dir), isDeleted));
          if (isDeleted && readdirSync(dir).length === 0) rmdirSync(dir);
        }),
    );
}

function order(name: string, doc: string): Command {
  return new Command(name)
    .description(doc)
    .addOption(new Option('--dir <folder>', 'where the net lies').default('data/net'));
}

/** Two commands at once would start or stop the same nodes. */
async function locked(folder: string, run: () => Promise<void>): Promise<void> {
  onDisk(`cannot make ${folder}`, () => mkdirSync(folder, { recursive: true }));
  const release = lockFolder(folder, 'net');
  try {
    await run();
  } finally {
    release();
  }
}

function requireNet(folder: string): Net {
  return readNet(folder) ?? fail(`there is no net in ${folder}; pharos net up makes one`);
}

function findNode({ members, nodes }: Net, number: number): NetNode {
  return members[number - 1] ?? fail(`the net has nodes 1 to ${nodes}, got ${number}`);
}

async function up(flags: UpFlags): Promise<void> {
  const net = readNet(flags.dir) ?? (await makeNet(flags.dir, netSize(flags)));
  requireSame(net, flags);
  for (const node of net.members) if (findProcess(node) === undefined) startNode(node);
  await Promise.all(net.members.map(answering));
  await makeWitnesses(net);
  await show(net);
}

function netSize({ nodes = NODES, witnesses = nodes, blockInterval = INTERVAL_SECONDS }: UpFlags): {
  readonly nodes: number;
  readonly witnesses: number;
  readonly intervalSeconds: number;
} {
  if (nodes > MOST_NODES) fail(`--nodes: 1 to ${MOST_NODES} expected, got ${nodes}`);
  if (witnesses > MOST_WITNESSES) fail(`--witnesses: 1 to ${MOST_WITNESSES} expected, got ${witnesses}`);
  return { nodes, witnesses, intervalSeconds: blockInterval };
}

/** The rules of a chain never change. */
function requireSame(net: Net, { nodes, witnesses, blockInterval, dir }: UpFlags): void {
  const said = [nodes ?? net.nodes, witnesses ?? net.witnesses, blockInterval ?? net.intervalSeconds];
  if (said.join() === [net.nodes, net.witnesses, net.intervalSeconds].join()) return;
  fail(
    `the net in ${dir} has ${net.nodes} nodes, ${net.witnesses} witnesses and a block every ${net.intervalSeconds} seconds; pharos net down --delete removes it, --dir names another folder`,
  );
}

async function down(net: Net, isDeleted: boolean): Promise<void> {
  await stopNodes(net.members, 'SIGTERM');
  if (isDeleted) removeNet(net);
  process.stdout.write(
    isDeleted ? `removed the net in ${net.folder}\n` : 'all nodes are down; pharos net up goes on\n',
  );
}

const COLUMNS: readonly Column[] = [
  { title: 'NODE', align: 'right' },
  { title: 'STATE', align: 'left' },
  { title: 'HEAD', align: 'right' },
  { title: 'FINAL', align: 'right' },
  { title: 'PEERS', align: 'right' },
  { title: 'PROCESS', align: 'right' },
  { title: 'EXPLORER', align: 'left' },
  { title: 'P2P', align: 'left' },
  { title: 'WITNESSES', align: 'left' },
];

async function show({ members, folder }: Net): Promise<void> {
  const rows = await Promise.all(members.map(statusRow));
  process.stdout.write(table(COLUMNS, rows, { colours: false, columns: 0 }));
  process.stdout.write(`keys of all accounts: ${folder}/keys\n`);
}

async function statusRow(node: NetNode): Promise<readonly string[]> {
  const { number, port, p2pPort, witnesses } = node;
  const pid = findProcess(node);
  const health = pid === undefined ? undefined : await fetchPage(node, '/health');
  const of = (name: string): string => (health?.[name] === undefined ? '' : String(health[name]));
  return [
    String(number),
    pid === undefined ? 'down' : health === undefined ? 'silent' : 'up',
    ...['head_block_number', 'irreversible_block_number', 'peers'].map(of),
    String(pid ?? ''),
    `http://127.0.0.1:${port}/`,
    `127.0.0.1:${p2pPort}`,
    witnesses.join(' '),
  ];
}

function fail(message: string): never {
  throw new Fault('configuration', message);
}
