import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import type { HttpServerOptions } from '../../src/jsonrpc/http/http_server.ts';
import { Client, servers, listen } from './http/servers.ts';
import { sampleDispatcher, workedMs } from './sample_methods.ts';

/** A request and its answer; undefined for an empty one. */
interface Example {
  readonly name: string;
  readonly sent: string;
  readonly received: unknown;
}

const invalidRequest = { jsonrpc: '2.0', error: -32600, id: null };

/**
 * The examples of JSON-RPC 2.0, section 7, in its order. `subtract`, `sum` and `update` are `test_api.add` here,
 * `get_data` is `test_api.echo`, `foobar` is a method of a group, since bare names speak the old dialect. Where the
 * specification's examples use params by position, which the default dialect does not have, the object stands in an
 * array. Of errors the code is compared.
 */
const examples: readonly Example[] = [
  {
    name: 'rpc call with positional parameters',
    sent: '{"jsonrpc": "2.0", "method": "test_api.add", "params": [{"left": 42, "right": -23}], "id": 1}',
    received: { jsonrpc: '2.0', result: { sum: '19' }, id: 1 },
  },
  {
    name: 'rpc call with positional parameters, the other way round',
    sent: '{"jsonrpc": "2.0", "method": "test_api.add", "params": [{"left": -42, "right": 23}], "id": 2}',
    received: { jsonrpc: '2.0', result: { sum: '-19' }, id: 2 },
  },
  {
    name: 'rpc call with named parameters',
    sent: '{"jsonrpc": "2.0", "method": "test_api.add", "params": {"right": -23, "left": 42}, "id": 3}',
    received: { jsonrpc: '2.0', result: { sum: '19' }, id: 3 },
  },
  {
    name: 'rpc call with named parameters in the other order',
    sent: '{"jsonrpc": "2.0", "method": "test_api.add", "params": {"left": 42, "right": -23}, "id": 4}',
    received: { jsonrpc: '2.0', result: { sum: '19' }, id: 4 },
  },
  {
    name: 'a notification',
    sent: '{"jsonrpc": "2.0", "method": "test_api.echo", "params": {"list": [1,2,3]}}',
    received: undefined,
  },
  {
    name: 'a notification of a non-existent method',
    sent: '{"jsonrpc": "2.0", "method": "test_api.foobar"}',
    received: undefined,
  },
  {
    name: 'rpc call of non-existent method',
    sent: '{"jsonrpc": "2.0", "method": "test_api.foobar", "id": "1"}',
    received: { jsonrpc: '2.0', error: -32601, id: '1' },
  },
  {
    name: 'rpc call with invalid JSON',
    sent: '{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]',
    received: { jsonrpc: '2.0', error: -32700, id: null },
  },
  {
    name: 'rpc call with invalid request object',
    sent: '{"jsonrpc": "2.0", "method": 1, "params": "bar"}',
    received: invalidRequest,
  },
  {
    name: 'rpc call batch, invalid JSON',
    sent: `[
      {"jsonrpc": "2.0", "method": "test_api.add", "params": {"left": 1, "right": 2}, "id": "1"},
      {"jsonrpc": "2.0", "method"
    ]`,
    received: { jsonrpc: '2.0', error: -32700, id: null },
  },
  { name: 'rpc call with an empty array', sent: '[]', received: invalidRequest },
  { name: 'rpc call with an invalid batch, but not empty', sent: '[1]', received: [invalidRequest] },
  { name: 'rpc call with invalid batch', sent: '[1,2,3]', received: [invalidRequest, invalidRequest, invalidRequest] },
  {
    name: 'rpc call batch',
    sent: `[
      {"jsonrpc": "2.0", "method": "test_api.add", "params": {"left": 1, "right": 6}, "id": "1"},
      {"jsonrpc": "2.0", "method": "test_api.echo", "params": {"list": [7]}},
      {"jsonrpc": "2.0", "method": "test_api.add", "params": [{"left": 42, "right": -23}], "id": "2"},
      {"foo": "boo"},
      {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},
      {"jsonrpc": "2.0", "method": "test_api.echo", "id": "9"}
    ]`,
    received: [
      { jsonrpc: '2.0', result: { sum: '7' }, id: '1' },
      { jsonrpc: '2.0', result: { sum: '19' }, id: '2' },
      invalidRequest,
      { jsonrpc: '2.0', error: -32601, id: '5' },
      { jsonrpc: '2.0', result: { list: [], any: null }, id: '9' },
    ],
  },
  {
    name: 'rpc call batch (all notifications)',
    sent: `[
      {"jsonrpc": "2.0", "method": "test_api.echo", "params": {"list": [1,2]}},
      {"jsonrpc": "2.0", "method": "test_api.echo", "params": {"list": [7]}}
    ]`,
    received: undefined,
  },
];

/** The answer with the codes of its errors in the place of the errors; members of the specification and no others. */
function shown(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  const answer: unknown = JSON.parse(text);
  return Array.isArray(answer) ? answer.map(shownObject) : shownObject(answer);
}

function shownObject(answer: unknown): unknown {
  const { error, ...rest } = Object(answer);
  if (error === undefined) return rest;
  assert.deepEqual([typeof error.code, typeof error.message], ['number', 'string']);
  return { ...rest, error: error.code };
}

/** Posts a body and returns the answer; none for 204. */
async function post(url: string, body: string): Promise<string | undefined> {
  const response = await fetch(url, { method: 'POST', body });
  const text = await response.text();
  assert.deepEqual([response.status, text === ''], text === '' ? [204, true] : [200, false]);
  return text === '' ? undefined : text;
}

/** The frame that answers a frame; none when the answer to a call behind it comes first. */
async function frame(client: Client, body: string): Promise<string | undefined> {
  const behind = '{"jsonrpc":"2.0","method":"test_api.echo","id":"behind"}';
  client.socket.send(body);
  client.socket.send(behind);
  const first = await client.next();
  if (first.includes('"id":"behind"')) return undefined;
  assert.ok((await client.next()).includes('"id":"behind"'));
  return first;
}

async function answers(context: TestContext, ask: (body: string) => Promise<string | undefined>): Promise<void> {
  for (const { name, sent, received } of examples)
    await context.test(name, async () => assert.deepEqual(shown(await ask(sent)), received));
}

for (const [server, open] of servers) {
  test(`${server}: the examples of the specification over HTTP`, async (t) => {
    const { url } = await listen(t, open);
    await answers(t, (body) => post(url, body));
  });

  test(`${server}: the examples of the specification over a WebSocket`, async (t) => {
    // Time is what calls say that they worked: on a busy machine, what takes longer than its slice is answered behind
    // what is known.
    const { dispatcher } = sampleDispatcher({}, { clock: { ...systemClock, elapsedMs: workedMs } });
    const answer: HttpServerOptions['answer'] = (body, requestSource) => dispatcher.dispatch(body, requestSource);
    const client = await Client.open(t, (await listen(t, open, { answer, fromCache: () => undefined })).port);
    await answers(t, (body) => frame(client, body));
  });
}
