import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal } from '../../../src/base/refusal.ts';
import { quorumOfCount } from '../../../src/blocks/finality/voters.ts';
import { makeOrigin } from '../../../src/chain/chain_origin.ts';
import { scheduledNames } from '../../../src/chain/apply/slots.ts';
import { lastCoinbaseBlock, meaningText } from '../../../src/cli/genesis/meaning.ts';
import { newGenesis, type GenesisOrder } from '../../../src/cli/genesis/new_genesis.ts';
import { oddities } from '../../../src/cli/genesis/oddities.ts';
import { presets, type Rules } from '../../../src/cli/genesis/presets.ts';
import { lineOfRefusal } from '../../../src/settings/genesis_place.ts';
import { genesisMemberList, genesisMembers, type GenesisMemberName } from '../../../src/state/genesis_members.ts';
import { chainParameters, type ChainParameters } from '../../../src/state/parameters.ts';
import { accounts } from '../../../src/state/tables/account.ts';
import { economicModel } from '../../../src/state/tables/economic_model.ts';
import { witnessSchedule } from '../../../src/state/tables/witness_schedule.ts';
import { profiles } from '../../../src/values/profile.ts';
import {
  hourlyBlocks,
  testKeyText,
  openChain,
  readTestParameters,
  people,
  produce,
  testGenesis,
  testParameters,
  makeTransaction,
} from '../../builders/chain.ts';
import { formSize } from '../../builders/forms.ts';
import { RandomSource } from '../../builders/random_source.ts';

/** A longer run: PHAROS_TEST_SEEDS=2000. */
const SEEDS = formSize('PHAROS_TEST_SEEDS', { short: 25, long: 200 });
const MUTATIONS = formSize('PHAROS_TEST_MUTATIONS', { short: 400, long: 4000 });
const NOW = 1_795_219_201;

const profile = profiles['default'] ?? assert.fail();

function readParameters(text: string): ChainParameters {
  const { genesis, chainId } = makeOrigin(Buffer.from(text), profile);
  return chainParameters(profile, genesis, chainId);
}

/** Makes a random order of a chain's author: some are refused. */
function randomOrder(random: RandomSource): GenesisOrder {
  const changes: Rules = {};
  for (const [name, { range, part, unit }] of genesisMemberList) {
    if (part === 'accounts' || part === 'tests' || unit === 'text' || unit === 'time' || !random.chance(4)) continue;
    const [lowest, highest] = range ?? [0, 1_000_000];
    const near = random.pick([lowest, highest, lowest + random.roll(100), lowest + random.roll(highest - lowest + 1)]);
    changes[name] = unit === 'flag' ? random.chance(80) && name === 'finality' : near;
  }
  const listed = people.slice(0, random.roll(people.length + 1)).map((name, k) => ({
    name,
    key: random.chance(50) ? testKeyText(name) : undefined,
    balance: BigInt(random.roll(1_000_000)) * 10n ** BigInt(random.roll(8)),
    isWitness: k > 0 && random.chance(30),
  }));
  return {
    profile,
    preset: random.pick(Object.values(presets)),
    name: random.pick(['', 'my-chain', 'ünïcode "quoted" \\ chain', 'x'.repeat(300)]),
    witnesses: 1 + random.roll(12),
    listed,
    signingKey: testKeyText('initminer'),
    changes,
    nowSeconds: NOW,
  };
}

test('whatever an author says, the file that is made can be checked and a chain begins with it, or a member is named', () => {
  let begun = 0;
  for (let seed = 0; seed < SEEDS; seed++) {
    const order = randomOrder(new RandomSource(seed));
    const made = tryGenesis(order, seed);
    if (made === undefined) continue;
    begun++;
    const parameters = readParameters(made.text);
    const { genesis } = parameters;
    for (const [name, value] of genesisMemberList.map(([each]) => [each, order.changes[each]] as const))
      if (value !== undefined) assert.equal(Number(genesis[name]), Number(value), `seed ${seed}: ${name}`);
    assert.match(meaningText(parameters), /^Chain\n[^]*\nOdd\n {2}\S/, `seed ${seed}`);
    const { hardfork_req_witnesses: required, max_witnesses: places } = parameters.genesis;
    assert.ok(required >= quorumOfCount(places) && required <= places, `seed ${seed}: ${required} of ${places}`);
    const chain = openChain(parameters);
    for (let block = 0; block < 3; block++) produce(chain);
    for (const { name, balance } of parameters.genesis.initial_accounts)
      assert.equal(chain.committed.get(accounts, name)?.balance, balance, `seed ${seed}: ${name}`);
  }
  assert.ok(begun > SEEDS / 4, `${begun} of ${SEEDS} began`);
});

