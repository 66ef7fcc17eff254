import { setTimeout as sleep } from 'node:timers/promises';
import { present } from '../base/assert.ts';
import { Fault } from '../base/fault.ts';
import { signTransaction } from '../blocks/sign_transaction.ts';
import { signedTransaction, type SignedTransaction } from '../blocks/transaction.ts';
import { member } from '../client/chain_of_node.ts';
import type { Json } from '../codec/json.ts';
import type { EncodingOptions } from '../codec/encoding_options.ts';
import { secretOfSeed } from '../crypto/brain_key.ts';
import { derivePublicKey } from '../crypto/keys.ts';
import { accountCreate } from '../operations/account_create.ts';
import { transfer } from '../operations/transfer.ts';
import { nameFromSeed } from '../values/account_name.ts';
import { parseAsset } from '../values/asset.ts';
import { keyAuthority, type Authority } from '../values/authority.ts';
import { blockReference } from '../values/block_reference.ts';
import { compareKeys, type PublicKey } from '../values/public_key.ts';
import { profileNamed } from '../settings/chain_settings.ts';
import { fetchFacts, type ChainFacts } from './chain_facts.ts';
import { LoadedNode } from './loaded_node.ts';
import type { LoadAccount } from './post_maker.ts';
import type { Sender } from './signing_request.ts';

/** Accounts of a load that are made before it. */
export interface PrepareSettings {
  readonly url: string;
  readonly profileName: string;
  /** The paying account. */
  readonly from: Sender;
  readonly count: number;
  /** Names and keys follow from it: the same seed means the same accounts. */
  readonly seed: string;
  /** Each account holds at least half of this afterwards, in millionths. */
  readonly fund: bigint;
  /** Called with the number of accounts that exist. */
  readonly progress: (done: number) => void;
}

type Operation = SignedTransaction['operations'][number];

/**
 * Of ten accounts the last is a 2-of-3, the one before needs three signatures, the others one; for one of them the
 * account before it acts.
 */
const KINDS = 10;
const TWO_OF_THREE = 9;
const THREE_OF_THREE = 8;
const ACTED_FOR = 7;
/** Together well below the 8 KiB of a transaction. */
const OPERATIONS = 10;
/** In one batch of calls. */
const BATCH = 100;
/** Accounts that are under way at once: a few blocks of the smallest size. */
const CHUNK = 1000;
const LIFETIME_SECONDS = 600;
const LOOK_MS = 200;
/** Longer than several blocks take. */
const PATIENCE_MS = 60_000;

/** The names and keys of prepared accounts follow from these. */
type Seeded = Pick<PrepareSettings, 'seed' | 'profileName'>;

/** The names and the keys of so many accounts of a seed. */
export function accountsOfSeed(seeded: Seeded & { readonly count: number }): Omit<LoadAccount, 'isWitness'>[] {
  return Array.from({ length: seeded.count }, (_, index) => {
    const actedFor = hasAgent(seeded, index);
    const secrets = Array.from({ length: signerCount(index) }, (_none, key) =>
      accountSecret(seeded.seed, actedFor ? index - 1 : index, key),
    );
    return { name: accountName(seeded, index), secrets, isActedFor: actedFor };
  });
}

/** Makes those accounts that are missing and fills up those that have little; whatever is there already stays. */
export async function prepareAccounts(settings: PrepareSettings): Promise<void> {
  const { url, count, fund, progress } = settings;
  const client = new LoadedNode(url);
  const names = Array.from({ length: count }, (_, index) => accountName(settings, index));
  for (let first = 0; first < count; first += CHUNK) {
    const chunk = names.slice(first, first + CHUNK);
    const facts = await fetchFacts(client, profileNamed(settings.profileName));
    const balances = await fetchBalances(client, chunk);
    const creationFee = await fetchCreationFee(client, settings);
    const operations = chunk.flatMap((name, index) => {
      const balance = balances.get(name);
      if (balance === undefined) return [creation(settings, settings.from.name, first + index, creationFee + fund)];
      return balance * 2n < fund ? [filling(settings, name, facts.fee, fund - balance)] : [];
    });
    const refused = await send(client, settings, facts, operations);
    await allThere(client, settings, chunk, refused, (done) => progress(first + done));
  }
  progress(count);
}

function signerCount(index: number): number {
  const kind = index % KINDS;
  if (kind === THREE_OF_THREE) return 3;
  return kind === TWO_OF_THREE ? 2 : 1;
}

const accountName = ({ seed }: Seeded, index: number): string => nameFromSeed(`${seed}/${index}`);

/** By the rules of the lineage authorities can't name accounts whose names come from seeds. */
function hasAgent({ profileName }: Seeded, index: number): boolean {
  return index % KINDS === ACTED_FOR && profileNamed(profileName).rules === 'interface';
}

function accountSecret(seed: string, index: number, key: number): Uint8Array {
  return secretOfSeed(`${seed}/${index}/${key}`);
}

