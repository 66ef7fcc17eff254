import { Command } from 'commander';
import { Fault } from '../../base/fault.ts';
import type { Result } from '../../client/index.ts';
import { askYes } from '../../wallet/ask_yes.ts';
import { nodeFlags, onChain, orderProducer, type NodeFlags } from './chain_access.ts';

interface Flags extends NodeFlags {
  readonly yes: boolean;
}

/** `pharos witness finality-reset`: the last resort when the signing journals of many voters are lost. */
export function finalityResetCommand(): Command {
  return nodeFlags(new Command('finality-reset').description('vote again although the votes of this epoch are lost'))
    .option('--yes', 'no key of this node can have voted for another block in this epoch', false)
    .action(async (flags: Flags) => {
      await onChain(flags, async (client) => {
        const { voting } = await orderProducer(flags, () => client.call('witness_node_api.get_voting', {}));
        const [found] = voting;
        if (found === undefined)
          throw new Fault('configuration', 'nothing was done: on this chain confirmations make blocks final');
        process.stdout.write(standing(found));
        const isSure =
          flags.yes || (process.stdin.isTTY && (await askYes('Vote with these keys?', process.stdin, process.stdout)));
        if (!isSure) throw new Fault('configuration', 'nothing was done: agree at the terminal, or with --yes');
        const { keys } = await orderProducer(flags, () => client.call('witness_node_api.reset_finality', {}));
        process.stdout.write(
          keys.length === 0
            ? 'nothing was done: no key of this node can vote in this epoch\n'
            : `votes again with ${keys.join(', ')}\n`,
        );
      });
    });
}

type Voting = Result<'witness_node_api.get_voting'>['voting'][number];

function standing({ epoch, final_block_num, voters, quorum, votes, own }: Voting): string {
  const keys = own.map(({ key, is_whole, is_stopped }) => {
    if (is_stopped)
      return `${key}: another machine signs with it; stop that machine first, then pharos witness unlock\n`;
    return is_whole
      ? `${key}: its journal holds all votes of this epoch\n`
      : `${key}: ITS JOURNAL MAY LACK VOTES of this epoch\n`;
  });
  const heard = votes.filter(({ is_missing: isMissing }) => !isMissing).length;
  return `epoch ${epoch}: block ${final_block_num} is final; ${heard} of ${voters} voters vote, ${quorum} are needed\n${keys.join('')}If one of these keys has voted for another block in this epoch, two blocks may become final.\n`;
}
