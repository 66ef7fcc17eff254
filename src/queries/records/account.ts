import { present } from '../../base/assert.ts';
import type { ValueOf } from '../../codec/codec.ts';
import { optional, vector } from '../../codec/collections.ts';
import { speaksLineage } from '../../codec/encoding_options.ts';
import { i64, text, u32, u64 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { rowPlace, type CommittedRows, type RowReader } from '../../storage/rows.ts';
import { accountName, type AccountName } from '../../values/account_name.ts';
import { asset, vestsAsset } from '../../values/asset.ts';
import { authority } from '../../values/authority.ts';
import { publicKey } from '../../values/public_key.ts';
import { time } from '../../values/time.ts';
import { owedShares, computeOwedShares, protectionPercent } from '../../state/dilution_protection.ts';
import { coins, vests, type ChainParameters } from '../../state/parameters.ts';
import { isInForce } from '../../state/stopped_witnesses.ts';
import { accounts, type Account } from '../../state/tables/account.ts';
import { accountAuthorities, type AccountAuthority } from '../../state/tables/account_authority.ts';
import { accountFeeSponsors, type AccountFeeSponsor } from '../../state/tables/account_fee_sponsor.ts';
import { accountMetadata, type AccountMetadata } from '../../state/tables/account_metadata.ts';
import { dynamicGlobalProperties } from '../../state/tables/dynamic_global_property.ts';
import { protectionMarks } from '../../state/tables/protection_mark.ts';
import { witnessVotes } from '../../state/tables/witness_vote.ts';
import { lockedShares, unlockTime } from '../../state/vesting.ts';
import type { ReadContext } from '../read_context.ts';

/**
 * An account as the API shows it. The lineage showed neither recovery nor locks nor the course of a withdrawal
 * (rpc_conventions.md#records).
 */
export const accountRecord = struct({
  id: u64,
  name: accountName,
  owner: authority,
  active: authority,
  memo_key: publicKey,
  json_metadata: text,
  voting_proxy: accountName,
  balance: asset,
  vesting_shares: vestsAsset,
  /** Shares that the dilution protection owes and has not issued yet; absent on chains without it. */
  owed_vesting_shares: optional(vestsAsset),
  /** Shares that can't be withdrawn yet, and when some of them can. */
  locked_vesting_shares: optional(vestsAsset),
  next_vesting_unlock: optional(time),
  vesting_withdraw_rate: vestsAsset,
  to_withdraw: i64,
  /** The paid part of `to_withdraw`, the time of the next instalment, and the number of those left. */
  withdrawn: optional(i64),
  next_vesting_withdrawal: optional(time),
  withdrawals_left: optional(u32),
  recovery_account: optional(accountName),
  reset_account: optional(accountName),
  witness_votes: vector(accountName),
  sponsored_accounts: vector(accountName),
  sponsoring_account: accountName,
});

export type AccountRecord = ValueOf<typeof accountRecord>;

/** The rows that make up an account; each changes as a whole. */
export interface AccountRows {
  readonly account: Account;
  readonly authorities: AccountAuthority;
  readonly metadata: AccountMetadata | undefined;
  /** The account that pays the fees. */
  readonly sponsor: AccountFeeSponsor | undefined;
  /** Vesting shares that the dilution protection owes to it. */
  readonly owed: bigint;
}

/** The sources of records. */
interface RecordContext extends ReadContext {
  readonly parameters: ChainParameters;
}

/** The records of accounts, in the same order; undefined where there is no account. */
export function accountRecords(
  context: RecordContext,
  shown: readonly (Account | undefined)[],
): (AccountRecord | undefined)[] {
  const { rows, parameters } = context;
  const found = accountRows(
    rows,
    parameters,
    shown.filter((account) => account !== undefined),
  ).values();
  return shown.map((account) => {
    const own = account === undefined ? undefined : found.next().value;
    return own && makeAccountRecord(context, own);
  });
}

/** The rows of the account of each name, found in one look-up; undefined where there is none. */
export function accountRowsNamed(
  rows: CommittedRows,
  parameters: ChainParameters,
  names: readonly AccountName[],
): (AccountRows | undefined)[] {
  const [found, authorities, metadata, sponsors] = rows.getJoined(
    [accounts, accountAuthorities, accountMetadata, accountFeeSponsors],
    names,
  );
  const owed = owedToEach(rows, parameters, found);
  return found.map((account, k) => account && makeRows(account, authorities[k], metadata[k], sponsors[k], owed[k]));
}

/**
 * The same for a name and another that hardly ever is an account's too: nothing but the account is looked up there, so
 * that most accounts are found at half the places.
 */
export function accountRowsMeant(
  rows: CommittedRows,
  parameters: ChainParameters,
  name: AccountName,
  other: AccountName,
): (AccountRows | undefined)[] {
  const [account, authorities, metadata, sponsor, second] = rows.getPlaces([
    rowPlace(accounts, name),
    rowPlace(accountAuthorities, name),
    rowPlace(accountMetadata, name),
    rowPlace(accountFeeSponsors, name),
    rowPlace(accounts, other),
  ]);
  const [owed] = owedToEach(rows, parameters, [account]);
  const first = account && makeRows(account, authorities, metadata, sponsor, owed);
  return second === undefined ? [first] : [first, ...accountRows(rows, parameters, [second])];
}

/** The rows of an account, read one by one: for states that can only be read that way, such as the pending one. */
export function readAccountRows(
  rows: RowReader,
  parameters: ChainParameters,
  name: AccountName,
): AccountRows | undefined {
  const account = rows.get(accounts, name);
  if (account === undefined) return undefined;
  const [metadata, sponsor] = [rows.get(accountMetadata, name), rows.get(accountFeeSponsors, name)];
  return makeRows(
    account,
    rows.get(accountAuthorities, name),
    metadata,
    sponsor,
    owedShares(rows, parameters, account),
  );
}

function accountRows(rows: CommittedRows, parameters: ChainParameters, shown: readonly Account[]): AccountRows[] {
  const names = shown.map(({ name }) => name);
  const [authorities, metadata, sponsors] = rows.getJoined(
    [accountAuthorities, accountMetadata, accountFeeSponsors],
    names,
  );
  const owed = owedToEach(rows, parameters, shown);
  return shown.map((account, k) => makeRows(account, authorities[k], metadata[k], sponsors[k], owed[k]));
}

/** Computes the dilution protection's debt to each account, in the same order: all marks are found in one look-up. */
function owedToEach(
  rows: CommittedRows,
  parameters: ChainParameters,
  shown: readonly (Account | undefined)[],
): bigint[] {
  const holders = shown.filter((account) => account !== undefined && account.vesting_shares > 0n);
  if (holders.length === 0 || protectionPercent(parameters) === 0) return [];
  const marks = rows.getMany(
    protectionMarks,
    holders.map((account) => account?.name ?? ''),
  );
  const markOf = new Map(holders.map((account, k) => [account, marks[k]]));
  return shown.map((account) =>
    account !== undefined && markOf.has(account) ? computeOwedShares(rows, account, markOf.get(account)) : 0n,
  );
}

function makeRows(
  account: Account,
  authorities: AccountAuthority | undefined,
  metadata: AccountMetadata | undefined,
  sponsor: AccountFeeSponsor | undefined,
  owed = 0n,
): AccountRows {
  return { account, authorities: present(authorities, `authorities of ${account.name}`), metadata, sponsor, owed };
}

/** The record made from pending rows. An account may have many votes and sponsored accounts: both are committed ones. */
export function makePendingAccountRecord(context: RecordContext, pending: AccountRows): AccountRecord {
  return makeAccountRecord(context, pending, context.rows.get(accounts, pending.account.name));
}

/** The record made from the rows. `committed` is the account as of the last block, which counts the lists. */
export function makeAccountRecord(
  context: RecordContext,
  { account, authorities, metadata, sponsor, owed }: AccountRows,
  committed = account,
): AccountRecord {
  const { rows, parameters, encoding } = context;
  return {
    id: account.id,
    name: account.name,
    owner: authorities.owner,
    active: authorities.active,
    memo_key: account.memo_key,
    json_metadata: metadata?.json_metadata ?? '',
    voting_proxy: account.proxy,
    balance: coins(parameters, account.balance),
    vesting_shares: vests(parameters, account.vesting_shares),
    owed_vesting_shares: protectionPercent(parameters) === 0 ? undefined : vests(parameters, owed),
    vesting_withdraw_rate: vests(parameters, account.vesting_withdraw_rate),
    ...(speaksLineage(encoding) ? originalMembers(account) : furtherMembers(context, account)),
    witness_votes: votedWitnesses(rows, committed),
    sponsored_accounts: sponsoredAccounts(rows, committed),
    sponsoring_account: sponsor?.sponsor ?? '',
  };
}

type FurtherMembers = Pick<
  AccountRecord,
  | 'locked_vesting_shares'
  | 'next_vesting_unlock'
  | 'to_withdraw'
  | 'withdrawn'
  | 'next_vesting_withdrawal'
  | 'withdrawals_left'
  | 'recovery_account'
  | 'reset_account'
>;

/** The lineage shows the last withdrawal, ended or not. */
function originalMembers({ to_withdraw }: Account): FurtherMembers {
  return {
    locked_vesting_shares: undefined,
    next_vesting_unlock: undefined,
    to_withdraw,
    withdrawn: undefined,
    next_vesting_withdrawal: undefined,
    withdrawals_left: undefined,
    recovery_account: undefined,
    reset_account: undefined,
  };
}

function furtherMembers({ rows, parameters }: RecordContext, account: Account): FurtherMembers {
  const {
    vesting_withdraw_rate: rate,
    to_withdraw,
    withdrawn,
    next_vesting_withdrawal,
    recovery_account,
    reset_account,
  } = account;
  const locked =
    account.vestings.length === 0 ? [] : lockedShares(parameters, account, rows.only(dynamicGlobalProperties).time);
  const [oldest] = locked;
  const isWithdrawing = rate > 0n;
  return {
    locked_vesting_shares: vests(
      parameters,
      locked.reduce((sum, { shares }) => sum + shares, 0n),
    ),
    next_vesting_unlock: oldest && unlockTime(parameters, oldest.latest),
    to_withdraw: isWithdrawing ? to_withdraw : 0n,
    withdrawn: isWithdrawing ? withdrawn : 0n,
    next_vesting_withdrawal: isWithdrawing ? next_vesting_withdrawal : undefined,
    withdrawals_left: isWithdrawing ? Number((to_withdraw - withdrawn + rate - 1n) / rate) : 0,
    recovery_account,
    reset_account,
  };
}

/** Names in alphabetical order; most accounts have no votes and need no walk. */
function votedWitnesses(rows: CommittedRows, { name, witnesses_voted_for }: Account): AccountName[] {
  if (witnesses_voted_for === 0) return [];
  const votes = rows.range(witnessVotes.by_account_witness, { from: [name], to: [name], limit: witnesses_voted_for });
  return votes
    .filter((vote) => isInForce(rows, vote))
    .map(({ witness }) => witness)
    .toSorted();
}

function sponsoredAccounts(rows: CommittedRows, { name, sponsoring }: Account): AccountName[] {
  if (sponsoring === 0) return [];
  return rows
    .range(accountFeeSponsors.by_sponsor, { from: [name], to: [name], limit: sponsoring })
    .map(({ sponsored }) => sponsored);
}
