import { Command } from 'commander';
import { Fault } from '../../base/fault.ts';
import { Refusal } from '../../base/refusal.ts';
import type { Client } from '../../client/index.ts';
import { systemClock } from '../../base/clock.ts';
import { openConnection } from '../../client/connect.ts';
import { member } from '../../client/chain_of_node.ts';
import type { Json } from '../../codec/json.ts';
import type { BlockId } from '../../values/hash.ts';
import { askYes } from '../../wallet/ask_yes.ts';
import { escapeControls } from '../../wallet/show/terminal.ts';
import { nodeFlags, onChain, orderProducer, type NodeFlags } from './chain_access.ts';

interface Flags extends NodeFlags {
  readonly yes: boolean;
}

const CALL_MS = 30_000;

/** `pharos witness restart-chain`: the last resort when a chain has stopped. */
export function restartChainCommand(): Command {
  return nodeFlags(
    new Command('restart-chain').description(
      'have a stopped chain go on: produce for 200 blocks however few slots are filled',
    ),
  )
    .option('--yes', 'peers have the same irreversible block, and no other part of the network goes on', false)
    .action(async (flags: Flags) => {
      await onChain(flags, async (client) => {
        process.stdout.write(await standing(client));
        process.stdout.write(await fetchPeers(client, flags));
        const isSure =
          flags.yes || (process.stdin.isTTY && (await askYes('Go on from this block?', process.stdin, process.stdout)));
        if (!isSure) throw new Fault('configuration', 'nothing was done: agree at the terminal, or with --yes');
        const { until_block } = await orderProducer(flags, () => client.call('witness_node_api.restart_chain', {}));
        process.stdout.write(`blocks are made; participation is required again from block ${until_block} on\n`);
      });
    });
}

async function standing(client: Client): Promise<string> {
  const { properties } = await client.call('alexandria_api.get_dynamic_global_properties', {});
  const { head_block_number: head, head_block_id: id, last_irreversible_block_num: final, time } = properties;
  return `this node: head ${head} ${id} of ${time}, irreversible up to ${final} ${(await fetchBlockId(client, final)) ?? ''}\n`;
}

/** The id of this node's block of that number; undefined when it isn't here. */
async function fetchBlockId(client: Client, number: number): Promise<BlockId | undefined> {
  try {
    return await client.idOfBlock(number);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** Continuing splits the chain when peers have another irreversible block. */
async function fetchPeers(client: Client, { url }: NodeFlags): Promise<string> {
  const connection = openConnection(url, systemClock);
  try {
    const peers = member(
      await connection.call('network_node_api.get_connected_peers', {}, { timeoutMs: CALL_MS, repeatable: false }),
      'peers',
    );
    const lines: string[] = [];
    for (const peer of Array.isArray(peers) ? peers : []) lines.push(await peerLine(client, peer));
    return lines.join('');
  } catch (error) {
    if (error instanceof Refusal) return 'no network: it has no peers\n';
    throw error;
  } finally {
    connection.close();
  }
}

async function peerLine(client: Client, peer: Json): Promise<string> {
  const [host, head, final, id] = [
    'host',
    'head_block_number',
    'last_irreversible_block_num',
    'last_irreversible_block_id',
  ].map((name) => String(member(peer, name)));
  const ours = await fetchBlockId(client, Number(final));
  const verdict =
    ours === undefined
      ? 'not here to compare'
      : ours === id
        ? 'the same here'
        : 'ANOTHER BLOCK HERE: going on splits the chain';
  return escapeControls(`peer ${host}: head ${head}, irreversible up to ${final} ${id}, ${verdict}`).concat('\n');
}
