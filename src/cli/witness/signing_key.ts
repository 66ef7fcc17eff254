import type { Command } from 'commander';
import { existsSync } from 'node:fs';
import { present } from '../../base/assert.ts';
import type { Client, GivenOperation } from '../../client/index.ts';
import { derivePublicKey } from '../../crypto/keys.ts';
import { publicKeyText } from '../../values/public_key.ts';
import { randomSecret } from '../../witness/signing/random_secret.ts';
import { readSigningKeys, writeKeyFile } from '../../witness/signing/signing_keys.ts';
import { accountFlags, fetchWitness, type AccountFlags } from './chain_access.ts';

/** Flags for making a signing key, and for sending it to the chain. */
export interface KeyFlags extends AccountFlags {
  readonly keyFile: string;
  readonly keyPasswordFile?: string;
  readonly keyPrefix: string;
  readonly witnessUrl: string;
}

/** Adds what makes a signing key to a command. */
export function withKeyFlags(command: Command): Command {
  return accountFlags(command.argument('<account>'))
    .requiredOption('--key-file <file>', 'where the signing key is written, or lies already')
    .option('--key-password-file <file>', 'encrypts it, with the password in the first line')
    .option('--key-prefix <letters>', 'what keys of the chain begin with', 'PHR')
    .option('--witness-url <text>', 'the url of the witness, for its voters', '');
}

/** The public half of the key in the file, which is made when it isn't there. */
export async function chooseKey({ keyFile, keyPasswordFile, keyPrefix }: KeyFlags): Promise<string> {
  if (!existsSync(keyFile)) await writeKeyFile(keyFile, randomSecret(), keyPasswordFile);
  const [secret] = await readSigningKeys([keyFile], keyPasswordFile);
  const key = Buffer.from(
    present(derivePublicKey(present(secret, 'a key in the file')), 'a key for the secret'),
  ).toString('hex');
  return publicKeyText(key, keyPrefix);
}

/** Keeps the witness's own properties; a new one votes for the current values. */
export async function makeUpdate(
  client: Client,
  owner: string,
  block_signing_key: string,
  { witnessUrl }: KeyFlags,
): Promise<GivenOperation<'witness_update'>> {
  const witness = await fetchWitness(client, owner);
  const known = witness?.url;
  const url =
    [witnessUrl, typeof known === 'string' ? known : ''].find((text) => text !== '') ?? `https://${owner}.example`;
  const props =
    witness?.props ?? (await client.call('alexandria_api.get_witness_schedule_object', {})).schedule_obj.median_props;
  const { maximum_block_size, account_creation_fee } = props;
  const kept = { account_creation_fee, maximum_block_size, price_feeds: [] };
  return ['witness_update', { owner, url, block_signing_key, props: kept }];
}
