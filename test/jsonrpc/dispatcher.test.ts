import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleDispatcher } from './sample_methods.ts';
import { emptyChain } from '../rpc/empty_chain.ts';

async function ask(body: string | Uint8Array, limits = {}): Promise<string | undefined> {
  return (await sampleDispatcher(limits).dispatcher.dispatch(Buffer.from(body)))?.toString();
}

interface Spoken {
  readonly jsonrpc?: string;
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Record<string, unknown> };
}

async function call(method: string, params?: string, id = '1'): Promise<Spoken> {
  const text = await ask(
    `{"jsonrpc":"2.0","id":${id},"method":"${method}"${params === undefined ? '' : `,"params":${params}`}}`,
  );
  const spoken: Spoken = JSON.parse(text ?? 'null');
  return spoken;
}

async function dispatchError(
  body: string | Uint8Array,
): Promise<{ code: number; message: string; data?: Record<string, unknown>; id: unknown }> {
  const { error, id }: Spoken = JSON.parse((await ask(body)) ?? 'null');
  assert.ok(error !== undefined, String(body));
  return { ...error, id };
}

test('a call is answered in the member order of the lineage', async () => {
  const answer = await ask(
    '{"jsonrpc":"2.0","method":"alexandria_api.get_account","params":{"account_name":"alice"},"id":1}',
  );
  assert.equal(answer, '{"jsonrpc":"2.0","result":{"account":[{"name":"alice"}]},"id":1}');
});

test('the form with method call is the same call', async () => {
  const answer = await ask(
    '{"jsonrpc":"2.0","method":"call","params":["alexandria_api","get_account",{"account_name":"bob"}],"id":"x"}',
  );
  assert.equal(answer, '{"jsonrpc":"2.0","result":{"account":[{"name":"bob"}]},"id":"x"}');
  assert.equal(
    await ask('{"jsonrpc":"2.0","method":"call","params":["test_api","echo"],"id":2}'),
    '{"jsonrpc":"2.0","result":{"list":[],"any":null},"id":2}',
  );
  for (const params of [
    '',
    ',"params":[]',
    ',"params":["a"]',
    ',"params":["a","b",{},1]',
    ',"params":{"a":1}',
    ',"params":[1,2]',
  ]) {
    assert.equal((await dispatchError(`{"jsonrpc":"2.0","method":"call","id":1${params}}`)).code, -32602, params);
  }
});

test('no params, {}, [] and [{}] are the same, [{…}] is {…}', async () => {
  for (const params of [undefined, '{}', '[]', '[{}]'])
    assert.deepEqual((await call('test_api.echo', params)).result, { list: [], any: null });
  assert.deepEqual((await call('test_api.echo', '[{"list":[1]}]')).result, { list: [1], any: null });
  for (const params of ['null', '1', '"x"', '[1]', '[[]]', '[{},{}]', 'true'])
    assert.equal((await call('test_api.echo', params)).error?.code, -32602, params);
});

test('ids come back exactly as they were written', async () => {
  const numbers = ['0', '-7', '9007199254740993', '123456789012345678901234567890', '1.0', '-2.00', '1e3', '120e-1'];
  for (const id of [...numbers, 'null', '"a\\u0062\\n"', '"é😀"', '""']) {
    const answer = await ask(`{"jsonrpc":"2.0","id":${id},"method":"test_api.echo"}`);
    assert.ok(answer?.endsWith(`"id":${id}}`), answer);
  }
});

test('other ids are refused and the method does not run', async () => {
  for (const id of ['1.5', '15e-1', '1e999', 'true', '[]', '{}', `"${'x'.repeat(300)}"`]) {
    const error = await dispatchError(`{"jsonrpc":"2.0","id":${id},"method":"test_api.mistake"}`);
    assert.deepEqual([error.code, error.id], [-32600, null], id);
  }
});

test('a body that is not JSON is a parse error that says where', async () => {
  const wrong = [
    '',
    '{"jsonrpc":',
    'hello',
    '{"jsonrpc":"2.0",}',
    '[1,',
    '{}x',
    "{'a':1}",
    '[{"id":1}',
    '['.repeat(40),
  ];
  for (const body of wrong) {
    const { code, id, message } = await dispatchError(body);
    assert.equal(code, -32700, body);
    assert.equal(id, null);
    assert.match(message, /^Parse error: .* byte \d+/);
  }
  assert.equal((await dispatchError(Uint8Array.from([0x22, 0xff, 0x22]))).data?.['name'], 'json_invalid_utf8');
  assert.equal(
    (
      await dispatchError(
        `{"jsonrpc":"2.0","id":1,"method":"test_api.echo","params":{"any":${'['.repeat(31)}${']'.repeat(31)}}}`,
      )
    ).data?.['name'],
    'json_too_deep',
  );
});

