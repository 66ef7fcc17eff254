import { numberMember, type Json } from '../outside/json.ts';
import { transfer } from './chain.ts';
import { expect, on, type Section } from './lines.ts';
import { anything, coin, has, integer, listCheck, listIncluding, listExcluding, tupleStart, vests } from './shapes.ts';

const dev = on('dev');
const hurried = on('hurried');

const NO_TRANSACTION = '0'.repeat(40);

export const events: Section = {
  title: 'Events',
  lines: [
    ...(
      [
        ['producer_reward', { producer: 'alice', vesting_shares: '1.000000 VESTS' }],
        ['interest', { owner: 'alice', interest: '1.000000 COIN' }],
      ] as const
    ).map(([kind, body]) =>
      dev.story('The chain records virtual operations', `no user sends a ${kind}`, async (chain) => {
        const trx = { ...(await chain.signed([transfer('alice', 'bob', '1')], 'alice')), operations: [[kind, body]] };
        await chain.refusal('network_broadcast_api.broadcast_transaction', { trx });
      }),
    ),
    dev.story('with `virtual_op` and an empty `trx_id`', 'in the operations of a block', async (chain) => {
      const head = numberMember(await chain.produce(), 'head_block_number');
      const virtual = has({ trx_id: NO_TRANSACTION, virtual_op: 1, block: head, op: ['producer_reward', anything] });
      for (const [method, member] of [
        ['alexandria_api', 'ops_in_block'],
        ['account_history_api', 'ops'],
      ] as const)
        expect(
          { [member]: [virtual], cursor: null },
          await chain.ask(`${method}.get_ops_in_block`, { block_num: head, only_virtual: false }),
        );
    }),
    dev.story('with `virtual_op` and an empty `trx_id`', 'in the history of an account', async (chain) => {
      await chain.produce();
      const virtual = has({ trx_id: NO_TRANSACTION, virtual_op: 1, op: ['producer_reward', anything] });
      const params = { account: 'initminer', start: -1, limit: 0 };
      expect(
        has({ account_history: [[integer, virtual]] }),
        await chain.ask('alexandria_api.get_account_history', params),
      );
      expect(
        has({ history: [[integer, virtual]] }),
        await chain.ask('account_history_api.get_account_history', params),
      );
    }),
    hurried.story('Kinds shown', 'producer_reward', async (chain) => {
      const head = numberMember(await chain.produce(), 'head_block_number');
      const { ops } = {
        ops: await chain.ask('alexandria_api.get_ops_in_block', { block_num: head, only_virtual: true }),
      };
      expect(
        has({
          ops_in_block: listIncluding(
            has({ op: ['producer_reward', { producer: 'initminer', vesting_shares: vests }] }),
          ),
        }),
        ops,
      );
      expect(
        has({
          ops_in_block: listExcluding(has({ op: ['producer_reward', has({ vesting_shares: '0.000000 VESTS' })] })),
        }),
        ops,
      );
    }),
    hurried.story('Kinds shown', 'interest', async (chain) => {
      const history = await chain.ask('alexandria_api.get_account_history', {
        account: 'stranger-88',
        start: 0,
        limit: 0,
      });
      expect(
        has({
          account_history: [
            [0, has({ trx_id: NO_TRANSACTION, op: ['interest', { owner: 'stranger-88', interest: coin }] })],
          ],
        }),
        history,
      );
    }),
    dev.story('accepts `only_virtual` (boolean) to restrict results', '', async (chain) => {
      const { block } = await chain.sent([transfer('alice', 'bob', '1', 'not virtual')], 'alice');
      const all = await chain.ask('alexandria_api.get_ops_in_block', { block_num: block, only_virtual: false });
      const virtual = await chain.ask('alexandria_api.get_ops_in_block', { block_num: block, only_virtual: true });
      expect(has({ ops_in_block: listIncluding(has({ op: ['transfer', anything] })) }), all);
      expect(has({ ops_in_block: listCheck(has({ op: ['producer_reward', anything] })) }), virtual);
    }),
    ...['alexandria_api', 'subscribe_api'].map((group) =>
      dev.story(
        '`custom_object_subscription` returns an integer',
        `${group}, over a WebSocket`,
        async ({ program }) => {
          const socket = await program.socket();
          const params = { return_id: 12, app_id: 1, account_name: 'bob', search_type: 'by_recipient', start: 1 };
          const answer = await socket.call(`${group}.custom_object_subscription`, params);
          socket.close();
          expect(has({ result: group === 'subscribe_api' ? 12 : { subscription: 12 } }), answer);
        },
      ),
    ),
    dev.story(
      'The delivery of notifications to a subscriber',
      'over the WebSocket of the call, one for each document, in order',
      async (chain) => {
        const socket = await chain.program.socket();
        await socket.call('subscribe_api.custom_object_subscription', {
          return_id: 5,
          app_id: 55,
          account_name: 'dave',
          search_type: 'by_sender',
          start: 1,
        });
        const document = (n: number): Json => [
          'custom_json',
          { sender: 'dave', recipients: ['erin'], app_id: 55, json: `{"n":${n}}` },
        ];
        await chain.send([1, 2, 3].map(document), 'dave');
        for (const n of [1, 2, 3])
          expect(
            has({ method: 'notice', params: tupleStart(5, [[n, has({ data: `{"n":${n}}` })]]) }),
            JSON.parse(await socket.next()),
          );
        socket.close();
      },
    ),
  ],
};
