import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { LoadedNode } from '../../src/load_test/loaded_node.ts';

for (const [name, isCured] of [
  ['too_busy', true],
  ['rate_exceeded', true],
  ['no_such_account', false],
] as const)
  test(`what a load has to know is ${isCured ? 'asked again' : 'not asked again'} when the node says ${name}`, async () => {
    let asked = 0;
    const server = createServer((request, response) => {
      request.resume();
      request.on('end', () => {
        const error = { code: -32000, message: 'no', data: { name } };
        response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...(asked++ === 0 ? { error } : { result: 'known' }) }));
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const node = new LoadedNode(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    try {
      if (isCured) assert.equal(await node.call('a', {}), 'known');
      else await assert.rejects(node.call('a', {}), { code: 'runtime' });
      assert.equal(asked, isCured ? 2 : 1);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });
