import type { Json } from '../outside/json.ts';
import { testKey, testKeyText } from '../builders/chain.ts';

type Body = { readonly [member: string]: Json };
type Operation = readonly [kind: string, body: Body];

/** A command as typed, and the transaction that it means, written without the wallet's code; fees are left out. */
export interface Meant {
  readonly name: string;
  /** A description, where a command is listed more than once. */
  readonly what?: string;
  readonly args: (nowMs: number) => readonly Json[];
  readonly operations: readonly Operation[];
  /** Set for a transaction that is given with its expiration. */
  readonly expiration?: string;
  readonly over?: (nowMs: number) => { readonly expiration: string };
  /** The number of signatures with an honest node; 1 by default. */
  readonly signatures?: number;
}

const NEW = testKeyText('new');
const ALICE = testKeyText('alice');
const BOB = testKeyText('bob');
const CAROL = testKeyText('carol');
const NO_KEY = 'PHR1111111111111111111111111111111114T1Anm';
const of = (key: string): Body => ({ weight_threshold: 1, account_auths: [], key_auths: [[key, 1]] });
const inOrder = (...keys: string[]): Json => keys;
const parties = { from: 'alice', to: 'bob', agent: 'carol' };
const DEADLINE = '2030-01-01T00:00:00';
const LATER = '2030-02-01T00:00:00';
/** Of a witness. */
export const PROPS = { account_creation_fee: '0.050000 COIN', maximum_block_size: 262_144, price_feeds: [] };
const unchanged = { memo_key: NO_KEY, json_metadata: '' };

/** A command that makes one operation and is told not to send it. */
function one(name: string, args: readonly Json[], kind: string, body: Body, more: Partial<Meant> = {}): Meant {
  return { name, args: () => [...args, false], operations: [[kind, body]], ...more };
}

const payment: Operation = ['transfer', { from: 'alice', to: 'bob', amount: '1.000000 COIN', memo: 'of somebody' }];
const expirationText = (nowMs: number): string => new Date(nowMs + 600_000).toISOString().slice(0, 19);

function given(nowMs: number): Json {
  const [kind, body] = payment;
  return {
    ref_block_num: 1,
    ref_block_prefix: 2,
    expiration: expirationText(nowMs),
    operations: [[kind, { ...body, fee: '0.010000 COIN' }]],
    extensions: [],
    signatures: [],
  };
}

const over = (nowMs: number): { readonly expiration: string } => ({ expiration: expirationText(nowMs) });

