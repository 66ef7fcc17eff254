import { Command } from 'commander';
import { existsSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';
import { onChain, sendAs, witnessOf } from './chain_access.ts';
import { keyFor, updateOf, withKeyFlags, type KeyFlags } from './create.ts';

/** `pharos witness switch`: this machine makes the blocks from now on, and not the one that does so now. */
export function switchCommand(): Command {
  return withKeyFlags(new Command('switch').description('have this machine make the blocks of a witness, with a new signing key')).action(
    async (name: string, flags: KeyFlags) => {
      if (existsSync(flags.keyFile))
        throw new Fault(
          'configuration',
          `${flags.keyFile} is there already: a switch takes a new key, because an older switch to or from a key that was used could still be sent; name a new file`,
        );
      await onChain(flags, async (client) => {
        if ((await witnessOf(client, name)) === undefined) throw new Fault('configuration', `the chain knows no witness ${name}`);
        await sendAs(client, name, await updateOf(client, name, await keyFor(flags), flags), flags);
      });
      process.stdout.write(`start the node of this machine with\nwitness = ${name}\nprivate-key-file = ${flags.keyFile}\n`);
      process.stdout.write('the machine that made the blocks is silent from the next block on; to stand by it needs a new key, too:\n');
      process.stdout.write('pharos keys --key-file FILE, and its pub_key with its node id here as standby-node\n');
    },
  );
}
