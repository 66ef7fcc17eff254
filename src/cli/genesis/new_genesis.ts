import { present } from '../../base/assert.ts';
import { Fault } from '../../base/fault.ts';
import { Refusal } from '../../base/refusal.ts';
import { quorumOfCount } from '../../blocks/finality/voters.ts';
import { isJsonObject, type Json } from '../../codec/json.ts';
import { writeJson } from '../../codec/json_writer.ts';
import { derivePublicKey } from '../../crypto/keys.ts';
import { devAccounts, devSecret } from '../../dev_chain/dev_genesis.ts';
import { genesisFile, type Genesis } from '../../state/genesis_file.ts';
import { genesisMemberList, type GenesisPart } from '../../state/genesis_members.ts';
import { INIT_MINER_ACCOUNT } from '../../state/parameters.ts';
import { genesisEncoding, readGenesis } from '../../state/read_genesis.ts';
import { SATOSHIS } from '../../values/asset.ts';
import type { Profile } from '../../values/profile.ts';
import { publicKeyText } from '../../values/public_key.ts';
import { timeText, type Seconds } from '../../values/time.ts';
import { randomSecret } from '../../witness/signing/random_secret.ts';
import type { ListedAccount } from './accounts_file.ts';
import { roundRules, type Preset, type Rules } from './presets.ts';

/** The wishes of a chain's author. */
export interface GenesisOrder {
  readonly profile: Profile;
  readonly preset: Preset;
  readonly name: string;
  readonly witnesses: number;
  readonly listed: readonly ListedAccount[];
  /** Public key of the first blocks, as text; undefined where one is to be made. */
  readonly signingKey: string | undefined;
  /** Differences from the preset. */
  readonly changes: Rules;
  readonly nowSeconds: Seconds;
}

/** A secret, and the name of the file that it belongs into. */
export interface NewKey {
  readonly file: string;
  readonly secret: Uint8Array;
}

/** A chain that is about to begin. */
export interface NewGenesis {
  readonly text: string;
  readonly keys: readonly NewKey[];
  /** The accounts that are to make blocks, initminer first. */
  readonly witnesses: readonly string[];
}

/** An account with its key. */
type NewAccount = ListedAccount & { readonly key: string };

/** Beyond its stake, for fees: a thousand coins. */
const WITNESS_ALLOWANCE = 1000n * SATOSHIS;
/** The balance of an account of a development chain: ten million coins. */
const DEVELOPMENT_BALANCE = 10_000_000n * SATOSHIS;
const INTERVAL_SECONDS = 3;

/** The accounts, keys and rules of a new chain. Fault `configuration` that names the member at fault. */
export function newGenesis(order: GenesisOrder): NewGenesis {
  const { profile, preset } = order;
  const rules: Rules = { ...preset.rules, ...roundRules(preset, countPlaces(order)), ...order.changes };
  const keys: NewKey[] = [];
  const accounts = listAccounts(order, witnessStake(rules, profile)).map(
    ({ name, key = makeKey(name), balance, isWitness }): NewAccount => ({ name, key, balance, isWitness }),
  );
  const [first, ...others] = accounts;
  const initminer = present(first, 'the first witness');
  const held = accounts.reduce((sum, { balance }) => sum + balance, 0n);
  const interval = Number(rules.block_interval ?? INTERVAL_SECONDS);
  const given: Rules = {
    name: order.name,
    symbol: profile.coinSymbol,
    rules: profile.rules,
    genesis_time: timeText(order.nowSeconds - (order.nowSeconds % Math.max(1, interval))),
    initial_public_key: initminer.key,
    initial_signing_key: order.signingKey ?? signingKey(),
    initial_balace: String(initminer.balance),
    initial_accounts: others.map(({ name, key, balance }) => ({ name, key, balance: jsonAmount(balance) })),
    ...(preset.isWhole ? { total_supply: String(held) } : {}),
    ...rules,
  };
  const genesis = readNew(given, profile);
  requireQuorum(genesis);
  const witnesses = accounts.filter(({ isWitness }) => isWitness).map(({ name }) => name);
  return { text: genesisText(genesis, profile), keys, witnesses };

  function makeKey(name: string): string {
    return newKey(`${name}.key`, preset.hasKnownKeys ? devSecret(name) : randomSecret());
  }

  // On a development chain one key does all, as in `pharos dev`. The dot keeps the file apart from those of accounts.
  function signingKey(): string {
    return preset.hasKnownKeys ? initminer.key : newKey(`${INIT_MINER_ACCOUNT}.signing.key`, randomSecret());
  }

  function newKey(file: string, secret: Uint8Array): string {
    keys.push({ file, secret });
    const key = Buffer.from(present(derivePublicKey(secret), 'a key for the secret')).toString('hex');
    return publicKeyText(key, profile.keyPrefix);
  }
}

