import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commands } from '../../src/wallet/commands/index.ts';
import { helpByTopic, commandHelp, helpOfTopic, signatureLine } from '../../src/wallet/help_text.ts';
import { topics } from '../../src/wallet/topics.ts';
import { readLine } from '../../src/wallet/read_line.ts';

/** The commands of the lineage (wallet.md#commands), with their number of parameters. */
const lineageCommands: Readonly<Record<string, number>> = {
  help: 0,
  gethelp: 1,
  about: 0,
  is_new: 0,
  is_locked: 0,
  lock: 0,
  unlock: 1,
  set_password: 1,
  load_wallet_file: 1,
  save_wallet_file: 1,
  import_key: 1,
  list_keys: 0,
  get_private_key: 1,
  get_private_key_from_password: 2,
  suggest_brain_key: 0,
  normalize_brain_key: 1,
  encode_to_base64: 1,
  decode_from_base64: 1,
  get_account_name_from_seed: 1,
  get_encrypted_memo: 3,
  decrypt_memo: 1,
  info: 0,
  list_my_accounts: 0,
  get_account: 1,
  list_witnesses: 2,
  get_witness: 1,
  get_active_witnesses: 0,
  get_block: 1,
  get_ops_in_block: 2,
  get_feed_history: 1,
  get_account_history: 3,
  get_transaction: 1,
  get_owner_history: 1,
  get_applications: 1,
  get_application_buyings: 3,
  list_received_documents: 5,
  create_account: 4,
  create_account_with_keys: 7,
  update_account: 6,
  update_account_auth_key: 5,
  update_account_auth_account: 5,
  update_account_auth_threshold: 4,
  update_account_meta: 3,
  update_account_memo_key: 3,
  delete_account: 2,
  sponsor_account_fees: 4,
  request_account_recovery: 4,
  recover_account: 4,
  change_recovery_account: 3,
  transfer: 5,
  transfer_to_vesting: 4,
  withdraw_vesting: 3,
  set_voting_proxy: 3,
  vote_for_witness: 4,
  update_witness: 5,
  stop_witness: 2,
  publish_feed: 3,
  escrow_transfer: 10,
  escrow_approve: 7,
  escrow_dispute: 6,
  escrow_release: 8,
  create_application: 6,
  update_application: 7,
  delete_application: 3,
  buy_application: 3,
  cancel_application_buying: 4,
  send_custom_json_document: 5,
  send_custom_binary_document: 5,
};

test('all 68 commands of the lineage are here with their parameters', () => {
  assert.equal(Object.keys(lineageCommands).length, 68);
  for (const [name, count] of Object.entries(lineageCommands))
    assert.equal(commands.find((command) => command.name === name)?.params.length, count, name);
});

test('names stand in the register once, in order', () => {
  const names = commands.map(({ name }) => name);
  assert.deepEqual(names, [...new Set(names)].sort());
});

test('each command has one topic, and help lists all of them by topic', () => {
  const placed = topics.flatMap(({ commands: names }) => names);
  assert.deepEqual(placed.toSorted(), commands.map(({ name }) => name).toSorted());
  const shown = helpByTopic(commands.map(signatureLine));
  for (const command of commands) assert.ok(shown.includes(`    ${signatureLine(command)}\n`), command.name);
  for (const topic of topics) {
    assert.ok(shown.includes(`${topic.name}: ${topic.doc}\n`));
    const text = helpOfTopic(topic, commands);
    for (const name of topic.commands) assert.ok(text.includes(`\n${name}(`), name);
  }
});

test('every command explains itself, with an example that fits its parameters', () => {
  for (const command of commands) {
    const [name, ...words] = readLine(command.example.replaceAll('…', ''));
    assert.ok(name !== undefined && name.kind === 'bare' && name.text === command.name, command.example);
    const secrets = command.params.filter(({ secret }) => secret).length;
    assert.ok(
      words.length <= command.params.length && words.length >= command.params.length - secrets,
      command.example,
    );
    assert.ok(commandHelp(command).includes(signatureLine(command)));
    assert.ok(command.doc.length > 15, command.name);
  }
});
