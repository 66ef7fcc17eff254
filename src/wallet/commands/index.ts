import type { Command } from '../command.ts';
import { aboutCommand } from './about.ts';
import { broadcastTransactionCommand } from './broadcast_transaction.ts';
import { buildTransactionCommand } from './build_transaction.ts';
import { buyApplicationCommand } from './buy_application.ts';
import { cancelApplicationBuyingCommand } from './cancel_application_buying.ts';
import { changeRecoveryAccountCommand } from './change_recovery_account.ts';
import { combineTransactionsCommand } from './combine_transactions.ts';
import { convertWalletFileCommand } from './convert_wallet_file.ts';
import { createAccountCommand } from './create_account.ts';
import { createAccountWithKeysCommand } from './create_account_with_keys.ts';
import { createApplicationCommand } from './create_application.ts';
import { decodeFromBase64Command } from './decode_from_base64.ts';
import { decryptMemoCommand } from './decrypt_memo.ts';
import { deleteAccountCommand } from './delete_account.ts';
import { deleteApplicationCommand } from './delete_application.ts';
import { encodeToBase64Command } from './encode_to_base64.ts';
import { escrowApproveCommand } from './escrow_approve.ts';
import { escrowDisputeCommand } from './escrow_dispute.ts';
import { escrowReleaseCommand } from './escrow_release.ts';
import { escrowTransferCommand } from './escrow_transfer.ts';
import { findTransactionCommand } from './find_transaction.ts';
import { getAccountCommand } from './get_account.ts';
import { getAccountHistoryCommand } from './get_account_history.ts';
import { getAccountNameFromSeedCommand } from './get_account_name_from_seed.ts';
import { getActiveWitnessesCommand } from './get_active_witnesses.ts';
import { getApplicationBuyingsCommand } from './get_application_buyings.ts';
import { getApplicationsCommand } from './get_applications.ts';
import { getBlockCommand } from './get_block.ts';
import { getEncryptedMemoCommand } from './get_encrypted_memo.ts';
import { getFeedHistoryCommand } from './get_feed_history.ts';
import { getOpsInBlockCommand } from './get_ops_in_block.ts';
import { getOwnerHistoryCommand } from './get_owner_history.ts';
import { getPrivateKeyCommand } from './get_private_key.ts';
import { getPrivateKeyFromPasswordCommand } from './get_private_key_from_password.ts';
import { getTransactionCommand } from './get_transaction.ts';
import { getTransactionIdCommand } from './get_transaction_id.ts';
import { getWitnessCommand } from './get_witness.ts';
import { getWitnessScheduleCommand } from './get_witness_schedule.ts';
import { gethelpCommand } from './gethelp.ts';
import { helpCommand } from './help.ts';
import { importKeyCommand } from './import_key.ts';
import { infoCommand } from './info.ts';
import { isLockedCommand } from './is_locked.ts';
import { isNewCommand } from './is_new.ts';
import { listKeysCommand } from './list_keys.ts';
import { listMyAccountsCommand } from './list_my_accounts.ts';
import { listReceivedDocumentsCommand } from './list_received_documents.ts';
import { listWitnessesCommand } from './list_witnesses.ts';
import { loadWalletFileCommand } from './load_wallet_file.ts';
import { lockCommand } from './lock.ts';
import { normalizeBrainKeyCommand } from './normalize_brain_key.ts';
import { paymentRequestCommand } from './payment_request.ts';
import { publishFeedCommand } from './publish_feed.ts';
import { qrCodeCommand } from './qr_code.ts';
import { recoverAccountCommand } from './recover_account.ts';
import { requestAccountRecoveryCommand } from './request_account_recovery.ts';
import { saveWalletFileCommand } from './save_wallet_file.ts';
import { sendCustomBinaryDocumentCommand } from './send_custom_binary_document.ts';
import { sendCustomJsonDocumentCommand } from './send_custom_json_document.ts';
import { setPasswordCommand } from './set_password.ts';
import { setTransactionExpirationCommand } from './set_transaction_expiration.ts';
import { setVotingProxyCommand } from './set_voting_proxy.ts';
import { signTransactionCommand } from './sign_transaction.ts';
import { signTransactionOfflineCommand } from './sign_transaction_offline.ts';
import { sponsorAccountFeesCommand } from './sponsor_account_fees.ts';
import { stopWitnessCommand } from './stop_witness.ts';
import { suggestBrainKeyCommand } from './suggest_brain_key.ts';
import { transferCommand } from './transfer.ts';
import { transferToVestingCommand } from './transfer_to_vesting.ts';
import { unlockCommand } from './unlock.ts';
import { updateAccountCommand } from './update_account.ts';
import { updateAccountAuthAccountCommand } from './update_account_auth_account.ts';
import { updateAccountAuthKeyCommand } from './update_account_auth_key.ts';
import { updateAccountAuthThresholdCommand } from './update_account_auth_threshold.ts';
import { updateAccountMemoKeyCommand } from './update_account_memo_key.ts';
import { updateAccountMetaCommand } from './update_account_meta.ts';
import { updateApplicationCommand } from './update_application.ts';
import { updateWitnessCommand } from './update_witness.ts';
import { voteForWitnessCommand } from './vote_for_witness.ts';
import { withdrawVestingCommand } from './withdraw_vesting.ts';

