import { register } from '../../storage/register.ts';
import { accounts } from './account.ts';
import { accountAuthorities } from './account_authority.ts';
import { accountBandwidths } from './account_bandwidth.ts';
import { accountFeeSponsors } from './account_fee_sponsor.ts';
import { accountHistories } from './account_history.ts';
import { accountMetadata } from './account_metadata.ts';
import { accountRecoveryRequests } from './account_recovery_request.ts';
import { applications } from './application.ts';
import { applicationBuyings } from './application_buying.ts';
import { blocks } from './block.ts';
import { blockParts } from './block_part.ts';
import { blockSummaries } from './block_summary.ts';
import { changeRecoveryAccountRequests } from './change_recovery_account_request.ts';
import { customContents } from './custom_content.ts';
import { customContentCounters } from './custom_content_counter.ts';
import { deletedApplications } from './deleted_application.ts';
import { dynamicGlobalProperties } from './dynamic_global_property.ts';
import { economicModel } from './economic_model.ts';
import { escrows } from './escrow.ts';
import { feedHistories } from './feed_history.ts';
import { hardforkProperty } from './hardfork_property.ts';
import { historicSupplies } from './historic_supply.ts';
import { inboxes } from './inbox.ts';
import { keyLookups } from './key_lookup.ts';
import { operationCharges } from './operation_charge.ts';
import { ownerAuthorityHistories } from './owner_authority_history.ts';
import { prunedBlocks } from './pruned_blocks.ts';
import { protectionMarks } from './protection_mark.ts';
import { stoppedWitnesses } from './stopped_witness.ts';
import { transactionLocations } from './transaction_location.ts';
import { witnesses } from './witness.ts';
import { witnessSchedule } from './witness_schedule.ts';
import { witnessVotes } from './witness_vote.ts';

/**
 * All tables with their numbers. Numbers are permanent: a removed table leaves its name in its line. One number was
 * reused, before any data existed: 33 was block_receipt in disk format 1, and folders in that format are refused
 * (head_record.ts).
 */
export const tables = register({
  1: dynamicGlobalProperties,
  2: hardforkProperty,
  3: witnessSchedule,
  4: economicModel,
  5: historicSupplies,
  6: blockSummaries,
  7: accounts,
  8: accountAuthorities,
  9: accountMetadata,
  10: ownerAuthorityHistories,
  11: accountRecoveryRequests,
  12: changeRecoveryAccountRequests,
  13: accountFeeSponsors,
  14: accountBandwidths,
  15: witnesses,
  16: witnessVotes,
  17: feedHistories,
  18: escrows,
  19: applications,
  20: applicationBuyings,
  21: customContents,
  22: customContentCounters,
  23: keyLookups,
  24: inboxes,
  25: stoppedWitnesses,
  26: deletedApplications,
  27: protectionMarks,
  28: prunedBlocks,
  29: operationCharges,
  32: blocks,
  33: blockParts,
  34: transactionLocations,
  35: accountHistories,
});
