import assert from 'node:assert/strict';
import { at, listMember, numberMember, textMember, type Json } from '../outside/json.ts';
import { requireObject } from '../outside/signer.ts';
import { transfer, type Chain, type Members } from './chain.ts';
import { call, expect, on, type Section } from './lines.ts';
import {
  anything,
  has,
  id40,
  integer,
  list,
  listCheck,
  listIncluding,
  listExcluding,
  matching,
  noList,
  signatureText,
  time,
  type Shape,
  historyEntry,
} from './shapes.ts';
import { subscriptionLines } from './subscribing.ts';

const { row, story } = on('dev');

const APP = 1234;
const MISSING = 4_000_000_000;

const entry = has(historyEntry);
const header = {
  previous: id40,
  timestamp: time,
  witness: 'initminer',
  transaction_merkle_root: id40,
  extensions: list,
};

/** The searches for documents 1 to 5, from where, and the numbers of three. */
const searches: readonly (readonly [string, string | number, readonly number[]])[] = [
  ['by_sender', '4', [2, 3, 4]],
  ['by_recipient', '5', [3, 4, 5]],
  ['by_sender', '-1', [3, 4, 5]],
  ['by_recipient', -1, [3, 4, 5]],
  ['by_sender_reverse', '2', [2, 3, 4]],
  ['by_recipient_reverse', '1', [1, 2, 3]],
  ['by_recipient_reverse', '-1', [3, 4, 5]],
  ['by_sender_datetime', '2105-01-01T00:00:00', [3, 4, 5]],
  ['by_recipient_datetime', '2105-01-01T00:00:00', [3, 4, 5]],
  ['by_sender_datetime_reverse', '2001-01-01T00:00:00', [1, 2, 3]],
  ['by_recipient_datetime_reverse', '2001-01-01T00:00:00Z', [1, 2, 3]],
  ['by_recipient_datetime', '2001-01-01T00:00:00', []],
];

