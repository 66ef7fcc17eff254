import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Json } from '../../src/codec/json.ts';
import { sha256Binary } from '../../src/crypto/hashes.ts';
import { isCoded } from '../../src/jsonrpc/envelope/params.ts';
import { Type } from '../../src/jsonrpc/envelope/typebox.ts';
import { changeOwnerAuthority } from '../../src/state/authorities.ts';
import type { ChainState } from '../../src/state/chain_state.ts';
import { Consequences } from '../../src/state/consequences.ts';
import { addAccount } from '../../src/state/new_account.ts';
import { accountRecoveryRequests } from '../../src/state/tables/account_recovery_request.ts';
import { accounts } from '../../src/state/tables/account.ts';
import { applications } from '../../src/state/tables/application.ts';
import { changeRecoveryAccountRequests } from '../../src/state/tables/change_recovery_account_request.ts';
import { escrows } from '../../src/state/tables/escrow.ts';
import { tables } from '../../src/state/tables/index.ts';
import { keyLookups } from '../../src/state/tables/key_lookup.ts';
import { ownerAuthorityHistories } from '../../src/state/tables/owner_authority_history.ts';
import { witnessVotes } from '../../src/state/tables/witness_vote.ts';
import { addWitness } from '../../src/state/witnesses.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { UndoSessions } from '../../src/storage/undo_session.ts';
import { authority, keyAuthority } from '../../src/values/authority.ts';
import { NEVER } from '../../src/values/limits.ts';
import { publicKeyText } from '../../src/values/public_key.ts';
import { timeText } from '../../src/values/time.ts';
import { encoding, produce, makeTransaction } from '../builders/chain.ts';
import { NodeOfMethods } from './methods/node_of_methods.ts';

const store = new MemoryStore();
const node = new NodeOfMethods({ store });

/** A record as a client reads it. */
type Row = { readonly [member: string]: Json };

interface List {
  readonly method: string;
  readonly order?: string;
  /** The param that a page begins with. */
  readonly begin?: string;
  /** The form of `start` that tells equal rows apart. */
  readonly startAt: (row: Row) => Json;
}

/** The rows of a list, each page begun with the last row of the one before. */
async function walked(
  { method, order, begin = 'start', startAt }: List,
  limit: number,
  from: Json = null,
): Promise<unknown[]> {
  const rows: unknown[] = [];
  for (let start = from; ;) {
    const page = await fetchPage(method, { [begin]: start, limit, ...(order === undefined ? {} : { order }) });
    const isFirst = rows.length === 0;
    if (!isFirst) assert.deepEqual(page[0], rows.at(-1), 'a page begins with the row at start');
    rows.push(...(isFirst ? page : page.slice(1)));
    const last = page.at(-1);
    if (last === undefined || page.length < limit) return rows;
    start = startAt(last);
  }
}

/** The only list of a result. */
async function fetchPage(method: string, params: { readonly [name: string]: Json }): Promise<Row[]> {
  const list: Row[] | undefined = Object.values(Object(await node.result(method, params))).find(Array.isArray);
  return list ?? assert.fail(`${method} gives no list`);
}

/** Changes rows in one block as no operations could so fast. */
function change(by: (state: ChainState) => void): void {
  const rows = new UndoSessions({ committed: store, register: tables, sha256: sha256Binary, cachedBytes: 1_000_000 });
  rows.beginBlock();
  by({
    rows,
    parameters: node.parameters,
    consequences: new Consequences(),
    isAccepting: false,
    emit: () => {},
    remark: () => {},
  });
  store.write(rows.seal({ undo: false }).batch);
  rows.markCommitted();
}

function replaceOwners(names: readonly string[]): void {
  change((state) => {
    for (const name of names) changeOwnerAuthority(state, name, authority.initial(encoding));
  });
}

/** Enough that pages of two and three begin and end among them. */
const EQUALS = 7;
const LATER = 2_000_000_000;
/** The key of all accounts that are equal, which nobody else has. */
const COMMON_KEY = `02${'7'.repeat(64)}`;

