import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { WebSocketServer } from 'ws';
import { systemClock } from '../../src/base/clock.ts';
import { Fault } from '../../src/base/fault.ts';
import { Refusal } from '../../src/base/refusal.ts';
import { ConnectionClosed, NodeSilent } from '../../src/client/answer.ts';
import { connectOverHttp, isHttpAddress, openConnection } from '../../src/client/connect.ts';
import { http, webSocket } from '../../src/client/transports.ts';
import { symbolsInConfig } from '../../src/client/chain_of_node.ts';
import { ChainFollower } from '../../src/client/follow.ts';
import { closeFakeNodes, fakeNode, resultText, type FakeCall } from '../builders/fake_node.ts';
import { UnreadableItem } from '../../src/client/unreadable.ts';

after(closeFakeNodes);

const closing: (() => void)[] = [];
after(() => closing.forEach((close) => close()));

for (const protocol of ['http', 'ws']) {
  test(`${protocol}: results, refusals in the node's words, and integers beyond floats`, async () => {
    const node = await fakeNode(({ method, id }) => {
      if (method === 'big') return `{"jsonrpc":"2.0","id":${id},"result":{"n":9007199254740993}}`;
      if (method === 'no')
        return JSON.stringify({
          jsonrpc: '2.0',
          id,
          error: { code: -32000, message: 'Assert Exception:no coins', data: { name: 'poor' } },
        });
      return resultText(id, method);
    });
    const connection = openConnection(`${protocol}://127.0.0.1:${node.port}`, systemClock);
    assert.equal(await connection.call('hello', {}, { timeoutMs: 5000, repeatable: true }), 'hello');
    assert.deepEqual(await connection.call('big', {}, { timeoutMs: 5000, repeatable: true }), { n: 9007199254740993n });
    await assert.rejects(
      connection.call('no', {}, { timeoutMs: 5000, repeatable: true }),
      (error) => error instanceof Refusal && error.code === 'poor' && error.message === 'Assert Exception:no coins',
    );
    connection.close();
  });

  test(`${protocol}: silence ends in a fault, and so does nonsense`, async () => {
    const node = await fakeNode(({ method }) => (method === 'nonsense' ? '<html>' : undefined));
    const connection = openConnection(`${protocol}://127.0.0.1:${node.port}`, systemClock);
    await assert.rejects(
      connection.call('silence', {}, { timeoutMs: 50, repeatable: false }),
      (error) => error instanceof NodeSilent && error.wasSent,
    );
    await assert.rejects(connection.call('nonsense', {}, { timeoutMs: 500, repeatable: false }), Fault);
    connection.close();
  });

  test(`${protocol}: a node that is not there was not sent anything`, async () => {
    const { port, server } = await fakeNode(() => undefined);
    server.close();
    const connection = openConnection(`${protocol}://127.0.0.1:${port}`, systemClock);
    await assert.rejects(
      connection.call('hello', {}, { timeoutMs: 1000, repeatable: true }),
      (error) => error instanceof NodeSilent && !error.wasSent,
    );
    connection.close();
  });
}

for (const protocol of ['http', 'ws'])
  test(`${protocol}: a call that was lost on its way, and finds nobody when it is repeated, may have arrived`, async () => {
    const node = await fakeNode(() => {
      node.server.close();
      node.drop();
      return undefined;
    });
    const connection = openConnection(`${protocol}://127.0.0.1:${node.port}`, systemClock);
    await assert.rejects(
      connection.call('hello', {}, { timeoutMs: 1000, repeatable: true }),
      (error) => error instanceof NodeSilent && error.wasSent,
    );
    connection.close();
  });

test('a lost socket is opened again for a question, but nothing is sent twice', async () => {
  let heard = 0;
  const node = await fakeNode(({ method, id }) => {
    heard++;
    if (method !== 'drop' || heard > 1) return resultText(id, method);
    node.drop();
    return undefined;
  });
  const connection = openConnection(`ws://127.0.0.1:${node.port}`, systemClock);
  assert.equal(await connection.call('drop', {}, { timeoutMs: 5000, repeatable: true }), 'drop');
  heard = 0;
  await assert.rejects(
    connection.call('drop', {}, { timeoutMs: 5000, repeatable: false }),
    (error) => error instanceof NodeSilent && error.wasSent,
  );
  assert.equal(heard, 1);
  assert.equal(await connection.call('again', {}, { timeoutMs: 5000, repeatable: false }), 'again');
  connection.close();
});

