import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { after, test } from 'node:test';

import { provenChain } from '../builders/proving_chain.ts';
import { Site } from './site.ts';

const site = new Site();
const servers: Server[] = [];
after(async () => {
  for (const server of servers) server.close().closeAllConnections();
  await site.clear();
});

/** The address of a node with as many blocks of the same chain. */
async function startNode(blocks: number, finality = true): Promise<string> {
  const proving = provenChain(blocks, finality);
  return await serve(async (body) => await proving.answer(body));
}

/** An address at which these answers are given. */
async function serve(answer: (body: Buffer) => Promise<string>): Promise<string> {
  const server = createServer(
    (request, response) =>
      void buffer(request)
        .then(answer)
        .then((text) => response.setHeader('content-type', 'application/json').end(text)),
  );
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : assert.fail('no port')}`;
}

async function checkpoint(...urls: readonly string[]) {
  return await site.run(['checkpoint', ...urls.flatMap((url) => ['--url', url])]);
}

const [far, behind, plain] = [await startNode(70), await startNode(30), await startNode(3, false)];

test('nodes of one chain tell one checkpoint, also where one of them is behind', async () => {
  const alone = await checkpoint(far);
  assert.equal(alone.code, 0, alone.stderr);
  // Epoch 16 is a milestone, and 17 is not.
  assert.match(alone.stdout, /^64:00000040[0-9a-f]{32}:[0-9a-f]{64}:\d{8}T\d{6}Z\n$/);
  assert.match(alone.stderr, /one node tells this: compare it/);
  const both = await checkpoint(far, behind);
  assert.equal(both.code, 0, both.stderr);
  assert.match(both.stdout, /^16:00000010/);
  assert.match(both.stderr, /2 nodes tell the same/);
});

test('where nodes tell different checkpoints none is printed, and each is named', async () => {
  const liar = await serve(async (body) => {
    const told = await fetch(behind, { method: 'POST', body });
    return (await told.text()).replace(/("checkpoint":"16:\w+:)\w{8}/, (_, before: string) => `${before}01234567`);
  });
  const { code, stdout, stderr } = await checkpoint(far, liar);
  assert.deepEqual([code, stdout], [7, '']);
  for (const url of [far, liar]) assert.ok(stderr.includes(`${url} tells 16:`), stderr);
  assert.match(stderr, /use none before you know which/);
});

test('a node without finality, and one that is no node, have no checkpoint', async () => {
  const refused = await checkpoint(far, plain);
  assert.deepEqual([refused.code, refused.stdout], [5, '']);
  assert.match(refused.stderr, /this chain has no finality.*\(no_finality\)/);
  const strange = await serve(
    async () => await Promise.resolve('{"jsonrpc":"2.0","id":1,"result":{"checkpoint":"no"}}'),
  );
  const other = await checkpoint(strange);
  assert.deepEqual([other.code, other.stdout], [1, '']);
});

test('pharos witness status shows the checkpoint', async () => {
  const { code, stdout, stderr } = await site.run(['witness', 'status', 'initminer', '--url', far]);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^checkpoint +64:00000040[0-9a-f]{32}:[0-9a-f]{64}:\d{8}T\d{6}Z$/m);
});
