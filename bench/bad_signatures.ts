// An attacker in a process of its own: it sends transfers whose signatures are wrong, batch after batch, until it is
// killed, and then says how many. `same` keeps its WebSocket, `new` takes another one for each batch, `post` posts from
// another address.
import { request } from 'node:http';
import { randomBytes } from 'node:crypto';
import { WebSocket } from 'ws';
import { present } from '../src/base/assert.ts';
import { profileNamed } from '../src/settings/chain_settings.ts';
import { devAccounts } from '../src/dev_chain/dev_genesis.ts';
import { fetchFacts } from '../src/load_test/chain_facts.ts';
import { LoadedNode } from '../src/load_test/loaded_node.ts';
import { signTransfers } from '../src/load_test/sign_transfers.ts';

const [, , url = '', way = 'same', batch = ''] = process.argv;
/** Sent again and again: a signature that is wrong is wrong each time. */
const BATCHES = 8;
const OTHER_ADDRESS = '127.0.0.2';

const bodies = await wrongBodies();
let sent = 0;
let socket = way === 'post' ? undefined : await opened();
process.on('message', () => process.send?.(sent));
process.send?.('ready');
for (let turn = 0; ; turn++) {
  const body = present(bodies[turn % bodies.length], 'a body');
  if (socket === undefined) await post(body);
  else await ask(socket, body);
  sent += Number(batch);
  if (way !== 'new') continue;
  socket?.close();
  socket = await opened();
}

async function wrongBodies(): Promise<string[]> {
  const { chainId, head, fee } = await fetchFacts(new LoadedNode(url), profileNamed('default'));
  const senders = devAccounts.map((name) => ({ name, secret: randomBytes(32) }));
  const signing = {
    profileName: 'default',
    chainId,
    fee,
    senders,
    referenceBlockId: head.id,
    expiration: head.time + 3000,
    firstAmount: 1n,
    first: 0,
  };
  const signed = signTransfers({ ...signing, count: BATCHES * Number(batch), batch: Number(batch) });
  return Array.from(signed, ({ body }) => Buffer.from(body).toString());
}

function opened(): Promise<WebSocket> {
  const opening = new WebSocket(url.replace('http', 'ws'), { perMessageDeflate: false });
  return new Promise((resolve, reject) => opening.once('open', () => resolve(opening)).once('error', reject));
}

function ask(asked: WebSocket, body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    asked.removeAllListeners();
    asked.once('message', () => resolve()).once('close', reject);
    asked.send(body);
  });
}

function post(body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const posted = request(url, { method: 'POST', headers, localAddress: OTHER_ADDRESS }, (response) =>
      response.resume().on('end', () => resolve()),
    );
    posted.on('error', reject).end(body);
  });
}
