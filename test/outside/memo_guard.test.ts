import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { optionalMember } from './json.ts';
import { signed, makeTransaction, transfer } from './signer.ts';
import { Site } from './site.ts';
import { inLongForm } from '../builders/forms.ts';

const site = new Site();

after(() => site.clear());

test('whether memos are looked at for keys of their senders is the operator’s to say', inLongForm, async () => {
  const dev = await site.dev('--fresh');
  const start = (mode: string): ReturnType<Site['start']> =>
    site.start([
      ...['run', '--genesis-json', site.path('data', 'genesis.json'), '--data-dir', site.path(mode)],
      ...['--webserver-http-endpoint', '127.0.0.1:0', '--memo-guard', mode],
    ]);
  for (const [mode, refusal] of [
    ['on', 'memo_is_owner_key'],
    ['off', undefined],
  ] as const) {
    const node = start(mode);
    await node.ready();
    // The text of the key, as the banner of a development chain shows it.
    const memo = /alice +(5\w+)/.exec(dev.stdout)?.[1] ?? assert.fail(dev.stdout);
    const trx = await signed(node, await makeTransaction(node, [transfer('alice', 'bob', '1.000000', memo)]), 'alice');
    const answer = await node.call('network_broadcast_api.broadcast_transaction', { trx });
    assert.equal(optionalMember(answer, 'error.data.name'), refusal, mode);
  }
  const node = start('perhaps');
  assert.equal(await node.exited, 2);
  assert.match(node.stderr, /memo-guard: on or off expected/);
});
