import { about } from './about.ts';
import { accountExist } from './account_exist.ts';
import { addFee } from './add_fee.ts';
import { addSignature } from './add_signature.ts';
import { broadcastTransaction } from './broadcast_transaction.ts';
import { buildBuyApplication } from './buy_application.ts';
import { calculateFee } from './calculate_fee.ts';
import { buildCancelApplicationBuying } from './cancel_application_buying.ts';
import { checkTransaction } from './check_transaction.ts';
import { buildAccountCreate } from './create_account.ts';
import { buildApplicationCreate } from './create_application.ts';
import { createSimpleAuthority } from './create_simple_authority.ts';
import { createSimpleManagedAuthority } from './create_simple_managed_authority.ts';
import { createSimpleMultisigAuthority } from './create_simple_multisig_authority.ts';
import { createSimpleMultisigManagedAuthority } from './create_simple_multisig_managed_authority.ts';
import { createSimpleTransaction } from './create_simple_transaction.ts';
import { createTransaction } from './create_transaction.ts';
import { customObjectSubscription } from './custom_object_subscription.ts';
import { decryptDataMethod } from './decrypt_data.ts';
import { buildAccountDelete } from './delete_account.ts';
import { buildApplicationDelete } from './delete_application.ts';
import { encryptDataMethod } from './encrypt_data.ts';
import { fiatToCoin } from './fiat_to_coin.ts';
import { fromBase64 } from './from_base64.ts';
import { generateKeyPair } from './generate_key_pair.ts';
import { generateKeyPairFromBrainKey } from './generate_key_pair_from_brain_key.ts';
import { getAccount } from './get_account.ts';
import { getAccountBalance } from './get_account_balance.ts';
import { getAccountBandwidth } from './get_account_bandwidth.ts';
import { getAccountHistory } from './get_account_history.ts';
import { getAccountNameFromSeed } from './get_account_name_from_seed.ts';
import { getAccounts } from './get_accounts.ts';
import { getActiveAuthority } from './get_active_authority.ts';
import { getActiveWitnesses } from './get_active_witnesses.ts';
import { getApplicationBuyings } from './get_application_buyings.ts';
import { getApplications } from './get_applications.ts';
import { getApplicationsByIds } from './get_applications_by_ids.ts';
import { getBlock } from './get_block.ts';
import { getDynamicGlobalProperties } from './get_dynamic_global_properties.ts';
import { getFeedHistory } from './get_feed_history.ts';
import { getHardforkPropertyObject } from './get_hardfork_property_object.ts';
import { getKeyReferences } from './get_key_references.ts';
import { getMemoKey } from './get_memo_key.ts';
import { getOpsInBlock } from './get_ops_in_block.ts';
import { getOwnerAuthority } from './get_owner_authority.ts';
import { getOwnerHistory } from './get_owner_history.ts';
import { getPublicKey } from './get_public_key.ts';
import { getReceivedDocuments } from './get_received_documents.ts';
import { getRequiredSignatures } from './get_required_signatures.ts';
import { getTransaction } from './get_transaction.ts';
import { getTransactionDigest } from './get_transaction_digest.ts';
import { getTransactionId } from './get_transaction_id.ts';
import { getVersion } from './get_version.ts';
import { getVestingBalance } from './get_vesting_balance.ts';
import { getWitness } from './get_witness.ts';
import { getWitnessScheduleObject } from './get_witness_schedule_object.ts';
import { info } from './info.ts';
import { listWitnesses } from './list_witnesses.ts';
import { listWitnessesByVote } from './list_witnesses_by_vote.ts';
import { buildCustomBinary } from './make_custom_binary_operation.ts';
import { buildCustomJson } from './make_custom_json_operation.ts';
import { sendAndSignOperation } from './send_and_sign_operation.ts';
import { sendAndSignTransaction } from './send_and_sign_transaction.ts';
import { buildAccountWitnessProxy } from './set_voting_proxy.ts';
import { signDigestMethod } from './sign_digest.ts';
import { buildSponsorFees } from './sponsor_account_fees.ts';
import { buildWitnessStop } from './stop_witness.ts';
import { toBase64 } from './to_base64.ts';
import { buildTransfer } from './transfer.ts';
import { buildTransferToVesting } from './transfer_to_vesting.ts';
import { buildAccountUpdate } from './update_account.ts';
import { buildAuthorityUpdate } from './update_account_auth.ts';
import { buildApplicationUpdate } from './update_application.ts';
import { buildWitnessUpdate } from './update_witness.ts';
import { verifySignature } from './verify_signature.ts';
import { buildAccountWitnessVote } from './vote_for_witness.ts';
import { buildWithdrawVesting } from './withdraw_vesting.ts';
import type { Profile } from '../../values/profile.ts';
import type { Method } from '../method.ts';

/** The stable group for applications. */
const methods = [
  about,
  accountExist,
  addFee,
  addSignature,
  broadcastTransaction,
  buildBuyApplication,
  calculateFee,
  checkTransaction,
  buildCancelApplicationBuying,
  buildAccountCreate,
  buildApplicationCreate,
  createSimpleAuthority,
  createSimpleManagedAuthority,
  createSimpleMultisigAuthority,
  createSimpleMultisigManagedAuthority,
  createSimpleTransaction,
  createTransaction,
  customObjectSubscription,
  decryptDataMethod,
  buildAccountDelete,
  buildApplicationDelete,
  encryptDataMethod,
  fromBase64,
  generateKeyPair,
  generateKeyPairFromBrainKey,
  getAccount,
  getAccountBalance,
  getAccountBandwidth,
  getAccountHistory,
  getAccountNameFromSeed,
  getAccounts,
  getActiveAuthority,
  getActiveWitnesses,
  getApplicationBuyings,
  getApplications,
  getApplicationsByIds,
  getBlock,
  getDynamicGlobalProperties,
  getFeedHistory,
  getHardforkPropertyObject,
  getKeyReferences,
  getMemoKey,
  getOpsInBlock,
  getOwnerAuthority,
  getOwnerHistory,
  getPublicKey,
  getReceivedDocuments,
  getRequiredSignatures,
  getTransaction,
  getTransactionDigest,
  getTransactionId,
  getVersion,
  getVestingBalance,
  getWitness,
  getWitnessScheduleObject,
  info,
  listWitnesses,
  listWitnessesByVote,
  buildCustomBinary,
  buildCustomJson,
  sendAndSignOperation,
  sendAndSignTransaction,
  buildAccountWitnessProxy,
  signDigestMethod,
  buildSponsorFees,
  buildWitnessStop,
  toBase64,
  buildTransfer,
  buildTransferToVesting,
  buildAccountUpdate,
  buildAuthorityUpdate,
  buildApplicationUpdate,
  buildWitnessUpdate,
  verifySignature,
  buildAccountWitnessVote,
  buildWithdrawVesting,
] as const satisfies readonly Method[];

/** The methods that every chain has under the same name, for callers from TypeScript. */
export type AlexandriaMethod = (typeof methods)[number];

/** The group with a chain's names: its profile may name the conversion into coins differently. */
export function alexandriaApi({ fiatConversion }: Pick<Profile, 'fiatConversion'>): readonly Method[] {
  const plain = { method: 'fiat_to_coin', result: 'coin' };
  const conversions = fiatConversion.method === plain.method ? [plain] : [plain, fiatConversion];
  return [...methods, ...conversions.map(fiatToCoin)];
}
