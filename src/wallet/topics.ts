/** A subject of commands, in the order in which a new user meets them. Each command has one topic. */
export interface Topic {
  readonly name: string;
  readonly doc: string;
  readonly commands: readonly string[];
}

const topicList = [
  {
    name: 'wallet',
    doc: 'The file of the keys, and its password.',
    commands: 'set_password unlock lock is_new is_locked load_wallet_file save_wallet_file convert_wallet_file',
  },
  {
    name: 'keys',
    doc: 'Private and public keys.',
    commands:
      'import_key list_keys get_private_key get_private_key_from_password suggest_brain_key normalize_brain_key',
  },
  {
    name: 'coins',
    doc: 'Coins and vesting shares.',
    commands: 'transfer transfer_to_vesting withdraw_vesting payment_request qr_code get_encrypted_memo decrypt_memo',
  },
  {
    name: 'accounts',
    doc: 'Accounts: looking them up, making and changing them.',
    commands:
      'list_my_accounts get_account get_account_history get_account_name_from_seed get_owner_history create_account create_account_with_keys update_account update_account_auth_key update_account_auth_account update_account_auth_threshold update_account_meta update_account_memo_key delete_account sponsor_account_fees request_account_recovery recover_account change_recovery_account',
  },
  {
    name: 'votes',
    doc: 'Votes, witnesses and their prices.',
    commands:
      'vote_for_witness set_voting_proxy list_witnesses get_witness get_active_witnesses get_witness_schedule update_witness stop_witness publish_feed get_feed_history',
  },
  {
    name: 'transactions',
    doc: 'Transactions that several people sign, or that are sent later.',
    commands:
      'build_transaction sign_transaction sign_transaction_offline combine_transactions broadcast_transaction find_transaction get_transaction get_transaction_id set_transaction_expiration',
  },
  {
    name: 'escrow',
    doc: 'Coins that a third one holds.',
    commands: 'escrow_transfer escrow_approve escrow_dispute escrow_release',
  },
  {
    name: 'applications',
    doc: 'Applications and the documents that they send.',
    commands:
      'create_application update_application delete_application buy_application cancel_application_buying get_applications get_application_buyings send_custom_json_document send_custom_binary_document list_received_documents encode_to_base64 decode_from_base64',
  },
  { name: 'chain', doc: 'The chain and its node.', commands: 'info about get_block get_ops_in_block' },
  { name: 'help', doc: 'These texts.', commands: 'help gethelp' },
] as const;

/** All topics. */
export const topics: readonly Topic[] = topicList.map(({ name, doc, commands }) => ({
  name,
  doc,
  commands: commands.split(' '),
}));
