import { Command } from 'commander';
import { systemClock } from '../base/clock.ts';
import { exitCodes } from '../base/exit_codes.ts';
import { Refusal } from '../base/refusal.ts';
import { member } from '../client/chain_of_node.ts';
import { openConnection } from '../client/connect.ts';
import type { Json } from '../codec/json.ts';
import { table, type Column } from '../wallet/show/table.ts';
import { addressFlags } from '../settings/node_address.ts';
import { escapeControls } from '../wallet/show/terminal.ts';

const EXAMPLES = `
Examples:
  $ pharos peers                             who the node is connected with
  $ pharos peers add 203.0.113.7:9290        connects with a node until this one stops
  $ pharos peers ban 203.0.113.7             closes links with an address, or with the id of a node
  $ pharos peers unban 203.0.113.7
  $ pharos peers bans                        who is banned, and for how long

The node answers programs of its own machine only; where admin-endpoint is set, on that port
or, for unix, by webserver-unix-endpoint alone.

Exit codes: 0 the node answered, 1 it did not, 2 wrong usage, 5 it refused`;

const CALL_MS = 30_000;

/** `pharos peers`: shows and steers the network of a running node. */
export function peersCommand(): Command {
  const command = addressFlags(
    new Command('peers').description('show the peers of a running node; connect with one, ban one'),
  )
    .addHelpText('after', EXAMPLES)
    .action(async () => await show(command, 'get_connected_peers', {}, shownPeers));
  const order = (name: string, argument: string, doc: string, method: string, params: (text: string) => Json): void =>
    void command.addCommand(
      new Command(name)
        .description(doc)
        .argument(argument)
        .action(async (text: string) => await show(command, method, params(text), () => '')),
    );
  order('add', '<endpoint>', 'connect with host:port or id@host:port', 'add_node', (endpoint) => ({ endpoint }));
  order('ban', '<node>', 'shut out an address or the id of a node', 'ban_node', (node) => ({ node }));
  order('unban', '<node>', 'take a ban back', 'unban_node', (node) => ({ node }));
  command.addCommand(
    new Command('bans')
      .description('who is banned')
      .action(async () => await show(command, 'get_banned_nodes', {}, shownBans)),
  );
  return command;
}

/** Prints what a method answers; a refusal, with its stable name, to stderr. */
async function show(command: Command, method: string, params: Json, shown: (result: Json) => string): Promise<void> {
  const { url } = command.opts<{ readonly url: string }>();
  const connection = openConnection(url, systemClock);
  try {
    process.stdout.write(
      shown(await connection.call(`network_node_api.${method}`, params, { timeoutMs: CALL_MS, repeatable: false })),
    );
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    process.stderr.write(`pharos: ${escapeControls(`${error.message} (${error.code})`)}\n`);
    process.exitCode = exitCodes.refused;
  } finally {
    connection.close();
  }
}

const PEER: readonly (Column & { readonly of: (peer: Json) => string })[] = [
  { title: 'ADDRESS', align: 'left', of: (peer) => `${cell(peer, 'host')}:${cell(peer, 'port')}` },
  { title: 'DIALLED', align: 'left', of: (peer) => (member(peer, 'is_inbound') === true ? 'by it' : 'by us') },
  { title: 'AGENT', align: 'left', of: (peer) => cell(peer, 'agent') },
  { title: 'HEAD', align: 'right', of: (peer) => cell(peer, 'head_block_number') },
  { title: 'PING MS', align: 'right', of: (peer) => cell(peer, 'ping_ms').replace('-1', '') },
  { title: 'SCORE', align: 'right', of: (peer) => cell(peer, 'score') },
  { title: 'IN', align: 'right', of: (peer) => cell(peer, 'received_bytes') },
  { title: 'OUT', align: 'right', of: (peer) => cell(peer, 'sent_bytes') },
  { title: 'SECONDS', align: 'right', of: (peer) => cell(peer, 'connected_seconds') },
  { title: 'ID', align: 'left', of: (peer) => cell(peer, 'node_id') },
];

const BAN: readonly Column[] = [
  { title: 'NODE', align: 'left' },
  { title: 'SECONDS LEFT', align: 'right' },
];

const PLAIN = { colours: false, columns: 0 };

function shownPeers(result: Json): string {
  const peers = listMember(result, 'peers');
  if (peers.length === 0) return 'no peers\n';
  return table(
    PEER,
    peers.map((peer) => PEER.map(({ of }) => of(peer))),
    PLAIN,
  );
}

function shownBans(result: Json): string {
  const banned = listMember(result, 'banned');
  if (banned.length === 0) return 'nobody is banned\n';
  return table(
    BAN,
    banned.map((ban) => [cell(ban, 'node'), cell(ban, 'seconds')]),
    PLAIN,
  );
}

function listMember(result: Json, name: string): readonly Json[] {
  const list = member(result, name);
  return Array.isArray(list) ? list : [];
}

function cell(record: Json, name: string): string {
  const value = member(record, name);
  return value === undefined || value === null || typeof value === 'object' ? '' : String(value);
}
