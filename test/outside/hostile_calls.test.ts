import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { at, listMember, optionalMember, type Json } from './json.ts';
import type { Program } from './program.ts';
import { signed, makeTransaction, transfer } from './signer.ts';
import { Site } from './site.ts';
import { waitUntil } from './wait_until.ts';

const site = new Site();
let program: Program;
let records: Json;
let firstBlock: number;

before(async () => {
  program = await site.dev('--fresh');
  records = await accountRecords();
  firstBlock = (await program.health()).number;
});

after(() => site.clear());

async function accountRecords(): Promise<Json> {
  return await program.result('database_api.list_accounts', { start: '', limit: 1000, order: 'by_name' });
}

/** After each abuse the node still works, has written nothing but empty blocks, and has seen no mistake of its own. */
afterEach(async () => {
  const last = await waitUntil('one more block', async () => {
    const { number } = await program.health();
    return number > firstBlock ? number : undefined;
  });
  assert.deepEqual(await accountRecords(), records);
  for (let number = firstBlock + 1; number <= last; number++) {
    assert.deepEqual(at(await program.result('alexandria_api.get_block', { num: number }), 'block.transactions'), []);
  }
  firstBlock = last;
  assert.equal(program.complaints, '', 'nothing for the operator to look at');
});

/** The error that a body is answered with: its code, and a text that contains what is wrong. */
async function assertError(body: string | Uint8Array, code: number, text: RegExp): Promise<void> {
  const { status, body: answer } = await program.raw(body);
  const shown =
    typeof body === 'string' ? body.slice(0, 1000) : `bytes ${Buffer.from(body).toString('hex').slice(0, 100)}`;
  assert.equal(status, 200, `${shown}: ${answer}`);
  const envelope: Json = JSON.parse(answer);
  assert.equal(optionalMember(envelope, 'error.code'), code, `${shown}: ${answer.slice(0, 500)}`);
  assert.match(answer, text, shown);
}

function makeBody(method: string, params: string): string {
  return `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`;
}

test('what is not JSON is a parse error that says where', async () => {
  const broken = [
    '',
    ' ',
    '{',
    '}',
    '[',
    '[1,',
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":1,',
    'nul',
    'tru',
    '"',
    '"\\x"',
    '"\\ud8"',
    "{'a':1}",
    '{a:1}',
    '01',
    '1.',
    '.5',
    '+1',
    '1e',
    '--1',
    'NaN',
    'Infinity',
    '[1 2]',
    '{"a":1 "b":2}',
    '{} {}',
    '[]]',
    '/* */ {}',
    '{"a":"\n"}',
    '{"a":"\t"}',
    '\u{feff}{}',
    '{"a":1,}',
    '[1,]',
    ',',
  ];
  for (const body of broken) await assertError(body, -32700, /Parse error/);
  const cut = makeBody('alexandria_api.get_account', '{"account_name":"alice"}');
  for (let length = 1; length < cut.length; length++) await assertError(cut.slice(0, length), -32700, /Parse error/);
});

test('bytes that are not UTF-8 are refused wherever they stand', async () => {
  const sequences = [
    'ff',
    'fe',
    '80',
    'bf',
    'c0af',
    'c1bf',
    'e08080',
    'eda080',
    'edbfbf',
    'f0808080',
    'f4908080',
    'f8888080',
    'c3',
    'e282',
    'f09f98',
    'c328',
  ];
  for (const hex of sequences) {
    const bytes = Buffer.from(hex, 'hex');
    const [start, end] = makeBody('alexandria_api.get_account', '{"account_name":"@"}').split('@');
    await assertError(Buffer.concat([Buffer.from(start ?? ''), bytes, Buffer.from(end ?? '')]), -32700, /UTF-8/i);
    await assertError(bytes, -32700, /Parse error/);
  }
});

