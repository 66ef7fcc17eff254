import { getBlock, blockRecord, makeBlockRecord } from '../queries/blocks.ts';
import { BlockOperations, historyEntry } from '../queries/history_entry.ts';
import { accountsWithKey } from '../queries/key_references.ts';
import type { Codec } from '../codec/codec.ts';
import { vector } from '../codec/collections.ts';
import type { Json } from '../codec/json.ts';
import type { EncodingOptions } from '../codec/encoding_options.ts';
import { numberConfirmed } from '../state/confirmed_number.ts';
import { coins, type ChainParameters } from '../state/parameters.ts';
import { availablePromotionPool } from '../state/promotion_pool.ts';
import { accountRecord, accountRecords } from '../queries/records/account.ts';
import { accountRecoveryRequestRecord } from '../queries/records/account_recovery_request.ts';
import { applicationRecord } from '../queries/records/application.ts';
import { changeRecoveryAccountRequestRecord } from '../queries/records/change_recovery_account_request.ts';
import {
  dynamicGlobalPropertyRecord,
  makeDynamicGlobalPropertyRecord,
} from '../queries/records/dynamic_global_property.ts';
import { escrowRecord, makeEscrowRecord } from '../queries/records/escrow.ts';
import { feedHistoryRecord } from '../queries/records/feed_history.ts';
import { hardforkPropertyRecord, makeHardforkPropertyRecord } from '../queries/records/hardfork_property.ts';
import { ownerHistoryRecord } from '../queries/records/owner_history.ts';
import { witnessRecord, makeWitnessRecord } from '../queries/records/witness.ts';
import { witnessScheduleRecord, makeWitnessScheduleRecord } from '../queries/records/witness_schedule.ts';
import { witnessVoteRecord } from '../queries/records/witness_vote.ts';
import { accountRecoveryRequests } from '../state/tables/account_recovery_request.ts';
import { accounts } from '../state/tables/account.ts';
import { applications } from '../state/tables/application.ts';
import { changeRecoveryAccountRequests } from '../state/tables/change_recovery_account_request.ts';
import { dynamicGlobalProperties } from '../state/tables/dynamic_global_property.ts';
import { economicModel } from '../state/tables/economic_model.ts';
import { escrows } from '../state/tables/escrow.ts';
import { feedHistories } from '../state/tables/feed_history.ts';
import { ownerAuthorityHistories } from '../state/tables/owner_authority_history.ts';
import { witnesses } from '../state/tables/witness.ts';
import { isInForce } from '../state/stopped_witnesses.ts';
import { witnessVotes } from '../state/tables/witness_vote.ts';
import type { CommittedRows } from '../storage/rows.ts';
import { asset } from '../values/asset.ts';
import { fiatSymbols } from '../values/profile.ts';
import type { PublicKey } from '../values/public_key.ts';

const EVERYTHING = { limit: 1_000_000_000 } as const;

/**
 * The whole state at the head as JSON, with the members of the recorded state trace: for comparing two nodes, or a node
 * with a recording. `keys` are those whose references are listed. Reads all rows into memory, so it is meant for small
 * chains.
 */
export function stateDump(
  rows: CommittedRows,
  parameters: ChainParameters,
  encoding: EncodingOptions,
  keys: readonly PublicKey[],
): { [member: string]: Json } {
  const head = rows.only(dynamicGlobalProperties);
  const list = <T>(codec: Codec<T>, values: readonly T[]): Json => vector(codec).toJson(values, encoding);
  const number = head.head_block_number;
  const block = getBlock(rows, number);
  const model = rows.only(economicModel);
  // The state as the rules left it, not what this node tells: an import makes every block irreversible, the recorded
  // node did not.
  const rowRecord = {
    ...makeDynamicGlobalPropertyRecord(rows, parameters),
    last_irreversible_block_num: numberConfirmed(head.last_irreversible_block_num),
  };
  return {
    block_num: number,
    dgp: dynamicGlobalPropertyRecord.toJson(rowRecord, encoding),
    schedule: witnessScheduleRecord.toJson(makeWitnessScheduleRecord(rows, parameters), encoding),
    hardfork: hardforkPropertyRecord.toJson(makeHardforkPropertyRecord(rows, false), encoding),
    accounts: list(
      accountRecord,
      accountRecords({ rows, parameters, encoding }, rows.range(accounts.by_id, EVERYTHING)).filter(
        (record) => record !== undefined,
      ),
    ),
    witnesses: list(witnessRecord, rows.rows(witnesses, EVERYTHING).map(makeWitnessRecord)),
    votes: list(
      witnessVoteRecord,
      rows.rows(witnessVotes, EVERYTHING).filter((vote) => isInForce(rows, vote)),
    ),
    owner_histories: list(ownerHistoryRecord, rows.range(ownerAuthorityHistories.by_account, EVERYTHING)),
    recovery_requests: list(accountRecoveryRequestRecord, rows.rows(accountRecoveryRequests, EVERYTHING)),
    change_recovery_requests: list(
      changeRecoveryAccountRequestRecord,
      rows.rows(changeRecoveryAccountRequests, EVERYTHING),
    ),
    escrows: list(
      escrowRecord,
      rows.rows(escrows, EVERYTHING).map((escrow) => makeEscrowRecord(parameters, escrow)),
    ),
    applications: list(applicationRecord, rows.rows(applications, EVERYTHING)),
    feeds: Object.fromEntries(fiatSymbols.map((symbol) => [symbol, feedJson(rows, symbol, encoding)])),
    promotion_pool_balance: asset.toJson(
      coins(parameters, availablePromotionPool(parameters, model, number)),
      encoding,
    ),
    burned_balance: asset.toJson(coins(parameters, model.burn_pool), encoding),
    block: block === undefined ? null : blockRecord.toJson(makeBlockRecord(block), encoding),
    ops_in_block: list(historyEntry, new BlockOperations(rows, number).all(false)),
    key_references: keys.map((key) => accountsWithKey(rows, key, '')),
  };
}

function feedJson(rows: CommittedRows, symbol: string, encoding: EncodingOptions): Json {
  const feed = rows.get(feedHistories, symbol);
  return feed === undefined ? null : feedHistoryRecord.toJson(feed, encoding);
}
