import assert from 'node:assert/strict';
import { at, type Json } from '../outside/json.ts';
import type { Refused } from '../outside/program.ts';
import { waitUntil } from '../outside/wait_until.ts';
import { authorityMembers, transfer, type Chain, type Members } from './chain.ts';
import { approved, escrowParties, proposed, recovery, recoveryRequest, robbed } from './deeds.ts';
import { publicKey } from './keys.ts';
import { call, expect, on, refusal, type Line, type Section } from './lines.ts';
import { has, id40, matching, text, type Shape } from './shapes.ts';

const { row, story } = on('dev');
const hurried = on('hurried');

const EXPIRED = { id: id40, block_num: -1, trx_num: -1, expired: true };
const IMPOSSIBLE = { weight_threshold: 2, account_auths: [], key_auths: [[publicKey('one'), 1]] };

/** A message for people; what the lineage says stands beside it. */
const plainWords = has({
  message: matching(/^(?!.*(?:Assert Exception|unknown key:unknown key|missing required)).+$/s, 'plain words'),
  data: has({ name: text, lineage: text }),
});

export const errors: Section = {
  title: 'Errors',
  lines: [
    story('recover_account without a request from the recovery account', '', async (chain) => {
      const { name, label } = await robbed(chain, 'without a request');
      await chain.refused(
        'no_recovery_request',
        [recovery(name, authorityMembers('fresh'), authorityMembers(label))],
        'fresh',
        label,
      );
    }),
    story(
      'recover_account where the new or the recent owner authority is not satisfied',
      'nothing of it happens',
      async (chain) => {
        const { name, label } = await robbed(chain, 'not satisfied');
        await chain.send([recoveryRequest(name, authorityMembers('fresh'))], 'alice');
        for (const one of ['fresh', label])
          await chain.refused(
            'missing_other_authority',
            [recovery(name, authorityMembers('fresh'), authorityMembers(label))],
            one,
          );
        expect(has({ owner: authorityMembers('thief') }), await chain.record(name));
      },
    ),
    story(
      'request_account_recovery with an unsatisfiable new owner authority (key weights sum below threshold)',
      '',
      async (chain) => {
        const { name } = await chain.account('asked for impossibly');
        await chain.refused('impossible_authority', [recoveryRequest(name, IMPOSSIBLE)], 'alice');
      },
    ),
    ...[true, false].flatMap((first) =>
      ['bob', 'carol'].map((who, k) =>
        story(
          'escrow_approve by a party who already approved or rejected',
          `${who} has ${first ? 'approved' : 'rejected'}`,
          async (chain) => {
            const parties = await proposed(chain, 500 + 10 * k + (first ? 1 : 0));
            const approve = (value: boolean): Json => ['escrow_approve', { ...parties, who, approve: value }];
            await chain.send([approve(first)], who);
            for (const again of [true, false])
              await chain.refused(
                first ? `${who === 'bob' ? 'to' : 'agent'}_approved_already` : '',
                [approve(again)],
                who,
              );
          },
        ),
      ),
    ),
    hurried.story('escrow dispute after the dispute deadline, or before all parties approved', '', async (chain) => {
      const dispute = (parties: Members): Json => ['escrow_dispute', { ...parties, who: 'alice' }];
      await chain.refused('escrow_not_approved', [dispute(await proposed(chain, 600))], 'alice');
      const parties = await approved(chain, 601);
      await chain.seconds(3 * 3600);
      await chain.refused('dispute_too_late', [dispute(parties)], 'alice');
    }),
    ...['get_block', 'get_block_header'].map((method) =>
      row(
        'block_api.get_block or get_block_header for a block that does not exist',
        call(`block_api.${method}`, { block_num: 3_999_999_999 }),
        null,
        method,
      ),
    ),
    row(
      'database_api.verify_account_authority',
      refusal('database_api.verify_account_authority', { account: 'alice', signers: [publicKey('alice')] }),
      has({ name: 'not_implemented', message: matching(/not implemented/) }),
    ),
    story('a request whose transaction `expiration` has passed', 'before it came', async (chain) => {
      const trx = await chain.withSignatures(await chain.unsigned([transfer('alice', 'bob', '1')], -30), 'alice');
      expect(EXPIRED, await chain.ask('network_broadcast_api.broadcast_transaction_synchronous', { trx }));
      await chain.refusal('network_broadcast_api.broadcast_transaction', { trx });
    }),
    story('a request whose transaction `expiration` has passed', 'while it waits', async (chain) => {
      const trx = await chain.withSignatures(
        await chain.unsigned([transfer('alice', 'bob', '1', 'too late')], 30),
        'alice',
      );
      const answer = chain.ask('network_broadcast_api.broadcast_transaction_synchronous', { trx });
      await isPending(chain, 'bob');
      await chain.seconds(60);
      expect(EXPIRED, await answer);
    }),

    ...envelopes(),
  ],
};

