import { present } from '../base/assert.ts';
import { secretOfSeed } from '../crypto/brain_key.ts';
import { derivePublicKey } from '../crypto/keys.ts';
import { orderedPlan, requirePlan, type PlannedHardfork } from '../state/hardfork_plan.ts';
import type { Profile } from '../values/profile.ts';
import { parseMembers, toMembers } from '../system/json_members.ts';
import { publicKeyText, type PublicKey } from '../values/public_key.ts';
import { timeText, type Seconds } from '../values/time.ts';

/** Accounts of a development chain; the secret of each is the sha256 of its name, so use them for experiments only. */
export const devAccounts = [
  'alice',
  'bob',
  'carol',
  'dave',
  'erin',
  'frank',
  'grace',
  'heidi',
  'ivan',
  'judy',
] as const;

/** Nobody tells more apart, and a genesis of as many, 120 KB, is still one message to a node that joins. */
export const MOST_DEV_ACCOUNTS = 1000;

/** The initial balance of each account, in millionths, as long as there are no more than ten. */
const DEV_BALANCE = 10_000_000_000_000; // 10 million coins each
const ACCOUNTS_TOGETHER = DEV_BALANCE * devAccounts.length;
const CONFIRMATIONS_FROM_BLOCK = 201_600; // a week of blocks
const INIT_MINER_BALANCE = 250_000_000_000_000; // together with the accounts 350 million, the supply from which interest is computed

/** The names of so many accounts: those that everybody knows, then `user11` and so on. */
export function devAccountNames(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => devAccounts[index] ?? `user${index + 1}`);
}

/** The secret of a development account: the sha256 of its name, or of the seed, a blank and its name. */
export function devSecret(name: string, seed = ''): Uint8Array {
  return secretOfSeed(seed === '' ? name : `${seed} ${name}`);
}

/** The public key of a development account. */
export function deriveDevKey(name: string, seed = ''): PublicKey {
  return Buffer.from(present(derivePublicKey(devSecret(name, seed)), 'a key for the secret')).toString('hex');
}

/** The same as text. */
export function devPublicKey(name: string, profile: Profile, seed = ''): string {
  return publicKeyText(deriveDevKey(name, seed), profile.keyPrefix);
}

/** Differences of a development chain from the ordinary one. */
export interface DevGenesisOptions {
  /** The number of funded accounts besides the witness, 0 to 1000; ten by default. */
  readonly accounts?: number | undefined;
  /** The seed of the keys, together with the names. */
  readonly seed?: string | undefined;
  /** True to have a key act for every account; false by default. */
  readonly impersonator?: boolean | undefined;
  /** The number of witnesses that share the slots, initminer included, 1 to 51; one by default. */
  readonly witnesses?: number | undefined;
  /** Hardforks that blocks apply without votes; as time and votes say when left out. */
  readonly hardforks?: readonly PlannedHardfork[] | undefined;
}

/** More share no round of the interface. */
export const MOST_DEV_WITNESSES = 51;
/** In millionths: what a witness must vest in the end, 300 000 coins, and as much again for fees. */
const WITNESS_BALANCE = 600_000_000_000;

/** The accounts of a development chain that make blocks besides initminer. */
function devWitnessNames(count: number): readonly string[] {
  return Array.from({ length: count - 1 }, (_, index) => `witness${index + 2}`);
}

/** The same, as a genesis text has them. */
export function listDevWitnesses(genesisText: string): readonly string[] {
  const { initial_accounts: accounts } = parseMembers(genesisText) ?? {};
  if (!Array.isArray(accounts)) return [];
  const names = new Set(accounts.map((account: unknown) => toMembers(account)?.['name']));
  return devWitnessNames(MOST_DEV_WITNESSES).filter((name) => names.has(name));
}

/** Each witness has a place, and prices come of what one of them or more publish. */
function roundRules(witnesses: number): Readonly<Record<string, number>> {
  const round = { max_witnesses: witnesses, max_voted_witnesses: witnesses, max_runner_witnesses: 0 };
  return { ...round, hardfork_req_witnesses: Math.trunc((2 * witnesses) / 3) + 1 };
}

/** The hardforks that a development chain applies without votes, as its genesis text has them. */
export function readPlannedHardforks(genesisText: string): readonly PlannedHardfork[] {
  const { hardfork_blocks: plan } = parseMembers(genesisText) ?? {};
  if (!Array.isArray(plan)) return [];
  return plan.flatMap((planned: unknown) => {
    const { name, block } = toMembers(planned) ?? {};
    return typeof name === 'string' && typeof block === 'number' ? [{ name, block }] : [];
  });
}

/** The member of a genesis that plans hardforks; none where none is planned, so that the chain keeps its id. */
export function planMember(plan: readonly PlannedHardfork[] = []): {
  readonly hardfork_blocks?: readonly PlannedHardfork[];
} {
  return plan.length === 0
    ? {}
    : { hardfork_blocks: orderedPlan(plan).map(({ name, block }): PlannedHardfork => ({ name, block })) };
}

/** The key that acts for every account is made of this name, as the others are of the names of their accounts. */
export const IMPERSONATOR = 'impersonator';

/**
 * The genesis text of a new development chain. It begins now, so that slots before the start don't count as missed. Fault
 * `configuration` where no chain can follow the plan of its hardforks.
 */
export function devGenesisText(profile: Profile, now: Seconds, options: DevGenesisOptions = {}): string {
  const { accounts = devAccounts.length, seed, impersonator = false, witnesses = 1, hardforks } = options;
  const interval = 3;
  const begun = now - (now % interval);
  requirePlan(hardforks ?? [], { block: 1, time: begun });
  const key = (name: string): string => devPublicKey(name, profile, seed);
  const names = devAccountNames(accounts);
  // Their sum stays: fees, interest and the price of being a witness are those of any other development chain.
  const balance = Math.min(DEV_BALANCE, Math.trunc(ACCOUNTS_TOGETHER / Math.max(1, names.length)));
  const others = devWitnessNames(witnesses);
  const funded = balance * names.length + WITNESS_BALANCE * others.length;
  const genesis = {
    initial_public_key: key('initminer'),
    initial_balace: INIT_MINER_BALANCE + ACCOUNTS_TOGETHER - funded,
    ...(others.length === 0 ? { hardfork_req_witnesses: 1 } : roundRules(witnesses)),
    genesis_time: timeText(begun),
    initial_accounts: [
      ...names.map((name) => ({ name, key: key(name), balance })),
      ...others.map((name) => ({ name, key: key(name), balance: WITNESS_BALANCE })),
    ],
    rules: profile.rules,
    minimum_vesting_seconds: 0,
    dilution_protection_percent: 90,
    // With one witness every block would be irreversible at once, and nothing could be undone.
    confirmations_from_block: CONFIRMATIONS_FROM_BLOCK,
    initial_signing_key: key('initminer'),
    ...(impersonator ? { impersonator: key(IMPERSONATOR) } : {}),
    ...planMember(hardforks),
    // Its user takes back any block, which nothing could do with a final one.
    finality: false,
  };
  return JSON.stringify(genesis, null, 1);
}
