import { Command } from 'commander';
import { present } from '../../base/assert.ts';
import { secretOfBrainKey, secretOfSeed } from '../../crypto/brain_key.ts';
import { publicKeyOf } from '../../crypto/keys.ts';
import { randomBytes } from '../../crypto/random.ts';
import { encodeWif } from '../../crypto/wif.ts';
import { nameFromSeed } from '../../values/account_name.ts';
import { publicKeyText } from '../../values/public_key.ts';
import { profileNamed } from '../chain_settings.ts';

interface KeysOptions {
  readonly brainKey?: string;
  readonly seed?: string;
  readonly profile: string;
}

/** `pharos keys`: makes a key pair and prints it as JSON. */
export function keysCommand(): Command {
  return new Command('keys')
    .description('make a key pair; without options a random one')
    .option('--brain-key <words>', 'derive it from a brain key, as generate_key_pair_from_brain_key does')
    .option('--seed <text>', 'secret = sha256 of the text, for development only; shows the account name of the seed too')
    .option('--profile <name>', 'whose key prefix to use', 'default')
    .action((options: KeysOptions) => {
      process.stdout.write(`${JSON.stringify(keyPair(options), null, 2)}\n`);
    });
}

function keyPair({ brainKey, seed, profile }: KeysOptions): Record<string, string> {
  const { keyPrefix } = profileNamed(profile);
  const secret = brainKey !== undefined ? secretOfBrainKey(brainKey) : seed !== undefined ? secretOfSeed(seed) : randomSecret();
  const key = Buffer.from(present(publicKeyOf(secret), 'a key for the secret')).toString('hex');
  const pair = { pub_key: publicKeyText(key, keyPrefix), wif_priv_key: encodeWif(secret) };
  return seed === undefined ? pair : { ...pair, account_name: nameFromSeed(seed) };
}

function randomSecret(): Uint8Array {
  const secret = randomBytes(32);
  // About one value in 2¹²⁸ isn't a valid key.
  return publicKeyOf(secret) === undefined ? randomSecret() : secret;
}