/** Every command that signs. */
export const meant: readonly Meant[] = [
  one('transfer', ['alice', 'bob', '1 COIN', 'hello'], 'transfer', {
    from: 'alice',
    to: 'bob',
    amount: '1.000000 COIN',
    memo: 'hello',
  }),
  one(
    'transfer',
    ['alice', 'bob', '1 COIN', '#for you'],
    'transfer',
    { from: 'alice', to: 'bob', amount: '1.000000 COIN', memo: '# from alice to bob' },
    { what: 'transfer with an encrypted memo' },
  ),
  one('transfer_to_vesting', ['alice', 'bob', '2 COIN'], 'transfer_to_vesting', {
    from: 'alice',
    to: 'bob',
    amount: '2.000000 COIN',
  }),
  one('withdraw_vesting', ['alice', '3 VESTS'], 'withdraw_vesting', {
    account: 'alice',
    vesting_shares: '3.000000 VESTS',
  }),
  one('set_voting_proxy', ['alice', 'bob'], 'account_witness_proxy', { account: 'alice', proxy: 'bob' }),
  one('vote_for_witness', ['alice', 'initminer', true], 'account_witness_vote', {
    account: 'alice',
    witness: 'initminer',
    approve: true,
  }),
  one('update_witness', ['alice', 'https://a.example', NEW, PROPS], 'witness_update', {
    owner: 'alice',
    url: 'https://a.example',
    block_signing_key: NEW,
    props: PROPS,
  }),
  one(
    'update_witness',
    ['alice', '', NEW, PROPS],
    'witness_update',
    { owner: 'alice', url: 'https://alice.example', block_signing_key: NEW, props: PROPS },
    { what: 'update_witness with the url that she has' },
  ),
  one('stop_witness', ['alice'], 'witness_stop', { owner: 'alice' }),
  one('publish_feed', ['alice', { base: '1 COIN', quote: '0.1 USD' }], 'feed_publish', {
    publisher: 'alice',
    exchange_rate: { base: '1.000000 COIN', quote: '0.100000 USD' },
  }),
  one('escrow_transfer', ['alice', 'bob', 'carol', 7, '10 COIN', '0.1 COIN', DEADLINE, LATER, ''], 'escrow_transfer', {
    ...parties,
    escrow_id: 7,
    coin_amount: '10.000000 COIN',
    escrow_fee: '0.100000 COIN',
    ratification_deadline: DEADLINE,
    escrow_expiration: LATER,
    json_meta: '',
  }),
  one('escrow_approve', ['alice', 'bob', 'carol', 'bob', 7, true], 'escrow_approve', {
    ...parties,
    who: 'bob',
    escrow_id: 7,
    approve: true,
  }),
  one('escrow_dispute', ['alice', 'bob', 'carol', 'alice', 7], 'escrow_dispute', {
    ...parties,
    who: 'alice',
    escrow_id: 7,
  }),
  one('escrow_release', ['alice', 'bob', 'carol', 'alice', 'bob', 7, '1 COIN'], 'escrow_release', {
    ...parties,
    who: 'alice',
    receiver: 'bob',
    escrow_id: 7,
    coin_amount: '1.000000 COIN',
  }),
  one('create_account', ['alice', 'made by chance', '{}'], 'account_create', {
    creator: 'alice',
    name_seed: 'made by chance',
    owner: of('fresh'),
    active: of('fresh'),
    memo_key: 'fresh',
    json_metadata: '{}',
  }),
  one('create_account_with_keys', ['alice', 'made with keys', '{}', NEW, BOB, CAROL], 'account_create', {
    creator: 'alice',
    name_seed: 'made with keys',
    owner: of(NEW),
    active: of(BOB),
    memo_key: CAROL,
    json_metadata: '{}',
  }),
  one('update_account', ['carol', '{"a":1}', NEW, BOB, ALICE], 'account_update', {
    account: 'carol',
    owner: of(NEW),
    active: of(BOB),
    memo_key: ALICE,
    json_metadata: '{"a":1}',
  }),
  one('update_account_meta', ['carol', '{"b":2}'], 'account_update', {
    account: 'carol',
    ...unchanged,
    json_metadata: '{"b":2}',
  }),
  one('update_account_memo_key', ['carol', NEW], 'account_update', { account: 'carol', ...unchanged, memo_key: NEW }),
  one('update_account_auth_key', ['carol', 'active', NEW, 1], 'account_update', {
    account: 'carol',
    active: { weight_threshold: 1, account_auths: [], key_auths: sortedKeys('carol', 'new') },
    ...unchanged,
  }),
  one('update_account_auth_account', ['carol', 'owner', 'bob', 1], 'account_update', {
    account: 'carol',
    owner: { ...of(CAROL), account_auths: [['bob', 1]] },
    ...unchanged,
  }),
  one('update_account_auth_threshold', ['carol', 'active', 2], 'account_update', {
    account: 'carol',
    active: { ...of(CAROL), weight_threshold: 2 },
    ...unchanged,
  }),
  one('delete_account', ['carol'], 'account_delete', { account: 'carol' }),
  one('sponsor_account_fees', ['alice', 'bob', true], 'sponsor_fees', {
    sponsor: 'alice',
    sponsored: 'bob',
    is_sponsoring: true,
  }),
  one('request_account_recovery', ['alice', 'carol', of(NEW)], 'request_account_recovery', {
    recovery_account: 'alice',
    account_to_recover: 'carol',
    new_owner_authority: of(NEW),
    extensions: [],
  }),
  one(
    'recover_account',
    ['carol', of(CAROL), of(BOB)],
    'recover_account',
    { account_to_recover: 'carol', new_owner_authority: of(BOB), recent_owner_authority: of(CAROL), extensions: [] },
    { signatures: 2 },
  ),
  one('change_recovery_account', ['carol', 'bob'], 'change_recovery_account', {
    account_to_recover: 'carol',
    new_recovery_account: 'bob',
    extensions: [],
  }),
  one('create_application', ['alice', 'chat', 'https://c.example', '', 0], 'application_create', {
    author: 'alice',
    name: 'chat',
    url: 'https://c.example',
    metadata: '',
    price_param: 0,
  }),
  one('update_application', ['alice', 'chat', 'bob', 'https://c.example', '', 1], 'application_update', {
    author: 'alice',
    new_author: 'bob',
    name: 'chat',
    url: 'https://c.example',
    metadata: '',
    price_param: 1,
  }),
  one('delete_application', ['alice', 'chat'], 'application_delete', { author: 'alice', name: 'chat' }),
  one('buy_application', ['bob', 0], 'buy_application', { buyer: 'bob', app_id: 0 }),
  one('cancel_application_buying', ['alice', 'bob', 0], 'cancel_application_buying', {
    app_owner: 'alice',
    buyer: 'bob',
    app_id: 0,
  }),
  one('send_custom_json_document', [5, 'alice', ['carol', 'bob'], '{"c":3}'], 'custom_json', {
    sender: 'alice',
    recipients: inOrder('bob', 'carol'),
    app_id: 5,
    json: '{"c":3}',
  }),
  one('send_custom_binary_document', [5, 'alice', ['bob'], 'aGVsbG8='], 'custom_binary', {
    sender: 'alice',
    recipients: inOrder('bob'),
    app_id: 5,
    data: '68656c6c6f',
  }),
  { name: 'sign_transaction', args: (nowMs) => [given(nowMs), false], operations: [payment], over },
  { name: 'sign_transaction_offline', args: (nowMs) => [given(nowMs), [ALICE]], operations: [payment], over },
];

/** Ascending by their bytes. */
function sortedKeys(...names: readonly string[]): Json {
  return names.toSorted((a, b) => (testKey(a) < testKey(b) ? -1 : 1)).map((name) => [testKeyText(name), 1]);
}