test('who closes a connection while its node is away has closed it for good: nothing is opened when the node is back', async () => {
  const answer = ({ method, id }: FakeCall): string => resultText(id, method);
  const node = await fakeNode(answer);
  const connection = openConnection(`ws://127.0.0.1:${node.port}`, systemClock);
  assert.equal(await connection.call('hello', {}, { timeoutMs: 5000, repeatable: true }), 'hello');
  node.server.close();
  node.drop();
  await new Promise<void>((resolve) => void systemClock.after(50, resolve));
  const waiting = connection.call('hello', {}, { timeoutMs: 10_000, repeatable: true });
  await new Promise<void>((resolve) => void systemClock.after(50, resolve));
  connection.close();
  let opened = 0;
  const again = await fakeNode(answer, node.port);
  again.server.on('connection', () => opened++);
  await assert.rejects(waiting, ConnectionClosed);
  await assert.rejects(connection.call('hello', {}, { timeoutMs: 10_000, repeatable: true }), ConnectionClosed);
  await new Promise<void>((resolve) => void systemClock.after(1000, resolve));
  assert.equal(opened, 0);
});

test('what is followed over a connection that is closed fails, and is not tried again', async () => {
  const connection = openConnection('ws://127.0.0.1:1', systemClock);
  connection.close();
  const failures: unknown[] = [];
  const target = {
    method: 'subscribe_api.subscribe_blocks',
    params: {},
    resume: undefined,
    take() {},
    takeWaiting() {},
  };
  const follower = new ChainFollower(
    connection,
    systemClock,
    { ...target, failed: (error) => void failures.push(error) },
    1,
  );
  await follower.subscribe();
  assert.ok(failures.length === 1 && failures[0] instanceof ConnectionClosed);
});

test('many calls on one socket get each its own answer', async () => {
  const node = await fakeNode(({ method, id }) => resultText(id, method));
  const connection = openConnection(`ws://127.0.0.1:${node.port}`, systemClock);
  const methods = Array.from({ length: 50 }, (_, k) => `m${k}`);
  assert.deepEqual(
    await Promise.all(methods.map((method) => connection.call(method, {}, { timeoutMs: 5000, repeatable: false }))),
    methods,
  );
  connection.close();
});

test('an address with a user or a password is refused, and stands in no error', () => {
  const openers = [(url: string) => openConnection(url, systemClock), connectOverHttp, isHttpAddress, http, webSocket];
  for (const protocol of ['http', 'https', 'ws', 'wss', 'ftp'])
    for (const user of ['me:s3cret', 's3cret', ':s3cret'])
      for (const open of openers)
        assert.throws(
          () => open(`${protocol}://${user}@127.0.0.1:1/`),
          (error) =>
            error instanceof Fault && /no user and no password/.test(error.message) && !/s3cret/.test(error.message),
        );
});

test('addresses of other protocols are refused', () => {
  for (const url of ['', 'ftp://a', 'localhost:9193', 'javascript:1'])
    assert.throws(() => openConnection(url, systemClock), Fault, url);
  for (const url of ['', 'ws://a', 'localhost:9193']) assert.throws(() => connectOverHttp(url), Fault, url);
});

/** A server that gives this answer to whatever it is sent, and remembers what that was. */
async function answering(
  status: number,
  type: string,
  body: string,
): Promise<{ readonly url: string; readonly heard: string[] }> {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      heard.push(Buffer.concat(pieces).toString());
      response.writeHead(status, { 'Content-Type': type }).end(body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard };
}

const JSON_TYPE = 'application/json';

test('the answers to a batch are told apart by their ids, whatever their order; what is missing was not answered', async () => {
  const refused = { code: -32000, message: 'too poor', data: { name: 'poor' } };
  const answers = [
    { jsonrpc: '2.0', id: 2, result: { n: 2 } },
    { jsonrpc: '2.0', id: 0, error: refused },
    { jsonrpc: '2.0', id: 9, result: 'nobody asked' },
    { jsonrpc: '2.0', id: null, error: refused },
  ];
  const { url, heard } = await answering(200, JSON_TYPE, JSON.stringify(answers));
  const connection = connectOverHttp(url);
  const shown = (await connection.callMany('some_api.some', [1, 2, 3], 5000)).map((outcome) =>
    'result' in outcome ? outcome.result : outcome.refusal.code,
  );
  assert.deepEqual(shown, ['poor', 'no_answer', { n: 2 }]);
  assert.deepEqual(
    JSON.parse(heard[0] ?? ''),
    [1, 2, 3].map((params, id) => ({ jsonrpc: '2.0', id, method: 'some_api.some', params })),
  );
  const written = '[{"jsonrpc": "2.0", "id": 0, "method": "as it is"}]';
  assert.equal((await connection.post(Uint8Array.from(Buffer.from(written)), 1, 5000)).length, 1);
  assert.equal(heard[1], written);
  connection.close();
});

