import { Command } from 'commander';
import { existsSync, rmSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';
import type { Client } from '../../client/index.ts';
import { confirmOperation, hasFinality, onChain, sendAgreed, makeSender, fetchWitness } from './chain_access.ts';
import { untilKeyVotes } from './first_votes.ts';
import { chooseKey, makeUpdate, withKeyFlags, type KeyFlags } from './signing_key.ts';

/** `pharos witness switch`: this machine makes the blocks from now on, and not the one that does so now. */
export function switchCommand(): Command {
  return withKeyFlags(
    new Command('switch').description('have this machine make the blocks of a witness, with a new signing key'),
  ).action(async (name: string, flags: KeyFlags) => {
    if (existsSync(flags.keyFile))
      throw new Fault(
        'configuration',
        `${flags.keyFile} is there already: a switch takes a new key, because an older switch to or from a key that was used could still be sent; name a new file`,
      );
    const votes = await onChain(flags, async (client) => {
      if ((await fetchWitness(client, name)) === undefined)
        throw new Fault('configuration', `the chain knows no witness ${name}`);
      await switched(client, name, flags);
      return await hasFinality(client);
    });
    process.stdout.write(
      `start the node of this machine with\nwitness = ${name}\nprivate-key-file = ${flags.keyFile}\n`,
    );
    process.stdout.write(
      'the machine that made the blocks is silent from the next block on; to stand by it needs a new key, too:\n',
    );
    if (votes)
      process.stdout.write(
        'its old key votes until the epoch ends: let it run with that key until its pharos witness status names the key no more\n',
      );
    process.stdout.write('pharos keys --key-file FILE, and its pub_key with its node id here as standby-node\n');
  });
}

async function switched(client: Client, name: string, flags: KeyFlags): Promise<void> {
  const sender = await makeSender(client, name, flags);
  const key = await chooseKey(flags);
  const update = await makeUpdate(client, name, key, flags);
  try {
    await untilKeyVotes(client, { name, key, flags });
    await confirmOperation(sender, update, flags);
  } catch (error) {
    // A key that nobody has seen is as good as none; left here, it would refuse the next attempt.
    rmSync(flags.keyFile);
    throw error;
  }
  await sendAgreed(client, sender, update);
}
