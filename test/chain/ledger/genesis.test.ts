import assert from 'node:assert/strict';
import { test } from 'node:test';

import { makeOrigin, privateNetOrigin } from '../../../src/chain/chain_origin.ts';
import { ByteWriter } from '../../../src/codec/bytes.ts';
import { genesisFile, packedGenesis } from '../../../src/state/genesis_file.ts';
import { chainParameters } from '../../../src/state/parameters.ts';
import { genesisPools } from '../../../src/state/sound_genesis.ts';
import { accounts } from '../../../src/state/tables/account.ts';
import { accountAuthorities } from '../../../src/state/tables/account_authority.ts';
import { dynamicGlobalProperties } from '../../../src/state/tables/dynamic_global_property.ts';
import { economicModel } from '../../../src/state/tables/economic_model.ts';
import { witnesses } from '../../../src/state/tables/witness.ts';
import { DEVELOPMENT_SIGNING_KEY, profiles } from '../../../src/values/profile.ts';
import {
  testKey,
  testKeyText,
  openChain,
  readTestParameters,
  produce,
  testGenesis,
  testParameters,
  makeTransaction,
  transferJson,
} from '../../builders/chain.ts';
import { lineageKey, lineageEncoding } from '../../builders/lineage_chain.ts';
import { recording, recordedText } from '../../builders/recordings.ts';

const lineage = profiles['lineage'] ?? assert.fail();
const standard = profiles['default'] ?? assert.fail();

test('a private net that is started by a key has the recorded bytes and chain id', () => {
  const vectors = recording('vectors-sdk.json');
  const key = lineageKey(recordedText(vectors, 'node.private_net_genesis.key'));
  const { genesis, chainId } = privateNetOrigin(lineage, key);
  const packed = new ByteWriter();
  packedGenesis.write(packed, genesis);
  assert.equal(Buffer.from(packed.view()).toString('hex'), recordedText(vectors, 'node.private_net_genesis.packed'));
  assert.equal(chainId, recordedText(vectors, 'node.private_net_genesis.chain_id'));
  const standardBytes = new ByteWriter();
  packedGenesis.write(standardBytes, {
    ...genesisFile.initial(lineageEncoding),
    initial_public_key: lineage.initialSigningKey,
  });
  assert.equal(
    Buffer.from(standardBytes.view()).toString('hex'),
    recordedText(vectors, 'node.private_net_genesis.default_packed'),
  );
});

test('the chain id is the hash of the exact text: white space counts', () => {
  const text = '{"symbol":"COIN"}';
  assert.notEqual(
    makeOrigin(Buffer.from(text), standard).chainId,
    makeOrigin(Buffer.from(`${text}\n`), standard).chainId,
  );
});

test('genesis makes the reserved accounts first, then those of the file', () => {
  const chain = openChain();
  const names = chain.committed.range(accounts.by_id, { limit: 100 }).map(({ name }) => name);
  assert.deepEqual(names, ['miners', 'none', 'temp', 'initminer', 'alice', 'bob', 'carol', 'dave', 'erin']);
  const alice = chain.committed.get(accounts, 'alice');
  assert.deepEqual(
    [alice?.recovery_account, alice?.reset_account, alice?.holdings_considered_for_interests],
    // The fourth account's turn is block 4.
    ['initminer', 'initminer', 40_000_000_000_000n],
  );
  const lineageAlice = openChain(testParameters({}, 'lineage')).committed.get(accounts, 'alice');
  assert.equal(lineageAlice?.holdings_considered_for_interests, 20_000_000_000_000n);
  const initminer = chain.committed.get(accounts, 'initminer');
  assert.deepEqual(
    [initminer?.recovery_account, initminer?.reset_account, initminer?.memo_key],
    ['', 'none', testKey('initminer')],
  );
});

test('an account with the null key belongs to the first witness', () => {
  const parameters = testParameters({
    initial_accounts: [
      { name: 'keyless', key: `${standard.keyPrefix}1111111111111111111111111111111114T1Anm`, balance: 1 },
    ],
  });
  const authority = openChain(parameters).committed.get(accountAuthorities, 'keyless');
  assert.deepEqual(authority?.owner.account_auths, [['initminer', 1]]);
});

