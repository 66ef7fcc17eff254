import { Command } from 'commander';
import { nodeFlags, onChain, orderProducer, type NodeFlags } from './chain_access.ts';

/** `pharos witness pause` and `resume`: production of a running node. */
export function pauseCommands(): Command[] {
  const order = (name: 'pause' | 'resume', doc: string, told: string): Command =>
    nodeFlags(new Command(name).description(doc)).action(async (flags: NodeFlags) => {
      await onChain(flags, (client) => orderProducer(flags, () => client.call(`witness_node_api.${name}`, {})));
      process.stdout.write(`${told}\n`);
    });
  return [
    order(
      'pause',
      'make no blocks until resume or the next start; their slots are missed',
      'paused: pharos witness resume goes on',
    ),
    order('resume', 'make blocks again', 'blocks are made again'),
  ];
}
