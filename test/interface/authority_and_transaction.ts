import assert from 'node:assert/strict';
import { at, type Json } from '../outside/json.ts';
import { accountCreate, transfer, type Chain } from './chain.ts';
import { nameOfSeed, publicKey } from './keys.ts';
import { call, expect, on, type Section } from './lines.ts';
import { anything, has, id40, integer, lacks, listCheck, signatureText, text, time, type Shape } from './shapes.ts';

const { row, story } = on('dev');
const wallet = on('wallet');

/** Names in the order in which a chain keeps them. */
const [FIRST, SECOND] = ['bob', 'carol'];

export const authority: Section = {
  title: 'Resources and their fields / Authority',
  lines: [
    row('weight_threshold', call('alexandria_api.get_owner_authority', { account_name: 'alice' }), {
      owner_authority: has({ weight_threshold: 1 }),
    }),
    ...[1, 2, 3].map((threshold) =>
      row(
        'weight_threshold',
        call('alexandria_api.create_simple_multisig_authority', {
          pub_keys: ['one', 'two', 'three'].map(publicKey),
          required_signatures: threshold,
        }),
        { simple_multisig_authority: has({ weight_threshold: threshold }) },
        `${threshold} of three`,
      ),
    ),
    row(
      'account_auths',
      call('alexandria_api.create_simple_multisig_managed_authority', {
        managing_accounts: [FIRST, SECOND],
        required_signatures: 2,
      }),
      {
        simple_multisig_managed_authority: {
          weight_threshold: 2,
          account_auths: [
            [FIRST, 1],
            [SECOND, 1],
          ],
          key_auths: [],
        },
      },
    ),
    row('key_auths', call('alexandria_api.get_active_authority', { account_name: 'alice' }), {
      active_authority: has({ key_auths: [[publicKey('alice'), 1]] }),
    }),
    ...[
      { weights: [1], threshold: 2, isSatisfiable: false },
      { weights: [1, 1], threshold: 2, isSatisfiable: true },
      { weights: [2, 1], threshold: 4, isSatisfiable: false },
      { weights: [3, 5], threshold: 7, isSatisfiable: true },
    ].map(({ weights, threshold, isSatisfiable }) =>
      story(
        'satisfiable when the sum of its key weights',
        `weights ${weights.join(', ')} of ${threshold}`,
        async (chain) => {
          const { name } = await chain.once('to be recovered', () => chain.account('to be recovered'));
          const key_auths = weights
            .map((weight, k) => [publicKey(`part ${k}`), weight] as const)
            .toSorted(([a], [b]) => (a < b ? -1 : 1));
          const request = requestRecovery(name, { weight_threshold: threshold, account_auths: [], key_auths });
          if (isSatisfiable) await chain.send([request], 'alice');
          else await chain.refused('impossible_authority', [request], 'alice');
        },
      ),
    ),
    story(
      'threshold 0 is an open authority',
      'anybody writes for such an account, without a signature',
      async (chain) => {
        const open = { weight_threshold: 0, account_auths: [], key_auths: [] };
        await chain.send([accountCreate('an open door', { active: open })], 'alice');
        const name = nameOfSeed('an open door');
        await chain.send([transfer('alice', name, '1')], 'alice');
        await chain.send([transfer(name, 'bob', '0.5')]);
        assert.equal(await chain.millionths(name), 490_000n);
      },
    ),
  ],
};

function requestRecovery(account: string, new_owner_authority: Json): Json {
  return [
    'request_account_recovery',
    { recovery_account: 'alice', account_to_recover: account, new_owner_authority, extensions: [] },
  ];
}

/**
 * A transaction in a block, and one that was built and not sent; each member of the first, and what the second has of
 * it.
 */
const members: readonly (readonly [string, Shape, Shape | undefined])[] = [
  ['ref_block_num', integer, integer],
  ['ref_block_prefix', integer, integer],
  ['expiration', time, time],
  ['operations', listCheck([text, anything]), listCheck([text, anything])],
  ['extensions', [], []],
  ['signatures', listCheck(signatureText), []],
  ['transaction_id', id40, undefined],
  ['block_num', integer, undefined],
  ['transaction_num', integer, undefined],
];

