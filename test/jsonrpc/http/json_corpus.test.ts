import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import { Client, servers, listen, type Opened } from './servers.ts';

const senderId = readFileSync(new URL('../../../../test/codec/json_parsing.corpus.json', import.meta.url), 'utf8');
const corpus: { readonly files: Record<string, string> } = JSON.parse(senderId);

/**
 * A server's answer to a body; undefined when it closes a WebSocket instead, which it does for text that is not UTF-8.
 */
type Ask = (body: Buffer) => Promise<string | undefined>;

interface Spoken {
  readonly jsonrpc?: string;
  readonly id?: unknown;
  readonly result?: { readonly any?: unknown };
  readonly error?: { readonly code: number; readonly message: string };
}

function overHttp({ url }: Opened): Ask {
  return async (body) => {
    const response = await fetch(url, { method: 'POST', body: Uint8Array.from(body) });
    assert.equal(response.status, 200);
    return await response.text();
  };
}

function overWebSocket(context: TestContext, { port }: Opened): Ask {
  let open: Promise<Client> | undefined;
  return async (body) => {
    open ??= Client.open(context, port);
    const client = await open;
    client.socket.send(body, { binary: false });
    const answer = await Promise.race([client.next(), client.closed]);
    if (typeof answer === 'string') return answer;
    assert.ok([1006, 1007].includes(answer), String(answer));
    open = undefined;
    return undefined;
  };
}

/** A call with these bytes for a param that takes anything. */
function makeCall(contents: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from('{"jsonrpc":"2.0","id":1,"method":"test_api.echo","params":{"any":'),
    contents,
    Buffer.from('}}'),
  ]);
}

/** The answer, or the first one to a batch. */
function postText(text: string, name: string): Spoken {
  const answer: Spoken | readonly Spoken[] = JSON.parse(text);
  const spoken = isBatch(answer) ? (answer[0] ?? assert.fail('a batch is answered')) : answer;
  assert.equal(spoken.jsonrpc, '2.0', name);
  assert.equal('result' in spoken, !('error' in spoken), name);
  return spoken;
}

function isBatch(answer: Spoken | readonly Spoken[]): answer is readonly Spoken[] {
  return Array.isArray(answer);
}

/** Checks that text other than JSON is a parse error in any place, and that JSON is read as it is, or is no request. */
async function askPublished(ask: Ask, name: string, contents: Buffer): Promise<void> {
  const [alone, inside] = [await ask(contents), await ask(makeCall(contents))];
  if (name.startsWith('i_')) {
    for (const answer of [alone, inside]) if (answer !== undefined) postText(answer, name);
    return;
  }
  if (alone === undefined || inside === undefined) return assert.match(name, /^n_/);
  const [bare, call] = [postText(alone, name), postText(inside, name)];
  if (name.startsWith('n_')) return assert.deepEqual([bare.error?.code, call.error?.code], [-32700, -32700], name);
  assert.notEqual(bare.error?.code, -32700, name);
  // The standard leaves duplicate members to the reader; ours refuses them.
  if (name.startsWith('y_object_duplicated_key')) return assert.equal(call.error?.code, -32602, name);
  // As texts: a minus before a zero is of no meaning.
  assert.equal(JSON.stringify(call.result?.any), JSON.stringify(JSON.parse(contents.toString())), name);
}

/** Contents, and what becomes of them: the text that comes back, or the code of the error. */
type Case = readonly [name: string, contents: string, outcome: string | number];

const digits = (count: number): string => '9'.repeat(count);
const same = (name: string, contents: string): Case => [name, contents, contents];
const edges = [2n ** 31n, 2n ** 32n, 2n ** 53n, 2n ** 63n, 2n ** 64n, 2n ** 128n].flatMap((edge) => [
  edge - 1n,
  edge,
  edge + 1n,
  -edge,
  1n - edge,
  -edge - 1n,
]);

