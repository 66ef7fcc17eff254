import { accounts } from '../../src/state/tables/account.ts';
import { accountAuthorities } from '../../src/state/tables/account_authority.ts';
import { accountBandwidths } from '../../src/state/tables/account_bandwidth.ts';
import { accountFeeSponsors } from '../../src/state/tables/account_fee_sponsor.ts';
import { accountMetadata } from '../../src/state/tables/account_metadata.ts';
import { accountRecoveryRequests } from '../../src/state/tables/account_recovery_request.ts';
import { applications } from '../../src/state/tables/application.ts';
import { applicationBuyings } from '../../src/state/tables/application_buying.ts';
import { changeRecoveryAccountRequests } from '../../src/state/tables/change_recovery_account_request.ts';
import { deletedApplications } from '../../src/state/tables/deleted_application.ts';
import { dynamicGlobalProperties } from '../../src/state/tables/dynamic_global_property.ts';
import { economicModel } from '../../src/state/tables/economic_model.ts';
import { escrows } from '../../src/state/tables/escrow.ts';
import { feedHistories } from '../../src/state/tables/feed_history.ts';
import { hardforkProperty } from '../../src/state/tables/hardfork_property.ts';
import { historicSupplies } from '../../src/state/tables/historic_supply.ts';
import { keyLookups } from '../../src/state/tables/key_lookup.ts';
import { ownerAuthorityHistories } from '../../src/state/tables/owner_authority_history.ts';
import { protectionMarks } from '../../src/state/tables/protection_mark.ts';
import { stoppedWitnesses } from '../../src/state/tables/stopped_witness.ts';
import { witnesses } from '../../src/state/tables/witness.ts';
import { witnessSchedule } from '../../src/state/tables/witness_schedule.ts';
import { witnessVotes } from '../../src/state/tables/witness_vote.ts';
import type { CommittedRows } from '../../src/storage/rows.ts';
import { versionText } from '../../src/values/version.ts';
import type { Row, Rows } from './model_rows.ts';

const ALL = { limit: 1_000_000 } as const;
const SUPPLIES_PER_PAGE = 32;

/** The chain's rows at the head, table by table, by what tells the rows of a table apart. */
export function chainTables(rows: CommittedRows, minimumVestingSeconds: number): Record<string, Rows> {
  const by = <R extends Row>(list: readonly R[], key: (row: R) => unknown): Rows =>
    new Map(list.map((row) => [String(key(row)), row]));
  const only = (row: Row): Rows => new Map([['', row]]);
  const { time } = rows.only(dynamicGlobalProperties);
  return {
    dynamic_global_property: only(rows.only(dynamicGlobalProperties)),
    economic_model: only(rows.only(economicModel)),
    witness_schedule: only(withVersions(rows.only(witnessSchedule), ['majority_version'])),
    hardfork_property: only(withVersions(rows.only(hardforkProperty), ['current_hardfork_version', 'next_hardfork'])),
    historic_supply: new Map(rows.rows(historicSupplies, ALL).flatMap(supplyRows)),
    account: by(
      rows.rows(accounts, ALL).map((row) => withoutFreed(row, time - minimumVestingSeconds)),
      ({ name }) => name,
    ),
    account_authority: by(rows.rows(accountAuthorities, ALL), ({ account }) => account),
    account_metadata: by(rows.rows(accountMetadata, ALL), ({ account }) => account),
    account_fee_sponsor: by(rows.rows(accountFeeSponsors, ALL), ({ sponsored }) => sponsored),
    account_bandwidth: by(rows.rows(accountBandwidths, ALL), ({ account }) => account),
    // Who has no vesting shares needs no mark, but may have one.
    protection_mark: by(
      rows.rows(protectionMarks, ALL).filter(({ account }) => rows.get(accounts, account)?.vesting_shares !== 0n),
      ({ account }) => account,
    ),
    key_lookup: by(rows.rows(keyLookups, ALL), ({ key, account }) => `${key} ${account}`),
    owner_authority_history: by(rows.rows(ownerAuthorityHistories, ALL), ({ id }) => id),
    account_recovery_request: by(
      rows.rows(accountRecoveryRequests, ALL),
      ({ account_to_recover }) => account_to_recover,
    ),
    change_recovery_account_request: by(
      rows.rows(changeRecoveryAccountRequests, ALL),
      ({ account_to_recover }) => account_to_recover,
    ),
    witness: by(
      rows.rows(witnesses, ALL).map((row) => withVersions(row, ['running_version', 'hardfork_version_vote'])),
      ({ owner }) => owner,
    ),
    witness_vote: by(
      rows
        .rows(witnessVotes, ALL)
        .filter(({ witness, id }) => id >= (rows.get(stoppedWitnesses, witness)?.votes_before ?? 0n)),
      ({ account, witness }) => `${account} ${witness}`,
    ),
    feed_history: by(rows.rows(feedHistories, ALL), ({ symbol }) => symbol),
    escrow: by(rows.rows(escrows, ALL), ({ from, escrow_id }) => `${from} ${escrow_id}`),
    application: by(rows.rows(applications, ALL), ({ name }) => name),
    application_buying: by(
      rows.rows(applicationBuyings, ALL).filter(({ app_id }) => rows.get(deletedApplications, app_id) === undefined),
      ({ buyer, app_id }) => `${buyer} ${app_id}`,
    ),
  };
}

function supplyRows({
  page,
  supplies,
}: {
  readonly page: number;
  readonly supplies: readonly bigint[];
}): [string, Row][] {
  const all = supplies.map((supply, index): [string, { readonly supply: bigint }] => [
    String(page * SUPPLIES_PER_PAGE + index),
    { supply },
  ]);
  // A page begins with slots that were never written.
  return all.filter(([, { supply }]) => supply !== 0n);
}

/** Versions as texts. */
function withVersions<R extends Row>(row: R, members: readonly string[]): R {
  return { ...row, ...Object.fromEntries(members.map((member) => [member, versionText(Number(row[member]))])) };
}

/** Without vestings that are free again: they stay in a row until it is written the next time. */
function withoutFreed<R extends { readonly vestings: readonly { readonly latest: number }[] }>(
  row: R,
  freedUpTo: number,
): R {
  return { ...row, vestings: row.vestings.filter(({ latest }) => latest > freedUpTo) };
}
