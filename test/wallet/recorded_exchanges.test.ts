import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { listen } from '../../src/jsonrpc/http/listen.ts';
import { defaultLimits } from '../../src/jsonrpc/limits/limits.ts';
import { openDaemon } from '../../src/wallet/daemon.ts';
import { openWallet } from '../../src/wallet/open_wallet.ts';
import { recordingPath } from '../builders/recordings.ts';

// The recorded exchanges with the lineage's wallet, asked in their order. The node behind the wallet answers with the
// parts of the recorded answers that were a node's, so what is tested is everything that the wallet does with them:
// signatures included.

interface Exchange {
  readonly request: { readonly method: string; readonly params: readonly unknown[] };
  readonly response: {
    readonly id: number;
    readonly result?: unknown;
    readonly error?: { readonly code: number; readonly message: string };
  };
}
interface Transaction {
  readonly operations: readonly [readonly [string, Record<string, unknown>]];
  readonly signatures: readonly string[];
  readonly transaction_id: string;
  readonly block_num: number;
  readonly transaction_num: number;
}
type Params = Record<string, unknown>;

const exchanges = readFileSync(recordingPath('cli_wallet_exchanges.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Exchange);

function recorded(method: string): unknown {
  return exchanges.find(({ request }) => request.method === method)?.response.result;
}

const transactions = exchanges
  .map(({ response }) => response.result as Transaction | undefined)
  .filter((result) => result?.transaction_id !== undefined) as Transaction[];

/** The differences, each with its reason. */
const differences: Readonly<
  Record<string, { readonly reason: string; readonly check: (ours: string, theirs: Exchange['response']) => void }>
> = {
  help: {
    reason: 'the text is free (wallet.md#help); every command of the lineage is in it, one a line',
    check(ours, theirs) {
      const names = String(theirs.result)
        .split('\n')
        .map((line) => /(\w+)\(/.exec(line)?.[1]);
      const lines = (JSON.parse(ours) as { result: string }).result.split('\n');
      for (const name of names)
        if (name !== undefined)
          assert.ok(
            lines.some((line) => line.startsWith(`${name}(`)),
            name,
          );
    },
  },
  gethelp: { reason: 'the lineage was built without its texts', check: (ours) => assert.match(ours, /Moves coins/) },
  suggest_brain_key: {
    reason: 'chance',
    check(ours, theirs) {
      const { result } = JSON.parse(ours) as { result: Record<string, string> };
      assert.deepEqual(Object.keys(result), Object.keys(theirs.result as object));
      assert.match(result['brain_priv_key'] ?? '', /^(?:[A-Z]+ ){15}[A-Z]+$/);
      assert.match(result['pub_key'] ?? '', /^SPH/);
    },
  },
  create_account: {
    reason: 'its three keys are chance, so everything that is made from them differs',
    check(ours, theirs) {
      const [{ result }, expected] = [JSON.parse(ours) as { result: Transaction }, theirs.result as Transaction];
      assert.deepEqual(Object.keys(result), Object.keys(expected));
      assert.deepEqual(Object.keys(result.operations[0][1]), Object.keys(expected.operations[0][1]));
      assert.equal(result.operations[0][1]['fee'], expected.operations[0][1]['fee']);
    },
  },
  list_keys: {
    reason: 'private keys are shown at the prompt only',
    check: (ours) => assert.match(ours, /list_keys shows private keys/),
  },
  get_private_key: { reason: 'the same', check: (ours) => assert.match(ours, /get_private_key shows private keys/) },
  nope: {
    reason: 'no stack of the lineage; HTTP status 200 as everywhere',
    check: (ours) =>
      assert.match(
        ours,
        /^\{"id":1,"error":\{"code":1,"message":"10 assert_exception: Assert Exception\\nno method with name 'nope'"/,
      ),
  },
};
const tooFew =
  /^\{"id":1,"error":\{"code":1,"message":"10 assert_exception: Assert Exception\\n(?:Invalid params: )?too few arguments passed to method"/;

/** The answers of the node behind the wallet. */
const nodeAnswers: Readonly<Record<string, (params: Params) => unknown>> = {
  'database_api.get_config': () => ({
    SOPHIATX_CHAIN_ID: '',
    SOPHIATX_SYMBOL: 'SPHTX',
    VESTS_SYMBOL: 'VESTS',
    SOPHIATX_INIT_PUBLIC_KEY: 'SPH6LLegbAgLAy28EHrffBVuANFWcFgmqRMW13wBmTExqFE9SCkg4',
  }),
  'alexandria_api.get_version': () => ({ version_info: { chain_id: (recorded('about') as Params)['chain_id'] } }),
  'alexandria_api.about': () => ({ about: recorded('about') }),
  'alexandria_api.info': () => ({ info: recorded('info') }),
  'alexandria_api.get_account': () => ({ account: recorded('get_account') }),
  'alexandria_api.get_accounts': ({ account_names }) => ({
    accounts: (recorded('get_account') as { name: string }[]).filter(({ name }) =>
      (account_names as string[]).includes(name),
    ),
  }),
  'alexandria_api.get_key_references': () => ({ accounts: [[]] }),
  'alexandria_api.get_witness': () => ({ witness: recorded('get_witness') }),
  'alexandria_api.list_witnesses': () => ({ witnesses: recorded('list_witnesses') }),
  'alexandria_api.get_active_witnesses': () => ({ active_witnesses: recorded('get_active_witnesses') }),
  'alexandria_api.get_block': () => ({ block: recorded('get_block') }),
  'alexandria_api.get_ops_in_block': () => ({ ops_in_block: recorded('get_ops_in_block') }),
  'alexandria_api.get_feed_history': () => ({ feed_history: recorded('get_feed_history') }),
  'alexandria_api.get_account_history': () => ({ account_history: recorded('get_account_history') }),
  'alexandria_api.get_applications': () => ({ applications: recorded('get_applications') }),
  'alexandria_api.calculate_fee': () => ({ fee: '0.100000 SPHTX' }),
  'alexandria_api.create_transaction': ({ op_vec }) => ({ tx: unsigned(op_vec as Transaction['operations']) }),
  'alexandria_api.broadcast_transaction': ({ tx }) => ({ tx: { ...(tx as Params), ...places(tx as Transaction) } }),
};

/** The recorded transaction of the same operation without what signing adds; for the new account that of any. */
function unsigned(operations: Transaction['operations']): unknown {
  const [[kind, body]] = operations;
  const found = transactions.find(
    ({ operations: [[name, other]] }) =>
      name === kind &&
      (name === 'account_create' || JSON.stringify({ ...other, fee: '' }) === JSON.stringify({ ...body, fee: '' })),
  );
  const {
    transaction_id: _id,
    block_num: _block,
    transaction_num: _number,
    ...transaction
  } = found ?? assert.fail(`${kind} was not recorded`);
  return {
    ...transaction,
    operations: kind === 'account_create' ? operations : transaction.operations,
    signatures: [],
  };
}

function places({ signatures }: Transaction): Partial<Transaction> {
  const found = transactions.find((each) => each.signatures.join() === signatures.join());
  return { block_num: found?.block_num ?? 1, transaction_num: found?.transaction_num ?? 0 };
}

const folder = mkdtempSync(join(tmpdir(), 'pharos-recorded-'));
const node = await listen({
  host: '127.0.0.1',
  port: 0,
  limits: defaultLimits,
  clock: systemClock,
  allowedHosts: [],
  corsOrigins: [],
  trustedProxies: [],
  compresses: undefined,
  page: () => undefined,
  answer(body) {
    const { id, method, params } = JSON.parse(body.toString()) as { id: number; method: string; params: Params };
    const answer = nodeAnswers[method] ?? assert.fail(`the node is not asked for ${method}`);
    return JSON.stringify({ jsonrpc: '2.0', id, result: answer(params) });
  },
});
const session = openWallet({
  walletFile: join(folder, 'wallet.json'),
  server: `ws://127.0.0.1:${node.port}`,
  offline: false,
  chainId: '',
  profile: 'default',
  maxFee: '1',
  feeSymbol: '',
  trustTime: false,
  yes: true,
  expirationSeconds: 0,
  lockAfterMinutes: 0,
  clock: systemClock,
  onIdleLock: () => undefined,
});
const TOKEN = '5'.repeat(64);
const daemon = await openDaemon({
  host: '127.0.0.1',
  port: 0,
  session,
  token: () => TOKEN,
  report: (text) => assert.fail(text),
});
after(async () => {
  session.close();
  await daemon.close();
  await node.close();
  rmSync(folder, { recursive: true });
});

async function ask(request: unknown): Promise<string> {
  return await (
    await fetch(`http://127.0.0.1:${daemon.port}/?token=${TOKEN}`, { method: 'POST', body: JSON.stringify(request) })
  ).text();
}

test('every recorded exchange is answered alike to the byte, signatures included, or differs for a reason that stands here', async () => {
  const alike: string[] = [];
  for (const { request, response } of exchanges) {
    const ours = await ask(request);
    const difference = differences[request.method];
    if (response.error !== undefined && request.method === 'transfer') assert.match(ours, tooFew);
    else if (difference !== undefined) difference.check(ours, response);
    else {
      assert.equal(ours, JSON.stringify(response), request.method);
      alike.push(request.method);
    }
  }
  assert.equal(alike.length + Object.keys(differences).length + 1, exchanges.length);
});

test('on the chain of the lineage superfluous arguments are ignored, as they were, and what was not sent is shown with an id and no place', async () => {
  const names = new Set(['transfer', 'get_account', 'about', 'normalize_brain_key']);
  for (const { request, response } of exchanges.filter(
    ({ request: { method }, response: { result } }) => result && names.has(method),
  ))
    assert.equal(
      await ask({ ...request, params: [...request.params, 'superfluous', null] }),
      JSON.stringify(response),
      request.method,
    );
  const unsent = transactions.filter(({ block_num, transaction_num }) => block_num === 0 && transaction_num === 0);
  assert.ok(unsent.length > 0 && unsent.every(({ transaction_id }) => transaction_id !== ''));
});
