import { listMember, optionalMember, type Json } from '../outside/json.ts';
import { testKeyText } from '../builders/chain.ts';

/** The key of the attacker for whom the node lies. */
export const MALLORY = testKeyText('mallory');

/** A lying node's change of its answers. */
export interface Lie {
  readonly what: string;
  readonly alter: (method: string, result: Json) => Json;
}

export const truth: Lie = { what: 'the truth', alter: (_, result) => result };

type Members = { readonly [member: string]: Json };

const isMembers = (json: Json | undefined): json is Members =>
  typeof json === 'object' && json !== null && !Array.isArray(json);
const changed = (json: Json, members: Members): Json => (isMembers(json) ? { ...json, ...members } : json);

/** A result of `alexandria_api` with its only member changed. */
function inMember(result: Json, change: (value: Json) => Json): Json {
  return isMembers(result)
    ? Object.fromEntries(Object.entries(result).map(([name, value]) => [name, change(value)]))
    : result;
}

function ofAccounts(what: string, members: (account: Members) => Members): Lie {
  const change = (json: Json): Json =>
    Array.isArray(json) ? json.map((each) => (isMembers(each) ? changed(each, members(each)) : each)) : json;
  return { what, alter: (method, result) => (/get_accounts?$/.test(method) ? inMember(result, change) : result) };
}

function ofTransactions(what: string, members: (transaction: Members) => Members): Lie {
  const change = (json: Json): Json => (isMembers(json) ? changed(json, members(json)) : json);
  return {
    what,
    alter: (method, result) => (method.endsWith('create_transaction') ? inMember(result, change) : result),
  };
}

function ofOperations(what: string, members: Members): Lie {
  return ofTransactions(what, (transaction) => ({
    operations: listMember(transaction, 'operations').map((each) => {
      const [kind = null, body = null] = Array.isArray(each) ? each : [];
      const known = Object.fromEntries(
        Object.entries(members).filter(([name]) => optionalMember(body, name) !== undefined),
      );
      return [kind, changed(body, known)];
    }),
  }));
}

function ofMethod(what: string, names: RegExp, change: (value: Json) => Json): Lie {
  return { what, alter: (method, result) => (names.test(method) ? inMember(result, change) : result) };
}

function together(what: string, ...some: readonly Lie[]): Lie {
  return { what, alter: (method, result) => some.reduce((altered, { alter }) => alter(method, altered), result) };
}

const futureTime = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString().slice(0, 19);
const mallorysAuthority = { weight_threshold: 1, account_auths: [], key_auths: [[MALLORY, 1]] };

const expirations = [3600, 86_400, 50_000_000].map((seconds) =>
  ofTransactions(`expiration in ${seconds} seconds`, () => ({ expiration: futureTime(seconds) })),
);
const properties = /get_dynamic_global_properties|\.info$/;
const later = ofMethod('', properties, (value) => changed(value, { time: futureTime(86_400), head_block_age: 'evil' }));
const otherId = 'f'.repeat(64);

export const lies: readonly Lie[] = [
  ofAccounts('authority: a key more', ({ owner, active }) => ({
    owner: changed(owner ?? null, { key_auths: [...listMember(owner ?? null, 'key_auths'), [MALLORY, 1]] }),
    active: changed(active ?? null, { key_auths: [...listMember(active ?? null, 'key_auths'), [MALLORY, 1]] }),
  })),
  ofAccounts('authority: an account more', ({ owner, active }) => ({
    owner: changed(owner ?? null, { account_auths: [['mallory', 1]] }),
    active: changed(active ?? null, { account_auths: [['mallory', 1]] }),
  })),
  ofAccounts('authority: another altogether', () => ({ owner: mallorysAuthority, active: mallorysAuthority })),
  ofAccounts('authority: a key of this wallet, of somebody else', () => ({
    owner: { weight_threshold: 1, account_auths: [], key_auths: [[testKeyText('bob'), 1]] },
  })),
  ofAccounts('memo key', () => ({ memo_key: MALLORY })),
  ofAccounts('metadata', () => ({ json_metadata: '{"evil":1}' })),
  ofAccounts('another account', () => ({ name: 'mallory' })),
  ...expirations,
  together(
    'head time and expiration of tomorrow',
    later,
    ofTransactions('', () => ({ expiration: futureTime(86_430) })),
  ),
  ...['5.000000 COIN', '1.000001 COIN', '0.500000 USD', '0.500000 VESTS', '-5.000000 COIN', '100.000000 EVIL'].map(
    (fee) => ofOperations(`fee of ${fee}`, { fee }),
  ),
  ...['500.000000 COIN', '1.500000 COIN', '0.100000 USD', '-1.000000 COIN'].map((fee) =>
    ofMethod(`price of ${fee}`, /calculate_fee$/, () => fee),
  ),
  together(
    'price and fee',
    ofMethod('', /calculate_fee$/, () => '900.000000 COIN'),
    ofOperations('', { fee: '900.000000 COIN' }),
  ),
  ofMethod('chain id', /get_version$|\.about$/, (value) => changed(value, { chain_id: otherId })),
  together(
    'chain id and properties',
    ofMethod('', /get_version$|\.about$/, (value) => changed(value, { chain_id: otherId })),
    ofMethod('', properties, (value) =>
      changed(value, { head_block_number: 1, head_block_id: 'e'.repeat(40), chain_id: otherId }),
    ),
  ),
  ofMethod('head block', properties, (value) =>
    changed(value, { head_block_number: 4_000_000, head_block_id: 'e'.repeat(40) }),
  ),
  ofTransactions('reference block', () => ({ ref_block_num: 65_535, ref_block_prefix: 4_000_000_000 })),
  ofTransactions('signatures and extensions of its own', () => ({ signatures: ['1f'.repeat(65)], extensions: [] })),
  ofOperations('receiver', {
    to: 'mallory',
    receiver: 'mallory',
    proxy: 'mallory',
    new_author: 'mallory',
    new_recovery_account: 'mallory',
  }),
  ofOperations('amount', {
    amount: '9999.000000 COIN',
    coin_amount: '9999.000000 COIN',
    vesting_shares: '9999.000000 VESTS',
  }),
  ofOperations('keys of operations', {
    memo_key: MALLORY,
    owner: mallorysAuthority,
    active: mallorysAuthority,
    block_signing_key: MALLORY,
  }),
  ofTransactions('one operation more', (transaction) => ({
    operations: [
      ...listMember(transaction, 'operations'),
      ['transfer', { fee: '0.010000 COIN', from: 'alice', to: 'bob', amount: '1.000000 COIN', memo: 'evil' }],
    ],
  })),
  {
    what: 'symbols of the chain',
    alter: (method, result) =>
      method.endsWith('get_config')
        ? { EVIL_CHAIN_ID: '', EVIL_SYMBOL: 'EVIL', VESTS_SYMBOL: 'COIN', EVIL_INIT_PUBLIC_KEY: testKeyText('mallory') }
        : result,
  },
  together(
    'words and fee',
    {
      what: '',
      alter: (method, result) =>
        method.endsWith('get_config') ? { USD_CHAIN_ID: '', USD_SYMBOL: 'USD', VESTS_SYMBOL: 'VESTS' } : result,
    },
    ofOperations('', { fee: '0.900000 USD' }),
  ),
  ofMethod('url of a witness', /get_witness$/, (value) => changed(value, { url: 'https://evil.example\nsign that?' })),
  ofMethod('what a check tells', /check_transaction$/, () => ({
    refusal_when_signed: { message: 'evil\npharos wallet: sent' },
  })),
];