function tryGenesis(order: GenesisOrder, seed: number): ReturnType<typeof newGenesis> | undefined {
  try {
    return newGenesis(order);
  } catch (error) {
    const [member = ''] = (error instanceof Error && /^[\w ]+/.exec(error.message)) || [];
    const names = Object.keys(genesisMembers).concat('witnesses', 'initial balances sum to');
    assert.ok(
      error instanceof Error && names.some((name) => member.startsWith(name)),
      `seed ${seed}: ${String(error)}`,
    );
    return undefined;
  }
}

test('a genesis file that was changed anywhere is explained or refused, and a refusal of a value has its line', () => {
  const { text } = newGenesis({
    ...randomOrder(new RandomSource(7)),
    changes: {},
    preset: presets.public,
    witnesses: 4,
  });
  const pieces = [
    '"',
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '-1',
    '1e9',
    'null',
    'true',
    '"x"',
    '\n',
    '\u0000',
    '9'.repeat(30),
  ];
  const outcomes = { explained: 0, refused: 0, located: 0 };
  for (let seed = 0; seed < MUTATIONS; seed++) {
    const random = new RandomSource(seed);
    const at = random.roll(text.length);
    const cut = random.pick([0, 1, random.roll(80)]);
    const mutated = text.slice(0, at) + (random.chance(70) ? random.pick(pieces) : '') + text.slice(at + cut);
    try {
      assert.match(meaningText(readParameters(mutated)), /^Chain\n/);
      outcomes.explained++;
    } catch (error) {
      if (!(error instanceof Refusal)) throw new Error(`seed ${seed}: ${mutated}`, { cause: error });
      outcomes.refused++;
      const line = lineOfRefusal(mutated, error);
      const lines = mutated.split('\n').length;
      assert.ok(line === undefined || (line >= 1 && line <= lines), `seed ${seed}: line ${line} of ${lines}`);
      if (line !== undefined) outcomes.located++;
    }
  }
  assert.ok(outcomes.explained > 0 && outcomes.refused > 0, JSON.stringify(outcomes));
  assert.ok(outcomes.located > outcomes.refused / 2, JSON.stringify(outcomes));
});

test('a refusal names the line of the member, wherever it lies', () => {
  const cases: readonly (readonly [lines: readonly string[], line: number | undefined])[] = [
    [['{', '"max_witnesses": 0}'], 2],
    [['{"block_interval": 3,', '', '"max_voted_witnesses":', '60}'], 3],
    [
      [
        '{"initial_accounts": [',
        '{"name": "a", "key": "PHR1111111111111111111111111111111114T1Anm", "balance": 1},',
        '{"name": "b",',
        '"key": "y"}]}',
      ],
      4,
    ],
    [['{"initial_accounts": [', '{"name": "a,[{:", "balance": 1},', '{"name": "b"', ', "balance": -1}]}'], 2],
    [['{"name": "\\"rules\\": 1",', '"rules": "none"}'], 2],
    [['{"fork": {', '"block_number": "x"}}'], 2],
    [['{', '"total_supply": 5}'], undefined],
    [['{', '"name": "a",', '"name": "b"}'], 3],
    [['{', '', 'x'], 3],
    [['[]'], undefined],
  ];
  for (const [lines, line] of cases) {
    const text = lines.join('\n');
    assert.throws(
      () => readParameters(text),
      (error) => {
        assert.ok(error instanceof Refusal, String(error));
        assert.equal(lineOfRefusal(text, error), line, `${text}: ${error.message}`);
        return true;
      },
    );
  }
});