test('a batch that is refused as a whole is refused to each of its calls', async () => {
  const { url } = await answering(
    200,
    JSON_TYPE,
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"too long"}}',
  );
  const outcomes = await connectOverHttp(url).post('[]', 2, 5000);
  assert.deepEqual(
    outcomes.map((outcome) => ('refusal' in outcome ? outcome.refusal.message : '')),
    ['too long', 'too long'],
  );
});

test('a status that is no success is told with what stands behind it, and only a server that failed may have heard', async () => {
  for (const [status, wasSent] of [
    [403, false],
    [504, true],
  ] as const) {
    const { url, heard } = await answering(status, 'text/plain', 'a body\u001b[2J is \nlong');
    const failed = (error: unknown): boolean =>
      error instanceof NodeSilent &&
      error.wasSent === wasSent &&
      error.message.endsWith(`: HTTP ${status} a body [2J is long`);
    await assert.rejects(
      openConnection(url, systemClock).call('hello', {}, { timeoutMs: 5000, repeatable: false }),
      failed,
    );
    await assert.rejects(connectOverHttp(url).post('[]', 1, 5000), failed);
    assert.equal(heard.length, 2);
  }
});

test('a body that is too large is refused with the limit', async () => {
  const { url, heard } = await answering(413, 'text/plain', 'a body has at most 1048576 bytes');
  const failed = { name: 'request_too_large', code: 'request_too_large' };
  const message = /more than the 1048576 that the node at .* takes/;
  await assert.rejects(openConnection(url, systemClock).call('hello', {}, { timeoutMs: 5000, repeatable: true }), {
    ...failed,
    message,
  });
  assert.equal(heard.length, 1);
});

test('a refusal is one whatever the status says', async () => {
  const { url } = await answering(
    500,
    JSON_TYPE,
    '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no","data":{"name":"poor"}}}',
  );
  await assert.rejects(openConnection(url, systemClock).call('hello', {}, { timeoutMs: 5000, repeatable: false }), {
    code: 'poor',
  });
});

test('the symbols of a chain are read off its configuration', () => {
  const fallback = { coinSymbol: 'COIN', vestsSymbol: 'VESTS', keyPrefix: 'PHR', coinName: 'coin' };
  assert.deepEqual(symbolsInConfig(null, fallback), fallback);
  const config = {
    XYZ_CHAIN_ID: '00',
    XYZ_SYMBOL: 'XYZ',
    XYZ_INIT_PUBLIC_KEY: 'SPH6LLegbAgLAy28EHrffBVuANFWcFgmqRMW13wBmTExqFE9SCkg4',
  };
  assert.deepEqual(symbolsInConfig(config, fallback), {
    coinSymbol: 'XYZ',
    vestsSymbol: 'VESTS',
    keyPrefix: 'SPH',
    coinName: 'xyz',
  });
});

/** A server of WebSockets that ends with the tests, whoever is still connected. */
async function listeningSockets(): Promise<WebSocketServer> {
  const sockets = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(sockets, 'listening');
  closing.push(() => {
    for (const socket of sockets.clients) socket.terminate();
    sockets.close();
  });
  return sockets;
}

/** A node that sends these bytes for each message, or ends the connection with a code. */
async function sayingNode(say: (id: number) => string | Buffer | { readonly close: number }): Promise<string> {
  const sockets = await listeningSockets();
  sockets.on('connection', (socket) =>
    socket.on('message', (message: Buffer) => {
      const { id } = JSON.parse(message.toString()) as { id: number };
      const said = say(id);
      if (typeof said === 'object' && 'close' in said) socket.close(said.close);
      else socket.send(said, { binary: false });
    }),
  );
  return `ws://127.0.0.1:${(sockets.address() as AddressInfo).port}`;
}

test('an error without an id reaches the only call, or all of them', async () => {
  const error =
    '{"jsonrpc":"2.0","error":{"code":-32700,"message":"no JSON","data":{"name":"json_unexpected"}},"id":null}';
  const connection = openConnection(await sayingNode(() => error), systemClock);
  await assert.rejects(connection.call('a', {}, { timeoutMs: 60_000, repeatable: true }), { code: 'json_unexpected' });
  const both = [
    connection.call('a', {}, { timeoutMs: 60_000, repeatable: false }),
    connection.call('b', {}, { timeoutMs: 60_000, repeatable: false }),
  ];
  for (const each of both)
    await assert.rejects(each, (failure) => failure instanceof NodeSilent && /no JSON/.test(failure.message));
  connection.close();
});

test('a request that is too large for the node is refused by name, whatever the node says', async () => {
  const connection = openConnection(await sayingNode(() => ({ close: 1009 })), systemClock);
  await assert.rejects(connection.call('a', { text: 'x'.repeat(5000) }, { timeoutMs: 60_000, repeatable: true }), {
    code: 'request_too_large',
  });
  connection.close();
});

