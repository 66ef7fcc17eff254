import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { WebSocketServer } from 'ws';
import { systemClock } from '../../../src/base/clock.ts';
import type { Log, LogFields } from '../../../src/base/log.ts';
import { errorRecovery } from '../../../src/base/recovery.ts';
import { UnreadableRecord } from '../../../src/sinks/unreadable_record.ts';
import { NodeSource } from '../../../src/cli/index/node_source.ts';

interface Line {
  readonly text: string;
  readonly fields: LogFields | undefined;
}

function keptLog(): { readonly log: Log; readonly lines: Line[] } {
  const lines: Line[] = [];
  const keep = (text: string, _event: string, fields: LogFields): void => void lines.push({ text, fields });
  return { lines, log: { debug: keep, notice: keep, warning: keep, error: keep } };
}

/** The node's answer to the n-th attempt to subscribe: an error by name, or an item in bytes. */
type Said = { readonly refused: string } | { readonly item: Buffer };

/** Indexes a node that says these, one after the other, until the source fails. */
async function failing(
  ...said: readonly Said[]
): Promise<{ readonly error: unknown; readonly lines: readonly Line[] }> {
  const sockets = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(sockets, 'listening');
  let attempt = 0;
  sockets.on('connection', (socket) =>
    socket.on('message', (message: Buffer) => {
      const { id, method, params } = JSON.parse(message.toString()) as {
        id: number;
        method: string;
        params: { return_id: number };
      };
      const next = method === 'subscribe_api.subscribe_blocks' ? said[attempt++] : undefined;
      if (next !== undefined && 'refused' in next)
        return socket.send(
          JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32000, message: 'no', data: { name: next.refused } } }),
        );
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: { position: 'p' } }));
      if (next === undefined) return;
      const head = Buffer.from(`{"jsonrpc":"2.0","method":"notice","params":[${params.return_id},[`);
      socket.send(Buffer.concat([head, next.item, Buffer.from(']]}')]), { binary: false });
    }),
  );
  const { log, lines } = keptLog();
  const source = new NodeSource(`ws://127.0.0.1:${(sockets.address() as AddressInfo).port}`, systemClock, log);
  try {
    await source.start({ number: 0, id: '', position: undefined, idAt: async () => await Promise.resolve(undefined) });
    const error: unknown = await source.next().then(
      () => assert.fail('it has read something'),
      (failure: unknown) => failure,
    );
    return { error, lines };
  } finally {
    source.close();
    for (const socket of sockets.clients) socket.terminate();
    sockets.close();
  }
}

const broken = Buffer.concat([
  Buffer.from(
    '{"type":"operation","position":"p1","operation":{"block":7,"trx_in_block":2,"op_in_trx":1,"op":["transfer",{"memo":"',
  ),
  Buffer.from([0xc3]),
  Buffer.from('"}]}}'),
]);

test('an operation that can’t be read is an unreadable record with its place', async () => {
  const { error } = await failing({ item: broken });
  assert.ok(error instanceof UnreadableRecord);
  assert.match(
    error.message,
    /^block 7, transaction 2, operation 1, operation\.op\[1\]\.memo: a text of the node that is no UTF-8 /,
  );
  assert.deepEqual(error.place, { block: 7, transaction: 2, operation: 1, member: 'operation.op[1].memo' });
  assert.equal(errorRecovery(error), 'next_node');
});

test('an error that another moment cures is waited for, and said once; one that nothing cures ends the index', async () => {
  const { error, lines } = await failing(
    { refused: 'head_not_reached' },
    { refused: 'head_not_reached' },
    { refused: 'no_such_thing' },
  );
  assert.match(error instanceof Error ? error.message : '', /^the node refuses: no$/);
  assert.deepEqual(
    lines.map(({ text }) => text),
    ['no blocks from the node; it is asked again'],
  );
});

for (const [name, isCured] of [
  ['too_busy', true],
  ['head_too_old', true],
  ['no_such_thing', false],
] as const)
  test(`a question that the node refuses as ${name} is ${isCured ? 'asked again' : 'not asked again'}`, async () => {
    const sockets = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await once(sockets, 'listening');
    let asked = 0;
    sockets.on('connection', (socket) =>
      socket.on('message', (message: Buffer) => {
        const { id } = JSON.parse(message.toString()) as { id: number };
        const error = { code: -32000, message: 'no', data: { name } };
        socket.send(
          JSON.stringify({ jsonrpc: '2.0', id, ...(asked++ === 0 ? { error } : { result: { accounts: [] } }) }),
        );
      }),
    );
    const source = new NodeSource(
      `ws://127.0.0.1:${(sockets.address() as AddressInfo).port}`,
      systemClock,
      keptLog().log,
    );
    try {
      if (isCured) assert.deepEqual(await source.genesisBalances(), []);
      else
        await assert.rejects(
          source.genesisBalances(),
          /^Fault: the node refuses database_api.list_genesis_accounts: no$/,
        );
      assert.equal(asked, isCured ? 2 : 1);
    } finally {
      source.close();
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
    }
  });
