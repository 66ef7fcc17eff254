import type { Method } from '../method.ts';
import { findAccountRecoveryRequests } from './find_account_recovery_requests.ts';
import { findAccounts } from './find_accounts.ts';
import { findChangeRecoveryAccountRequests } from './find_change_recovery_account_requests.ts';
import { findEscrows } from './find_escrows.ts';
import { findOwnerHistories } from './find_owner_histories.ts';
import { findWitnesses } from './find_witnesses.ts';
import { getActiveWitnesses } from './get_active_witnesses.ts';
import { getApplicationBuyings } from './get_application_buyings.ts';
import { getBurnedBalance } from './get_burned_balance.ts';
import { getConfig } from './get_config.ts';
import { getCurrentPriceFeed } from './get_current_price_feed.ts';
import { getDilutionProtection } from './get_dilution_protection.ts';
import { getDynamicGlobalProperties } from './get_dynamic_global_properties.ts';
import { getFeedHistory } from './get_feed_history.ts';
import { getHardforkProperties } from './get_hardfork_properties.ts';
import { getPotentialSignatures } from './get_potential_signatures.ts';
import { getPromotionPoolBalance } from './get_promotion_pool_balance.ts';
import { getRequiredSignatures } from './get_required_signatures.ts';
import { getTransactionHex } from './get_transaction_hex.ts';
import { getWitnessSchedule } from './get_witness_schedule.ts';
import { listAccountRecoveryRequests } from './list_account_recovery_requests.ts';
import { listAccounts } from './list_accounts.ts';
import { listApplications } from './list_applications.ts';
import { listChangeRecoveryAccountRequests } from './list_change_recovery_account_requests.ts';
import { listEscrows } from './list_escrows.ts';
import { listGenesisAccounts } from './list_genesis_accounts.ts';
import { listOwnerHistories } from './list_owner_histories.ts';
import { listWitnessVotes } from './list_witness_votes.ts';
import { listWitnesses } from './list_witnesses.ts';
import { verifyAccountAuthority } from './verify_account_authority.ts';
import { verifyAuthority } from './verify_authority.ts';
import { verifySignatures } from './verify_signatures.ts';

/** The state, record by record. */
export const databaseApi = [
  findAccountRecoveryRequests,
  findAccounts,
  findChangeRecoveryAccountRequests,
  findEscrows,
  findOwnerHistories,
  findWitnesses,
  getActiveWitnesses,
  getApplicationBuyings,
  getBurnedBalance,
  getConfig,
  getCurrentPriceFeed,
  getDilutionProtection,
  getDynamicGlobalProperties,
  getFeedHistory,
  getHardforkProperties,
  getPotentialSignatures,
  getPromotionPoolBalance,
  getRequiredSignatures,
  getTransactionHex,
  getWitnessSchedule,
  listAccountRecoveryRequests,
  listAccounts,
  listApplications,
  listChangeRecoveryAccountRequests,
  listEscrows,
  listGenesisAccounts,
  listOwnerHistories,
  listWitnessVotes,
  listWitnesses,
  verifyAccountAuthority,
  verifyAuthority,
  verifySignatures,
] as const satisfies readonly Method[];
