import assert from 'node:assert/strict';
import { test } from 'node:test';
import { present } from '../../../src/base/assert.ts';
import { catchRefusal, type Refusal } from '../../../src/base/refusal.ts';
import { signWithSecret } from '../../../src/blocks/sign_transaction.ts';
import type { VerifiedTransaction } from '../../../src/blocks/transaction.ts';
import type { BalanceChange, TransactionCheck } from '../../../src/blocks/transaction_check.ts';
import type { Chain } from '../../../src/chain/chain.ts';
import type { Json } from '../../../src/codec/json.ts';
import { operationKinds } from '../../../src/operations/index.ts';
import type { ChainParameters } from '../../../src/state/parameters.ts';
import type { RuleSet } from '../../../src/state/rules/index.ts';
import { accounts } from '../../../src/state/tables/account.ts';
import { economicModel } from '../../../src/state/tables/economic_model.ts';
import {
  testKey,
  testKeyText,
  openChain,
  people,
  produce,
  testSecret,
  testParameters,
  makeTransaction,
  transferJson,
} from '../../builders/chain.ts';
import { RandomSource } from '../../builders/random_source.ts';
import { RandomOperations } from '../../builders/random_operations/index.ts';
import { formSize } from '../../builders/forms.ts';

/** Longer runs: `PHAROS_TEST_ROUNDS=2000`. */
const ROUNDS = formSize('PHAROS_TEST_ROUNDS', { short: 80, long: 120 });
const SENT_A_ROUND = 8;
const MOST_SLOTS_WAITED = 40;

const SMALL = { block_interval: 3600, max_witnesses: 5, max_voted_witnesses: 3, max_allowed_ops: 12 };

/** The balances of all accounts that were ever named, as `COIN` and `VESTS`. */
type Holdings = ReadonlyMap<string, bigint>;

function told(refusal: Refusal | undefined): Json {
  return refusal === undefined ? null : [refusal.code, refusal.message, refusal.lineageCode, refusal.lineage ?? ''];
}

/** A chain on which each transaction is checked before it is sent, and a twin that gets only the accepted ones. */
class CheckedChain {
  readonly parameters: ChainParameters;
  readonly chain: Chain;
  readonly twin: Chain;
  readonly accepted = new Set<string>();
  readonly refused = new Set<string>();
  readonly #randomSource: RandomSource;
  readonly #labels = new Map([...people, 'initminer'].map((name) => [testKey(name), name]));
  readonly #names = new Set<string>();

  constructor(parameters: ChainParameters, seed: number) {
    this.parameters = parameters;
    this.chain = openChain(parameters);
    this.twin = openChain(parameters);
    this.#randomSource = new RandomSource(seed);
  }

  round(): void {
    for (let sent = 0; sent < SENT_A_ROUND; sent++) this.#send();
    this.#seal();
    assert.deepEqual(this.chain.head, this.twin.head, 'a chain that was asked is the same as one that was not');
  }

