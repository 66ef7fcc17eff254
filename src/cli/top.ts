import { Command } from 'commander';
import { Fault } from '../base/fault.ts';
import { requireNoUser } from '../client/connect.ts';
import { parseUnixPath } from '../client/unix_address.ts';
import { addressFlags } from '../settings/node_address.ts';
import { pageOfNode } from '../system/page_of_node.ts';
import { table, type Column } from '../wallet/show/table.ts';
import { explain } from '../system/exit_codes.ts';
import { TOP_PATH, type Top } from '../node/watch/top_page.ts';

const EXAMPLES = `
Examples:
  $ pharos top
  $ pharos top --url http://127.0.0.1:9196   where private-key-methods is never, the admin-endpoint
  $ pharos top --config node.ini             where these settings say, their webserver-unix-endpoint first

The node answers programs of its own machine only. SECONDS are those that answers took which were found out; those of
a method marked * wait for a block, or for a file. A client behind a proxy is named where trusted-proxy names the proxy.

Exit codes: 0 the node answered, 1 it did not, 2 wrong usage`;

const ANSWER_MS = 30_000;
const OK = 200;

/** `pharos top`: what a running node did in the last minute, and for whom. */
export function topCommand(): Command {
  const command = new Command('top').description(
    'show what a running node did in the last minute: which calls, whose, and what holds it up',
  );
  return addressFlags(command)
    .addHelpText('after', EXAMPLES)
    .action(async ({ url }: { readonly url: string }) => void process.stdout.write(shown(await ask(url))));
}

async function ask(url: string): Promise<Top> {
  requireNoUser(url);
  if (parseUnixPath(url) === undefined && !/^https?:\/\/./.test(url))
    throw new Fault(
      'configuration',
      `--url: an address such as http://127.0.0.1:9193 or unix:PATH expected, got ${url}`,
    );
  const { status, text } = await pageOfNode(url, TOP_PATH, ANSWER_MS).catch((error: unknown) => {
    throw new Fault('runtime', `${url} does not answer: ${explain(error)}`);
  });
  if (status === 404)
    throw new Fault(
      'runtime',
      `${url} does not tell: ask the admin-endpoint or the webserver-unix-endpoint of the node`,
    );
  if (status !== OK) throw new Fault('runtime', `${url} does not tell: ${text}`);
  const top = parseTop(text);
  if (!isTop(top)) throw new Fault('runtime', `${url} does not tell: its answer is not that of a node of this version`);
  return top;
}

function parseTop(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A node of this version sends all members or none. */
function isTop(value: unknown): value is Top {
  return typeof value === 'object' && value !== null && 'finality' in value && 'disk_full_in_hours' in value;
}

const LEFT = { align: 'left' } as const;
const RIGHT = { align: 'right' } as const;
const METHODS: readonly Column[] = [
  { title: 'METHOD', ...LEFT },
  { title: 'CALLS', ...RIGHT },
  { title: 'REPEATED', ...RIGHT },
  { title: 'REFUSED', ...RIGHT },
  { title: 'SECONDS', ...RIGHT },
];
const CLIENTS: readonly Column[] = [
  { title: 'CLIENT', ...LEFT },
  { title: 'CALLS', ...RIGHT },
  { title: 'REFUSED', ...RIGHT },
  { title: 'SHARE', ...RIGHT },
];
const PLAIN = { colours: false, columns: 0 };

function headText({ head_block_number: number, head_age_seconds: age }: Top): string {
  return age < 0 ? `block ${number}; the chain sets its own time` : `block ${number}, ${age} seconds old`;
}

function shown(top: Top): string {
  const facts = [
    ['head', headText(top)],
    ['final', finalText(top)],
    ...votesFacts(top),
    [
      'peers',
      top.peers < 0
        ? 'it speaks to no other node'
        : `${top.peers} of ${top.peer_groups} groups, which have ${top.blocks_behind} blocks more`,
    ],
    ['processors', `${top.machine_percent} % busy, ${top.process_percent} % with this node`],
    ['answering', `${top.thread_percent} % busy, ${top.calls_waiting} calls wait`],
    ...(top.peers < 0 ? [] : [['network', networkText(top)]]),
    ...top.network_problems.map((text) => ['', text]),
    ['memory', `${top.memory_mib} MiB`],
    ['disk', diskText(top)],
  ];
  const methods = top.methods.map(({ method, waits, calls, repeated, refused, seconds }) => [
    ...[`${method}${waits ? ' *' : ''}`, String(calls), String(repeated), String(refused)],
    seconds.toFixed(3),
  ]);
  const clients = top.clients.map(({ address, calls, refused, percent }) => [
    address,
    String(calls),
    String(refused),
    `${percent} %`,
  ]);
  return [
    facts.map(([name = '', text = '']) => `${name.padEnd(12)}${text}\n`).join(''),
    methods.length === 0 ? 'no calls in the last minute\n' : table(METHODS, methods, PLAIN),
    ...(clients.length === 0 ? [] : [table(CLIENTS, clients, PLAIN)]),
  ].join('\n');
}

function finalText({ irreversible_block_number: number, confirmed_block_number: confirmed, finality }: Top): string {
  const beside = confirmed < 0 ? '' : `, block ${confirmed} is confirmed`;
  const since = finality?.stalled_since ?? undefined;
  return `block ${number}${beside}${since === undefined ? '' : `, and none after it since ${since}`}`;
}

function votesFacts({ finality }: Top): (readonly [string, string])[] {
  if (finality === null) return [];
  const { epoch, voters, quorum, missing, missing_names: names } = finality;
  const text = `${voters - missing} of ${voters} voters of epoch ${epoch} vote, ${quorum} are needed`;
  return [['votes', missing === 0 ? text : `${text}; none from ${names.join(', ')}`]];
}

function networkText({ network_percent: percent, network_kinds: kinds }: Top): string {
  const what = kinds.map(({ kind, percent: part }) => `${kind} ${part} %`).join(', ');
  return `${percent} % busy${what === '' ? '' : `: ${what}`}`;
}

function diskText({ disk_free_mib: free, disk_full_in_hours: hours }: Top): string {
  if (free < 0) return 'not known';
  return hours < 0 ? `${free} MiB left` : `${free} MiB left, full in ${hours} hours if it goes on as in the last hour`;
}