function accountKey(seed: string, index: number, key: number): PublicKey {
  return Buffer.from(present(derivePublicKey(accountSecret(seed, index, key)), 'a key for the secret')).toString('hex');
}

function accountAuthority(seeded: Seeded, index: number): Authority {
  const { seed } = seeded;
  if (hasAgent(seeded, index))
    return { weight_threshold: 1, account_auths: [[accountName(seeded, index - 1), 1]], key_auths: [] };
  const signers = signerCount(index);
  if (signers === 1) return keyAuthority(accountKey(seed, index, 0));
  const keys = [0, 1, 2].map((key) => accountKey(seed, index, key)).sort(compareKeys);
  return { weight_threshold: signers, account_auths: [], key_auths: keys.map((key) => [key, 1] as const) };
}

/** Makes an account of a seed. What is paid above the price of an account is its first balance. */
export function creation(seeded: Seeded, creator: string, index: number, paid: bigint): Operation {
  const { profileName, seed } = seeded;
  const authority = accountAuthority(seeded, index);
  return accountCreate.of({
    fee: { amount: paid, symbol: profileNamed(profileName).coinSymbol },
    creator,
    name_seed: `${seed}/${index}`,
    owner: authority,
    active: authority,
    memo_key: accountKey(seed, index, 0),
    json_metadata: '',
  });
}

function filling({ profileName, from }: PrepareSettings, to: string, fee: bigint, amount: bigint): Operation {
  const { coinSymbol: symbol } = profileNamed(profileName);
  return transfer.of({ fee: { amount: fee, symbol }, from: from.name, to, amount: { amount, symbol }, memo: '' });
}

/** Sends the operations, some in each transaction; what the node said to those that it refused. */
async function send(
  client: LoadedNode,
  settings: PrepareSettings,
  facts: ChainFacts,
  operations: readonly Operation[],
): Promise<string[]> {
  const profile = profileNamed(settings.profileName);
  const encoding: EncodingOptions = { ...profile, dialect: 'default', operationForm: 'pair' };
  const { head, chainId } = facts;
  const calls: Json[] = [];
  for (let from = 0; from < operations.length; from += OPERATIONS) {
    const unsigned = {
      ...blockReference(head.referenceId),
      expiration: head.time + LIFETIME_SECONDS,
      operations: operations.slice(from, from + OPERATIONS),
      extensions: [],
      signatures: [],
    };
    const signed = present(
      signTransaction(chainId, unsigned, [settings.from.secret]),
      'a signature of the account that pays',
    );
    calls.push({ trx: signedTransaction.toJson(signed, encoding) });
  }
  const refused: string[] = [];
  for (let from = 0; from < calls.length; from += BATCH) {
    const outcomes = await client.callMany(
      'network_broadcast_api.broadcast_transaction',
      calls.slice(from, from + BATCH),
    );
    for (const outcome of outcomes) if ('refusal' in outcome) refused.push(outcome.refusal.message);
  }
  return refused;
}

/** Waits until all of them are in blocks. */
async function allThere(
  client: LoadedNode,
  { from }: PrepareSettings,
  names: readonly string[],
  [refused]: readonly string[],
  progress: (done: number) => void,
): Promise<void> {
  if (refused !== undefined) throw new Fault('runtime', `${from.name} cannot make the accounts of a load: ${refused}`);
  for (const endMs = performance.now() + PATIENCE_MS; performance.now() < endMs; await sleep(LOOK_MS)) {
    const { size } = await fetchBalances(client, names);
    progress(size);
    if (size === names.length) return;
  }
  throw new Fault(
    'runtime',
    'accounts that were made do not get into blocks; run it again, and it goes on where it was',
  );
}

/** Of those that are there. */
async function fetchBalances(client: LoadedNode, names: readonly string[]): Promise<Map<string, bigint>> {
  const balances = new Map<string, bigint>();
  for (let from = 0; from < names.length; from += BATCH) {
    const answer = await client.call('database_api.find_accounts', { accounts: names.slice(from, from + BATCH) });
    const listed = member(answer, 'accounts');
    for (const account of Array.isArray(listed) ? listed : []) {
      const [name, balance] = [member(account, 'name'), member(account, 'balance')];
      const parsed = typeof balance === 'string' ? parseAsset(balance) : undefined;
      if (typeof name === 'string') balances.set(name, parsed?.amount ?? 0n);
    }
  }
  return balances;
}

async function fetchCreationFee(client: LoadedNode, { profileName }: PrepareSettings): Promise<bigint> {
  const answer = await client.call('database_api.get_witness_schedule', {});
  const fee = member(member(answer, 'median_props'), 'account_creation_fee');
  const parsed = typeof fee === 'string' ? parseAsset(fee) : undefined;
  if (parsed === undefined)
    throw new Fault(
      'runtime',
      `the node does not tell what an account costs in ${profileNamed(profileName).coinSymbol}`,
    );
  return parsed.amount;
}