  #send(): void {
    const maker = new RandomOperations(this.chain, this.#randomSource, this.#labels);
    const made = Array.from({ length: this.#randomSource.chance(70) ? 1 : 2 }, () => maker.make(maker.kind()));
    const operations = made.map(({ operation }) => operation);
    const signers = [...new Set(made.flatMap((each) => each.signers))];
    const expiration =
      this.chain.head.time + (this.#randomSource.chance(95) ? 3600 : this.#randomSource.pick([3601, 0]));
    const sign = (names: readonly string[]): VerifiedTransaction =>
      makeTransaction(this.chain, this.parameters, operations, names, { expiration });
    const transaction = sign(
      this.#randomSource.chance(90) ? signers : this.#randomSource.pick([[], ['alice'], [...signers, 'nobody']]),
    );

    const before = this.#holdings();
    const check = this.#check(transaction);
    const unsigned = this.#check(sign([]));
    assert.deepEqual(this.#holdings(), before, 'a check moves nothing');
    const feesBefore = this.#feesTaken();
    const refusal = catchRefusal(() => void this.chain.accept(transaction));
    assert.deepEqual(told(check.refusal), told(refusal));
    // The signatures change nothing else in the result except the size, which includes them.
    if (check.refusalWhenSigned?.code !== 'transaction_too_big') {
      assert.deepEqual(told(unsigned.refusalWhenSigned), told(check.refusalWhenSigned));
      assert.deepEqual([unsigned.balances, unsigned.fees], [check.balances, check.fees]);
    }
    if (refusal !== undefined) return void this.refused.add(refusal.code);
    assert.deepEqual([check.refusalWhenSigned, check.missing, check.superfluous], [undefined, [], []]);
    this.twin.accept(transaction);
    for (const [kind] of operations) this.accepted.add(kind);
    this.#compareHoldings(check, before);
    const charged = check.fees.reduce((sum, fee) => sum + present(fee.charged, 'a charge').amount, 0n);
    assert.equal(this.#feesTaken() - feesBefore, charged - withdrawn(operations));
  }

  #check(transaction: VerifiedTransaction): TransactionCheck {
    const waiting = this.chain.pendingTransactions.length;
    const check = this.chain.check(transaction);
    assert.equal(this.chain.pendingTransactions.length, waiting);
    for (const { account } of check.balances) this.#names.add(account);
    return check;
  }

  #holdings(): Holdings {
    for (const { name } of this.chain.committed.range(accounts.by_id, { limit: 1000 })) this.#names.add(name);
    const rows = [...this.#names].toSorted().map((name) => [name, this.chain.pendingRows.get(accounts, name)] as const);
    const amounts = rows.flatMap(([name, row]) => [
      [`${name} COIN`, row?.balance ?? 0n] as const,
      [`${name} VESTS`, row?.vesting_shares ?? 0n] as const,
    ]);
    return new Map(amounts.filter(([, amount]) => amount > 0n));
  }

  #compareHoldings({ balances }: TransactionCheck, before: Holdings): void {
    const after = this.#holdings();
    const key = ({ account, after: { symbol } }: BalanceChange): string => `${account} ${symbol}`;
    const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
      (name) => after.get(name) !== before.get(name),
    );
    const line = (name: string, from = 0n, to = 0n): string => `${name}: ${from} to ${to}`;
    assert.deepEqual(
      balances.map((change) => line(key(change), change.before.amount, change.after.amount)).toSorted(),
      changed.map((name) => line(name, before.get(name), after.get(name))).toSorted(),
    );
  }

  /** All pools that fees go into. */
  #feesTaken(): bigint {
    const pools = this.chain.pendingRows.only(economicModel);
    return pools.burn_pool + pools.mining_pool_from_fees + pools.interest_pool_from_fees + pools.promotion_pool;
  }

  #seal(): void {
    for (let slot = 1; slot < MOST_SLOTS_WAITED; slot++) {
      const scheduled = present(this.chain.findProductionSlot(this.chain.slotTime(slot)), 'a slot');
      const label = this.#labels.get(scheduled.signingKey ?? '');
      if (label === undefined) continue;
      const sign = (digest: Uint8Array): string => present(signWithSecret(digest, testSecret(label)), 'a signature');
      for (const chain of [this.chain, this.twin]) catchRefusal(() => void chain.seal({ ...scheduled, sign }));
      return;
    }
  }
}

/** The operations that take coins out of the promotion pool. */
function withdrawn(operations: readonly [string, Json][]): bigint {
  const amounts = operations.map(([kind, body]): bigint => {
    const amount: unknown = kind === 'transfer_from_promotion_pool' ? Object(body).amount : '0 COIN';
    return BigInt(String(amount).replace(/\D/g, ''));
  });
  return amounts.reduce((sum, amount) => sum + amount, 0n);
}

/**
 * The kinds that were accepted on any of the chains: some of them succeed under one rule set or in a private net only.
 */
const accepted = new Set<string>();

for (const rules of ['interface', 'lineage'] as const satisfies readonly RuleSet[]) {
  for (const is_private_net of [false, true]) {
    const where = `under rules ${rules}${is_private_net ? ' in a private net' : ''}`;
    test(`what a check tells is what comes of it ${where}: refusal, fees, balances; and nothing is kept`, () => {
      const checked = new CheckedChain(testParameters({ ...SMALL, is_private_net }, rules), 1);
      for (let round = 0; round < ROUNDS; round++) checked.round();
      for (const kind of checked.accepted) accepted.add(kind);
      assert.ok(checked.refused.size > 10, [...checked.refused].join());
    });
  }
}

test('every kind of operation was among what was checked and then accepted', () => {
  const paid = Object.values(operationKinds).filter(({ isVirtual }) => !isVirtual);
  assert.deepEqual(
    paid.map(({ name }) => name).filter((name) => !accepted.has(name)),
    [],
  );
});

/** A chain on which alice needs two signatures of bob, carol and dave. */
function chainOfThree(): { chain: Chain; parameters: ChainParameters } {
  const parameters = testParameters();
  const chain = openChain(parameters);
  produce(chain);
  const key_auths = ['bob', 'carol', 'dave'].map((name): Json => [testKeyText(name), 1]);
  const active: Json = { weight_threshold: 2, account_auths: [], key_auths };
  const update: Json = [
    'account_update',
    { fee: '0.000000 COIN', account: 'alice', active, memo_key: testKeyText('alice'), json_metadata: '' },
  ];
  chain.accept(makeTransaction(chain, parameters, [update], ['alice']));
  produce(chain);
  return { chain, parameters };
}

