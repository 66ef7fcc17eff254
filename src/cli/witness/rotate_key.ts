import { Command } from 'commander';
import { Fault } from '../../base/fault.ts';
import type { Client } from '../../client/index.ts';
import { hasFinality, onChain, makeSender, sendAs, fetchWitness } from './chain_access.ts';
import { untilKeyVotes } from './first_votes.ts';
import { chooseKey, makeUpdate, withKeyFlags, type KeyFlags } from './signing_key.ts';

/** `pharos witness rotate-key`: a new signing key for a witness that there is. */
export function rotateKeyCommand(): Command {
  return withKeyFlags(new Command('rotate-key').description('give a witness a new signing key')).action(
    async (name: string, flags: KeyFlags) => {
      const [key, votes] = await onChain(
        flags,
        async (client) => [await rotated(client, name, flags), await hasFinality(client)] as const,
      );
      const beside = votes ? ' beside that of the old key' : '';
      process.stdout.write(
        `from the next block on ${name} signs with ${key}: start its node again with private-key-file = ${flags.keyFile}${beside}\n`,
      );
      if (votes)
        process.stdout.write(
          `the old key signs no blocks, and votes until its epoch ends: keep its secret until pharos witness status ${name} names it no more\n`,
        );
      process.stdout.write(
        'the old key is never given to a witness again: a standby switch that names it could fire\n',
      );
    },
  );
}

/** Gives a witness the key in the file, and returns it. */
async function rotated(client: Client, name: string, flags: KeyFlags): Promise<string> {
  const witness = await fetchWitness(client, name);
  if (witness === undefined) throw new Fault('configuration', `the chain knows no witness ${name}`);
  const sender = await makeSender(client, name, flags);
  const key = await chooseKey(flags);
  if (key === witness.signing_key)
    throw new Fault('configuration', `${name} signs with the key in ${flags.keyFile} already: name a new file`);
  await untilKeyVotes(client, { name, key, flags });
  await sendAs(client, sender, await makeUpdate(client, name, key, flags), flags);
  return key;
}