export const otherGroups: Section = {
  title: 'Endpoints / Other groups',
  lines: [
    row('jsonrpc.get_methods', call('jsonrpc.get_methods'), listCheck(matching(/^[a-z_]+\.[a-z_0-9]+$/))),
    row('jsonrpc.get_signature', call('jsonrpc.get_signature', { method: 'database_api.list_accounts' }), {
      args: has({ start: null, order: 'by_name' }),
      ret: has({ accounts: noList }),
    }),
    ...['database_api.no_such_method', 'no_such_api.get_block', 'nonsense'].map((method) =>
      row('jsonrpc.get_signature', call('jsonrpc.get_signature', { method }), null, `null for ${method}`),
    ),

    story(
      'network_broadcast_api.broadcast_block',
      'as it was retrieved, and without what is there on retrieval only',
      async (chain) => {
        for (const strip of [true, false]) {
          const block = await takenBack(chain, strip);
          expect({}, await chain.ask('network_broadcast_api.broadcast_block', { block }));
          await isHead(chain, block);
        }
      },
    ),
    ...[{}, { max_block_age: -1 }].map((more) =>
      story('network_broadcast_api.broadcast_transaction', JSON.stringify(more), async (chain) => {
        const trx = await chain.signed([transfer('alice', 'bob', '1', JSON.stringify(more))], 'alice');
        expect({}, await chain.ask('network_broadcast_api.broadcast_transaction', { trx, ...more }));
        const head = numberMember(await chain.produce(), 'head_block_number');
        expect(
          { block: has({ transaction_ids: listCheck(id40) }) },
          await chain.ask('alexandria_api.get_block', { num: head }),
        );
      }),
    ),
    ...[{}, { max_block_age: -1 }].map((more) =>
      story(
        'network_broadcast_api.broadcast_transaction_synchronous',
        `${JSON.stringify(more)} waits for its block`,
        async (chain) => {
          const trx = await chain.signed([transfer('alice', 'bob', '2', JSON.stringify(more))], 'alice');
          const answer = await chain.waited('network_broadcast_api.broadcast_transaction_synchronous', {
            trx,
            ...more,
          });
          expect({ id: id40, block_num: integer, trx_num: integer, expired: false }, answer);
          const stored = await chain.ask('block_api.get_block', { block_num: numberMember(answer, 'block_num') });
          assert.equal(
            listMember(stored, 'transaction_ids')[numberMember(answer, 'trx_num')],
            textMember(answer, 'id'),
          );
        },
      ),
    ),

    ...(
      [
        [{}, [0, 1, 2, 3]],
        [{ start: -1 }, [0, 1, 2, 3]],
        [{ start: -1, limit: 1000, reverse_order: false }, [0, 1, 2, 3]],
        [{ start: -1, limit: 1 }, [2, 3]],
        [{ start: 2, limit: 1 }, [1, 2]],
        [{ start: 0, limit: 0 }, [0]],
        [{ start: 1, limit: 2, reverse_order: true }, [1, 2]],
        [{ start: -1, limit: 2, reverse_order: true }, [2, 3]],
      ] as const
    ).map(([params, sequences]) =>
      row(
        'account_history_api.get_account_history',
        async (chain) =>
          await chain.ask('account_history_api.get_account_history', { account: await eventful(chain), ...params }),
        has({ history: sequences.map((sequence): Shape => [sequence, entry]) }),
        JSON.stringify(params),
      ),
    ),
    row(
      'account_history_api.get_ops_in_block',
      async (chain) =>
        await chain.ask('account_history_api.get_ops_in_block', {
          block_num: (await sent(chain)).block,
          only_virtual: false,
        }),
      has({ ops: listIncluding(has({ op: ['transfer', anything] })) }),
    ),
    row(
      'account_history_api.get_ops_in_block',
      async (chain) =>
        await chain.ask('account_history_api.get_ops_in_block', {
          block_num: (await sent(chain)).block,
          only_virtual: true,
        }),
      has({ ops: listExcluding(has({ virtual_op: 0 })) }),
      'only virtual ones',
    ),
    story('account_history_api.get_transaction', 'flat', async (chain) => {
      const { id, block, place } = await sent(chain);
      const flat = {
        operations: [['transfer', anything]],
        signatures: [signatureText],
        transaction_id: id,
        block_num: block,
        transaction_num: place,
      };
      expect(has(flat), await chain.ask('account_history_api.get_transaction', { id }));
    }),
    story('account_history_api.get_transaction', 'marked deprecated in the OpenRPC document', async ({ program }) => {
      const document: Json = JSON.parse((await program.http('GET', '/openrpc.json', {})).body);
      expect(
        listIncluding(has({ name: 'account_history_api.get_transaction', deprecated: true })),
        at(document, 'methods'),
      );
    }),

    row(
      'block_api.get_block',
      async (chain) => await chain.ask('block_api.get_block', { block_num: (await sent(chain)).block }),
      has({ ...header, witness_signature: signatureText, transactions: listCheck(anything) }),
    ),
    ...[0, MISSING].map((block_num) =>
      row('block_api.get_block', call('block_api.get_block', { block_num }), null, `null for ${block_num}`),
    ),
    row(
      'block_api.get_block_header',
      async (chain) => await chain.ask('block_api.get_block_header', { block_num: (await sent(chain)).block }),
      header,
    ),
    ...[0, MISSING].map((block_num) =>
      row(
        'block_api.get_block_header',
        call('block_api.get_block_header', { block_num }),
        null,
        `null for ${block_num}`,
      ),
    ),

    ...[{}, { currently_syncing: false }].map((more) =>
      story('chain_api.push_block', JSON.stringify(more), async (chain) => {
        const block = await takenBack(chain, true);
        expect({ success: true }, await chain.ask('chain_api.push_block', { block, ...more }));
        await isHead(chain, block);
      }),
    ),
    story('chain_api.push_block', 'a block that does not fit', async (chain) => {
      const block = await takenBack(chain, true);
      const answer = await chain.ask('chain_api.push_block', {
        block: { ...block, witness_signature: `20${'11'.repeat(64)}` },
        currently_syncing: false,
      });
      expect(has({ success: false }), answer);
    }),
    story('chain_api.push_transaction', 'the members directly in params', async (chain) => {
      const trx = await chain.signed([transfer('alice', 'bob', '3', 'pushed')], 'alice');
      expect({ success: true }, await chain.ask('chain_api.push_transaction', trx));
      expect(has({ success: false }), await chain.ask('chain_api.push_transaction', { ...trx, signatures: [] }));
    }),

    ...(
      [
        [5, 3, [3, 4, 5]],
        [4, 2, [3, 4]],
        [-1, 2, [4, 5]],
        [-1, 10, [1, 2, 3, 4, 5]],
      ] as const
    ).map(([start, limit, numbers]) =>
      row(
        'custom_api.get_app_custom_messages',
        async (chain) => {
          await fiveDocuments(chain);
          return await chain.ask('custom_api.get_app_custom_messages', { app_id: APP, start, limit });
        },
        documents(numbers),
        `start ${start}, limit ${limit}`,
      ),
    ),
    row(
      'custom_api.get_received_document',
      async (chain) => {
        await fiveDocuments(chain);
        const found = await chain.ask('custom_api.list_received_documents', search('by_recipient_reverse', '2', 1));
        return await chain.ask('custom_api.get_received_document', { id: at({ found }, 'found.0.1.id') });
      },
      has({
        id: integer,
        sender: 'dave',
        recipients: ['grace'],
        app_id: APP,
        data: '{"n":2}',
        binary: false,
        received: time,
      }),
    ),
    ...searches.map(([search_type, start, numbers]) =>
      row(
        'custom_api.list_received_documents',
        async (chain) => {
          await fiveDocuments(chain);
          return await chain.ask('custom_api.list_received_documents', search(search_type, start, 3));
        },
        documents(numbers),
        `${search_type} from ${start}`,
      ),
    ),
    ...subscriptionLines('subscribe_api.custom_object_subscription', 'subscribe_api', APP, (returnId) => returnId),
  ],
};