/** Returns the number of slots in the round: one for each witness unless the author says otherwise. */
function countPlaces({ changes, witnesses }: GenesisOrder): number {
  return Number(changes.max_witnesses ?? witnesses);
}

/** Returns the stake that a witness needs in the end. */
function witnessStake(rules: Rules, profile: Profile): bigint {
  const usual = genesisFile.initial(genesisEncoding(profile));
  const first = BigInt(String(rules.initial_witness_req_vesting_balance ?? usual.initial_witness_req_vesting_balance));
  const last = BigInt(String(rules.final_witness_req_vesting_balance ?? usual.final_witness_req_vesting_balance));
  return first > last ? first : last;
}

/** The accounts of the chain, initminer first, then witnesses; where some are missing they get names and their stake. */
function listAccounts({ preset, witnesses, listed }: GenesisOrder, stake: bigint): readonly ListedAccount[] {
  const development = preset.hasKnownKeys ? devAccounts.map((name) => plain(name, DEVELOPMENT_BALANCE)) : [];
  const all = [...listed, ...development.filter(({ name }) => !listed.some((each) => each.name === name))];
  const names = new Set(all.map(({ name }) => name));
  const marked = all.filter(({ isWitness }) => isWitness);
  const initminer = marked.find(({ name }) => name === INIT_MINER_ACCOUNT);
  const own = marked.filter(({ name }) => name !== INIT_MINER_ACCOUNT);
  if (own.length >= witnesses)
    throw new Fault(
      'configuration',
      `witnesses: ${own.length} accounts are marked, and ${INIT_MINER_ACCOUNT} is one in any case: name at least ${own.length + 1}`,
    );
  const made: ListedAccount[] = [];
  for (let number = 2; made.length + own.length + 1 < witnesses; number++) {
    const name = `witness${number}`;
    if (!names.has(name)) made.push({ ...plain(name, stake + WITNESS_ALLOWANCE), isWitness: true });
  }
  const first = initminer ?? { ...plain(INIT_MINER_ACCOUNT, stake + WITNESS_ALLOWANCE), isWitness: true };
  return [first, ...own, ...made, ...all.filter(({ isWitness }) => !isWitness)];
}

function plain(name: string, balance: bigint): ListedAccount {
  return { name, key: undefined, balance, isWitness: false };
}

function readNew(given: Rules, profile: Profile): Genesis {
  try {
    return readGenesis(given, profile);
  } catch (error) {
    if (error instanceof Refusal) throw new Fault('configuration', error.message, error);
    throw error;
  }
}

/** A hardfork that fewer activate leaves too few on either side of it. */
function requireQuorum({ hardfork_req_witnesses: required, max_witnesses: places, is_private_net }: Genesis): void {
  const quorum = quorumOfCount(places);
  if (is_private_net || (required >= quorum && required <= places)) return;
  throw new Fault(
    'configuration',
    `hardfork_req_witnesses: ${quorum} to ${places} of ${places} expected, so that the chain goes on when a hardfork becomes active, got ${required}`,
  );
}

const PARTS: readonly GenesisPart[] = [
  'chain',
  'witnesses',
  'finality',
  'blocks',
  'coins',
  'fees',
  'vesting',
  'accounts',
];

/** The text of the file: a member a line by subject, with the defaults, so that no later version changes a rule. */
function genesisText(genesis: Genesis, profile: Profile): string {
  const whole = genesisFile.toJson(genesis, genesisEncoding(profile));
  const json = isJsonObject(whole) ? whole : {};
  const lines = PARTS.flatMap((part) =>
    genesisMemberList
      .filter(([name, member]) => member.part === part && json[name] !== undefined)
      .map(([name]) => ` ${JSON.stringify(name)}: ${valueText(json[name] ?? null)}`),
  );
  return `{\n${lines.join(',\n')}\n}\n`;
}

function valueText(json: Json): string {
  return Array.isArray(json) && json.length > 0
    ? `[\n${json.map((each) => `  ${writeJson(each)}`).join(',\n')}\n ]`
    : writeJson(json);
}

function jsonAmount(amount: bigint): Json {
  return amount <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(amount) : String(amount);
}
