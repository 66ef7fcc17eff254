import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { isRepeatable } from '../../src/client/call_limits.ts';
import { Refusal, type Client } from '../../src/client/index.ts';
import { functionMethods, methodFunctions } from '../../src/client/method_functions.ts';
import { devChain } from '../../src/dev_chain/dev_chain.ts';
import { listMethods } from '../../src/rpc/methods.ts';

const chain = await devChain({ mining: 'none' });
after(async () => await chain.stop());
const { client } = chain;

/** Calls a function as a program without types does. */
async function untyped(name: string, ...given: unknown[]): Promise<unknown> {
  const found: unknown = Reflect.get(client, name);
  return typeof found === 'function'
    ? await Reflect.apply(found, client, given)
    : assert.fail(`${name} is no function`);
}

test('a function calls its method: with params, with the only required one, and with none', async () => {
  const byCall = await client.call('alexandria_api.get_account', { account_name: 'alice' });
  assert.deepEqual(await client.getAccount({ account_name: 'alice' }), byCall);
  assert.deepEqual(await client.getAccount('alice'), byCall);
  assert.deepEqual(
    await client.getAccounts(['alice', 'bob']),
    await client.getAccounts({ account_names: ['alice', 'bob'] }),
  );
  assert.equal((await client.info()).info.head_block_number, 0);
  assert.deepEqual(
    await client.findTransaction({ transaction_id: '00'.repeat(20) }).then(({ status }) => status),
    'unknown',
  );
});

test('a function takes the options of a call', async () => {
  await assert.rejects(client.getAccount('alice', { signal: AbortSignal.abort() }), { name: 'AbortError' });
  await assert.rejects(
    client.info({}, { retries: -1 }),
    (error) => error instanceof Refusal && error.code === 'bad_retries',
  );
});

test('the functions are the methods that read, and know the only required param of each', () => {
  const reads = /^(?:get|list|find|enum|verify)_|^(?:account_exist|calculate_fee|info)$/;
  const expected: Record<string, Record<string, string>> = {};
  const seen = new Set<string>();
  const groups = Object.keys(functionMethods);
  const methods = [...listMethods({ fiatConversion: { method: 'fiat_to_coin', result: 'coin' } }).values()].toSorted(
    (a, b) => groups.indexOf(a.group) - groups.indexOf(b.group),
  );
  for (const { name, group, params, example, needsPrivateKey } of methods) {
    const bare = name.slice(group.length + 1);
    const isWanted = groups.includes(group) && reads.test(bare) && isRepeatable(name) && !needsPrivateKey;
    if (!isWanted || seen.has(bare)) continue;
    seen.add(bare);
    const required: unknown = Reflect.get(params, 'required');
    const [only, ...others]: unknown[] = Array.isArray(required) ? required : [];
    const given: unknown = typeof only === 'string' ? Reflect.get(Object(example.params), only) : undefined;
    const isValue = typeof given !== 'object' || Array.isArray(given);
    (expected[group] ??= {})[bare] = typeof only === 'string' && others.length === 0 && isValue ? only : '';
  }
  assert.deepEqual(functionMethods, expected);
  for (const name of methodFunctions(functionMethods).keys())
    assert.equal(typeof Reflect.get(client, name), 'function', name);
});

test('no function takes the name of a member of the client', () => {
  const own = Object.getOwnPropertyNames(Object.getPrototypeOf(client));
  assert.deepEqual(
    own.filter((name) => methodFunctions(functionMethods).has(name)),
    [],
  );
});

test('a name close to that of a function names it, and other names are none', async () => {
  await assert.rejects(
    async () => await untyped('getAcount', 'alice'),
    (error) => error instanceof Refusal && error.message.endsWith('no function getAcount; did you mean getAccount?'),
  );
  for (const name of ['then', 'toJSON', 'inspect', 'nothing']) assert.equal(Reflect.get(client, name), undefined, name);
  assert.equal(await Promise.resolve(client), client);
  assert.equal(String(client), '[object Object]');
});

test('a value where params are expected is refused by the name of the function', async () => {
  await assert.rejects(
    async () => await untyped('getAccountHistory', 'alice'),
    (error) =>
      error instanceof Refusal && /^getAccountHistory: an object of params expected, got alice$/.test(error.message),
  );
});

test('a wrong name of a method names the near one', async () => {
  await assert.rejects(
    async () => await untyped('call', 'alexandria_api.get_acount', {}),
    (error) =>
      error instanceof Refusal &&
      error.code === 'unknown_method' &&
      error.message.endsWith('no method alexandria_api.get_acount; did you mean alexandria_api.get_account?'),
  );
});

test('a promise where its value was meant is named as that', async () => {
  const transfer = ['transfer', { from: 'alice', to: 'bob', amount: '1 COIN', memo: '' }] as const;
  const built = client.build([transfer]);
  for (const [given, member] of [
    [['sign', built, []], 'transaction'],
    [['broadcast', built], 'transaction'],
    [['transactionId', built], 'transaction'],
    [['build', Promise.resolve([transfer])], 'operations'],
    [['send', [Promise.resolve(transfer)], []], 'operations[0]'],
    [['call', 'alexandria_api.get_transaction_id', { tx: built }], 'tx'],
    [['getAccount', Promise.resolve('alice')], 'getAccount'],
  ] as const) {
    const [name, ...params] = given;
    await assert.rejects(
      async () => await untyped(name, ...params),
      (error) =>
        error instanceof Refusal && error.message === `${member}: a promise, not its value; write await before it`,
      name,
    );
  }
  await built;
});

test('functions have the types of their methods', () => {
  // Never called: what it says of types is said by the compiler.
  const read = async (typed: Client): Promise<void> => {
    const balance: string | undefined = (await typed.getAccount('alice')).account[0]?.balance;
    // @ts-expect-error: no such function
    void typed.getAcount;
    // @ts-expect-error: a name is no number
    void typed.getAccount(7);
    // @ts-expect-error: a param is missing
    void typed.getAccount();
    // @ts-expect-error: several params are required
    void typed.getAccountHistory('alice');
    // @ts-expect-error: what changes something is no function
    void typed.transfer;
    // @ts-expect-error: a promise is no transaction
    void typed.broadcast(typed.build([]));
    void [balance, typed.getBlock(7), typed.getBlock({ num: 7 }), typed.listWitnesses];
  };
  assert.equal(typeof read, 'function');
});
