import { Fault } from '../../base/fault.ts';
import { profileNamed } from '../../settings/chain_settings.ts';
import { genesisFile } from '../../state/genesis_file.ts';
import { genesisMembers, type GenesisMemberName } from '../../state/genesis_members.ts';
import { genesisEncoding } from '../../state/read_genesis.ts';
import { askLine } from '../../wallet/ask_line.ts';
import type { CompleteFlags, CreateFlags } from './create_flags.ts';
import { presets, roundRules, type Preset, type PresetName, type Rules } from './presets.ts';
import { readValue, shownValue } from './units.ts';

/** The rules that a person is asked for; all others keep the values of the preset. */
const askedRules: readonly GenesisMemberName[] = [
  'total_supply',
  'mining_pool_percentage',
  'coinbase_years',
  'initial_witness_req_vesting_balance',
  'minimum_vesting_seconds',
  'vesting_withdraw_intervals',
  'vesting_withdraw_interval_seconds',
  'dilution_protection_percent',
  'block_interval',
  'max_block_size',
  'max_witnesses',
  'max_voted_witnesses',
  'hardfork_req_witnesses',
  'finality',
];

/** Of no use where all coins are there at the beginning: the supply follows from the accounts, and none come later. */
const ofCoinsToCome: ReadonlySet<GenesisMemberName> = new Set([
  'total_supply',
  'mining_pool_percentage',
  'coinbase_years',
]);

/** Asks at the terminal for what the command line does not say, and for each rule with its meaning and default. */
export async function askMissing(flags: CreateFlags): Promise<CompleteFlags> {
  const name = flags.name ?? (await asked('Name of the chain', '', requireText));
  const preset = flags.preset ?? (await askPreset());
  const witnesses =
    flags.witnesses ??
    Number(await asked('Witnesses, initminer included', String(presets[preset].witnesses), requireCount));
  const accounts = flags.accounts ?? (await asked('CSV file of the first accounts, empty for none', '', () => {}));
  const out = flags.out ?? (await asked('File of the genesis', 'genesis.json', requireText));
  const keys = flags.keys ?? (await asked('Folder for the keys of the witnesses', 'keys', requireText));
  const set = [...flags.set, ...(await askRules(flags, preset, witnesses))];
  return { ...flags, name, preset, witnesses, out, keys, set, ...(accounts === '' ? {} : { accounts }) };
}

async function askPreset(): Promise<PresetName> {
  for (const [name, { doc }] of Object.entries(presets)) process.stdout.write(`  ${name}: ${doc}\n`);
  const answer = await asked('Preset', 'private', requirePreset);
  return isPreset(answer) ? answer : 'private';
}

async function askRules(
  { set, profile: profileName }: CreateFlags,
  presetName: PresetName,
  witnesses: number,
): Promise<string[]> {
  const profile = profileNamed(profileName);
  const preset: Preset = presets[presetName];
  const changes = [...set];
  const flagValue = (name: string): string | undefined =>
    changes.findLast((each) => each.startsWith(`${name}=`))?.slice(name.length + 1);
  process.stdout.write('Rules: Enter takes the value in brackets. No chain changes them later.\n');
  for (const name of askedRules) {
    if (flagValue(name) !== undefined || (preset.isWhole && ofCoinsToCome.has(name))) continue;
    const { doc, unit } = genesisMembers[name];
    const rules: Rules = { ...preset.rules, ...roundRules(preset, Number(flagValue('max_witnesses') ?? witnesses)) };
    const genesis = genesisFile.fromJson({ ...rules }, genesisEncoding(profile));
    const usual = shownValue(unit, genesis[name], profile);
    process.stdout.write(`  ${doc}\n`);
    const answer = await asked(name, usual, (text) => void readValue(name, unit, text));
    if (answer === usual) continue;
    changes.push(`${name}=${answer}`);
    // Where the stake never rises by the preset, it doesn't by another one.
    const rises = genesis.initial_witness_req_vesting_balance !== genesis.final_witness_req_vesting_balance;
    if (name === 'initial_witness_req_vesting_balance' && !rises)
      changes.push(`final_witness_req_vesting_balance=${answer}`);
  }
  return changes.slice(set.length);
}

/** Asks until the answer can be read. Fault `configuration` when the person leaves. */
async function asked(question: string, usual: string, check: (answer: string) => void): Promise<string> {
  for (;;) {
    const answer = await askLine(question, usual, process.stdin, process.stdout);
    if (answer === undefined) throw new Fault('configuration', 'nothing was written');
    try {
      check(answer);
      return answer;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      process.stdout.write(`${error.message}\n`);
    }
  }
}

function requireText(text: string): void {
  if (text === '') throw new Fault('configuration', 'an answer is needed');
}

function requireCount(text: string): void {
  if (!/^[1-9]\d{0,2}$/.test(text)) throw new Fault('configuration', `1 to 255 expected, got ${text}`);
}

function requirePreset(text: string): void {
  if (!isPreset(text)) throw new Fault('configuration', `${Object.keys(presets).join(', ')} expected, got ${text}`);
}

function isPreset(text: string): text is PresetName {
  return Object.hasOwn(presets, text);
}