test('a request that is no request says what is missing', async () => {
  assert.match((await dispatchError('1')).message, /a request is an object/);
  assert.deepEqual(await dispatchError('{"method":"test_api.echo","id":1}'), {
    code: -32600,
    message: 'a request has the member "jsonrpc" with the value "2.0"',
    data: { name: 'invalid_request', lineage: 'jsonrpc value is not "2.0"' },
    id: 1,
  });
  assert.equal((await dispatchError('{"jsonrpc":2.0,"method":"test_api.echo","id":1}')).code, -32600);
  assert.deepEqual(await dispatchError('{"jsonrpc":"2.0","id":1}'), {
    code: -32600,
    message: 'a request has the member "method", a text such as "alexandria_api.info"',
    data: { name: 'invalid_request', lineage: 'A member "method" does not exist' },
    id: 1,
  });
  assert.equal((await dispatchError('{"jsonrpc":"2.0","id":1,"method":5}')).code, -32600);
  assert.equal((await dispatchError('{"jsonrpc":"2.0","id":1,"method":"no.such"}')).code, -32601);
});

test('a member that stands twice is refused, in the envelope and in params', async () => {
  assert.match(
    (await dispatchError('{"jsonrpc":"2.0","id":1,"\\u0069d":2,"method":"test_api.echo"}')).message,
    /"id" stands twice/,
  );
  assert.match(
    (await dispatchError('{"jsonrpc":"2.0","id":1,"x":2,"x":2,"method":"test_api.echo"}')).message,
    /"x" stands twice/,
  );
  const { code, message } = await dispatchError(
    '{"jsonrpc":"2.0","id":1,"method":"test_api.echo","params":{"any":{"a":1,"a":2}}}',
  );
  assert.equal(code, -32602);
  assert.match(message, /"a" stands twice in any/);
});

test('params that do not fit are refused with the member named', async () => {
  const cases: [string, string, RegExp][] = [
    ['test_api.add', '{}', /"left" is missing/],
    ['test_api.add', '{"left":1,"wrong":2}', /unknown member "wrong"; known are: left, right, times/],
    ['test_api.add', '{"left":"x"}', /left: an integer from/],
    ['test_api.add', '{"left":1.5}', /left: an integer from/],
    ['test_api.add', '{"left":9223372036854775808}', /left: an integer from/],
    ['test_api.add', '{"left":1,"times":-1}', /times: /],
    ['test_api.echo', '{"list":[1,"x"]}', /list\[1\]: /],
    ['test_api.echo', '{"list":[1,2,3,4]}', /list: at most 3 elements/],
    ['test_api.echo', '{"list":{}}', /"list" must be array/],
    ['alexandria_api.get_account', '{"account_name":5}', /"account_name" must be string/],
    ['alexandria_api.get_account', `{"account_name":"${'x'.repeat(65)}"}`, /"account_name" must not have more than 64/],
  ];
  for (const [name, params, message] of cases) {
    const { error } = await call(name, params);
    assert.equal(error?.code, -32602, `${name} ${params}`);
    assert.match(error.message, message);
    assert.equal(typeof error.data?.['name'], 'string');
  }
  assert.equal((await call('test_api.echo', '{"list":[1,"x"]}')).error?.data?.['member'], 'list[1]');
});

test('64-bit integers are read exactly, as numbers or as texts, and defaults apply', async () => {
  assert.deepEqual((await call('test_api.add', '{"left":9223372036854775806}')).result, { sum: '9223372036854775807' });
  assert.deepEqual((await call('test_api.add', '{"left":"-9223372036854775808","right":0,"times":"1"}')).result, {
    sum: '-9223372036854775808',
  });
  assert.deepEqual((await call('test_api.add', '{"left":2,"right":null,"times":null}')).result, { sum: '3' });
});

test('what a method refuses is -32003, what the chain refuses -32000, both with the stable name', async () => {
  const method = (await call('alexandria_api.get_account', '{"account_name":"nobody"}')).error;
  const lineage = 'Assert Exception:Unknown account';
  assert.deepEqual(method, {
    code: -32003,
    message: 'no account is named nobody',
    data: { account: 'nobody', code: 10, name: 'unknown_account', lineage },
  });
  const before = (await call('network_broadcast_api.broadcast_transaction', '{"trx":"too big"}')).error;
  assert.deepEqual([before?.code, before?.data?.['name']], [-32003, 'transaction_too_large']);
  const chain = (await call('network_broadcast_api.broadcast_transaction', '{"trx":"unsigned"}')).error;
  assert.deepEqual(chain, {
    code: -32000,
    message: 'alice has not signed',
    data: {
      account: 'alice',
      code: 3010000,
      name: 'missing_active_authority',
      lineage: 'missing required active authority:Missing Active Authority alice',
    },
  });
});