test('JSON that is no request is a bad request', async () => {
  for (const body of [
    '1',
    '"text"',
    'null',
    'true',
    '[]',
    '{}',
    '{"jsonrpc":"2.0","id":1}',
    '{"jsonrpc":"2.0","id":1,"method":1}',
    '{"jsonrpc":"2.0","id":1,"method":null}',
  ])
    await assertError(body, -32600, /./);
  await assertError('{"jsonrpc":"1.0","id":1,"method":"alexandria_api.info"}', -32600, /jsonrpc value is not/);
  await assertError('{"id":1,"method":"alexandria_api.info"}', -32600, /jsonrpc value is not/);
  for (const id of ['true', '1.5', '1e-3', '{}', '[]'])
    await assertError(`{"jsonrpc":"2.0","id":${id},"method":"alexandria_api.info"}`, -32600, /id/);
  await assertError(
    `{"jsonrpc":"2.0","id":"${'x'.repeat(300)}","method":"alexandria_api.info"}`,
    -32600,
    /an id has at most/,
  );
  await assertError(
    `{"jsonrpc":"2.0","id":${'9'.repeat(300)},"method":"alexandria_api.info"}`,
    -32600,
    /an id has at most/,
  );
});

test('an id comes back exactly as it was sent', async () => {
  for (const id of [
    '0',
    '-1',
    '4294967296',
    '9007199254740993',
    '123456789012345678901234567890',
    '""',
    '"x"',
    '"\\u00e9\\n"',
    '"😀"',
  ]) {
    const { body } = await program.raw(`{"jsonrpc":"2.0","id":${id},"method":"alexandria_api.get_version"}`);
    assert(body.endsWith(`"id":${id}}`), body);
  }
});

test('a member that stands twice is refused by name', async () => {
  await assertError('{"jsonrpc":"2.0","id":1,"id":2,"method":"alexandria_api.info"}', -32600, /\\"id\\" stands twice/);
  await assertError(
    '{"jsonrpc":"2.0","id":1,"method":"alexandria_api.info","method":"alexandria_api.about"}',
    -32600,
    /\\"method\\" stands twice/,
  );
  await assertError(
    '{"jsonrpc":"2.0","id":1,"m\\u0065thod":"alexandria_api.info","method":"alexandria_api.about"}',
    -32600,
    /\\"method\\" stands twice/,
  );
  await assertError(
    makeBody('alexandria_api.get_account', '{"account_name":"alice","account_name":"bob"}'),
    -32602,
    /account_name/,
  );
  await assertError(
    makeBody('alexandria_api.get_account', '{"account_name":"alice","\\u0061ccount_name":"bob"}'),
    -32602,
    /account_name/,
  );
});

test('an unknown method is named', async () => {
  await assertError(makeBody('foo.bar', '{}'), -32601, /Could not find method foo\.bar/);
  await assertError(makeBody('alexandria_api.__proto__', '{}'), -32601, /__proto__/);
  await assertError(makeBody('constructor.toString', '{}'), -32601, /constructor/);
  await assertError(
    '{"jsonrpc":"2.0","id":1,"method":"call","params":["alexandria_api","nothing",{}]}',
    -32601,
    /alexandria_api\.nothing/,
  );
  for (const params of ['{}', '[]', '["a"]', '[1,2,3]', '["a","b",{},{}]', '"x"', 'null'])
    await assertError(`{"jsonrpc":"2.0","id":1,"method":"call","params":${params}}`, -32602, /./);
  const { body } = await program.raw('{"jsonrpc":"2.0","id":1,"method":"toString","params":[]}');
  assert.match(body, /no method with name 'toString'/);
});

test('params of a wrong kind are refused with the member that is wrong', async () => {
  for (const params of ['1', '"alice"', 'true', '[1]', '["alice"]', '[{},{}]'])
    await assertError(makeBody('alexandria_api.get_account', params), -32602, /Invalid params/);
  await assertError(makeBody('alexandria_api.get_account', '{}'), -32602, /account_name/);
  await assertError(
    makeBody('alexandria_api.get_account', '{"account_name":"alice","extra":1}'),
    -32602,
    /unknown member \\"extra\\"/,
  );
  await assertError(
    makeBody('alexandria_api.get_account', '{"account_name":"alice","__proto__":{}}'),
    -32602,
    /__proto__/,
  );
  for (const value of ['1', 'true', '[]', '{}', 'null'])
    await assertError(makeBody('alexandria_api.get_account', `{"account_name":${value}}`), -32602, /account_name/);
  for (const value of [
    'true',
    '[]',
    '{}',
    '"x"',
    '1.5',
    '-1',
    '4294967296',
    '1e400',
    '"-1"',
    '"4294967296"',
    '""',
    '" 1"',
    '"0x1"',
  ])
    await assertError(makeBody('alexandria_api.get_block', `{"num":${value}}`), -32602, /num/);
  for (const value of ['"yes"', '2', '[]', '{}'])
    await assertError(
      makeBody('alexandria_api.get_ops_in_block', `{"block_num":1,"only_virtual":${value}}`),
      -32602,
      /only_virtual/,
    );
  for (const value of ['"zz"', '"0"', `"${'0'.repeat(39)}"`, `"${'0'.repeat(41)}"`, '1', '{}'])
    await assertError(makeBody('alexandria_api.get_transaction', `{"tx_id":${value}}`), -32602, /tx_id/);
});