test('the last block of the coinbase is the one that is told', () => {
  const daily = { block_interval: 86_400, coinbase_years: 1, max_witnesses: 1, max_voted_witnesses: 1 };
  for (const total_supply of [360_000_000_000_000, 351_234_567_890_123]) {
    const parameters = testParameters({ ...daily, total_supply });
    const last = lastCoinbaseBlock(parameters) ?? assert.fail('coins come');
    const chain = openChain(parameters);
    const left = (): bigint => chain.committed.only(economicModel).mining_pool_from_coinbase;
    while (chain.head.number < last - 1) produce(chain);
    assert.ok(left() > 0n, `some are left before block ${last}`);
    produce(chain);
    assert.equal(left(), 0n, `none are left after block ${last}`);
    assert.match(meaningText(parameters), new RegExp(`The last block of the coinbase is ${last}:`));
  }
});

test('what the file says of witnesses is what a round of them needs', () => {
  const parameters = testParameters({ ...hourlyBlocks, max_witnesses: 7, max_voted_witnesses: 6, finality: true });
  const text = meaningText(parameters);
  for (const line of [
    'A round has 7 places: 6 for the witnesses with the most votes, 1 in turn.',
    'in a full round 5 of 7 witnesses must live.',
    '2 may fail at once.',
    '1 of 1, 2 of 2, 3 of 3, 3 of 4, 4 of 5, 5 of 6.',
  ])
    assert.ok(text.includes(line), `${line}\n${text}`);
  const chain = openChain(parameters);
  assert.deepEqual(scheduledNames(chain.committed.only(witnessSchedule)), ['initminer']);
  assert.match(
    meaningText(testParameters({ max_witnesses: 3, max_voted_witnesses: 3, finality: true })),
    /No failure is tolerated/,
  );
});

test('a withdrawal takes the instalments that are told', () => {
  const rules = { block_interval: 20, vesting_withdraw_intervals: 3, vesting_withdraw_interval_seconds: 20 };
  const parameters = testParameters({ ...rules, dilution_protection_percent: 0 });
  assert.match(
    meaningText(parameters),
    /A withdrawal has 3 instalments, 20 seconds apart\.\n {2}What was vested is not locked\./,
  );
  const chain = openChain(parameters);
  const send = (operation: string, members: object): void =>
    void chain.accept(
      makeTransaction(chain, parameters, [[operation, { fee: '0.010000 COIN', ...members }]], ['alice']),
    );
  const vested = (): bigint => chain.committed.get(accounts, 'alice')?.vesting_shares ?? 0n;
  produce(chain);
  send('transfer_to_vesting', { from: 'alice', to: 'alice', amount: '9.000000 COIN' });
  produce(chain);
  send('withdraw_vesting', { account: 'alice', vesting_shares: '9.000000 VESTS' });
  const left = [0, 1, 2].map(() => {
    produce(chain);
    return vested();
  });
  assert.deepEqual(left, [6_000_000n, 3_000_000n, 0n]);
});

const ONE_EACH = { initial_accounts: people.map((name) => ({ name, key: testKeyText(name), balance: 1 })) };

