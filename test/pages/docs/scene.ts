import type { DevChain, GivenOperation } from '../../../src/dev_chain/dev_chain.ts';

/** When the sample chain begins: the same at every recording, so ids and times of samples stay as they are. */
export const SCENE_BEGINS = Date.UTC(2026, 0, 1) / 1000;

const HOUR = 3600;
const DAY = 24 * HOUR;

/** The parts of a development chain that the scene needs. */
export type Stage = Pick<DevChain, 'account' | 'send' | 'jumpAhead' | 'mine'>;

/**
 * Two months of a chain on which most has happened that can happen: what the examples of methods look for, and one
 * operation of each kind.
 */
export async function playScene(chain: Stage): Promise<void> {
  const key = (name: string): string => chain.account(name).publicKey;
  const send = async (...operations: readonly GivenOperation[]): Promise<void> => {
    const secrets = [...new Set(operations.flatMap(operationSigners))].map((name) => chain.account(name).key);
    await chain.send(operations, secrets);
  };
  const alone = (name: string) => ({
    weight_threshold: 1,
    account_auths: [],
    key_auths: [[key(name), 1]] as [string, number][],
  });
  const props = { account_creation_fee: '0.050000 COIN', maximum_block_size: 262_144, price_feeds: [] };

  await send(['transfer', { from: 'alice', to: 'bob', amount: '1.000000 COIN', memo: 'hello' }]);
  // Nothing is heard of frank for two months.
  await send(['set_reset_account', { account: 'frank', current_reset_account: 'initminer', reset_account: 'alice' }]);
  await chain.jumpAhead(61 * DAY);
  await send([
    'reset_account',
    { reset_account: 'alice', account_to_reset: 'frank', new_owner_authority: alone('frank') },
  ]);

  await send(['custom_json', { sender: 'alice', recipients: ['bob', 'carol'], app_id: 1, json: '{"hello":"bob"}' }]);
  await send(['custom_json', { sender: 'alice', recipients: ['bob'], app_id: 1, json: '{"order":7,"status":"sent"}' }]);
  await send(['custom_binary', { sender: 'bob', recipients: ['alice'], app_id: 1, data: '68656c6c6f' }]);
  await send(['custom', { sender: 'bob', recipients: [], app_id: 2, data: '6e6f7465' }]);

  await send([
    'application_create',
    { author: 'alice', name: 'chat', url: 'https://chat.example', metadata: '', price_param: 0 },
  ]);
  await send([
    'application_create',
    { author: 'alice', name: 'notes', url: 'https://notes.example', metadata: '', price_param: 1 },
  ]);
  await send([
    'application_update',
    { author: 'alice', name: 'notes', url: 'https://notes.example/new', metadata: '{}', price_param: 0 },
  ]);
  await send(['buy_application', { buyer: 'bob', app_id: 0 }]);
  await send(['buy_application', { buyer: 'carol', app_id: 0 }]);
  await send(['cancel_application_buying', { app_owner: 'alice', buyer: 'carol', app_id: 0 }]);
  await send(['application_delete', { author: 'alice', name: 'notes' }]);

  await send(['transfer_to_vesting', { from: 'alice', to: '', amount: '300000.000000 COIN' }]);
  await send([
    'witness_update',
    { owner: 'alice', url: 'https://alice.example', block_signing_key: key('alice'), props },
  ]);
  await send([
    'witness_set_properties',
    { owner: 'alice', props: { url: 'https://alice.example/witness' }, extensions: [] },
  ]);
  await send(['account_witness_vote', { account: 'alice', witness: 'initminer', approve: true }]);
  await send(['account_witness_proxy', { account: 'dave', proxy: 'alice' }]);
  await send([
    'feed_publish',
    { publisher: 'initminer', exchange_rate: { base: '1.000000 COIN', quote: '0.250000 USD' } },
  ]);

  await send(['sponsor_fees', { sponsor: 'alice', sponsored: 'carol', is_sponsoring: true }]);
  await send(['transfer', { from: 'carol', to: 'dave', amount: '2.000000 COIN', memo: 'sponsored' }]);

  await send([
    'account_create',
    {
      ...{ creator: 'alice', name_seed: 'a new shop', json_metadata: '{}' },
      ...{ owner: alone('alice'), active: alone('alice'), memo_key: key('alice') },
    },
  ]);
  await send([
    'account_update',
    { account: 'erin', memo_key: key('erin'), json_metadata: '{"profile":{"name":"Erin"}}' },
  ]);
  await send(['account_delete', { account: 'judy' }]);

  await send(['change_recovery_account', { account_to_recover: 'alice', new_recovery_account: 'bob', extensions: [] }]);
  // Somebody has got hold of the account of grace.
  await send(['account_update', { account: 'grace', owner: alone('ivan'), memo_key: key('grace'), json_metadata: '' }]);
  await chain.jumpAhead(2 * HOUR);
  await send([
    'request_account_recovery',
    { recovery_account: 'initminer', account_to_recover: 'grace', new_owner_authority: alone('heidi'), extensions: [] },
  ]);
  await chain.send(
    [
      [
        'recover_account',
        {
          account_to_recover: 'grace',
          new_owner_authority: alone('heidi'),
          recent_owner_authority: alone('grace'),
          extensions: [],
        },
      ],
    ],
    [chain.account('grace').key, chain.account('heidi').key],
  );

  await playEscrows(send);
  await send(['transfer_from_promotion_pool', { transfer_to: 'bob', amount: '5.000000 COIN', extensions: [] }]);
  await send(['withdraw_vesting', { account: 'alice', vesting_shares: '1.000000 VESTS' }]);
  await chain.jumpAhead(DAY);
  // Prices become one price after an hour of blocks.
  await chain.mine(1000);
  await chain.mine(201);
  await send([
    'request_account_recovery',
    { recovery_account: 'initminer', account_to_recover: 'alice', new_owner_authority: alone('bob'), extensions: [] },
  ]);
  await send(['transfer', { from: 'alice', to: 'bob', amount: '0.500000 COIN', memo: 'the day after' }]);
}