/** Rows of every list that an order can't tell apart by its first value. */
function fillWithEquals(state: ChainState): void {
  const { rows, parameters } = state;
  const ownerOfAll = keyAuthority(COMMON_KEY);
  const props = {
    account_creation_fee: { amount: 1_000_000n, symbol: parameters.coinSymbol },
    maximum_block_size: 262_144,
  };
  for (let k = 0; k < EQUALS; k++) {
    const [id, name] = [BigInt(100 + k), `equal${k}`];
    const account = addAccount(state, {
      ...{ name, memo_key: COMMON_KEY, owner: ownerOfAll, active: ownerOfAll, created: 0, recovery_account: 'alice' },
    });
    const isWithdrawing = k % 2 === 0;
    const withdrawal = { vesting_withdraw_rate: 1n, to_withdraw: 2n, next_vesting_withdrawal: LATER };
    rows.put(accounts, { ...account, balance: 4n, vesting_shares: 3n, ...(isWithdrawing ? withdrawal : {}) });
    rows.put(accountRecoveryRequests, {
      id,
      account_to_recover: name,
      new_owner_authority: ownerOfAll,
      expires: LATER,
    });
    rows.put(changeRecoveryAccountRequests, {
      id,
      account_to_recover: name,
      recovery_account: 'bob',
      effective_on: LATER,
    });
    rows.put(escrows, {
      ...{
        id,
        escrow_id: 100 + k,
        from: 'alice',
        to: 'bob',
        agent: name,
        ratification_deadline: LATER,
        escrow_expiration: LATER + 1,
      },
      ...{ coin_balance: 10n, pending_fee: 1n, to_approved: false, agent_approved: false, disputed: false },
    });
    addWitness(state, name, { url: 'u', block_signing_key: COMMON_KEY, props }, 0);
    rows.put(witnessVotes, { id, witness: name, account: 'bob' });
    rows.put(witnessVotes, { id: id + 100n, witness: 'initminer', account: name });
    rows.put(applications, {
      ...{ id, name: `app${k}`, author: 'erin', author_place: id, url: 'u', metadata: '' },
      price_param: 0,
    });
    rows.put(ownerAuthorityHistories, {
      id,
      account: 'erin',
      last_valid_time: LATER,
      previous_owner_authority: ownerOfAll,
    });
  }
}

before(() => change(fillWithEquals));

/** Coins and vesting shares together, in millionths. */
function wealth({ balance, vesting_shares: shares }: Row): string {
  const [coins = 0n, vests = 0n] = [balance, shares].map((amount) => BigInt(String(amount).replace(/[. A-Z]/g, '')));
  return String(coins + vests);
}

/** The start of a client's page with a row, by list and order: the members that tell the row from all others. */
const STARTS: Readonly<Record<string, (row: Row) => Json>> = {
  'list_accounts by_name': ({ name = '' }) => name,
  'list_accounts by_id': ({ id = '' }) => id,
  'list_accounts by_proxy': ({ voting_proxy = '', name = '' }) => [voting_proxy, name],
  'list_accounts by_next_vesting_withdrawal': ({ next_vesting_withdrawal = timeText(NEVER), name = '' }) => [
    next_vesting_withdrawal,
    name,
  ],
  'list_accounts by_balance': (row) => [wealth(row), row['name'] ?? ''],
  'list_account_recovery_requests by_account': ({ account_to_recover = '' }) => account_to_recover,
  'list_account_recovery_requests by_expiration': ({ expires = '', account_to_recover = '' }) => [
    expires,
    account_to_recover,
  ],
  'list_change_recovery_account_requests by_account': ({ account_to_recover = '' }) => account_to_recover,
  'list_change_recovery_account_requests by_effective_date': ({ effective_on = '', account_to_recover = '' }) => [
    effective_on,
    account_to_recover,
  ],
  'list_escrows by_from_id': ({ from = '', escrow_id = 0 }) => [from, escrow_id],
  'list_escrows by_ratification_deadline': ({ to_approved, agent_approved, ratification_deadline = '', id = 0 }) => [
    to_approved === true && agent_approved === true,
    ratification_deadline,
    id,
  ],
  'list_owner_histories by_account': ({ account = '', last_valid_time = '', id = '' }) => [
    account,
    last_valid_time,
    id,
  ],
  'list_applications by_name': ({ name = '' }) => name,
  'list_applications by_author': ({ author = '', name = '' }) => [author, name],
  'list_witness_votes by_account_witness': ({ account = '', witness = '' }) => [account, witness],
  'list_witness_votes by_witness_account': ({ account = '', witness = '' }) => [witness, account],
  'list_witnesses by_name': ({ owner = '' }) => owner,
  'list_witnesses by_id': ({ id = '' }) => id,
  'list_witnesses by_vote_name': ({ votes = 0, owner = '' }) => [votes, owner],
  'list_witnesses by_schedule_time': ({ virtual_scheduled_time = 0, owner = '' }) => [virtual_scheduled_time, owner],
};