const ownCases: readonly Case[] = [
  ...edges.map((edge) => same('an integer at an edge', String(edge))),
  same('the longest number', digits(100)),
  ['a number of too many digits', digits(101), -32602],
  ['a number of very many digits', digits(100_000), -32602],
  same('the largest float', '1.7976931348623157e+308'),
  same('the smallest float', '5e-324'),
  ['a float too large', '1.8e308', -32602],
  ['a float too small', '1e-400', '0'],
  ['an exponent beyond all measure', '1e99999999999', -32602],
  ['the deepest value', '['.repeat(30) + ']'.repeat(30), '['.repeat(30) + ']'.repeat(30)],
  ['a value too deep', '['.repeat(31) + ']'.repeat(31), -32700],
  ['objects far too deep', '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000), -32700],
  ['arrays far too deep that never end', '['.repeat(500_000), -32700],
  same('a long text', `"${'x'.repeat(900_000)}"`),
  same('a long list', `[${Array(60_000).fill('1').join(',')}]`),
  same('many members', `{${Array.from({ length: 50_000 }, (_, k) => `"m${k}":1`).join(',')}}`),
  ['a member twice', '{"a":1,"a":2}', -32602],
  ['a member twice, once escaped', '{"a":1,"\\u0061":2}', -32602],
  ['a member twice far inside', '[[{"b":[{"a":1,"c":2,"a":1}]}]]', -32602],
  ['a member twice after many', `{${Array.from({ length: 5000 }, (_, k) => `"m${k}":1`).join(',')},"m0":1}`, -32602],
  same('the name of an inherited member', '{"constructor":1,"toString":2,"hasOwnProperty":3}'),
  same('a member called __proto__', '{"__proto__":{"a":1}}'),
  ['the first half of a surrogate pair', '"\\ud800"', -32700],
  ['the second half of a surrogate pair', '"\\udfff"', -32700],
  ['two halves in the wrong order', '"\\udc00\\ud800"', -32700],
  ['half a pair as the name of a member', '{"\\ud800":1}', -32700],
  ['a whole pair', '"\\ud83d\\ude00"', '"😀"'],
  same('characters of every length', '"aé€😀\u{10ffff}"'),
  ['a NUL as an escape', '"\\u0000"', '"\\u0000"'],
  ['a NUL as a byte', '"\0"', -32700],
];

async function askOwn(ask: Ask, [name, contents, outcome]: Case): Promise<void> {
  const answer = (await ask(makeCall(Buffer.from(contents)))) ?? '';
  if (typeof outcome === 'number')
    return assert.equal(postText(answer, name).error?.code, outcome, `${name}: ${answer.slice(0, 300)}`);
  assert.equal(
    answer.slice(0, 500),
    `{"jsonrpc":"2.0","result":{"list":[],"any":${outcome}},"id":1}`.slice(0, 500),
    name,
  );
  assert.ok(answer.endsWith(`${outcome.slice(-100)}},"id":1}`), name);
}

for (const [server, open] of servers) {
  for (const way of ['HTTP', 'WebSocket'] as const) {
    test(`${server} over ${way}: the published corpus of JSON, alone and inside of a call`, async (t) => {
      const opened = await listen(t, open);
      const ask = way === 'HTTP' ? overHttp(opened) : overWebSocket(t, opened);
      for (const [name, base64] of Object.entries(corpus.files))
        await askPublished(ask, name, Buffer.from(base64, 'base64'));
      assert.ok(Object.keys(corpus.files).length > 150);
      assert.deepEqual(opened.seen.reports, []);
    });

    test(`${server} over ${way}: JSON that is deep, huge, twofold, half a character, or a number at an edge`, async (t) => {
      const opened = await listen(t, open);
      const ask = way === 'HTTP' ? overHttp(opened) : overWebSocket(t, opened);
      for (const each of ownCases) await askOwn(ask, each);
      assert.deepEqual(opened.seen.reports, []);
    });
  }
}
