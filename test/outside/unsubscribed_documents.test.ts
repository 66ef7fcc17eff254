import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { at, listMember, numberMember, optionalMember, textMember, type Json } from './json.ts';
import type { Program } from './program.ts';
import { makeTransaction, signed } from './signer.ts';
import { Site } from './site.ts';
import type { Socket } from './socket.ts';

const site = new Site();

after(() => site.clear());

const FOLLOWED = { app_id: 7, account_name: 'bob', search_type: 'by_recipient', start: 1 };

async function post(program: Program, data: string): Promise<void> {
  const body = { fee: '0.010000 COIN', sender: 'alice', recipients: ['bob'], app_id: 7, json: JSON.stringify(data) };
  const trx = await signed(program, await makeTransaction(program, [['custom_json', body]]), 'alice');
  await program.result('network_broadcast_api.broadcast_transaction_synchronous', { trx });
}

/** Sends a call, and takes all frames up to its answer. */
async function exchange(socket: Socket, method: string, params: Json): Promise<{ answer: Json; notices: string[] }> {
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 'mine', method, params }));
  for (const notices: string[] = []; ;) {
    const frame: Json = JSON.parse(await socket.next());
    if (optionalMember(frame, 'id') === 'mine') return { answer: frame, notices };
    for (const pair of listMember(frame, 'params.1'))
      notices.push(`${numberMember(frame, 'params.0')}: ${textMember(pair, '1.data')}`);
  }
}

test('a program without our client ends a subscription of documents by its id, and hears no more of it', async () => {
  const node = await site.dev('--fresh');
  const [socket, other] = [await node.socket(), await node.socket()];
  for (const return_id of [1, 2])
    await socket.call('subscribe_api.custom_object_subscription', { ...FOLLOWED, return_id });
  await other.call('subscribe_api.custom_object_subscription', { ...FOLLOWED, return_id: 1 });
  const unsubscribe = async (return_id: Json): Promise<{ answer: Json; notices: string[] }> =>
    await exchange(socket, 'subscribe_api.unsubscribe', { return_id });
  const first = await unsubscribe(1);
  assert.equal(numberMember(first.answer, 'result.ended'), 1);
  for (const none of [1, 3, '18446744073709551615'])
    assert.equal(numberMember((await unsubscribe(none)).answer, 'result.ended'), 0, String(none));
  for (const wrong of [-1, 1.5, '0x1', '18446744073709551616', null, [2]])
    assert.notEqual(optionalMember((await unsubscribe(wrong)).answer, 'error'), undefined, JSON.stringify(wrong));
  await post(node, 'heard');
  const notice: Json = JSON.parse(await socket.next());
  assert.equal(numberMember(notice, 'params.0'), 2);
  assert.equal(textMember(at(notice, 'params.1.0'), '1.data'), '"heard"');
  const second = await unsubscribe(2);
  assert.equal(numberMember(second.answer, 'result.ended'), 1);
  await post(node, 'not heard');
  const { notices } = await exchange(socket, 'alexandria_api.info', {});
  assert.deepEqual(notices, []);
  const heard: string[] = [];
  while (heard.length < 2) {
    const frame: Json = JSON.parse(await other.next());
    for (const pair of listMember(frame, 'params.1')) heard.push(textMember(pair, '1.data'));
  }
  assert.deepEqual(heard, ['"heard"', '"not heard"'], 'the subscription of another connection stands');
  for (const each of [socket, other]) each.close();
});
