import { reachedWeight, type ReachedWeight } from './authority_weights.ts';
import { NodeRefusal, type Client, type Result } from './index.ts';
import { requiredAuthorities, type RequiredAuthority } from './required_authorities.ts';

/** A transaction with its signatures, wherever it stands. */
export type SignedTransaction = Omit<Result<'alexandria_api.get_transaction'>['tx'], 'block_num' | 'transaction_num'>;
type Account = Result<'database_api.find_accounts'>['accounts'][number];

/** An authority that the transaction needed, and the weight that its signers reach. */
interface Reached extends RequiredAuthority {
  readonly weight: ReachedWeight;
}

/** The authorities that signers satisfy. */
export interface TransactionSigners {
  readonly reached: readonly Reached[];
  /** Keys that count in none of those: the operation brings their authority. */
  readonly others: readonly string[];
}

/**
 * Finds who signed a transaction, by the authorities of today; undefined where those are not satisfied. The node finds
 * the keys from the signatures. If they are exactly those that a transaction needs, then they are the needed ones of all
 * keys that could sign.
 */
export async function findSigners(client: Client, tx: SignedTransaction): Promise<TransactionSigners | undefined> {
  const { ref_block_num, ref_block_prefix, expiration, operations, extensions, signatures } = tx;
  const trx = { ref_block_num, ref_block_prefix, expiration, operations, extensions, signatures };
  if (trx.signatures.length === 0) return { reached: [], others: [] };
  const required = requiredAuthorities(tx.operations);
  try {
    const [{ valid }, { keys: possible }, accounts] = await Promise.all([
      client.call('database_api.verify_authority', { trx }),
      client.call('database_api.get_potential_signatures', { trx: { ...trx, signatures: [] } }),
      fetchAccounts(
        client,
        required.map(({ account }) => account),
      ),
    ]);
    if (!valid) return undefined;
    const { keys } = await client.call('database_api.get_required_signatures', { trx, available_keys: possible });
    return countSigners(keys, required, accounts);
  } catch (error) {
    if (error instanceof NodeRefusal) return undefined;
    throw error;
  }
}

/** The owner authority stands in for an active one that its own keys do not satisfy. */
function countSigners(
  keys: readonly string[],
  required: readonly RequiredAuthority[],
  accounts: readonly Account[],
): TransactionSigners {
  const signed = new Set(keys);
  const actives = new Map(accounts.map(({ name, active }) => [name, active] as const));
  const reached = required.flatMap(({ account: name, level }): Reached[] => {
    const account = accounts.find((each) => each.name === name);
    const levels = level === 'owner' ? (['owner'] as const) : (['active', 'owner'] as const);
    const found = levels.map((each) => ({
      account: name,
      level: each,
      weight: account && reachedWeight(account[each], signed, actives),
    }));
    return found.flatMap(({ weight, ...of }) => (weight?.isSatisfied === true ? [{ ...of, weight }] : [])).slice(0, 1);
  });
  const counted = new Set(reached.flatMap(({ weight }) => listKeys(weight)));
  return { reached, others: keys.filter((key) => !counted.has(key)) };
}

function listKeys({ members }: ReachedWeight): string[] {
  return members.flatMap((member) => ('key' in member ? [member.key] : listKeys(member.by)));
}

/** Rounds of look-ups: the accounts themselves, those in their authorities, and those in theirs. */
const ROUNDS = 3;
/** Accounts that a round looks up at most. */
const MOST_ACCOUNTS = 50;

async function fetchAccounts(client: Client, names: readonly string[]): Promise<readonly Account[]> {
  const found: Account[] = [];
  let wanted = [...new Set(names)];
  for (let round = 0; round < ROUNDS && wanted.length > 0; round++) {
    const { accounts } = await client.call('database_api.find_accounts', { accounts: wanted.slice(0, MOST_ACCOUNTS) });
    found.push(...accounts);
    const known = new Set(found.map(({ name }) => name));
    const named = accounts.flatMap(({ active, owner }) => active.account_auths.concat(owner.account_auths));
    wanted = [...new Set(named.map(([name]) => name))].filter((name) => !known.has(name));
  }
  return found;
}