async function playEscrows(send: (...operations: readonly GivenOperation[]) => Promise<void>): Promise<void> {
  const parties = { from: 'alice', to: 'bob', agent: 'carol' };
  for (const escrow_id of [1, 2]) {
    await send([
      'escrow_transfer',
      {
        ...parties,
        escrow_id,
        ...{ coin_amount: '5.000000 COIN', escrow_fee: '0.100000 COIN', json_meta: '' },
        ...{ ratification_deadline: '2026-03-20T00:00:00', escrow_expiration: '2026-04-20T00:00:00' },
      },
    ]);
  }
  await send(['escrow_approve', { ...parties, who: 'bob', escrow_id: 1, approve: true }]);
  await send(['escrow_approve', { ...parties, who: 'carol', escrow_id: 1, approve: true }]);
  await send(['escrow_dispute', { ...parties, who: 'bob', escrow_id: 1 }]);
  await send([
    'escrow_release',
    { ...parties, who: 'carol', receiver: 'bob', escrow_id: 1, coin_amount: '2.000000 COIN' },
  ]);
}

/** Returns the account whose keys sign: the first that the body names as the acting one. */
function operationSigners([kind, body]: GivenOperation): string[] {
  const named: Readonly<Record<string, unknown>> = { ...body };
  const actors = [
    'who',
    'sender',
    'author',
    'app_owner',
    'buyer',
    'creator',
    'owner',
    'sponsor',
    'publisher',
    'recovery_account',
    'account',
    'account_to_recover',
    'from',
  ];
  if (kind === 'transfer_from_promotion_pool') return ['initminer'];
  if (kind === 'reset_account') return ['alice'];
  const name = actors.map((actor) => named[actor]).find((value) => typeof value === 'string');
  return [String(name)];
}