/** Each oddity once, with what is done about it. */
const odd: readonly (readonly [
  member: GenesisMemberName,
  overrides: Parameters<typeof testGenesis>[0],
  text: RegExp,
])[] = [
  ['impersonator', { impersonator: testKeyText('x') }, /acts for every account/],
  [
    'initial_signing_key',
    { initial_signing_key: 'PHR1111111111111111111111111111111114T1Anm' },
    /anybody can make the first blocks/,
  ],
  [
    'initial_public_key',
    { initial_public_key: 'PHR1111111111111111111111111111111114T1Anm' },
    /anybody can act for initminer/,
  ],
  ['initial_accounts', {}, /the key of alice is that of a development chain/],
  ['initial_accounts', { initial_accounts: [{ name: 'k', balance: 1 }] }, /k has the null key/],
  [
    'initial_accounts',
    { initial_accounts: [{ name: 'k', key: testKeyText('initminer'), balance: 1 }] },
    /k and initminer have one key/,
  ],
  ['initial_accounts', { initial_balace: 0, initial_accounts: [] }, /nobody holds a coin/],
  ['initial_accounts', ONE_EACH, /initminer holds 300000000\.000000 COIN, more than half/],
  ['hardfork_req_witnesses', { hardfork_req_witnesses: 31 }, /31 of 51 activate a hardfork, but 35 are needed/],
  ['hardfork_blocks', { hardfork_blocks: [{ name: 'bandwidth', block: 9 }] }, /only a development chain has them/],
  ['hardfork_req_witnesses', { hardfork_req_witnesses: 52 }, /52 of 51 can never agree/],
  ['max_runner_witnesses', { max_voted_witnesses: 40 }, /methods show 4, and 11 places/],
  ['max_voted_witnesses', { max_voted_witnesses: 0 }, /votes mean nothing/],
  ['max_account_witness_votes', { max_account_witness_votes: 0 }, /nobody can vote/],
  [
    'initial_witness_req_vesting_balance',
    { initial_witness_req_vesting_balance: 400_000_000_000_000 },
    /more than any account holds/,
  ],
  ['max_witnesses', { max_witnesses: 3, max_voted_witnesses: 3, finality: true }, /no failure is tolerated/],
  ['confirmations_from_block', {}, /before block 201600 one witness/],
  ['mining_pool_percentage', { mining_pool_percentage: 0, interest_pool_percentage: 9000 }, /rounds to 0/],
  ['max_block_size', { max_block_size: 1 }, /at most 24576 bytes, a transaction 8192/],
  ['base_fee', { base_fee: 0 }, /nothing stops a flood/],
  ['rules', { rules: 'lineage' }, /for chains of the C\+\+ node/],
];

test('each oddity is found where it is, and begins with the member to look at', () => {
  for (const [member, overrides, text] of odd) {
    const found = oddities(readTestParameters(testGenesis(overrides)));
    const fit = found.filter((line) => text.test(line));
    assert.equal(fit.length, 1, `${member} ${String(text)}: ${found.join('\n')}`);
    assert.ok(fit[0]?.startsWith(`${member}: `), fit[0]);
  }
});

test('a genesis that does not say whether votes make blocks final has them, and is odd', () => {
  const { finality: _, ...silent } = testGenesis();
  const parameters = readTestParameters(silent);
  assert.match(meaningText(parameters), /^ {2}Votes make a block irreversible, .* 35 of 51 witnesses must live\.$/m);
  assert.equal(oddities(parameters).filter((line) => line.startsWith('finality: nothing says')).length, 1);
  for (const finality of [true, false])
    assert.ok(!oddities(readTestParameters({ ...silent, finality })).some((line) => line.startsWith('finality: ')));
  assert.ok(
    !oddities(readTestParameters({ ...silent, rules: 'lineage' })).some((line) => line.startsWith('finality: ')),
  );
});

test('what each preset makes has nothing odd but what it is for', () => {
  const base = { profile, name: 'x', signingKey: undefined, listed: [], changes: {}, nowSeconds: NOW };
  for (const [name, preset] of Object.entries(presets)) {
    const { text } = newGenesis({ ...base, preset, witnesses: 7 });
    const found = oddities(readParameters(text));
    const known = found.filter((line) => line.includes('that of a development chain'));
    assert.deepEqual(found, known, name);
    assert.equal(known.length, name === 'development' ? 1 : 0, name);
    assert.equal(readParameters(text).hasFinality, true, name);
  }
});

test('every member has a line of its own, and a default that its own range allows', () => {
  const docs = genesisMemberList.map(([, { doc }]) => doc);
  assert.equal(new Set(docs).size, docs.length);
  for (const [name, { doc, range, codec }] of genesisMemberList) {
    assert.match(doc, /^[A-Z][^\n]+\.$/, name);
    if (range === undefined) continue;
    const usual = Number(codec.initial({ ...profile, dialect: 'default', operationForm: 'pair' }));
    assert.ok(usual >= range[0] && usual <= range[1], `${name}: ${usual}`);
  }
});
