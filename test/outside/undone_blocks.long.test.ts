import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { at, listMember, numberMember, textMember, type Json } from './json.ts';
import type { Program } from './program.ts';
import { RPC, SevenNodes } from './seven_nodes.ts';
import { signed, makeTransaction } from './signer.ts';
import { Site } from './site.ts';
import { waitUntil, within } from './wait_until.ts';

const site = new Site();

after(() => site.clear());

const APP = 7;
const FOLLOWED = { app_id: APP, account_name: 'bob', search_type: 'by_recipient' };
/** One witness of five, alone with the node for users. */
const SMALLER = [4, RPC];

async function sendDocument(program: Program, data: string): Promise<Json> {
  const body = { fee: '0.010000 COIN', sender: 'alice', recipients: ['bob'], app_id: APP, json: JSON.stringify(data) };
  return await signed(program, await makeTransaction(program, [['custom_json', body]]), 'alice');
}

/** Posts it and waits for its block. */
async function post(program: Program, trx: Json): Promise<number> {
  return numberMember(
    await program.result('network_broadcast_api.broadcast_transaction_synchronous', { trx }),
    'block_num',
  );
}

/** The documents that bob has received at a node, by number. */
async function fetchDocuments(program: Program): Promise<string[]> {
  const params = { ...FOLLOWED, search_type: 'by_recipient_reverse', start: '1', count: 10 };
  const listed = listMember({ listed: await program.result('custom_api.list_received_documents', params) }, 'listed');
  return listed.map((pair) => `${String(at(pair, '0'))}: ${textMember(pair, '1.data')}`);
}

async function fetchHistory(program: Program): Promise<readonly Json[]> {
  return listMember(await program.result('account_history_api.get_account_history', { account: 'bob' }), 'history');
}

test('what a node told of blocks that it had to undo is told anew: subscriptions and histories agree with those who were right', async () => {
  const net = await SevenNodes.start(site, { delayMs: 10, bytesPerMs: 5000, lossPercent: 0 });
  const [rpc, right] = [net.nodeProgram(RPC), net.nodeProgram(0)];
  const head = await net.together(0);
  const socket = await rpc.socket();
  await socket.call('subscribe_api.custom_object_subscription', { ...FOLLOWED, return_id: 1, start: 1 });
  const told = new Map<number, string>();
  /** Takes notices until a document has that number and text. */
  const hears = async (number: number, text: string): Promise<void> => {
    const heard = async (): Promise<void> => {
      while (told.get(number) !== text) {
        const notice: Json = JSON.parse(await socket.next());
        for (const pair of listMember(notice, 'params.1'))
          told.set(numberMember(pair, '0'), textMember(pair, '1.data'));
      }
    };
    await within(`a notice of ${text} as document ${number}`, heard());
  };
  await post(rpc, await sendDocument(rpc, 'before'));
  await hears(1, '"before"');
  await net.together(head);

  const [undone, kept] = [
    await sendDocument(rpc, 'of the smaller part'),
    await sendDocument(right, 'of the larger part'),
  ];
  net.part(SMALLER);
  await Promise.all([post(rpc, undone), post(right, kept)]);
  await hears(2, '"of the smaller part"');
  assert.deepEqual(await fetchDocuments(right), ['1: "before"', '2: "of the larger part"']);
  net.heal(SMALLER);

  await hears(2, '"of the larger part"');
  await hears(3, '"of the smaller part"');
  const together = await net.together(head);
  const expected = ['1: "before"', '2: "of the larger part"', '3: "of the smaller part"'];
  assert.deepEqual(
    [...told].map(([number, text]) => `${number}: ${text}`),
    expected,
  );
  await waitUntil('that to be irreversible', async () => {
    const found = await right.result('alexandria_api.get_dynamic_global_properties');
    return numberMember(found, 'properties.last_irreversible_block_num') >= together ? true : undefined;
  });
  await net.together(together);
  for (const program of [rpc, right, net.nodeProgram(4)]) {
    assert.deepEqual(await fetchDocuments(program), expected);
    assert.deepEqual(await fetchHistory(program), await fetchHistory(right));
  }
  assert.ok(/fork: \d+ blocks are undone/.test(rpc.stderr), 'the operator is told');
  await net.stop();
});