/**
 * Other methods with pages: the param that a page begins with, and its value for a row; where there is a cursor,
 * nothing more is needed.
 */
const OTHERS: Readonly<Record<string, Omit<List, 'method'>>> = {
  'alexandria_api.list_witnesses': { startAt: String },
  'alexandria_api.list_witnesses_by_vote': { begin: 'name', startAt: ({ owner = '' }) => owner },
};

/** Numbers tell all entries apart, and a page says or shows where it ended. */
const NUMBERED = new Set([
  'account_history_api.get_account_history',
  'alexandria_api.get_account_history',
  'block_api.get_block_range',
  'custom_api.get_app_custom_messages',
  'database_api.list_genesis_accounts',
]);

/** The orders of a list by what it declares; by_name stands for the first order where there is none of that name. */
function orderNames(method: string): string[] {
  const { params } = node.methods.get(method) ?? assert.fail(method);
  const order = Type.IsObject(params) ? params.properties['order'] : undefined;
  if (order === undefined || !isCoded(order)) return [];
  const known = order.codec.describe(encoding)['enum'];
  const list = method.slice(method.indexOf('.') + 1);
  assert.ok(Array.isArray(known), method);
  return known.map(String).filter((each) => !each.startsWith('by_name') || `${list} by_name` in STARTS);
}

test('every order of every list is read page by page without a gap, however many rows are equal in it', async () => {
  const seen = new Set<string>();
  for (const method of node.methods.keys()) {
    for (const order of orderNames(method)) {
      const key = `${method.slice(method.indexOf('.') + 1)} ${order.replace(/_reverse$/, '')}`;
      const startAt = STARTS[key] ?? assert.fail(`say how a client begins a page of ${key} with a row`);
      seen.add(key);
      const all = await fetchPage(method, { start: null, limit: 1000, order });
      const leading = all
        .map((row) => startAt(row))
        .map((start) => JSON.stringify(Array.isArray(start) ? start[0] : EQUALS));
      const mostEqual = Math.max(...leading.map((one) => leading.filter((other) => other === one).length));
      assert.ok(mostEqual >= EQUALS / 2, `${key}: only ${mostEqual} rows are equal in their first value`);
      for (const limit of [2, 3])
        assert.deepEqual(await walked({ method, order, startAt }, limit), all, `${key}, ${limit} a page`);
    }
  }
  assert.deepEqual([...seen].toSorted(), Object.keys(STARTS).toSorted());
});

test('every other method that gives a part of a list goes on behind it', async () => {
  const paged = [...node.methods.values()].filter(
    ({ paramNames }) => paramNames.includes('limit') || paramNames.includes('count'),
  );
  const others = paged.filter(
    ({ name, paramNames }) => orderNames(name).length === 0 && !paramNames.includes('cursor') && name.includes('.'),
  );
  const known = new Set([...Object.keys(OTHERS), ...NUMBERED]);
  assert.deepEqual(
    others.map(({ name }) => name).filter((name) => !known.has(name) && !name.startsWith('debug_api.')),
    [],
  );
  for (const [method, list] of Object.entries(OTHERS)) {
    const all = await fetchPage(method, { [list.begin ?? 'start']: '', limit: 1000 });
    assert.ok(all.length > EQUALS);
    for (const limit of [2, 3])
      assert.deepEqual(await walked({ method, ...list }, limit, ''), all, `${method}, ${limit} a page`);
  }
});