test('the params of a broadcast reach the chain as they were written', async () => {
  const { dispatcher, seen } = sampleDispatcher();
  const params = '{"trx": {"a":[1, 2.0]} , "max_block_age":-1}';
  const answer = await dispatcher.dispatch(
    Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"network_broadcast_api.broadcast_transaction","params": ${params} }`),
  );
  assert.match(answer?.toString() ?? '', /"id":"(ab){20}"/);
  assert.deepEqual(seen.broadcasts, [{ method: 'network_broadcast_api.broadcast_transaction', params }]);
});

test('a mistake of ours is reported to the operator and says nothing to the asker', async () => {
  const { dispatcher, seen } = sampleDispatcher();
  const answer = await dispatcher.dispatch(Buffer.from('{"jsonrpc":"2.0","id":1,"method":"test_api.mistake"}'));
  assert.equal(
    answer,
    '{"jsonrpc":"2.0","error":{"code":-32603,"message":"Internal error","data":{"name":"internal_error"}},"id":1}',
  );
  assert.equal(seen.reports.length, 1);
});

test('a private key is taken only where the operator allows it, and is not repeated', async () => {
  const text = await ask('{"jsonrpc":"2.0","id":1,"method":"test_api.sign","params":{"private_key":"5KSecret"}}');
  assert.match(text ?? '', /private_keys_not_allowed/);
  assert.doesNotMatch(text ?? '', /5KSecret/);
});

test('a batch is answered in order, notifications left out, faults one by one', async () => {
  const answer = await ask(
    `[{"jsonrpc":"2.0","id":1,"method":"test_api.wait"}, 7, {"jsonrpc":"2.0","method":"test_api.echo"}, {"jsonrpc":"2.0","id":"b","method":"no.such"},
      {"jsonrpc":"2.0","id":3,"method":"test_api.echo"}]`,
  );
  const spoken: Spoken[] = JSON.parse(answer ?? 'null');
  assert.deepEqual(
    spoken.map(({ id, error }) => [id, error?.code]),
    [
      [1, undefined],
      [null, -32600],
      ['b', -32601],
      [3, undefined],
    ],
  );
});

test('notifications get no answer, not even an error', async () => {
  assert.equal(await ask('{"jsonrpc":"2.0","method":"test_api.echo"}'), undefined);
  assert.equal(await ask('{"jsonrpc":"2.0","method":"no.such"}'), undefined);
  assert.equal(await ask('{"jsonrpc":"2.0","method":"test_api.mistake"}'), undefined);
  assert.equal(
    await ask('[{"jsonrpc":"2.0","method":"test_api.echo"},{"jsonrpc":"2.0","method":"test_api.wait"}]'),
    undefined,
  );
});

test('an empty batch and a batch beyond the limit are one error', async () => {
  assert.equal((await dispatchError('[]')).code, -32600);
  const element = '{"jsonrpc":"2.0","id":1,"method":"test_api.echo"}';
  const most: Spoken[] = JSON.parse((await ask(`[${Array(100).fill(element).join(',')}]`)) ?? 'null');
  assert.equal(most.length, 100);
  assert.match(
    (await dispatchError(`[${Array(101).fill(element).join(',')}]`)).message,
    /at most 100 requests, this one has 101/,
  );
});

test('an answer beyond the limit is refused, alone and in a batch', async () => {
  const long = (length: number): string =>
    `{"jsonrpc":"2.0","id":1,"method":"test_api.long","params":{"length":${length}}}`;
  assert.match((await ask(long(101), { answerBytes: 100 })) ?? '', /answer_too_large/);
  assert.match((await ask(`[${long(60)},${long(60)}]`, { answerBytes: 150 })) ?? '', /answer_too_large/);
});

test('params that would take long to read are refused unread: too many bytes, or too many values', async () => {
  const names = (count: number): string =>
    JSON.stringify({ length: 1, names: Array.from({ length: count }, () => 'n'.repeat(97)) });
  assert.match(
    (await call('test_api.list', names(1300))).error?.message ?? '',
    /^Invalid params: names: at most 100 elements/,
  );
  const { error } = await call('test_api.list', names(1400));
  assert.equal(error?.data?.['name'], 'params_too_long');
  assert.match(error.message, /params of test_api\.list have at most 131072 bytes, got 140/);
  // A method that may be sent long texts may still not be sent many values.
  const ones = (count: number): string => `{"any":[${'[],'.repeat(count - 3)}1]}`;
  assert.equal((await call('test_api.echo', ones(65_536))).error, undefined);
  assert.equal((await call('test_api.echo', ones(65_537))).error?.data?.['name'], 'params_too_many');
  assert.equal((await call('test_api.echo', `{"any":"${'x'.repeat(500_000)}"}`)).error, undefined);
});

test('nothing is read for an answer that is too large already, and what is sent is sent all the same', async () => {
  const { dispatcher, seen } = sampleDispatcher({ answerBytes: 150 });
  const one = (method: string, params: string): string =>
    `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`;
  const [long, mistake] = [one('test_api.long', '{"length":40}'), one('test_api.mistake', '{}')];
  const trx = one('network_broadcast_api.broadcast_transaction', '{"trx":{}}');
  assert.match(
    (await dispatcher.dispatch(Buffer.from(`[${long},${long},${mistake},${trx}]`)))?.toString() ?? '',
    /answer_too_large/,
  );
  assert.deepEqual(seen.reports, []);
  assert.equal(seen.broadcasts.length, 1);
});

test('on a chain that tells refusals as the lineage did, the message is its text, title and all', async () => {
  const { dispatcher } = sampleDispatcher({}, { symbols: { ...emptyChain().symbols, answersLineage: true } });
  const told = async (body: string): Promise<Spoken['error']> => {
    const spoken: Spoken = JSON.parse((await dispatcher.dispatch(Buffer.from(body)))?.toString() ?? 'null');
    return spoken.error;
  };
  const start = '{"jsonrpc":"2.0","id":1,"method":';
  assert.deepEqual(await told(`${start}"alexandria_api.get_account","params":{"account_name":"nobody"}}`), {
    code: -32003,
    message: 'Assert Exception:Unknown account',
    data: { account: 'nobody', code: 10, name: 'unknown_account' },
  });
  const unsigned = await told(`${start}"network_broadcast_api.broadcast_transaction","params":{"trx":"unsigned"}}`);
  assert.equal(unsigned?.message, 'missing required active authority:Missing Active Authority alice');
  assert.equal((await told(`${start}"test_api.ech"}`))?.message, 'Could not find method test_api.ech');
  assert.equal((await told(`${start}"call"}`))?.message, 'Invalid params: params should be {"api", "method", "args"');
  assert.equal((await told('{"id":1,"method":"test_api.echo"}'))?.message, 'jsonrpc value is not "2.0"');
});

test('a method that there is not is answered with one that is near, if any is', async () => {
  const near = async (method: string): Promise<string> =>
    (await dispatchError(`{"jsonrpc":"2.0","id":1,"method":${JSON.stringify(method)}}`)).message;
  assert.equal(await near('test_api.ecko'), 'there is no method test_api.ecko; did you mean test_api.echo?');
  assert.equal(await near('tst_api.ech'), 'there is no method tst_api.ech; did you mean test_api.echo?');
  assert.equal(await near('other_api.echo'), 'there is no method other_api.echo; did you mean test_api.echo?');
  assert.equal(
    await near('test_api.something'),
    'there is no method test_api.something; jsonrpc.get_methods lists all',
  );
  const long = `${'x'.repeat(80)}…`;
  assert.equal(
    await near(`a.${'x'.repeat(500)}`),
    `there is no method a.${long.slice(2)}; jsonrpc.get_methods lists all`,
  );
  const { error } = JSON.parse((await ask('{"id":1,"method":"get_acount","params":[]}')) ?? 'null');
  assert.equal(error.data.near, 'get_account');
});

test('bare method names speak the legacy dialect', async () => {
  assert.equal(
    await ask('{"id":1,"jsonrpc":"2.0","method":"get_account","params":["alice"]}'),
    '{"id":1,"result":[{"name":"alice"}]}',
  );
  assert.equal(
    await ask('{"id":"17","method":"get_account","params":["alice","more"]}'),
    '{"id":17,"result":[{"name":"alice"}]}',
  );
  for (const zeros of ['0', '00', '0'.repeat(40)])
    for (const digits of ['', '7', '70'])
      assert.match(
        (await ask(`{"id":"${zeros}${digits}","method":"get_account","params":["alice"]}`)) ?? '',
        new RegExp(`^{"id":${digits || 0},`),
      );
  const refused: Spoken = JSON.parse((await ask('{"id":1,"method":"get_account","params":["nobody"]}')) ?? 'null');
  assert.deepEqual(refused.error, {
    code: 1,
    message: '10 assert_exception: Assert Exception\nUnknown account',
    data: { account: 'nobody', code: 10, name: 'unknown_account' },
  });
  assert.match(
    (await dispatchError('{"id":1,"method":"get_account","params":[]}')).message,
    /too few arguments passed to method/,
  );
  assert.match(
    (await dispatchError('{"id":1,"method":"nothing","params":[]}')).message,
    /no method with name 'nothing'/,
  );
  const anonymous = await dispatchError('{"method":"get_account","params":["alice"]}');
  assert.deepEqual([anonymous.id, anonymous.code], [1, 1]);
});
