import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import { listen, servers } from './servers.ts';

const token = 'ab'.repeat(32);
const body = '{"jsonrpc":"2.0","id":1,"method":"sample_api.echo","params":{"text":"hello"}}';

for (const [name, open] of servers) {
  test(`${name}: with a token set, calls and pages are for those who show it, in a header or in the URL`, async (t) => {
    const { url } = await listen(t, open, { token });
    const status = async (query: string, headers: Record<string, string>, method = 'POST'): Promise<number> =>
      (
        await fetch(url + query, {
          method,
          headers: { ...headers, Connection: 'close' },
          ...(method === 'POST' ? { body } : {}),
        })
      ).status;
    assert.equal(await status('', { Authorization: `Bearer ${token}` }), 200);
    assert.equal(await status('', { authorization: `bearer  ${token}` }), 200);
    assert.equal(await status(`?token=${token}`, {}), 200);
    assert.equal(await status(`?a=b&token=${token}`, {}), 200);
    assert.equal(await status(`health?token=${token}`, {}, 'GET'), 200);
    const wrong = ['', `${token}0`, token.slice(1), token.replace('a', 'b'), 'undefined'];
    for (const shown of wrong) {
      assert.equal(await status('', { Authorization: `Bearer ${shown}` }), 401, shown);
      assert.equal(await status(`?token=${shown}`, {}), 401, shown);
      assert.equal(await status(`health?token=${shown}`, {}, 'GET'), 401, shown);
    }
    assert.equal(await status('', { Authorization: `Basic ${token}` }), 401);
    assert.equal(await status(`?tokens=${token}`, {}), 401);
    const refused = await fetch(url, { method: 'POST', body, headers: { Connection: 'close' } });
    assert.equal(refused.headers.get('www-authenticate'), 'Bearer');
    assert.match(await refused.text(), /^a call shows the token/);
  });

  test(`${name}: with a token set, a WebSocket opens for those who show it`, async (t) => {
    const { port } = await listen(t, open, { token });
    const opens = async (path: string, headers: Record<string, string>): Promise<string> =>
      await new Promise((resolve) => {
        const socket = new WebSocket(`ws://127.0.0.1:${port}/${path}`, { headers });
        socket.once('open', () => {
          socket.close();
          resolve('open');
        });
        socket.once('error', ({ message }) => resolve(message));
      });
    assert.equal(await opens('', { Authorization: `Bearer ${token}` }), 'open');
    assert.equal(await opens(`?token=${token}`, {}), 'open');
    assert.match(await opens('', {}), /401/);
    assert.match(await opens('?token=', {}), /401/);
  });
}
