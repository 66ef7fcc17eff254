import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { WebSocket } from 'ws';
import { ChainAndDaemon, MEMBERS, WIF, type Transaction } from './chain_and_daemon.ts';
import { runWallet } from './programs.ts';

// Commands of a wallet's RPC on a development chain.

const BOB_KEY = 'PHR5VE6Dgy9FUmd1mFotXwF88HkQN1KysCWLPqpVnDMjRvGRi1YrM';

/** A witness with this key is not scheduled; nobody here would produce its blocks. */
const NO_KEY = 'PHR1111111111111111111111111111111114T1Anm';

let programs: ChainAndDaemon;

/** The result of a command. */
async function ask<T = Transaction>(method: string, ...params: readonly unknown[]): Promise<T> {
  return await programs.ask<T>(method, ...params);
}

before(async () => {
  // The chain's time passes twelve times as fast as the wall's: the usual 30 seconds are too short a life on a busy
  // machine.
  programs = await ChainAndDaemon.start([], '--expiration-seconds', '3600');
  assert.equal(await ask('is_locked'), true);
  await ask('unlock', 'pw');
  for (const wif of Object.values(WIF)) assert.equal(await ask('import_key', wif), true);
});

after(() => programs.stop());

test('create_account_with_keys makes an account that only an imported key controls', async () => {
  const keys = await ask<{ brain_priv_key: string; wif_priv_key: string; pub_key: string }>('suggest_brain_key');
  assert.equal(keys.brain_priv_key.split(' ').length, 16);
  const made = await ask(
    'create_account_with_keys',
    'alice',
    'newcomer',
    '{}',
    keys.pub_key,
    keys.pub_key,
    keys.pub_key,
    true,
  );
  assert.equal(made.operations[0]?.[0], 'account_create');
  assert.ok(made.block_num > 0);
  const [account] = await ask<Record<string, unknown>[]>('get_account', 'newcomer');
  const members = `id name owner active memo_key json_metadata voting_proxy balance vesting_shares
    owed_vesting_shares locked_vesting_shares vesting_withdraw_rate to_withdraw withdrawn withdrawals_left recovery_account reset_account witness_votes sponsored_accounts sponsoring_account`;
  assert.deepEqual(Object.keys(account ?? {}), members.split(/\s+/));
  const name = String(account?.['name']);
  assert.equal(name, await ask('get_account_name_from_seed', 'newcomer'));
  await ask('transfer', 'alice', name, '5 COIN', '', true);
  await assert.rejects(ask('transfer', name, 'bob', '1 COIN', '', true), /Missing Active Authority/);
  await ask('import_key', keys.wif_priv_key);
  assert.ok((await ask('transfer', name, 'bob', '1 COIN', '', true)).block_num > 0);
});

test('transfer answers as the interface shows it, and amounts need no fraction digits', async () => {
  const sent = await ask('transfer', 'alice', 'bob', '1 COIN', 'hi', true);
  assert.deepEqual(Object.keys(sent), [...MEMBERS, 'transaction_id', 'block_num', 'transaction_num']);
  assert.deepEqual(sent.operations, [
    ['transfer', { fee: '0.010000 COIN', from: 'alice', to: 'bob', amount: '1.000000 COIN', memo: 'hi' }],
  ]);
  assert.equal(sent.signatures.length, 1);
  const block = await ask<{ transaction_ids: string[]; transactions: unknown[] }>('get_block', sent.block_num);
  assert.ok(block.transaction_ids.includes(sent.transaction_id));
  assert.deepEqual(await ask('get_transaction', sent.transaction_id), sent);
  const entries = await ask<{ trx_id: string; op: unknown }[]>('get_ops_in_block', sent.block_num, false);
  assert.deepEqual(Object.keys(entries[0] ?? {}), [
    'trx_id',
    'block',
    'trx_in_block',
    'op_in_trx',
    'virtual_op',
    'timestamp',
    'op',
    'fee_payer',
  ]);
  const history = await ask<[number, { trx_id: string }][]>('get_account_history', 'alice', -1, 0);
  assert.equal(history.at(-1)?.[1].trx_id, sent.transaction_id);
});

