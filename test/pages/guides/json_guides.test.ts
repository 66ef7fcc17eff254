import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { devChain, type DevChain } from '../../../src/dev_chain/dev_chain.ts';
import { Socket } from '../../outside/socket.ts';

// Calls that guides show as JSON, sent as they stand there.

let chain: DevChain;

before(async () => {
  chain = await devChain();
});

after(async () => await chain.stop());

/** The only block of JSON of a guide. */
function shownCall(guide: string): string {
  const text = readFileSync(new URL(`../../../../src/pages/guides/${guide}.md`, import.meta.url), 'utf8');
  const [block = '', ...more] = [...text.matchAll(/^```json\n([^]*?)^```$/gm)].map(([, content = '']) => content);
  assert.deepEqual(more, []);
  return block;
}

test('the subscription of the guide to followers hears of payments to bob', async () => {
  const socket = await Socket.open(chain.url.replace('http:', 'ws:'), async () => {});
  socket.send(shownCall('follow_chain'));
  assert.match(await socket.next(), /"result"/);
  await chain.sendUnsigned([['transfer', { from: 'carol', to: 'bob', amount: '5.000000 COIN', memo: 'tea' }]]);
  assert.match(await socket.next(), /"params":\[1,\[\{"type":"operation"[^]*"memo":"tea"/);
  socket.close();
});

test('the read of the guide to own writes waits for its block, and names the head', async () => {
  const body = shownCall('read_your_writes');
  await chain.mine(1);
  const answer = async (text: string): Promise<string> =>
    await (await fetch(chain.url, { method: 'POST', body: text })).text();
  assert.match(await answer(body), /head_out_of_reach/);
  assert.match(await answer(body.replace('1204', '1')), /"head":\{"number":\d+,"id":"[0-9a-f]{40}"\}/);
});
