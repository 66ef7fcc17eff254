import { Command, Option } from 'commander';
import { present } from '../base/assert.ts';
import { Fault } from '../base/fault.ts';
import { secretOfBrainKey, secretOfSeed } from '../crypto/brain_key.ts';
import { derivePublicKey } from '../crypto/keys.ts';
import { encodeWif } from '../crypto/wif.ts';
import { nameFromSeed } from '../values/account_name.ts';
import { publicKeyText } from '../values/public_key.ts';
import { profileNamed } from '../settings/chain_settings.ts';
import { requireOwnersOnly } from '../system/owners_only.ts';
import { passwordLine } from '../system/password_line.ts';
import { askHidden } from '../wallet/hidden_input.ts';
import { randomSecret } from '../witness/signing/random_secret.ts';
import { writeKeyFile } from '../witness/signing/signing_keys.ts';
import { needs } from './needed_flags.ts';

interface KeysOptions {
  readonly brainKey?: string | true;
  readonly brainKeyFile?: string;
  readonly seed?: string;
  readonly profile: string;
  readonly keyFile?: string;
  readonly passwordFile?: string;
}

/** `pharos keys`: makes a key pair and prints it as JSON. */
export function keysCommand(): Command {
  return new Command('keys')
    .description('make a key pair; without options a random one')
    .option(
      '--brain-key [words]',
      'derive it from a brain key, as generate_key_pair_from_brain_key does; asked for when the words are left out, which others on this machine could see',
    )
    .addOption(
      new Option('--brain-key-file <file>', 'the same, from the first line of a file').conflicts(['brainKey', 'seed']),
    )
    .addOption(
      new Option(
        '--seed <text>',
        'secret = sha256 of the text, for development only; shows the account name of the seed too',
      ).conflicts('brainKey'),
    )
    .option('--profile <name>', 'whose key prefix to use', 'default')
    .option('--key-file <file>', 'write the private key there, for its owner only, instead of showing it')
    .option(
      '--password-file <file>',
      'encrypt that file, as a wallet is, with the password in the first line of this one',
    )
    .hook('preAction', needs({ '--password-file': ['--key-file'] }))
    .action(async (options: KeysOptions) => {
      const { secret, shown } = keyPair({ ...options, brainKey: await givenBrainKey(options) });
      const { keyFile, passwordFile } = options;
      const { wif_priv_key: _hidden, ...open } = shown;
      if (keyFile !== undefined) await writeKeyFile(keyFile, secret, passwordFile);
      process.stdout.write(`${JSON.stringify(keyFile === undefined ? shown : open, null, 2)}\n`);
    });
}

/** The words of a brain key, from where the flags say that they are. Fault `configuration`. */
async function givenBrainKey({ brainKey, brainKeyFile }: KeysOptions): Promise<string | undefined> {
  if (brainKeyFile !== undefined) {
    requireOwnersOnly(brainKeyFile);
    return passwordLine(brainKeyFile);
  }
  if (brainKey !== true) return brainKey;
  const words = await askHidden('brain key: ', process.stdin, process.stderr);
  if (words.trim() === '') throw new Fault('configuration', '--brain-key: words expected, got none');
  return words;
}

function keyPair({
  brainKey,
  seed,
  profile,
}: Pick<KeysOptions, 'seed' | 'profile'> & { readonly brainKey: string | undefined }): {
  readonly secret: Uint8Array;
  readonly shown: Record<string, string>;
} {
  const { keyPrefix } = profileNamed(profile);
  const secret =
    brainKey !== undefined ? secretOfBrainKey(brainKey) : seed !== undefined ? secretOfSeed(seed) : randomSecret();
  const key = Buffer.from(present(derivePublicKey(secret), 'a key for the secret')).toString('hex');
  const pair = { pub_key: publicKeyText(key, keyPrefix), wif_priv_key: encodeWif(secret) };
  return { secret, shown: seed === undefined ? pair : { ...pair, account_name: nameFromSeed(seed) } };
}