test('amounts may be objects too, and nonsense is refused with its place', async () => {
  const sent = await ask(
    'transfer',
    'alice',
    'bob',
    { amount: '2000000', precision: 6, nai: '@@000000021' },
    '',
    false,
  );
  assert.equal(sent.operations[0]?.[1]['amount'], '2.000000 COIN');
  await assert.rejects(
    ask('transfer', 'alice', 'bob', '1', '', false),
    /amount: a symbol behind the amount, such as "1\.000000 COIN" expected, got "1"/,
  );
  await assert.rejects(
    ask('transfer', 'alice', 'bob.smith', '1 COIN', '', false),
    /to: "bob.smith" is no account name/,
  );
  await assert.rejects(ask('transfer', 'alice', 'bob', '-1 COIN', '', false), /amount/);
  await assert.rejects(ask('transfer', 'alice', 'bob', '0 COIN', '', false), /Cannot transfer a negative amount/);
});

test('broadcast false signs and sends nothing, and a missing flag is false', async () => {
  const atFirst = await ask<{ balance: string }[]>('get_account', 'alice');
  for (const flag of [[false], []]) {
    const signed = await ask('transfer', 'alice', 'bob', '3 COIN', '', ...flag);
    assert.deepEqual(Object.keys(signed), MEMBERS, 'nothing that looks as if it had been sent');
    assert.equal(signed.signatures.length, 1);
    await assert.rejects(ask('get_transaction', await ask<string>('get_transaction_id', signed)));
    const others = [ask('sign_transaction', signed, ...flag), ask('build_transaction', signed.operations)];
    for (const other of [...others, ask('combine_transactions', signed, signed)])
      assert.deepEqual(Object.keys(await other), MEMBERS);
  }
  assert.deepEqual(await ask<{ balance: string }[]>('get_account', 'alice'), atFirst);
});

test('more arguments than a command takes are refused by its name and both numbers, and nothing is sent', async () => {
  const atFirst = await ask<{ balance: string }[]>('get_account', 'alice');
  const more: readonly (readonly [taken: number, command: string, ...args: readonly unknown[]])[] = [
    [5, 'transfer', 'alice', 'bob', '3 COIN', '', true, true],
    [4, 'transfer_to_vesting', 'alice', 'alice', '3 COIN', true, null, 'and more'],
    [1, 'get_account', 'alice', 'bob'],
    [0, 'is_locked', false],
    [2, 'sign_transaction', {}, true, 1],
  ];
  for (const [taken, command, ...args] of more)
    await assert.rejects(
      ask(command, ...args),
      new RegExp(`${command} takes ${taken} arguments, ${args.length} were given`),
    );
  assert.deepEqual(await ask<{ balance: string }[]>('get_account', 'alice'), atFirst);
});

test('coins vest and are withdrawn', async () => {
  const vested = await ask('transfer_to_vesting', 'alice', 'alice', '300000 COIN', true);
  assert.deepEqual(vested.operations[0], [
    'transfer_to_vesting',
    { fee: '0.000000 COIN', from: 'alice', to: '', amount: '300000.000000 COIN' },
  ]);
  const withdrawn = await ask('withdraw_vesting', 'alice', '27 VESTS', true);
  assert.deepEqual(withdrawn.operations[0], [
    'withdraw_vesting',
    { fee: '0.000000 COIN', account: 'alice', vesting_shares: '27.000000 VESTS' },
  ]);
  const [account] = await ask<Record<string, unknown>[]>('get_account', 'alice');
  assert.equal(account?.['vesting_withdraw_rate'], '1.000000 VESTS');
});

