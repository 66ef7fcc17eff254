import { Command } from 'commander';
import { existsSync } from 'node:fs';
import { present } from '../../base/assert.ts';
import { Fault } from '../../base/fault.ts';
import type { Client, GivenOperation } from '../../client/index.ts';
import { publicKeyOf } from '../../crypto/keys.ts';
import { NULL_KEY, publicKeyText } from '../../values/public_key.ts';
import { randomSecret } from '../random_secret.ts';
import { signingKeysIn, writeKeyFile } from '../signing_keys.ts';
import { accountFlags, onChain, sendAs, witnessOf, type AccountFlags, type ChainWitness } from './chain_access.ts';

/** How a signing key is made, and who sends it to the chain. */
export interface KeyFlags extends AccountFlags {
  readonly keyFile: string;
  readonly keyPasswordFile?: string;
  readonly keyPrefix: string;
  readonly witnessUrl: string;
}

/** `pharos witness create`: from an account to a producing witness, each step shown. */
export function createCommand(): Command {
  return withKeyFlags(new Command('create').description('make a witness of an account, with a new signing key')).action(
    async (name: string, flags: KeyFlags) => {
      await onChain(flags, async (client) => {
        const witness = await witnessOf(client, name);
        step(1, `the signing key, in ${flags.keyFile}`);
        const key = await keyFor(flags);
        process.stdout.write(`${key}\n`);
        requireNotProducing(name, witness, key, flags);
        step(2, 'the witness, on the chain');
        await sendAs(client, name, await updateOf(client, name, key, flags), flags);
      });
      step(3, 'the node: start it, or start it again, with');
      process.stdout.write(`witness = ${name}\nprivate-key-file = ${flags.keyFile}\n`);
      process.stdout.write(`then see pharos witness status ${name}; it gets slots once it has votes\n`);
    },
  );
}

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
  const key = await keyFor(flags);
  if (key === witness.signing_key)
    throw new Fault('configuration', `${name} signs with the key in ${flags.keyFile} already: name a new file`);
  await sendAs(client, name, await updateOf(client, name, key, flags), flags);
  return key;
}

/** Fault `configuration` when a witness signs with another key: whoever makes its blocks would stop. */
function requireNotProducing(name: string, witness: ChainWitness | undefined, key: string, { keyPrefix }: KeyFlags): void {
  if (witness === undefined || [key, publicKeyText(NULL_KEY, keyPrefix)].includes(witness.signing_key)) return;
  throw new Fault(
    'configuration',
    `${name} is a witness already and signs with another key; pharos witness rotate-key gives it a new one, pharos witness switch has another machine make its blocks`,
  );
}

/** Adds what makes a signing key to a command. */
export function withKeyFlags(command: Command): Command {
  return accountFlags(command.argument('<account>'))
    .requiredOption('--key-file <file>', 'where the signing key is written, or lies already')
    .option('--key-password-file <file>', 'encrypts it, with the password in the first line')
    .option('--key-prefix <letters>', 'what keys of the chain begin with', 'PHR')
    .option('--witness-url <text>', 'the url of the witness, for its voters', '');
}

function step(number: number, what: string): void {
  process.stdout.write(`${number}. ${what}\n`);
}

/** The public half of the key in the file, which is made when it isn't there. */
export async function keyFor({ keyFile, keyPasswordFile, keyPrefix }: KeyFlags): Promise<string> {
  if (!existsSync(keyFile)) await writeKeyFile(keyFile, randomSecret(), keyPasswordFile);
  const [secret] = await signingKeysIn([keyFile], keyPasswordFile);
  const key = Buffer.from(present(publicKeyOf(present(secret, 'a key in the file')), 'a key for the secret')).toString('hex');
  return publicKeyText(key, keyPrefix);
}

/** What a witness says of itself stays as it is; a new one votes for what the others do. */
export async function updateOf(
  client: Client,
  owner: string,
  block_signing_key: string,
  { witnessUrl }: KeyFlags,
): Promise<GivenOperation<'witness_update'>> {
  const witness = await witnessOf(client, owner);
  const url = [witnessUrl, witness?.url ?? ''].find((text) => text !== '') ?? `https://${owner}.example`;
  const props = witness?.props ?? (await client.call('alexandria_api.get_witness_schedule_object', {})).schedule_obj.median_props;
  const { maximum_block_size, account_creation_fee } = props;
  const kept = { account_creation_fee, maximum_block_size, price_feeds: [] };
  return ['witness_update', { owner, url, block_signing_key, props: kept }];
}
