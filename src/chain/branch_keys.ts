import { unlessRefused } from '../base/refusal.ts';
import type { VerifiedBlock } from '../blocks/block.ts';
import type { VerifiedTransaction } from '../blocks/transaction.ts';
import { accountUpdate } from '../operations/account_update.ts';
import { adminWitnessUpdate } from '../operations/admin_witness_update.ts';
import { bodyOf, type Operation } from '../operations/operation.ts';
import { witnessSetProperties } from '../operations/witness_set_properties.ts';
import { witnessUpdate } from '../operations/witness_update.ts';
import { INIT_MINER_ACCOUNT } from '../state/parameters.ts';
import { accountAuthorities } from '../state/tables/account_authority.ts';
import type { RowReader } from '../storage/rows.ts';
import type { AccountName } from '../values/account_name.ts';
import type { Authority } from '../values/authority.ts';
import type { PublicKey } from '../values/public_key.ts';
import { unpackProperties } from '../values/witness_properties.ts';

/** A key that operations of a branch assigned to an account: to sign blocks with, or to act with. A list with the latest first. */
export interface GivenKey {
  readonly account: AccountName;
  readonly key: PublicKey;
  readonly acts: boolean;
  readonly before: GivenKey | undefined;
}

/** What is known apart from the branch. */
export interface KnownKeys {
  /** The rows of the main branch's head. */
  readonly head: RowReader;
  isScheduled(witness: AccountName): boolean;
  /** Whether a witness may sign blocks with that key before this block. */
  isSigningKey(witness: AccountName, key: PublicKey): boolean;
}

// Unscheduled accounts share this many keys of a block: they seldom get to sign on a branch, and anyone can send their operations.
const MOST_KEYS_OF_OTHERS = 64;
// How many accounts that act for another are looked up: a witness managed jointly by more than eight accounts is not recognised.
const MOST_MANAGERS = 8;

export function isGiven(given: GivenKey | undefined, account: AccountName, key: PublicKey, acts: boolean): boolean {
  for (let at = given; at !== undefined; at = at.before) if (at.key === key && at.account === account && at.acts === acts) return true;
  return false;
}

/**
 * The keys that a block of another branch assigns, in front of those assigned before. Its rows are not available, so these are candidates
 * only; but each comes from a transaction signed by a key that acts for the account, so no one can assign keys to other accounts.
 */
export function keysGiven(block: VerifiedBlock, before: GivenKey | undefined, known: KnownKeys): GivenKey | undefined {
  let given = before;
  let others = 0;
  for (const transaction of block.transactions) {
    for (const operation of transaction.transaction.operations) {
      const change = changeOf(operation);
      if (change === undefined) continue;
      if (!known.isScheduled(change.account)) others += change.keys.length;
      if (others > MOST_KEYS_OF_OTHERS) return given;
      if (isSignedFor(transaction, change, given, known)) given = withKeys(given, change);
    }
  }
  return given;
}

interface Change {
  readonly account: AccountName;
  readonly keys: readonly PublicKey[];
  readonly acts: boolean;
  /** Who must have signed: the account, or the holder of this signing key of the witness. */
  readonly by: { readonly actor: AccountName } | { readonly signingKey: PublicKey };
}

function changeOf(operation: Operation): Change | undefined {
  const update = bodyOf(witnessUpdate, operation);
  if (update !== undefined) return { account: update.owner, keys: [update.block_signing_key], acts: false, by: { actor: update.owner } };
  const admin = bodyOf(adminWitnessUpdate, operation);
  if (admin !== undefined) return { account: admin.owner, keys: [admin.block_signing_key], acts: false, by: { actor: INIT_MINER_ACCOUNT } };
  return propertiesOf(operation) ?? authoritiesOf(operation);
}

function propertiesOf(operation: Operation): Change | undefined {
  const body = bodyOf(witnessSetProperties, operation);
  const properties = body === undefined ? undefined : unlessRefused(() => unpackProperties(body.props));
  if (body === undefined || properties?.new_signing_key === undefined) return undefined;
  const by = properties.key === undefined ? { actor: body.owner } : { signingKey: properties.key };
  return { account: body.owner, keys: [properties.new_signing_key], acts: false, by };
}

function authoritiesOf(operation: Operation): Change | undefined {
  const body = bodyOf(accountUpdate, operation);
  if (body === undefined) return undefined;
  const keys = [body.owner, body.active].flatMap((authority) => authority?.key_auths.map(([key]) => key) ?? []);
  return keys.length === 0 ? undefined : { account: body.account, keys, acts: true, by: { actor: body.account } };
}

function isSignedFor({ signers }: VerifiedTransaction, { account, by }: Change, given: GivenKey | undefined, known: KnownKeys): boolean {
  if ('signingKey' in by) {
    const { signingKey } = by;
    return signers.includes(signingKey) && (known.isSigningKey(account, signingKey) || isGiven(given, account, signingKey, false));
  }
  const keys = new Set(signers.filter((key) => key !== undefined));
  if ([...keys].some((key) => isGiven(given, by.actor, key, true))) return true;
  return actsFor(known.head, by.actor, keys);
}

/** Whether one of these keys is in the account's authorities, or in those of an account that they name. */
function actsFor(head: RowReader, account: AccountName, keys: ReadonlySet<PublicKey>): boolean {
  const authorities = authoritiesAt(head, account);
  const managers = authorities.flatMap(({ account_auths }) => account_auths).slice(0, MOST_MANAGERS);
  return [...authorities, ...managers.flatMap(([name]) => authoritiesAt(head, name))].some(({ key_auths }) =>
    key_auths.some(([key]) => keys.has(key)),
  );
}

function authoritiesAt(head: RowReader, account: AccountName): Authority[] {
  const row = head.get(accountAuthorities, account);
  return row === undefined ? [] : [row.owner, row.active];
}

function withKeys(before: GivenKey | undefined, { account, keys, acts }: Change): GivenKey | undefined {
  let given = before;
  for (const key of keys) if (!isGiven(given, account, key, acts)) given = { account, key, acts, before: given };
  return given;
}
