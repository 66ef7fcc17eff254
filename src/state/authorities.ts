import { refusals } from '../base/refusal.ts';
import type { RowReader } from '../storage/rows.ts';
import { isPlainName, type AccountName } from '../values/account_name.ts';
import { namesPlainAccounts, type Authority } from '../values/authority.ts';
import { NEVER } from '../values/limits.ts';
import { NULL_KEY, type PublicKey } from '../values/public_key.ts';
import { timeText } from '../values/time.ts';
import { headProperties, type ChainState } from './chain_state.ts';
import { requireRow } from './lookups.ts';
import { OWNER_UPDATE_LIMIT_SECONDS, type ChainParameters } from './parameters.ts';
import type { Rules } from './rules/index.ts';
import { accounts } from './tables/account.ts';
import { accountAuthorities, type AccountAuthority } from './tables/account_authority.ts';
import { keyLookups } from './tables/key_lookup.ts';
import { ownerAuthorityHistories } from './tables/owner_authority_history.ts';

const named = refusals({
  missing_authority_account: {
    text: 'the new {role} authority of {account} names {reference}, and no account is named so',
    lineage: 'New {role} authority on account {account} references non-existing account {reference}',
  },
});
const plain = refusals({ bad_authority_name: 'an authority names {names}, which is no plain account name' });
const change = refusals({
  owner_changed_recently: {
    text: 'the owner authority of {account} was changed at {changed}; it can be changed again after {until}',
    lineage: 'Owner authority can only be updated once an hour.',
  },
});

/** The refusals of the checks here, for the operations that call them. */
export const namedAccountRefusals = named.texts;
export const plainNameRefusals = plain.texts;
export const ownerChangeRefusals = change.texts;

/** The authorities of accounts, and how many accounts one check may visit. */
interface AuthorityRows {
  active(name: AccountName): Authority;
  owner(name: AccountName): Authority;
  readonly mostVisits: number;
  readonly impersonator: PublicKey | undefined;
}

/** Looks up the authorities of accounts in these rows. Refuses an account that does not exist. */
export function authorityLookup(
  rows: RowReader,
  mostVisits: number,
  impersonator: PublicKey | undefined,
): AuthorityRows {
  return {
    active: (name) => requireRow(rows, accountAuthorities, name, name).active,
    owner: (name) => requireRow(rows, accountAuthorities, name, name).owner,
    mostVisits,
    impersonator,
  };
}

/** Refuses an authority that names a nonexistent account. */
export function requireNamedAccounts(
  state: ChainState,
  role: 'owner' | 'active',
  account: AccountName,
  { account_auths }: Authority,
): void {
  for (const [reference] of account_auths) {
    if (state.rows.get(accounts, reference) === undefined)
      named.missing_authority_account({ role, account, reference });
  }
}

/** Stateless: in rule set `lineage` an authority may only contain plain names (wire_format.md#names-in-authorities). */
export function requirePlainNames({ rules }: ChainParameters, authority: Authority): void {
  if (rules.generated_names_in_authorities || namesPlainAccounts(authority)) return;
  plain.bad_authority_name({ names: authority.account_auths.flatMap(([name]) => (isPlainName(name) ? [] : name)) });
}

/** Refuses a second change of the owner authority within an hour. */
export function requireOwnerMayChange(state: ChainState, { account, last_owner_update }: AccountAuthority): void {
  if (headProperties(state).time - last_owner_update > OWNER_UPDATE_LIMIT_SECONDS) return;
  const until = timeText(Math.min(last_owner_update + OWNER_UPDATE_LIMIT_SECONDS, NEVER));
  change.owner_changed_recently({ account, changed: timeText(last_owner_update), until });
}

/**
 * The authorities of an account to be updated, counted against the transaction's limits: they may be large, and such
 * accounts many.
 */
export function authoritiesToUpdate({ rows, consequences }: ChainState, name: AccountName): AccountAuthority {
  const before = requireRow(rows, accountAuthorities, name, name);
  const members = [before.owner, before.active].flatMap(({ account_auths, key_auths }) => [
    account_auths.length,
    key_auths.length,
  ]);
  consequences.countMembers(members.reduce((sum, count) => sum + count, 0));
  return before;
}

/**
 * Replaces the owner and optionally the active authority, and records the old owner, which can prove a recovery for 30
 * days.
 */
export function changeOwnerAuthority(state: ChainState, name: AccountName, owner: Authority, active?: Authority): void {
  const now = headProperties(state).time;
  const before = requireRow(state.rows, accountAuthorities, name, name);
  state.rows.append(ownerAuthorityHistories, {
    id: state.rows.nextId(ownerAuthorityHistories),
    account: name,
    previous_owner_authority: before.owner,
    last_valid_time: now,
  });
  state.rows.put(accountAuthorities, { ...before, owner, active: active ?? before.active, last_owner_update: now });
}

/**
 * Updates the key index after an account's authorities changed from `before`, which is undefined for a new account.
 * Only changed keys are updated: keys that the lineage's genesis left out stay out (chain_rules.md#key-index).
 */
export function updateKeyIndex(state: ChainState, name: AccountName, before: AccountAuthority | undefined): void {
  const after = requireRow(state.rows, accountAuthorities, name, name);
  const { rules } = state.parameters;
  const oldKeys = authorityKeys(before, rules);
  const newKeys = authorityKeys(after, rules);
  const added = [...newKeys].filter((key) => !oldKeys.has(key));
  const removed = [...oldKeys].filter((key) => !newKeys.has(key));
  for (const key of added) state.rows.insert(keyLookups, { key, account: name });
  for (const key of removed) state.rows.remove(keyLookups, { key, account: name });
}

/** The keys under which an account is listed in the key index. */
export function authorityKeys(authorities: AccountAuthority | undefined, rules: Rules): ReadonlySet<PublicKey> {
  if (authorities === undefined) return new Set();
  const keys = new Set([...authorities.owner.key_auths, ...authorities.active.key_auths].map(([key]) => key));
  if (!rules.null_key_listed) keys.delete(NULL_KEY);
  return keys;
}