test('every missing authority is told with the weight that is there, and every superfluous key', () => {
  const { chain, parameters } = chainOfThree();
  const operations = [transferJson('alice', 'erin', 1_000_000), transferJson('erin', 'alice', 2_000_000)];
  const check = (...signers: string[]): TransactionCheck =>
    chain.check(makeTransaction(chain, parameters, operations, signers));
  const lacks = ({ missing }: TransactionCheck): Json =>
    missing.map(({ account, role, weight }) => [account, role, weight]);

  const nobody = check();
  assert.deepEqual(lacks(nobody), [
    ['alice', 'active', 0],
    ['erin', 'active', 0],
  ]);
  assert.deepEqual([nobody.refusal?.code, nobody.refusalWhenSigned], ['missing_active_authority', undefined]);
  const one = check('carol', 'initminer');
  assert.deepEqual(lacks(one), [
    ['alice', 'active', 1],
    ['erin', 'active', 0],
  ]);
  assert.deepEqual(one.superfluous, [testKey('initminer')]);
  const all = check('bob', 'carol', 'erin');
  assert.deepEqual([all.missing, all.superfluous, all.refusal], [[], [], undefined]);
  assert.deepEqual(check('bob', 'carol', 'dave', 'erin').superfluous.length, 1);
  assert.deepEqual(
    all.balances.map(({ account, before, after }) => [account, after.amount - before.amount]),
    [
      ['alice', 990_000n],
      ['erin', -1_010_000n],
    ],
  );
});

test('an account that does not exist is no missing signature but the refusal', () => {
  const { chain, parameters } = chainOfThree();
  const check = chain.check(makeTransaction(chain, parameters, [transferJson('nobody', 'erin', 1)], []));
  assert.deepEqual(
    [check.missing, check.refusal?.code, check.refusalWhenSigned?.code],
    [[], 'unknown_key', 'unknown_key'],
  );
});

test('the sponsor is told as the payer, and what is over the required fee is told as charged', () => {
  const parameters = testParameters();
  const chain = openChain(parameters);
  produce(chain);
  const sponsoring: Json = [
    'sponsor_fees',
    { fee: '0.000000 COIN', sponsor: 'bob', sponsored: 'alice', is_sponsoring: true },
  ];
  chain.accept(makeTransaction(chain, parameters, [sponsoring], ['bob']));
  const fees = (fee: string, ...signers: string[]): string[][] => {
    const body = { fee, from: 'alice', to: 'carol', amount: '1.000000 COIN', memo: '' };
    const second = transferJson('bob', 'carol', 1);
    const check = chain.check(makeTransaction(chain, parameters, [['transfer', body], second], signers));
    return check.fees.map(({ payer, required, charged }) => [
      payer,
      String(required.amount),
      String(charged?.amount ?? check.refusal?.code),
    ]);
  };
  // Not in a block yet: the pending state is used.
  assert.deepEqual(fees('0.010000 COIN', 'alice', 'bob')[0], ['bob', '10000', '10000']);
  assert.deepEqual(fees('0.500000 COIN', 'alice', 'bob'), [
    ['bob', '10000', '500000'],
    ['bob', '10000', '10000'],
  ]);
  assert.deepEqual(fees('0.001000 COIN', 'alice', 'bob'), [
    ['bob', '10000', 'fee_too_small'],
    ['bob', '10000', 'fee_too_small'],
  ]);
});

test('a check of what waits already, and of what has no place in the next block, says what sending it says', () => {
  const parameters = testParameters({ max_block_size: 1, max_transaction_size: 1024 });
  const chain = openChain(parameters);
  produce(chain);
  const codes = new Set<string>();
  for (let n = 0; n < 3000; n++) {
    const transaction = makeTransaction(
      chain,
      parameters,
      [transferJson('alice', 'bob', n + 1, 'x'.repeat(n % 2 === 0 ? 10 : 700))],
      ['alice'],
    );
    const check = chain.check(transaction);
    const refusal = catchRefusal(() => void chain.accept(transaction));
    assert.deepEqual(told(check.refusal), told(refusal));
    codes.add(refusal?.code ?? '');
    if (refusal !== undefined) break;
    assert.equal(chain.check(transaction).refusal?.code, 'duplicate_transaction');
    assert.ok(check.balances.length > 0);
  }
  assert.deepEqual([...codes], ['', 'too_many_pending']);
});
