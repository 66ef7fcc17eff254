import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Command, Option } from 'commander';
import { systemClock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { nearest } from '../../base/nearest.ts';
import { readParameters, profileNamed } from '../../settings/chain_settings.ts';
import { positive } from '../../settings/flag_values.ts';
import { genesisEncoding } from '../../state/read_genesis.ts';
import { genesisMembers, type GenesisMemberName } from '../../state/genesis_members.ts';
import { writeWholeFile } from '../../system/whole_file.ts';
import { onDisk } from '../../system/system_error.ts';
import { parsePublicKey } from '../../values/public_key.ts';
import { writeKeyFile } from '../../witness/signing/signing_keys.ts';
import { ACCOUNTS_FORMAT, readAccounts } from './accounts_file.ts';
import { askMissing } from './ask_missing.ts';
import type { CompleteFlags, CreateFlags } from './create_flags.ts';
import { meaningText } from './meaning.ts';
import { newGenesis, type NewGenesis } from './new_genesis.ts';
import { presets, type Rules } from './presets.ts';
import { readValue } from './units.ts';
import { requireReplaceable } from '../../wallet/key_file/replace_file.ts';

const PRESETS = Object.entries(presets)
  .map(([name, { doc }]) => `${name}: ${doc}`)
  .join('; ');

const EXAMPLES = `
Examples:
  $ pharos genesis create --name my-chain --witnesses 7 --accounts accounts.csv --out genesis.json --keys keys
  $ pharos genesis create --name my-chain --out genesis.json --keys keys --set block_interval=1 --set "minimum_vesting_seconds=30 days"

The file of --accounts has ${ACCOUNTS_FORMAT}.
initminer is the first witness. The others get names where the file marks too few, and coins for their stake.
/docs/genesis.html of a node explains every member.`;

/** `pharos genesis create`: a genesis file, and keys for its witnesses. */
export function createGenesisCommand(): Command {
  return new Command('create')
    .description('make a genesis file; asks at a terminal for what is missing')
    .option('--name <text>', 'what people call the chain')
    .addOption(new Option('--preset <kind>', PRESETS).choices(Object.keys(presets)))
    .option('--witnesses <count>', 'how many accounts are to make blocks, initminer included', positive)
    .option('--accounts <file>', 'CSV file of the first accounts')
    .option('--out <file>', 'where the genesis is written')
    .option('--keys <folder>', 'where a file is written for each key that is made, for its owner only')
    .option('--password-file <file>', 'encrypt these files, with the password in its first line')
    .option('--signing-key <key>', 'public key that signs the first blocks; made where it is missing')
    .option('--set <member=value>', 'a rule that differs from the preset; repeatable', collect, [])
    .option('--profile <name>', 'words of the chain', 'default')
    .option('--yes', 'take the preset for all that is missing, and ask nothing', false)
    .addHelpText('after', EXAMPLES)
    .action(async (flags: CreateFlags) => await create(await completed(flags)));
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

/** Asks where somebody can answer; otherwise defaults, and what has none is named. */
async function completed(flags: CreateFlags): Promise<CompleteFlags> {
  if (process.stdin.isTTY && !flags.yes) return await askMissing(flags);
  const { name, out, preset = 'private' } = flags;
  const missing = [...(name === undefined ? ['--name'] : []), ...(out === undefined ? ['--out'] : [])];
  if (name === undefined || out === undefined) fail(`missing: ${missing.join(', ')}`);
  return { ...flags, name, out, preset, witnesses: flags.witnesses ?? presets[preset].witnesses };
}

async function create(flags: CompleteFlags): Promise<void> {
  const { out, keys: folder } = flags;
  if (existsSync(out)) fail(`${out} is there already; a genesis file is never overwritten`);
  const made = makeGenesis(flags);
  const parameters = readParameters({
    profileName: flags.profile,
    genesisText: made.text,
    initialSigningKey: undefined,
  });
  if (folder === undefined && made.keys.length > 0 && !presets[flags.preset].hasKnownKeys)
    fail(
      `--keys is missing: the keys of ${made.keys.map(({ file }) => file.replace('.key', '')).join(', ')} are to be made; name a folder, or give public keys by --accounts and --signing-key`,
    );
  onDisk(`cannot write ${out}`, () => mkdirSync(dirname(out), { recursive: true }));
  // Keys of no chain would be in the way of the next try.
  requireReplaceable(out);
  if (folder !== undefined) await writeKeys(made, folder, flags.passwordFile);
  writeWholeFile(out, made.text);
  process.stdout.write(`${meaningText(parameters)}${nextSteps(made, flags)}`);
}

function makeGenesis(flags: CompleteFlags): NewGenesis {
  const profile = profileNamed(flags.profile);
  const { signingKey } = flags;
  if (signingKey !== undefined && parsePublicKey(signingKey, profile.keyPrefix) === undefined)
    fail(`signing-key: a public key with prefix ${profile.keyPrefix} expected, got ${signingKey}`);
  return newGenesis({
    profile,
    preset: presets[flags.preset],
    name: flags.name,
    witnesses: flags.witnesses,
    listed: flags.accounts === undefined ? [] : readAccounts(flags.accounts, genesisEncoding(profile)),
    signingKey,
    changes: parseChanges(flags.set),
    nowSeconds: Math.trunc(systemClock.nowMs() / 1000),
  });
}

/** Members that have a flag of their own, or that no chain of people has. */
const elsewhere: Readonly<Partial<Record<GenesisMemberName, string>>> = {
  name: '--name gives it',
  initial_accounts: '--accounts gives them',
  initial_public_key: '--accounts gives it, in the line of initminer',
  initial_balace: '--accounts gives it, in the line of initminer',
  initial_signing_key: '--signing-key gives it',
  symbol: '--profile gives it',
};

function parseChanges(said: readonly string[]): Rules {
  const changes: Rules = {};
  for (const each of said) {
    const [, name = '', value = ''] = /^([^=]*)=(.*)$/.exec(each) ?? [];
    const known = memberNamed(name, each);
    const { unit, part } = genesisMembers[known];
    const hint =
      elsewhere[known] ?? (part === 'tests' ? 'it is for chains without value: write it into the file' : undefined);
    if (hint !== undefined) fail(`${known}: ${hint}`);
    changes[known] = readValue(known, unit, value);
  }
  return changes;
}

function memberNamed(name: string, said: string): GenesisMemberName {
  if (isMember(name)) return name;
  return fail(
    `--set ${said}: member=value expected; the nearest member is ${nearest(name, Object.keys(genesisMembers))}`,
  );
}

function isMember(name: string): name is GenesisMemberName {
  return Object.hasOwn(genesisMembers, name);
}

/** All are missing before the first one is written. */
async function writeKeys({ keys }: NewGenesis, folder: string, passwordFile: string | undefined): Promise<void> {
  onDisk(`cannot make ${folder}`, () => mkdirSync(folder, { recursive: true, mode: 0o700 }));
  const there = keys.map(({ file }) => join(folder, file)).find((path) => existsSync(path));
  if (there !== undefined) fail(`${there} is there already; a key file is never overwritten`);
  for (const { file, secret } of keys) await writeKeyFile(join(folder, file), secret, passwordFile);
}

function nextSteps({ keys, witnesses }: NewGenesis, { out, keys: folder }: CompleteFlags): string {
  const written =
    folder === undefined || keys.length === 0
      ? ''
      : `, and ${keys.length} keys below ${folder}: keep copies, they are nowhere else`;
  const [first, ...others] = witnesses;
  const later = others.length === 0 ? '' : `Then ${others.join(', ')}: pharos witness create NAME, and votes.\n`;
  return `\nWritten: ${out}${written}.\nThe node of ${first} makes the first blocks. ${later}The guide "Your own chain in fifteen minutes" goes on from here.\n`;
}

function fail(message: string): never {
  throw new Fault('configuration', message);
}
