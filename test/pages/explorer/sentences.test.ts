import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Operation } from '../../../src/client/index.ts';
import { operationKinds } from '../../../src/operations/index.ts';
import { operationSentence, sentenceText } from '../../../src/pages/explorer/sentences.ts';

const fee = '0.010000 COIN';
const key = 'PHR7zsqi7QUAjTAdyynd6DVe8uv4K8gCTRHnAoMN9w9CA1xLCTDVv';
const authority = { weight_threshold: 1, account_auths: [], key_auths: [[key, 1]] } as const;
const props = { account_creation_fee: '0.500000 COIN', maximum_block_size: 131_072, price_feeds: [] };
const document = { fee, sender: 'dave', recipients: ['bob', 'erin', 'ivan'], app_id: 3n };
const parties = { fee, from: 'alice', to: 'bob', agent: 'carol', escrow_id: 7 };
const coins = '5.000000 COIN';

/** An operation of each kind, and what it says. */
const told: readonly (readonly [Operation, string])[] = [
  [
    ['transfer', { fee, from: 'alice', to: 'bob', amount: coins, memo: 'hi' }],
    'alice sent 5 COIN to bob with the memo “hi”',
  ],
  [['transfer', { fee, from: 'alice', to: 'bob', amount: coins, memo: '' }], 'alice sent 5 COIN to bob'],
  [
    ['transfer_to_vesting', { fee, from: 'alice', to: 'bob', amount: coins }],
    'alice turned 5 COIN into vesting shares of bob',
  ],
  [['transfer_to_vesting', { fee, from: 'alice', to: '', amount: coins }], 'alice turned 5 COIN into vesting shares'],
  [
    ['withdraw_vesting', { fee, account: 'bob', vesting_shares: '27.000000 VESTS' }],
    'bob began to turn 27 VESTS back into coins, in instalments',
  ],
  [
    ['withdraw_vesting', { fee, account: 'bob', vesting_shares: '0.000000 VESTS' }],
    'bob stopped turning vesting shares back into coins',
  ],
  [
    [
      'account_create',
      {
        fee,
        creator: 'alice',
        name_seed: 'shop',
        owner: authority,
        active: authority,
        memo_key: key,
        json_metadata: '',
      },
    ],
    'alice created an account, named after the seed “shop”',
  ],
  [
    [
      'account_create',
      {
        fee,
        creator: 'alice',
        name_seed: { hex: '7aff' },
        owner: authority,
        active: authority,
        memo_key: key,
        json_metadata: '',
      },
    ],
    'alice created an account, named after the bytes 7aff, which are no text',
  ],
  [
    ['account_update', { fee, account: 'erin', owner: authority, memo_key: key, json_metadata: '' }],
    'erin replaced its owner authority',
  ],
  [
    ['account_update', { fee, account: 'erin', memo_key: key, json_metadata: '' }],
    'erin changed its memo key or its description',
  ],
  [['account_delete', { fee, account: 'erin' }], 'erin gave its keys up for good'],
  [['account_witness_vote', { fee, account: 'bob', witness: 'ann', approve: true }], 'bob votes for the witness ann'],
  [
    ['account_witness_vote', { fee, account: 'bob', witness: 'ann', approve: false }],
    'bob no longer votes for the witness ann',
  ],
  [['account_witness_proxy', { fee, account: 'bob', proxy: 'ann' }], 'bob lets ann vote in its place'],
  [['account_witness_proxy', { fee, account: 'bob', proxy: '' }], 'bob votes for itself again'],
  [
    ['witness_update', { fee, owner: 'ann', url: 'https://ann.example', block_signing_key: key, props }],
    `ann is a witness who signs with ${key} and presents itself at “https://ann.example” and proposes a fee of 0.5 COIN for new accounts and blocks of 131,072 bytes`,
  ],
  [
    ['admin_witness_update', { fee, owner: 'ann', url: '', block_signing_key: key, props }],
    `The founder made ann a witness who signs with ${key} and proposes a fee of 0.5 COIN for new accounts and blocks of 131,072 bytes`,
  ],
  [['witness_stop', { fee, owner: 'ann' }], 'ann stopped being a witness'],
  [
    [
      'witness_set_properties',
      {
        fee,
        owner: 'ann',
        props: [
          ['new_signing_key', '02'],
          ['url', '00'],
        ],
        extensions: [],
      },
    ],
    'The witness ann changed new signing key and url',
  ],
  [
    ['feed_publish', { fee, publisher: 'ann', exchange_rate: { base: '1.000000 COIN', quote: '0.120000 USD' } }],
    'The witness ann says that 1 COIN is worth 0.12 USD',
  ],
  [
    ['application_create', { fee, author: 'alice', name: 'shop', url: 'u', metadata: '', price_param: 0 }],
    'alice registered the application shop found at “u”',
  ],
  [
    ['application_update', { fee, author: 'alice', name: 'shop', url: 'u', metadata: '' }],
    'alice changed the application shop',
  ],
  [
    ['application_update', { fee, author: 'alice', new_author: 'bob', name: 'shop', url: 'u', metadata: '' }],
    'alice handed the application shop over to bob',
  ],
  [['application_delete', { fee, author: 'alice', name: 'shop' }], 'alice deleted the application “shop”'],
  [['buy_application', { fee, buyer: 'bob', app_id: 3n }], 'bob bought application 3'],
  [
    ['cancel_application_buying', { fee, app_owner: 'alice', buyer: 'bob', app_id: 3n }],
    'alice took the purchase of application 3 by bob back',
  ],
  [['custom', { ...document, data: '00ff' }], 'dave sent 2 bytes to bob, erin and ivan in application 3'],
  [
    ['custom_json', { ...document, recipients: [], json: '{}' }],
    'dave sent a document for nobody by name in application 3: “{}”',
  ],
  [
    ['custom_binary', { ...document, recipients: ['bob'], data: 'ff' }],
    'dave sent a binary document of 1 byte to bob in application 3',
  ],
  [
    [
      'escrow_transfer',
      {
        ...parties,
        ...{ coin_amount: coins, escrow_fee: '0.500000 COIN', json_meta: '' },
        ...{ ratification_deadline: '2026-12-01T00:00:00', escrow_expiration: '2026-12-31T00:00:00' },
      },
    ],
    'alice puts 5 COIN for bob into escrow with carol as agent, who gets 0.5 COIN: escrow 7, to be agreed to by 2026-12-01 00:00:00',
  ],
  [['escrow_approve', { ...parties, who: 'bob', approve: true }], 'bob agreed to escrow 7 from alice to bob'],
  [['escrow_approve', { ...parties, who: 'carol', approve: false }], 'carol turned down escrow 7 from alice to bob'],
  [
    ['escrow_dispute', { ...parties, who: 'alice' }],
    'alice disputes escrow 7 from alice to bob, which its agent carol now decides',
  ],
  [
    ['escrow_release', { ...parties, who: 'carol', receiver: 'bob', coin_amount: coins }],
    'carol released 5 COIN to bob out of escrow 7 from alice to bob',
  ],
  [
    [
      'request_account_recovery',
      { fee, recovery_account: 'ann', account_to_recover: 'bob', new_owner_authority: authority, extensions: [] },
    ],
    'ann asks for a new owner authority of bob, whose keys may be in the wrong hands',
  ],
  [
    [
      'recover_account',
      {
        fee,
        account_to_recover: 'bob',
        new_owner_authority: authority,
        recent_owner_authority: authority,
        extensions: [],
      },
    ],
    'bob was recovered and has a new owner authority',
  ],
  [
    ['change_recovery_account', { fee, account_to_recover: 'bob', new_recovery_account: 'ann', extensions: [] }],
    'bob wants ann to be who can recover it, in 30 days',
  ],
  [
    ['reset_account', { fee, reset_account: 'ann', account_to_reset: 'bob', new_owner_authority: authority }],
    'ann gave bob a new owner authority after long silence',
  ],
  [
    ['set_reset_account', { fee, account: 'bob', current_reset_account: 'initminer', reset_account: 'ann' }],
    'bob lets ann reset it after long silence',
  ],
  [['sponsor_fees', { fee, sponsor: 'ann', sponsored: 'bob', is_sponsoring: true }], 'ann pays the fees of bob'],
  [
    ['sponsor_fees', { fee, sponsor: 'ann', sponsored: 'bob', is_sponsoring: false }],
    'ann no longer pays the fees of bob',
  ],
  [['sponsor_fees', { fee, sponsor: '', sponsored: 'bob', is_sponsoring: false }], 'bob pays its fees itself again'],
  [
    ['transfer_from_promotion_pool', { fee, transfer_to: 'bob', amount: coins, extensions: [] }],
    'The founder gave 5 COIN from the promotion pool to bob',
  ],
  [
    [
      'fill_vesting_withdraw',
      { from_account: 'bob', to_account: 'bob', withdrawn: '1.000000 VESTS', deposited: '1.000000 COIN' },
    ],
    '1 VESTS of bob became 1 COIN, an instalment',
  ],
  [
    [
      'fill_vesting_withdraw',
      { from_account: 'bob', to_account: 'ann', withdrawn: '1.000000 VESTS', deposited: '1.000000 COIN' },
    ],
    '1 VESTS of bob became 1 COIN of ann, an instalment',
  ],
  [['hardfork', { hardfork_id: 1 }], 'The rules of hardfork 1 hold from here on'],
  [['interest', { owner: 'bob', interest: coins }], 'bob was paid 5 COIN as interest'],
  [
    ['producer_reward', { producer: 'ann', vesting_shares: '1.000000 VESTS' }],
    'ann was rewarded with 1 VESTS for this block',
  ],
  [['promotion_pool_withdraw', { to_account: 'bob', withdrawn: coins }], '5 COIN left the promotion pool for bob'],
  [['shutdown_witness', { owner: 'ann' }], 'The witness ann missed its slots for a day and lost its signing key'],
];

for (const [operation, text] of told) {
  test(`${operation[0]} is told in plain words: ${text}`, () => {
    assert.equal(sentenceText(operationSentence(operation)), text);
  });
}

test('each kind of operation is told', () => {
  const kinds = Object.values(operationKinds).map(({ name }) => name);
  assert.deepEqual([...new Set(told.map(([[kind]]) => kind))].toSorted(), kinds.toSorted());
});

test('what strangers wrote is a piece of its own, which nobody takes for words of the page', () => {
  const pieces = operationSentence([
    'transfer',
    { fee, from: 'a', to: 'b', amount: coins, memo: 'alice sent 9 COIN to bob' },
  ]);
  assert.deepEqual(pieces.at(-1), { said: 'alice sent 9 COIN to bob' });
});