const sent = (chain: Chain) =>
  chain.once('sent to judy', () => chain.sent([transfer('alice', 'judy', '2.5', 'sent to judy')], 'alice'));

function documents(numbers: readonly number[]): Shape {
  return numbers.map((number): Shape => [number, has({ id: integer, sender: 'dave', data: `{"n":${number}}` })]);
}

function search(search_type: string, start: string | number, count: number): Json {
  return {
    app_id: APP,
    account_name: search_type.startsWith('by_sender') ? 'dave' : 'grace',
    search_type,
    start,
    count,
  };
}

/** Documents that dave has sent to grace, each in a block of its own. */
async function fiveDocuments(chain: Chain): Promise<void> {
  await chain.once('five documents', async () => {
    for (const n of [1, 2, 3, 4, 5])
      await chain.send(
        [['custom_json', { sender: 'dave', recipients: ['grace'], app_id: APP, json: `{"n":${n}}` }]],
        'dave',
      );
  });
}

/** An account with four entries in its history, 0 to 3. */
async function eventful(chain: Chain): Promise<string> {
  return await chain.once('four entries', async () => {
    const { name } = await chain.account('with four entries');
    for (const memo of ['1', '2', '3']) await chain.send([transfer('alice', name, '1', memo)], 'alice');
    return name;
  });
}

const RETRIEVAL_ONLY = new Set(['block_id', 'signing_key', 'transaction_ids']);

/** A block that this chain has made and taken back, so that somebody else can bring it. */
async function takenBack(chain: Chain, strip: boolean): Promise<Members> {
  const id = at(await chain.ask('debug_api.snapshot'), 'id');
  const head = numberMember(await chain.produce(), 'head_block_number');
  const block = requireObject(await chain.ask('block_api.get_block', { block_num: head }));
  await chain.ask('debug_api.revert', { id });
  return strip ? Object.fromEntries(Object.entries(block).filter(([name]) => !RETRIEVAL_ONLY.has(name))) : block;
}

async function isHead(chain: Chain, block: Members): Promise<void> {
  const id = textMember(await chain.ask('alexandria_api.info'), 'info.head_block_id');
  const number = Number.parseInt(id.slice(0, 8), 16);
  expect(
    has({ timestamp: block['timestamp'] ?? null, witness_signature: block['witness_signature'] ?? null }),
    await chain.ask('block_api.get_block', { block_num: number }),
  );
}