test('a page larger than the limit is refused, and one at the limit is not', async () => {
  await program.result('database_api.list_accounts', { start: '', limit: 1000, order: 'by_name' });
  await assertError(
    makeBody('database_api.list_accounts', '{"start":"","limit":1001,"order":"by_name"}'),
    -32003,
    /limit/,
  );
  await assertError(
    makeBody('alexandria_api.get_account_history', '{"account":"alice","start":-1,"limit":10001}'),
    -32003,
    /limit/,
  );
});

/** A valid signed transfer, with one member changed each time. */
async function validTransfer(): Promise<{ readonly [name: string]: Json }> {
  return await signed(program, await makeTransaction(program, [transfer('alice', 'bob', '1.000000')]), 'alice');
}

const BROADCASTS = [
  'network_broadcast_api.broadcast_transaction',
  'network_broadcast_api.broadcast_transaction_synchronous',
];

/** Refused as bad params, by every way of sending it, with the text in the answer. */
async function assertBadTransaction(trx: string, text: RegExp): Promise<void> {
  for (const method of BROADCASTS) await assertError(makeBody(method, `{"trx":${trx}}`), -32602, text);
  await assertError(makeBody('alexandria_api.broadcast_transaction', `{"tx":${trx}}`), -32602, text);
  await assertError(makeBody('database_api.get_transaction_hex', `{"trx":${trx}}`), -32602, text);
}

test('a transaction with a member of a wrong kind is refused with the path of that member', async () => {
  const trx = await validTransfer();
  const assertRefused = async (name: string, ...values: readonly string[]): Promise<void> => {
    for (const value of values)
      await assertBadTransaction(JSON.stringify({ ...trx, [name]: '@' }).replace('"@"', value), new RegExp(name));
  };
  await assertRefused('ref_block_num', '-1', '65536', '1.5', '1e10', '"x"', '[]', '{}');
  await assertRefused('ref_block_prefix', '-1', '4294967296', '18446744073709551616', '"x"', '{}');
  await assertRefused(
    'expiration',
    '1',
    '"tomorrow"',
    '"2026-02-30T00:00:00"',
    '"2026-01-01T00:00:00+01:00"',
    '"2106-02-07T06:28:16"',
    '"9999-01-01T00:00:00"',
    '[]',
  );
  await assertRefused(
    'operations',
    '1',
    '{}',
    '[1]',
    '[[]]',
    '[["transfer"]]',
    '[["dance",{}]]',
    '[[999,{}]]',
    '[["transfer",[]]]',
    '[{"type":"dance_operation","value":{}}]',
    '"x"',
  );
  await assertRefused('signatures', '1', '{}', '[1]', '["00"]', `["${'zz'.repeat(65)}"]`, `["${'00'.repeat(66)}"]`);
  await assertRefused('extensions', '1', '{}', '"x"');
  await assertBadTransaction(JSON.stringify({ ...trx, surprise: 1 }), /surprise/);
  await assertBadTransaction(
    JSON.stringify(trx).replace('"expiration"', '"expiration":"2026-01-01T00:00:00","expiration"'),
    /expiration/,
  );
  for (const value of ['1', 'null', '"x"', '[]', 'true'])
    await assertError(makeBody(BROADCASTS[0] ?? '', `{"trx":${value}}`), -32602, /trx/);
});