export const transaction: Section = {
  title: 'Resources and their fields / Transaction',
  lines: [
    ...members.flatMap(([member, done, built]) => [
      row(member, async (chain) => at(await processed(chain), 'tx'), has({ [member]: done }), 'after processing'),
      row(
        member,
        async (chain) => await unsent(chain),
        has({ tx: built === undefined ? lacks(member) : has({ [member]: built }) }),
        'of a transaction that was only built',
      ),
    ]),
    ...['transaction_id', 'block_num', 'transaction_num'].flatMap((member) => [
      row(
        member,
        async (chain) =>
          await chain.ask('alexandria_api.add_signature', {
            tx: await chain.signed([transfer('alice', 'bob', '1')]),
            signature: `20${'11'.repeat(64)}`,
          }),
        has({ signed_tx: lacks(member) }),
        'not there after add_signature',
      ),
      wallet.row(
        member,
        (daemon) => daemon.ask('transfer', 'alice', 'bob', '1 COIN', '', false),
        lacks(member),
        'not there when the wallet only signs',
      ),
    ]),
    row('In `alexandria_api` an operation is a two-element array', async (chain) => await processed(chain), {
      tx: has({ operations: [['transfer', has({ from: 'alice' })]] }),
    }),
    story('In `alexandria_api` an operation is a two-element array', 'in blocks and histories too', async (chain) => {
      const { block } = await sent(chain);
      const inBlock = await chain.ask('alexandria_api.get_block', { num: block });
      expect({ block: has({ transactions: [has({ operations: [['transfer', anything]] })] }) }, inBlock);
      const entries = await chain.ask('alexandria_api.get_ops_in_block', { block_num: block, only_virtual: false });
      expect(has({ ops_in_block: listCheck(has({ op: [text, anything] })) }), entries);
    }),
    row('A helper returns it wrapped', call('alexandria_api.stop_witness', { witness_account_name: 'bob' }), {
      op: ['witness_stop', anything],
    }),
    ...['transfer', 'transfer_operation'].flatMap((type) =>
      [
        'network_broadcast_api.broadcast_transaction',
        'network_broadcast_api.broadcast_transaction_synchronous',
        'chain_api.push_transaction',
      ].map((method) =>
        story('objects `{type: string, value: object}`', `${type} in ${method}`, async (chain) => {
          const trx = await asObjects(chain, type);
          const before = await chain.millionths('dave');
          await chain.waited(method, method.startsWith('chain_api') ? trx : { trx });
          await chain.produce();
          assert.equal((await chain.millionths('dave')) - before, 125_000n);
        }),
      ),
    ),
    story('objects `{type: string, value: object}`', 'in database_api', async (chain) => {
      const trx = await asObjects(chain, 'transfer');
      const pair = { ...trx, operations: [transfer('alice', 'dave', '0.125', `as an object ${count}`)] };
      for (const method of ['get_transaction_hex', 'verify_authority', 'get_potential_signatures'])
        assert.deepEqual(
          await chain.ask(`database_api.${method}`, { trx }),
          await chain.ask(`database_api.${method}`, { trx: pair }),
          method,
        );
    }),
  ],
};

const sent = (chain: Chain) =>
  chain.once('sent', () => chain.sent([transfer('alice', 'erin', '1.5', 'a memo')], 'alice'));

/** The shape of a transaction that was processed, as alexandria_api answers. */
async function processed(chain: Chain): Promise<Json> {
  return await chain.ask('alexandria_api.get_transaction', { tx_id: (await sent(chain)).id });
}

async function unsent(chain: Chain): Promise<Json> {
  return await chain.ask('alexandria_api.create_transaction', { op_vec: [transfer('alice', 'bob', '1')] });
}

let count = 0;

/** A signed transfer, its operation written as an object. */
async function asObjects(chain: Chain, type: string): Promise<{ readonly [name: string]: Json }> {
  const memo = `as an object ${++count}`;
  const signed = await chain.signed([transfer('alice', 'dave', '0.125', memo)], 'alice');
  const value = { fee: '0.010000 COIN', from: 'alice', to: 'dave', amount: '0.125000 COIN', memo };
  return { ...signed, operations: [{ type, value }] };
}
