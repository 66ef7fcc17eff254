import assert from 'node:assert/strict';
import { connect, createServer } from 'node:net';
import { test } from 'node:test';
import { connectionsIn, connectionsOfPort } from '../../src/node/connections_of_port.ts';

const LIST = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:23E9 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1
   1: 0100007F:23E9 0100007F:C350 01 00000000:00000000 00:00000000 00000000     0        0 2 1
   2: 0100007F:C350 0100007F:23E9 01 00000000:00000000 00:00000000 00000000     0        0 3 1
   3: 0100007F:23E9 0100007F:C351 06 00000000:00000000 00:00000000 00000000     0        0 4 1
  14: 00000000000000000000000001000000:23E9 00000000000000000000000001000000:C352 01 00000000:00000000 00:00000000 00000000 0 0 5 1
`;

test('of what Linux lists, established connections of that port are counted, not its own, those of the other end, or what has ended', () => {
  assert.equal(connectionsIn(LIST, 9193), 2);
  assert.equal(connectionsIn(LIST, 50_000), 1);
  assert.equal(connectionsIn(LIST, 9194), 0);
});

test('a port is told its own connections where the system lists them', async (t) => {
  const server = createServer();
  t.after(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const client = connect(port, '127.0.0.1');
  t.after(() => client.destroy());
  await new Promise((resolve) => server.once('connection', resolve));
  assert.equal(await connectionsOfPort(port), process.platform === 'linux' ? 1 : undefined);
});