test('a key of more accounts than a page has is followed to its last account', async () => {
  const [LARGEST, MORE] = [1000, 5];
  const key = `03${'5'.repeat(64)}`;
  const names = Array.from({ length: LARGEST + MORE }, (_, k) => `keyed-${k}`).toSorted();
  change(({ rows }) => {
    for (const account of names) rows.put(keyLookups, { key, account });
  });
  const keys = [publicKeyText(key, encoding.keyPrefix), publicKeyText(COMMON_KEY, encoding.keyPrefix)];
  for (const method of ['alexandria_api.get_key_references', 'account_by_key_api.get_key_references']) {
    const page = async (start: string | null): Promise<unknown> =>
      Object(await node.result(method, { keys, start })).accounts;
    assert.deepEqual(await page(null), [names.slice(0, LARGEST), []]);
    const last = names[LARGEST - 1] ?? '';
    assert.deepEqual(await page(last), [names.slice(LARGEST - 1), []]);
  }
});

test('former owner authorities of one moment are read page by page, upwards and downwards, without a gap', async () => {
  replaceOwners(['alice', 'bob', 'bob', 'bob', 'bob', 'bob', 'carol']);
  const method = 'database_api.list_owner_histories';
  const { owner_auths: all } = Object(await node.result(method, { start: null, limit: 1000 }));
  assert.ok(all.length >= 7);
  for (const order of ['by_account', 'by_account_reverse']) {
    const makeStart = ({ account = '', last_valid_time = '', id = '' }: Row): Json => [account, last_valid_time, id];
    for (const limit of [2, 3, 4, 5, 1000])
      assert.deepEqual(
        await walked({ method, order, startAt: makeStart }, limit),
        order === 'by_account' ? all : all.toReversed(),
      );
  }
});

test('start as the interface has it begins with the first of those that are equal, or with the last one downwards', async () => {
  const method = 'database_api.list_owner_histories';
  const { owner_auths: all } = Object(await node.result(method, { start: null, limit: 1000 }));
  const bobs: { id: number; last_valid_time: string }[] = all
    .filter(({ account }: { account: string }) => account === 'bob')
    .slice(-5);
  const at = bobs[0]?.last_valid_time ?? assert.fail();
  for (const [order, expected] of [
    ['by_account', bobs[0]],
    ['by_account_reverse', bobs[4]],
  ] as const)
    assert.deepEqual(await node.result(method, { start: ['bob', at], limit: 1, order }), { owner_auths: [expected] });
  for (const start of [['bob', at, 1, 2], ['bob', at, -1], ['bob', at, 'x'], ['bob']]) {
    const { error } = await node.call(method, { start, limit: 1 });
    assert.equal(error?.code, -32602, JSON.stringify(start));
  }
});

test('applications of one author are read page by page, upwards and downwards, without a gap', async () => {
  const names = ['p1', 'p2', 'p3', 'p4', 'p5', 'p6'];
  const operations = names.map((name): Json => [
    'application_create',
    { fee: '0.010000 COIN', author: 'dave', url: 'u', metadata: '', name, price_param: 0 },
  ]);
  node.chain.accept(makeTransaction(node.chain, node.parameters, operations, ['dave']));
  produce(node.chain);
  const method = 'database_api.list_applications';
  const { applications: all } = Object(await node.result(method, { start: null, limit: 1000, order: 'by_author' }));
  assert.ok(all.length > names.length);
  for (const order of ['by_author', 'by_author_reverse']) {
    const makeStart = ({ author = '', name = '' }: Row): Json => [author, name];
    for (const limit of [2, 3, 1000])
      assert.deepEqual(
        await walked({ method, order, startAt: makeStart }, limit),
        order === 'by_author' ? all : all.toReversed(),
      );
  }
  for (const start of [
    ['erin', 'p1'],
    ['dave', 'nothing-like-it'],
  ]) {
    const { error } = await node.call(method, { start, limit: 1, order: 'by_author' });
    assert.equal(error?.data?.['name'], 'not_of_author');
  }
});