test('an operation with a member of a wrong kind is refused with the path of that member', async () => {
  const trx = await validTransfer();
  const assertRefused = async (name: string, ...values: readonly string[]): Promise<void> => {
    const body = { fee: '0.010000 COIN', from: 'alice', to: 'bob', amount: '1.000000 COIN', memo: '', [name]: '@' };
    const text = JSON.stringify({ ...trx, operations: [['transfer', body]] });
    for (const value of values) await assertBadTransaction(text.replace('"@"', value), new RegExp(name));
  };
  await assertRefused(
    'amount',
    '1',
    'null',
    '""',
    '"1"',
    '"COIN"',
    '"1.0000000 COIN"',
    '"1,0 COIN"',
    '"-1.000000 COIN"',
    '"1e30 COIN"',
    '"9223372036854775808.000000 COIN"',
    '"9223372036854.775808 COIN"',
    '"1.000000 TOOLONGSYMBOL"',
    '"1.000000  "',
    '[]',
    '{}',
  );
  await assertRefused(
    'amount',
    '{"amount":"1","symbol":1}',
    '{"amount":[1],"symbol":"COIN"}',
    '{"amount":"9223372036854775808","symbol":"COIN"}',
    '{"amount":"1","symbol":"COIN","more":1}',
  );
  await assertRefused('from', '1', 'null', '[]', '{}');
  await assertRefused('memo', '{}', '[]');
  await assertRefused('surprise', '1', 'null');
});

test('numbers are read to the last digit, up to the edge of 64 bits and no further', async () => {
  const operation = [
    'custom_json',
    { fee: '0.010000 COIN', sender: 'alice', recipients: ['bob'], app_id: '@', json: '{}' },
  ];
  const trx = JSON.stringify({ ...(await validTransfer()), operations: [operation] });
  const largest = 2n ** 64n - 1n;
  for (const number of [0n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n, largest - 1n, largest]) {
    for (const written of [`${number}`, `"${number}"`]) {
      const { body } = await program.raw(
        makeBody('database_api.get_transaction_hex', `{"trx":${trx.replace('"@"', written)}}`),
      );
      const bytes = Buffer.alloc(8);
      bytes.writeBigUInt64LE(number);
      assert(body.includes(bytes.toString('hex')), `${written}: ${body}`);
    }
  }
  const none = [
    '18446744073709551616',
    '"18446744073709551616"',
    '-1',
    '"-1"',
    '-0.5',
    '1.5',
    '"1.5"',
    '"0x10"',
    '" 1"',
    '""',
  ];
  for (const written of none) await assertBadTransaction(trx.replace('"@"', written), /app_id/);
  await assertBadTransaction(trx.replace('"@"', '1e400'), /a number too large/);
  await assertBadTransaction(trx.replace('"@"', '1'.repeat(101)), /more than 100 digits/);
});

test('JSON that is too deep is refused, whether it would be looked at or not', async () => {
  for (const depth of [40, 1000, 100_000]) {
    const deep = '['.repeat(depth) + ']'.repeat(depth);
    await assertError(deep, -32700, /deep|level/i);
    await assertError(makeBody('alexandria_api.get_account', `{"account_name":${deep}}`), -32700, /deep|level/i);
    await assertError(`{"jsonrpc":"2.0","id":1,"method":"alexandria_api.info","other":${deep}}`, -32700, /deep|level/i);
  }
  const objects = '{"a":'.repeat(1000) + '1' + '}'.repeat(1000);
  await assertError(makeBody(BROADCASTS[0] ?? '', `{"trx":${objects}}`), -32700, /deep|level/i);
});

test('a batch has its limit, and one bad element affects no other', async () => {
  const call = '{"jsonrpc":"2.0","id":1,"method":"alexandria_api.get_version"}';
  await assertError(
    `[${Array.from({ length: 101 }, () => call).join(',')}]`,
    -32600,
    /at most 100 requests, this one has 101/,
  );
  const { body } = await program.raw(`[1,null,[],{},"x",${call},{"jsonrpc":"2.0","id":2,"method":"no.such"}]`);
  const answers: Json = JSON.parse(body);
  const codes = listMember({ answers }, 'answers').map((answer) => optionalMember(answer, 'error.code') ?? 'result');
  assert.deepEqual(codes, [-32600, -32600, -32600, -32600, -32600, 'result', -32601]);
  await assertError(`[${call},`, -32700, /Parse error/);
  await assertError(`[${call} ${call}]`, -32700, /Parse error/);
});

test('a private key that is none is refused without being shown', async () => {
  const { body } = await program.raw(
    makeBody('alexandria_api.sign_digest', `{"digest":"${'0'.repeat(64)}","pk":"5Jsecretsecret"}`),
  );
  assert.notEqual(optionalMember(JSON.parse(body), 'error'), undefined);
  assert.doesNotMatch(body, /secretsecret/);
});
