import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { connect } from '../../../src/client/index.ts';
import { Reader } from './reader.ts';

// A reader types the commands of the guide. test/services/docs_in_browser.test.ts plays it with a browser.

let reader: Reader;
before(async () => {
  reader = await Reader.of('first_app');
});
after(async () => await reader.leave());

test('each command of the guide for the first app does what it says, in its order', async () => {
  const [start = '', ask = '', serve = '', send = '', ...more] = reader.guide.commands;
  assert.deepEqual(more, []);
  await reader.start(start, /Ctrl-C stops/);
  assert.match(await reader.run(ask), /"10000000\.000000 COIN"/);
  await reader.start(serve, /http:/);
  const address = `http://127.0.0.1:${reader.port('8000')}`;
  for (const path of ['/', '/app.js']) assert.equal((await fetch(address + path)).status, 200);
  assert.equal((await fetch(`${address}/send.js`)).status, 404);
  assert.match(await reader.run(send), /^in block \d+\n$/);
  const node = await connect(`http://127.0.0.1:${reader.port('9193')}`);
  const found = await node.call('custom_api.list_received_documents', {
    ...{ app_id: 1, account_name: 'bob', search_type: 'by_recipient_reverse', start: '-1', count: 10 },
  });
  assert.deepEqual(
    found.map(([, { sender, data }]) => [sender, data]),
    [['alice', '{"text":"Hello, bob!"}']],
  );
});
