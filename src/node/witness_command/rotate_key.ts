import { Command } from 'commander';
import { Fault } from '../../base/fault.ts';
import type { Client } from '../../client/index.ts';
import { onChain, senderOf, sendAs, witnessOf } from './chain_access.ts';
import { keyFor, updateOf, withKeyFlags, type KeyFlags } from './signing_key.ts';

/** `pharos witness rotate-key`: a new signing key for a witness that there is. */
export function rotateKeyCommand(): Command {
  return withKeyFlags(new Command('rotate-key').description('give a witness a new signing key')).action(
    async (name: string, flags: KeyFlags) => {
      const key = await onChain(flags, async (client) => await rotated(client, name, flags));
      process.stdout.write(
        `from the next block on ${name} signs with ${key}: start its node again with private-key-file = ${flags.keyFile}\n`,
      );
      process.stdout.write('the old key is never used again: a standby switch that names it could fire\n');
    },
  );
}

/** Gives a witness the key in the file, and returns it. */
async function rotated(client: Client, name: string, flags: KeyFlags): Promise<string> {
  const witness = await witnessOf(client, name);
  if (witness === undefined) throw new Fault('configuration', `the chain knows no witness ${name}`);
  const sender = await senderOf(client, name, flags);
  const key = await keyFor(flags);
  if (key === witness.signing_key)
    throw new Fault('configuration', `${name} signs with the key in ${flags.keyFile} already: name a new file`);
  await sendAs(client, sender, await updateOf(client, name, key, flags), flags);
  return key;
}