test('the pools are what genesis leaves, split as it says', () => {
  const parameters = testParameters({ initial_balace: 300_000_000_000_000 });
  const model = openChain(parameters).committed.only(economicModel);
  assert.deepEqual(
    [model.mining_pool_from_coinbase, model.interest_pool_from_coinbase, model.promotion_pool],
    [37_500_000_000_000n, 97_500_000_000_000n, 15_000_000_000_000n],
  );
  assert.equal(model.coinbase_block_reward, 142_694n);
});

test('a private net moves no money and takes no fees, and its admin appoints witnesses', () => {
  const { genesis, chainId } = privateNetOrigin(standard, DEVELOPMENT_SIGNING_KEY);
  const parameters = chainParameters(
    standard,
    { ...genesis, initial_public_key: testKey('initminer'), initial_signing_key: testKey('initminer') },
    chainId,
  );
  const chain = openChain(parameters);
  for (let number = 0; number < 5; number++) produce(chain);
  assert.throws(
    () => chain.accept(makeTransaction(chain, parameters, [transferJson('initminer', 'temp', 1)], ['initminer'])),
    /this chain is a private net, where no operation moves coins or votes/,
  );
  const props = { account_creation_fee: '0.000000 COIN', maximum_block_size: 131_072, price_feeds: [] };
  const appoint = [
    'admin_witness_update',
    { fee: '0.000000 COIN', owner: 'someone', url: 'x', block_signing_key: testKeyText('someone'), props },
  ];
  chain.accept(makeTransaction(chain, parameters, [appoint], ['initminer']));
  for (let number = 0; number < 60; number++) produce(chain);
  assert.equal(chain.committed.get(witnesses, 'someone')?.owner, 'someone');
  assert((chain.committed.get(witnesses, 'someone')?.last_confirmed_block_num ?? 0n) > 0n);
  assert.equal(chain.committed.only(dynamicGlobalProperties).current_supply, 0n);
});

test('an economy that does not add up is refused in a sentence, but not in the lineage', () => {
  const rest = 3_843_071_682_022_823n;
  const faults: readonly [overrides: Parameters<typeof testParameters>[0], sentence: RegExp][] = [
    [
      { promotion_pool_percentage: 999 },
      /^promotion_pool_percentage, mining_pool_percentage, interest_pool_percentage: together 10000/,
    ],
    [
      { total_supply: String(rest) },
      /^total_supply with nine times the \d+ coins that protection counts is \d+, at most 3843071682022823 fits/,
    ],
  ];
  for (const [overrides, sentence] of faults) {
    assert.throws(() => testParameters(overrides), { code: 'bad_genesis', message: sentence });
  }
  testParameters({ promotion_pool_percentage: 999 }, 'lineage');
  testParameters({ total_supply: '3000000000000000', dilution_protection_percent: 0 });
  assert.throws(() => testParameters({ total_supply: '3000000000000000' }), { code: 'bad_genesis' });
  testParameters({ total_supply: '1900000000000000' }, 'lineage');
  assert.throws(() => testParameters({ total_supply: '3000000000000000' }, 'lineage'), { code: 'bad_genesis' });
  for (const overrides of [
    { block_interval: 0 },
    { block_interval: 86_401 },
    { coinbase_years: 0 },
    { total_supply: 1 },
    { total_supply: '3843071682022824' },
    { dilution_protection_percent: 91 },
  ]) {
    assert.throws(() => testParameters(overrides), { code: 'bad_genesis' }, JSON.stringify(overrides));
  }
});