/** Every command of the wallet, by name. */
export const commands: readonly Command[] = [
  aboutCommand,
  broadcastTransactionCommand,
  buildTransactionCommand,
  buyApplicationCommand,
  cancelApplicationBuyingCommand,
  changeRecoveryAccountCommand,
  combineTransactionsCommand,
  convertWalletFileCommand,
  createAccountCommand,
  createAccountWithKeysCommand,
  createApplicationCommand,
  decodeFromBase64Command,
  decryptMemoCommand,
  deleteAccountCommand,
  deleteApplicationCommand,
  encodeToBase64Command,
  escrowApproveCommand,
  escrowDisputeCommand,
  escrowReleaseCommand,
  escrowTransferCommand,
  findTransactionCommand,
  getAccountCommand,
  getAccountHistoryCommand,
  getAccountNameFromSeedCommand,
  getActiveWitnessesCommand,
  getApplicationBuyingsCommand,
  getApplicationsCommand,
  getBlockCommand,
  getEncryptedMemoCommand,
  getFeedHistoryCommand,
  getOpsInBlockCommand,
  getOwnerHistoryCommand,
  getPrivateKeyCommand,
  getPrivateKeyFromPasswordCommand,
  getTransactionCommand,
  getTransactionIdCommand,
  getWitnessCommand,
  getWitnessScheduleCommand,
  gethelpCommand,
  helpCommand,
  importKeyCommand,
  infoCommand,
  isLockedCommand,
  isNewCommand,
  listKeysCommand,
  listMyAccountsCommand,
  listReceivedDocumentsCommand,
  listWitnessesCommand,
  loadWalletFileCommand,
  lockCommand,
  normalizeBrainKeyCommand,
  paymentRequestCommand,
  publishFeedCommand,
  qrCodeCommand,
  recoverAccountCommand,
  requestAccountRecoveryCommand,
  saveWalletFileCommand,
  sendCustomBinaryDocumentCommand,
  sendCustomJsonDocumentCommand,
  setPasswordCommand,
  setTransactionExpirationCommand,
  setVotingProxyCommand,
  signTransactionCommand,
  signTransactionOfflineCommand,
  sponsorAccountFeesCommand,
  stopWitnessCommand,
  suggestBrainKeyCommand,
  transferCommand,
  transferToVestingCommand,
  unlockCommand,
  updateAccountCommand,
  updateAccountAuthAccountCommand,
  updateAccountAuthKeyCommand,
  updateAccountAuthThresholdCommand,
  updateAccountMemoKeyCommand,
  updateAccountMetaCommand,
  updateApplicationCommand,
  updateWitnessCommand,
  voteForWitnessCommand,
  withdrawVestingCommand,
];