test('an account becomes a witness, is voted for, publishes nothing uninvited, and stops', async () => {
  const props = { account_creation_fee: '0.05 COIN', maximum_block_size: 262144, price_feeds: [] };
  await ask('update_witness', 'alice', 'https://alice.example', NO_KEY, props, true);
  await ask('vote_for_witness', 'bob', 'alice', true, true);
  const kept = await ask('update_witness', 'alice', '', NO_KEY, props, true);
  assert.equal(kept.operations[0]?.[1]['url'], 'https://alice.example');
  assert.deepEqual(await ask('list_witnesses', '', 10), ['alice', 'initminer']);
  const [bob] = await ask<{ witness_votes: string[] }[]>('get_account', 'bob');
  assert.deepEqual(bob?.witness_votes, ['alice']);
  await assert.rejects(ask('publish_feed', 'bob', { base: '1 COIN', quote: '0.1 USD' }, true));
  await ask('publish_feed', 'initminer', { base: '1 COIN', quote: '0.1 USD' }, true);
  await ask('set_voting_proxy', 'bob', 'carol', true);
  await ask('set_voting_proxy', 'bob', '', true);
  await ask('stop_witness', 'alice', true);
  assert.equal(await ask('get_witness', 'alice'), null);
});

test('an escrow runs to its end, and a rejection is a rejection', async () => {
  const later = (seconds: number): string =>
    new Date(Date.parse(`${head}Z`) + seconds * 1000).toISOString().slice(0, 19);
  const { time: head } = await ask<{ time: string }>('info');
  const parties = ['alice', 'bob', 'carol'];
  for (const id of [1, 2])
    await ask('escrow_transfer', ...parties, id, '10 COIN', '0.1 COIN', later(3600), later(7200), '', true);
  await ask('escrow_approve', ...parties, 'bob', 1, true, true);
  await ask('escrow_approve', ...parties, 'carol', 1, true, true);
  await ask('escrow_dispute', ...parties, 'alice', 1, true);
  await ask('escrow_release', ...parties, 'carol', 'bob', 1, '4 COIN', true);
  await ask('escrow_release', ...parties, 'carol', 'alice', 1, '6 COIN', true);
  await assert.rejects(ask('escrow_release', ...parties, 'carol', 'alice', 1, '1 COIN', true));
  const rejected = await ask('escrow_approve', ...parties, 'bob', 2, false, true);
  assert.equal(rejected.operations[0]?.[1]['approve'], false);
  await assert.rejects(ask('escrow_approve', ...parties, 'carol', 2, true, true));
});

test('an account that was taken over is recovered', async () => {
  await ask('create_account', 'alice', 'victim', '{}', true);
  const victim = await ask<string>('get_account_name_from_seed', 'victim');
  const [account] = await ask<{ owner: unknown; memo_key: string }[]>('get_account', 'victim');
  const recent = account?.owner;
  const thief = { weight_threshold: 1, account_auths: [], key_auths: [[BOB_KEY, 1]] };
  await ask('update_account', victim, '{}', BOB_KEY, BOB_KEY, BOB_KEY, true);
  const { wif_priv_key, pub_key } = await ask<{ wif_priv_key: string; pub_key: string }>('suggest_brain_key');
  await ask('import_key', wif_priv_key);
  const fresh = { ...thief, key_auths: [[pub_key, 1]] };
  await ask('request_account_recovery', 'alice', victim, fresh, true);
  await assert.rejects(ask('recover_account', victim, fresh, fresh, true));
  const recovered = await ask('recover_account', victim, recent, fresh, true);
  assert.equal(recovered.signatures.length, 2);
  assert.deepEqual((await ask<{ owner: unknown }[]>('get_account', victim))[0]?.owner, fresh);
  assert.equal((await ask<unknown[]>('get_owner_history', victim)).length, 2);
  await ask('change_recovery_account', victim, 'bob', true);
});