test('a genesis that no chain could begin with, or count on, is refused in a sentence that names the member', () => {
  type Fault = [overrides: Parameters<typeof testParameters>[0], sentence: RegExp];
  const named = (name: string): Fault[0] => ({ initial_accounts: [{ name, key: testKeyText('alice'), balance: 1 }] });
  const taken = ['miners', 'none', 'temp', 'initminer'];
  const faults: readonly Fault[] = [
    ...taken.map((name): Fault => [
      named(name),
      new RegExp(`^initial_accounts: every chain has the account ${name} already`),
    ]),
    [named(''), /^initial_accounts: a name is empty/],
    [{ max_block_size: 0 }, /^max_block_size: 1 to 4294967295 expected, got 0/],
    [{ genesis_time: '2106-02-07T06:28:12' }, /^genesis_time: 0 to 4294967289 expected, got 4294967292/],
    [{ max_account_witness_votes: 65_536 }, /^max_account_witness_votes: 0 to 65535 expected, got 65536/],
  ];
  for (const rules of ['interface', 'lineage'] as const) {
    for (const [overrides, message] of faults)
      assert.throws(() => testParameters(overrides, rules), { code: 'bad_genesis', message });
  }
});

test('a genesis whose withdrawals or locks would end behind the end of time is refused, but not in the lineage or a private net', () => {
  const faults: readonly [overrides: Parameters<typeof testParameters>[0], member: string][] = [
    [
      { vesting_withdraw_interval_seconds: 4_294_967_295 },
      'vesting_withdraw_intervals × vesting_withdraw_interval_seconds',
    ],
    [{ minimum_vesting_seconds: 4_294_967_295 }, 'minimum_vesting_seconds'],
    [{ genesis_time: '2106-01-20T00:00:00' }, 'vesting_withdraw_intervals × vesting_withdraw_interval_seconds'],
  ];
  for (const [overrides, member] of faults) {
    const message = new RegExp(
      `^${member}: \\d+ seconds after genesis_time are \\d{4}-\\S+, and the chain counts time up to 2106-02-07T06:28:15`,
    );
    assert.throws(() => testParameters(overrides), { code: 'bad_genesis', message });
    testParameters(overrides, 'lineage');
    testParameters({ ...overrides, is_private_net: true });
  }
});

test('the member finality decides whether votes make blocks final, and does not enter the packed genesis', () => {
  const { finality: _, ...silent } = testGenesis();
  assert.equal(readTestParameters(silent).hasFinality, true);
  assert.equal(testParameters({}, 'lineage').hasFinality, false);
  for (const finality of [true, false]) assert.equal(testParameters({ finality }).hasFinality, finality);
  assert.equal(testParameters({ finality: false }, 'lineage').hasFinality, false);
  assert.ok(!Object.keys(packedGenesis.fields).includes('finality'));
  const { genesis, chainId } = privateNetOrigin(standard, testKey('alice'));
  assert.equal(chainParameters(standard, genesis, chainId).hasFinality, true);
});

test('a genesis that wants finality where no chain can have it is refused', () => {
  const zero = (digits: number): string => '0'.repeat(digits);
  const fork = { chain_id: `${zero(63)}1`, block_number: 1, block_id: zero(40), state_hash: zero(64) };
  assert.throws(() => testParameters({ finality: true }, 'lineage'), {
    code: 'bad_genesis',
    message: /^finality: the rule set lineage /,
  });
  assert.throws(() => testParameters({ finality: true, fork }), {
    code: 'bad_genesis',
    message: /^finality: .* fork has another number/,
  });
  assert.equal(testParameters({ fork }).hasFinality, false);
});

test('the pools of a sound economy lose no unit of the coinbase', () => {
  const parameters = testParameters({
    total_supply: '350000000000001',
    initial_balace: '349999999999994',
    initial_accounts: [],
  });
  const { mining, interest, promotion } = genesisPools(parameters.genesis, parameters.rules);
  assert.deepEqual({ mining, interest, promotion }, { mining: 1n, interest: 4n, promotion: 2n });
});

test('a chain of one block a day runs', () => {
  const parameters = testParameters({ block_interval: 86_400 });
  const chain = openChain(parameters);
  for (let day = 0; day < 30; day++) produce(chain);
  assert.equal(chain.head.number, 30);
});