/** Answers that the text leaves open, as rpc_conventions.md#errors has them. */
function envelopes(): readonly Line[] {
  const words = 'The error response envelope, error codes and HTTP status codes';
  const posted: readonly (readonly [string, string, Shape])[] = [
    [
      'an unknown method',
      '{"jsonrpc":"2.0","id":1,"method":"alexandria_api.no_such_method"}',
      has({ id: 1, error: has({ code: -32601 }) }),
    ],
    ['malformed JSON', '{"jsonrpc":"2.0","id":', has({ id: null, error: has({ code: -32700 }) })],
    ['a bad request', '{"id":1,"method":7}', has({ error: has({ code: -32600 }) })],
    [
      'bad params',
      '{"jsonrpc":"2.0","id":1,"method":"alexandria_api.get_block","params":{"num":"x"}}',
      badParams('num'),
    ],
    ['missing params', '{"jsonrpc":"2.0","id":1,"method":"alexandria_api.get_block","params":{}}', badParams('num')],
  ];
  const bare = posted.map(([what, body, shape]) =>
    story(words, what, async ({ program }) => {
      const answer = await program.raw(body);
      assert.equal(answer.status, 200);
      expect(shape, JSON.parse(answer.body));
    }),
  );
  const plain: readonly (readonly [string, (chain: Chain) => Promise<Json>])[] = [
    [
      'an unknown account',
      async (chain) => shown(await chain.refusal('alexandria_api.get_account', { account_name: 'dave9' })),
    ],
    [
      'a payment to nobody',
      async (chain) => shown(await chain.refused('', [transfer('alice', 'dave9', '1')], 'alice')),
    ],
    [
      'no signature',
      async (chain) => shown(await chain.refused('missing_active_authority', [transfer('alice', 'bob', '1')])),
    ],
    [
      'too little money',
      async (chain) =>
        shown(await chain.refused('insufficient_funds', [transfer('alice', 'bob', '99999999')], 'alice')),
    ],
    [
      'an impossible authority',
      async (chain) => {
        const { name } = await chain.once('impossible', () => chain.account('asked for in plain words'));
        return shown(await chain.refused('impossible_authority', [recoveryRequest(name, IMPOSSIBLE)], 'alice'));
      },
    ],
    [
      'no such escrow',
      async (chain) =>
        shown(await chain.refused('', [['escrow_dispute', { ...escrowParties(999), who: 'alice' }]], 'alice')),
    ],
  ];
  const told = plain.map(([what, ask]) => row(words, ask, plainWords, `${what} is told in plain words`));
  const fee = matching(/fee of at least 0\.010000 COIN expected, got 0\.001000 COIN/);
  return [
    ...bare,
    ...told,
    row(words, async (chain) => shown(await lesserFee(chain)), has({ message: fee }), 'with the values in them'),
  ];
}

function badParams(member: string): Shape {
  return has({ error: has({ code: -32602, message: matching(new RegExp(`\\b${member}\\b`)) }) });
}

/** A fee that somebody has lessened behind the back of the node that named it. */
async function lesserFee(chain: Chain): Promise<Refused> {
  const built = await chain.unsigned([transfer('alice', 'bob', '1')]);
  const body = { fee: '0.001000 COIN', from: 'alice', to: 'bob', amount: '1.000000 COIN', memo: '' };
  const trx = await chain.withSignatures({ ...built, operations: [['transfer', body]] }, 'alice');
  return await chain.refusal('network_broadcast_api.broadcast_transaction', { trx });
}

function shown({ code, name, message, data }: Refused): Json {
  return { code, name, message, data };
}

/** Waits until the pending state of an account is another one than the committed. */
async function isPending(chain: Chain, account_name: string): Promise<void> {
  const committed = at(await chain.record(account_name), 'balance');
  await waitUntil('the transaction to be pending', async () => {
    const answer = await chain.ask('alexandria_api.get_account', { account_name, pending: true });
    return at(answer, 'account.0.balance') !== committed || undefined;
  });
}
