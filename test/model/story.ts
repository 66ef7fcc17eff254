import assert from 'node:assert/strict';

import type { Json } from '../../src/codec/json.ts';
import { timeText } from '../../src/values/time.ts';
import { testKey, testKeyText } from '../builders/chain.ts';
import type { ComparedChain } from './compared_chain.ts';

const FREE = '0.000000 COIN';
const FEE = '0.010000 COIN';
const DAY_SLOTS = 24; // of an hour each

const byKey = (name: string): Json => ({ weight_threshold: 1, account_auths: [], key_auths: [[testKeyText(name), 1]] });
const props = { account_creation_fee: '0.500000 COIN', maximum_block_size: 131_072, price_feeds: [] };

/** One of each kind that a public net takes, on a chain with an hour a block: chain and model must take all of them. */
export function tellPublicStory(compared: ComparedChain): void {
  const take = (signer: string | readonly string[], ...operation: [string, Json]): void => {
    const signers = typeof signer === 'string' ? [signer] : signer;
    assert(compared.send([operation], signers), `${operation[0]}: ${[...compared.refused.keys()].at(-1)}`);
  };
  compared.produce();
  tradeAndVest(compared, take);
  endEscrow(compared, take);
  sellApplication(compared, take);
  becomeWitness(compared, take);
  changeHands(compared, take);
}

type Take = (signer: string | readonly string[], ...operation: [string, Json]) => void;

function tradeAndVest(compared: ComparedChain, take: Take): void {
  take('alice', 'transfer', { fee: FEE, from: 'alice', to: 'bob', amount: '1.000000 COIN', memo: '' });
  take('alice', 'transfer_to_vesting', { fee: FREE, from: 'alice', to: 'bob', amount: '500.000000 COIN' });
  take('bob', 'withdraw_vesting', { fee: FREE, account: 'bob', vesting_shares: '100.000000 VESTS' });
  take('initminer', 'transfer_from_promotion_pool', {
    fee: FREE,
    transfer_to: 'bob',
    amount: '1.000000 COIN',
    extensions: [],
  });
  take('carol', 'sponsor_fees', { fee: FREE, sponsor: 'carol', sponsored: 'dave', is_sponsoring: true });
  const document = { fee: FEE, sender: 'dave', recipients: ['erin', 'bob'], app_id: 3 };
  take('dave', 'custom', { ...document, data: '00' });
  take('dave', 'custom_json', { ...document, json: '{"a":1}' });
  take('dave', 'custom_binary', { ...document, data: 'ff' });
  compared.produce();
}

function endEscrow(compared: ComparedChain, take: Take): void {
  const parties = { from: 'alice', to: 'bob', agent: 'carol', escrow_id: 1 };
  const { time } = compared.chain.head;
  const ends = { ratification_deadline: timeText(time + 90_000), escrow_expiration: timeText(time + 900_000) };
  const held = { coin_amount: '5.000000 COIN', escrow_fee: '0.500000 COIN', json_meta: '' };
  take('alice', 'escrow_transfer', { fee: FEE, ...parties, ...held, ...ends });
  compared.produce();
  take('bob', 'escrow_approve', { fee: FEE, ...parties, who: 'bob', approve: true });
  take('carol', 'escrow_approve', { fee: FEE, ...parties, who: 'carol', approve: true });
  take('alice', 'escrow_dispute', { fee: FEE, ...parties, who: 'alice' });
  take('carol', 'escrow_release', {
    fee: FEE,
    ...parties,
    who: 'carol',
    receiver: 'bob',
    coin_amount: '5.000000 COIN',
  });
  compared.produce();
}

function sellApplication(compared: ComparedChain, take: Take): void {
  const application = { fee: FEE, author: 'alice', name: 'shop' };
  take('alice', 'application_create', { ...application, url: 'u', metadata: '', price_param: 1 });
  take('alice', 'application_update', { ...application, url: 'v', metadata: 'm' });
  take('bob', 'buy_application', { fee: FEE, buyer: 'bob', app_id: 0 });
  take('alice', 'cancel_application_buying', { fee: FEE, app_owner: 'alice', buyer: 'bob', app_id: 0 });
  compared.produce();
  take('carol', 'buy_application', { fee: FEE, buyer: 'carol', app_id: 0 });
  take('alice', 'application_delete', application);
  compared.produce();
}

function becomeWitness(compared: ComparedChain, take: Take): void {
  take('bob', 'witness_update', { fee: FREE, owner: 'bob', url: 'u', block_signing_key: testKeyText('bob'), props });
  take('alice', 'account_witness_vote', { fee: FREE, account: 'alice', witness: 'bob', approve: true });
  take('erin', 'account_witness_proxy', { fee: FREE, account: 'erin', proxy: 'alice' });
  for (let made = 0; made < 10; made++) compared.produce();
  const exchange_rate = { base: '1.000000 COIN', quote: '2.000000 USD' };
  take('bob', 'feed_publish', { fee: FREE, publisher: 'bob', exchange_rate });
  take('bob', 'witness_set_properties', {
    fee: FREE,
    owner: 'bob',
    props: { key: testKey('bob'), url: 'w' },
    extensions: [],
  });
  compared.produce();
  take('dave', 'transfer', {
    fee: '0.010000 USD',
    from: 'dave',
    to: 'bob',
    amount: '1.000000 COIN',
    memo: 'paid in dollars',
  });
  take('bob', 'witness_stop', { fee: FEE, owner: 'bob' });
  for (let made = 0; made < 10; made++) compared.produce();
}

function changeHands(compared: ComparedChain, take: Take): void {
  const owner = byKey('other');
  take('alice', 'account_create', {
    fee: '0.950000 COIN',
    creator: 'alice',
    name_seed: 'seed',
    owner: byKey('alice'),
    active: byKey('alice'),
    memo_key: testKeyText('alice'),
    json_metadata: '',
  });
  take('erin', 'account_update', {
    fee: FREE,
    account: 'erin',
    owner,
    memo_key: testKeyText('x'),
    json_metadata: '{}',
  });
  take('bob', 'change_recovery_account', {
    fee: FREE,
    account_to_recover: 'bob',
    new_recovery_account: 'carol',
    extensions: [],
  });
  take('bob', 'set_reset_account', {
    fee: FREE,
    account: 'bob',
    current_reset_account: 'initminer',
    reset_account: 'dave',
  });
  compared.produce();
  compared.produce(DAY_SLOTS / 2);
  const back = byKey('again');
  const asked = { fee: FREE, account_to_recover: 'erin', new_owner_authority: back, extensions: [] };
  take('initminer', 'request_account_recovery', { ...asked, recovery_account: 'initminer' });
  take(['again', 'erin'], 'recover_account', { ...asked, recent_owner_authority: byKey('erin') });
  take('carol', 'account_delete', { fee: FREE, account: 'carol' });
  compared.produce();
  // Two months in which bob does nothing.
  compared.produce(61 * DAY_SLOTS);
  take('dave', 'reset_account', {
    fee: FREE,
    reset_account: 'dave',
    account_to_reset: 'bob',
    new_owner_authority: byKey('third'),
  });
  compared.produce();
}

/** Plays operations that only a private net takes. */
export function tellPrivateStory(compared: ComparedChain): void {
  compared.produce();
  const appointed: Json = [
    'admin_witness_update',
    { fee: FREE, owner: 'bob', url: 'u', block_signing_key: testKeyText('bob'), props },
  ];
  assert(compared.send([appointed], ['initminer']));
  for (let made = 0; made < 10; made++) compared.produce();
}