test('an answer that is no UTF-8 reaches its call, and garbage everybody', async () => {
  const broken = (id: number): Buffer =>
    Buffer.concat([Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":"`), Buffer.from([0xff]), Buffer.from('"}')]);
  const connection = openConnection(await sayingNode(broken), systemClock);
  await assert.rejects(connection.call('a', {}, { timeoutMs: 60_000, repeatable: false }), { code: 'protocol' });
  connection.close();
  const garbled = openConnection(await sayingNode(() => '<html>'), systemClock);
  const told: Fault[] = [];
  garbled.listen?.({
    notice: () => undefined,
    lost: () => undefined,
    unreadable: () => assert.fail(),
    garbled: (error) => void told.push(error),
  });
  await assert.rejects(garbled.call('a', {}, { timeoutMs: 60_000, repeatable: false }), NodeSilent);
  assert.equal(told.length, 1);
  garbled.close();
});

/** A notice of three operations, the second of which has a memo that is no UTF-8. */
function brokenNotice(returnId: number): Buffer {
  const item = (index: number, memo: Buffer): Buffer =>
    Buffer.concat([
      Buffer.from(
        `{"type":"operation","position":"p${index}","operation":{"block":7,"trx_in_block":${index},"op_in_trx":0,"op":["transfer",{"memo":"é`,
      ),
      memo,
      Buffer.from('"}]}}'),
    ]);
  const items = [item(0, Buffer.from('a')), item(1, Buffer.from([0xc3])), item(2, Buffer.from('b'))];
  const joined = items.flatMap((each, index) => (index === 0 ? [each] : [Buffer.from(','), each]));
  return Buffer.concat([
    Buffer.from(`{"jsonrpc":"2.0","method":"notice","params":[${returnId},[`),
    ...joined,
    Buffer.from(']]}'),
  ]);
}

for (const way of ['stop', 'skip'] as const)
  test(`an item that can't be read is told with its place, and a follower may ${way} there`, async () => {
    const sockets = await listeningSockets();
    sockets.on('connection', (socket) =>
      socket.on('message', (message: Buffer) => {
        const { id, params } = JSON.parse(message.toString()) as { id: number; params: { return_id: number } };
        socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: { position: 'p' } }));
        socket.send(brokenNotice(params.return_id), { binary: false });
      }),
    );
    const connection = openConnection(`ws://127.0.0.1:${(sockets.address() as AddressInfo).port}`, systemClock);
    const [taken, skipped, failures]: [string[], unknown[], unknown[]] = [[], [], []];
    const target = {
      ...{
        method: 'subscribe_api.subscribe_operations',
        params: {},
        resume: undefined,
        skipsUnreadable: way === 'skip',
      },
      take: (_type: string, item: unknown) => void taken.push(JSON.stringify(item)),
      takeWaiting() {},
      unreadable: (error: unknown) => void skipped.push(error),
      failed: (error: unknown) => void failures.push(error),
    };
    const follower = new ChainFollower(connection, systemClock, target, 1);
    connection.listen?.({
      notice: (id, items) => follower.receive(items, Number(id)),
      lost: () => undefined,
      unreadable: (id, error) => follower.receiveUnreadable(error, Number(id)),
      garbled: (error) => follower.receiveGarbled(error),
    });
    await follower.subscribe();
    while (way === 'stop' ? failures.length === 0 : taken.length < 2) await new Promise(setImmediate);
    const [told] = way === 'stop' ? failures : skipped;
    assert.ok(told instanceof UnreadableItem);
    const { block, transaction, operation, member } = told;
    assert.deepEqual(
      { block, transaction, operation, member },
      { block: 7, transaction: 1, operation: 0, member: 'operation.op[1].memo' },
    );
    assert.match(taken[0] ?? '', /"éa"/);
    assert.equal(taken.length, way === 'stop' ? 1 : 2);
    assert.equal(follower.position, way === 'stop' ? 'p0' : 'p2');
    follower.stop();
    connection.close();
  });

test('a connection that the other side closes with a code and a reason says both to the call', async () => {
  const sockets = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(sockets, 'listening');
  closing.push(() => sockets.close());
  const { port } = sockets.address() as AddressInfo;
  for (const [code, reason, said] of [
    [1013, 'too busy', /closed the connection \(code 1013: too busy\)$/],
    [4001, '', /closed the connection \(code 4001\)$/],
    [1000, '', /closed the connection$/],
  ] as const) {
    sockets.removeAllListeners('connection');
    sockets.on('connection', (socket) => socket.on('message', () => socket.close(code, reason)));
    const connection = openConnection(`ws://127.0.0.1:${port}`, systemClock);
    await assert.rejects(
      connection.call('no', {}, { timeoutMs: 5000, repeatable: false }),
      (error) => error instanceof NodeSilent && said.test(error.message),
    );
    connection.close();
  }
});