test('authorities, metadata and memo keys change one at a time', async () => {
  await ask('create_account', 'alice', 'changer', '{}', true);
  const name = await ask<string>('get_account_name_from_seed', 'changer');
  await ask('update_account_auth_key', name, 'active', BOB_KEY, 1, true);
  await ask('update_account_auth_account', name, 'active', 'carol', 1, true);
  await ask('update_account_auth_threshold', name, 'active', 2, true);
  const [changed] = await ask<{ active: { weight_threshold: number; account_auths: unknown; key_auths: unknown[] } }[]>(
    'get_account',
    name,
  );
  assert.deepEqual(
    [changed?.active.weight_threshold, changed?.active.account_auths, changed?.active.key_auths.length],
    [2, [['carol', 1]], 2],
  );
  await ask('update_account_auth_account', name, 'active', 'carol', 0, true);
  await ask('update_account_meta', name, '{"a":1}', true);
  await ask('update_account_memo_key', name, BOB_KEY, true);
  const [last] = await ask<{ json_metadata: string; memo_key: string; active: { account_auths: unknown } }[]>(
    'get_account',
    name,
  );
  assert.deepEqual([last?.json_metadata, last?.memo_key, last?.active.account_auths], ['{"a":1}', BOB_KEY, []]);
  await assert.rejects(ask('update_account_auth_threshold', name, 'owner', 9, true), /irrecoverable/);
  await assert.rejects(ask('update_account_auth_threshold', name, 'owner', 0, true), /implicitly satisfied/);
  await assert.rejects(ask('update_account_meta', 'changer', '{}', true), /Account name doesn't match\?/);
  await assert.rejects(ask('update_account_meta', 'nobody', '{}', true), /Account does not exist/);
  await ask('sponsor_account_fees', 'alice', name, true, true);
  await ask('sponsor_account_fees', 'alice', name, false, true);
  await ask('delete_account', name, true);
});

test('applications are sold and documents delivered', async () => {
  await ask('create_application', 'alice', 'chat', 'https://chat.example', '', 0, true);
  const [application] = await ask<{ id: number }[]>('get_applications', ['chat']);
  const id = application?.id ?? -1;
  await ask('update_application', 'alice', 'chat', 'alice', 'https://chat.example/2', '', 0, true);
  await ask('buy_application', 'bob', id, true);
  assert.equal((await ask<unknown[]>('get_application_buyings', 'bob', 'by_buyer', 10)).length, 1);
  await ask('cancel_application_buying', 'alice', 'bob', id, true);
  await ask('send_custom_json_document', 5, 'alice', ['carol', 'bob'], '{"hello":1}', true);
  const binary = await ask('send_custom_binary_document', 5, 'alice', ['bob'], 'aGVsbG8=', true);
  assert.equal(binary.operations[0]?.[1]['data'], '68656c6c6f');
  const documents = await ask<[number, { data: string }][]>(
    'list_received_documents',
    5,
    'bob',
    'by_recipient_reverse',
    '1',
    10,
  );
  assert.deepEqual(
    documents.map(([, { data }]) => data),
    ['{"hello":1}', 'aGVsbG8='],
  );
  await ask('delete_application', 'alice', 'chat', true);
});

/** The result of a command, or the message of its error. */
const said = (method: string, ...params: readonly unknown[]): Promise<unknown> =>
  ask<unknown>(method, ...params).catch((error: unknown) => (error instanceof Error ? error.message : error));

const sendBinary = (data: string): Promise<unknown> =>
  said('send_custom_binary_document', 1, 'alice', ['bob'], data, false);

/** Texts that are no base64 to their end, and what the commands say of each. */
const broken: readonly (readonly [data: string, message: RegExp])[] = [
  ['aGVs.bG8=', /base64 expected, got "\." as character 5$/],
  ['aGVsbG8=aGVsbG8=', /base64 expected, got "a" as character 9$/],
  ['aGVsbG8é', /base64 expected, got "é" as character 8$/],
  ['aGVsb', /ends inside a byte: its last digit stands alone$/],
  ['aGVsbG9=', /has bits behind the last byte$/],
];

test('send_custom_binary_document sends the bytes of the whole text, in either alphabet and with white space, or nothing', async () => {
  const bytes = Buffer.from('fbffbf00ff', 'hex');
  for (const data of [bytes.toString('base64'), bytes.toString('base64url'), ' +/+/\r\nAP8=\t']) {
    assert.ok(JSON.stringify(await sendBinary(data)).includes('"data":"fbffbf00ff"'), data);
  }
  for (const [data, message] of broken) assert.match(String(await sendBinary(data)), message, data);
});

test('decode_from_base64 shows the whole text or refuses it', async () => {
  assert.equal(await said('decode_from_base64', ' a8WvxYg=\n'), 'kůň');
  assert.equal(await said('decode_from_base64', await said('encode_to_base64', 'kůň+?>\0')), 'kůň+?>\0');
  for (const [data, message] of broken) assert.match(String(await said('decode_from_base64', data)), message, data);
  assert.match(String(await said('decode_from_base64', '//8=')), /2 bytes that are no valid UTF-8/);
});

test('a memo that starts with # is for its two readers only, and no memo gives a key away', async () => {
  const sent = await ask('transfer', 'alice', 'bob', '1 COIN', '#for you', true);
  const memo = String(sent.operations[0]?.[1]['memo']);
  assert.match(memo, /^#[1-9A-HJ-NP-Za-km-z]{100,}$/);
  assert.equal(await ask('decrypt_memo', memo), 'for you');
  const [[, entry] = []] = await ask<[number, { op: [string, { memo: string }] }][]>(
    'get_account_history',
    'bob',
    -1,
    0,
  );
  assert.equal(entry?.op[1].memo, 'for you');
  await assert.rejects(
    ask('transfer', 'alice', 'bob', '1 COIN', WIF.alice, true),
    /Detected private owner key in memo field/,
  );
  await assert.rejects(
    ask('transfer', 'alice', 'bob', '1 COIN', WIF.bob, true),
    /Detected imported private key in memo field/,
  );
});

test('the RPC speaks WebSocket, the form with call, and keeps strangers out', async () => {
  assert.equal(
    (await programs.post({ jsonrpc: '2.0', id: 1, method: 'call', params: [0, 'is_locked', []] })).text,
    '{"id":1,"result":false}',
  );
  assert.match(
    (await programs.post({ jsonrpc: '2.0', id: 1, method: 'nope', params: [] })).text,
    /no method with name 'nope'/,
  );
  assert.match(
    (await programs.post({ jsonrpc: '2.0', id: 1, method: 'transfer', params: ['alice'] })).text,
    /too few arguments passed to method/,
  );
  assert.match((await programs.post({ jsonrpc: '2.0', id: 1, method: 'transfer', params: {} })).text, /"error"/);
  assert.equal(
    (
      await programs.post(
        { id: 1, method: 'is_locked' },
        { Origin: 'https://evil.example', 'Content-Type': 'text/plain' },
      )
    ).status,
    403,
  );
  const socket = new WebSocket(`ws://127.0.0.1:${programs.daemon.port}`, { headers: programs.daemon.headers });
  const answer = await new Promise<string>((resolve, reject) => {
    socket.once('error', reject);
    socket.once('open', () => socket.send('{"id":3,"method":"get_account_name_from_seed","params":["alice"]}'));
    socket.once('message', (message: Buffer) => resolve(message.toString()));
  });
  socket.close();
  assert.equal(answer, '{"id":3,"result":"nbyckkPfkdV4OQtmdTh93QjB5CI"}');
  assert.match(runWallet(['--daemon', '--rpc-endpoint', '0.0.0.0:0']).err, /this machine only/);
});

test('equal transfers at once are two transactions', async () => {
  const both = await Promise.all([1, 2].map(() => ask('transfer', 'alice', 'bob', '1 COIN', 'twice', true)));
  assert.notEqual(both[0]?.transaction_id, both[1]?.transaction_id);
});

test('the daemon finds its node again after a restart', async () => {
  await programs.restartChain(() =>
    assert.rejects(ask('info'), /cannot reach the node|closed the connection|no answer/),
  );
  assert.ok((await ask('transfer', 'alice', 'bob', '1 COIN', 'after the restart', true)).block_num > 0);
});
