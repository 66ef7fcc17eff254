import { Command } from 'commander';
import { Fault } from '../../base/fault.ts';
import { table, type Column } from '../../wallet/show/table.ts';
import { explain } from '../exit_codes.ts';
import { TOP_PATH, type Top } from '../watch/top_page.ts';

const EXAMPLES = `
Examples:
  $ pharos top
  $ pharos top --url http://127.0.0.1:9196   where private-key-methods is never, the admin-endpoint

The node answers programs of its own machine only. SECONDS are those that answers took which were found out; those of
a method marked * wait for a block, or for a file. A client behind a proxy is named where trusted-proxy names the proxy.

Exit codes: 0 the node answered, 1 it did not, 2 wrong usage`;

const ANSWER_MS = 30_000;

/** `pharos top`: what a running node did in the last minute, and for whom. */
export function topCommand(): Command {
  return new Command('top')
    .description('show what a running node did in the last minute: which calls, whose, and what holds it up')
    .option('--url <address>', 'http or https address of the node', 'http://127.0.0.1:9193')
    .addHelpText('after', EXAMPLES)
    .action(async ({ url }: { readonly url: string }) => void process.stdout.write(shown(await ask(url))));
}

async function ask(url: string): Promise<Top> {
  if (!URL.canParse(TOP_PATH, url))
    throw new Fault('configuration', `--url: an address such as http://127.0.0.1:9193 expected, got ${url}`);
  const answer = await fetch(new URL(TOP_PATH, url), { signal: AbortSignal.timeout(ANSWER_MS) }).catch((error: unknown) => {
    throw new Fault(
      'runtime',
      `${url} does not answer: ${explain(error instanceof Error && error.cause !== undefined ? error.cause : error)}`,
    );
  });
  if (answer.status === 404) throw new Fault('runtime', `${url} does not tell: ask the admin-endpoint of the node`);
  if (!answer.ok) throw new Fault('runtime', `${url} does not tell: ${await answer.text()}`);
  return await topIn(answer);
}

async function topIn(answer: Response): Promise<Top>;
async function topIn(answer: Response): Promise<unknown> {
  const top: unknown = await answer.json();
  return top;
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

function shown(top: Top): string {
  const facts = [
    ['head', `block ${top.head_block_number}, ${top.head_age_seconds} seconds old`],
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
  const clients = top.clients.map(({ address, calls, refused, percent }) => [address, String(calls), String(refused), `${percent} %`]);
  return [
    facts.map(([name = '', text = '']) => `${name.padEnd(12)}${text}\n`).join(''),
    methods.length === 0 ? 'no calls in the last minute\n' : table(METHODS, methods, PLAIN),
    ...(clients.length === 0 ? [] : [table(CLIENTS, clients, PLAIN)]),
  ].join('\n');
}

function networkText({ network_percent: percent, network_kinds: kinds }: Top): string {
  const what = kinds.map(({ kind, percent: part }) => `${kind} ${part} %`).join(', ');
  return `${percent} % busy${what === '' ? '' : `: ${what}`}`;
}

function diskText({ disk_free_mib: free, disk_full_in_hours: hours }: Top): string {
  if (free < 0) return 'not known';
  return hours < 0 ? `${free} MiB left` : `${free} MiB left, full in ${hours} hours if it goes on as in the last hour`;
}
