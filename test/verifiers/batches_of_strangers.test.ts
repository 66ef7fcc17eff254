import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { systemClock } from '../../src/base/clock.ts';

import { AssertionFailure, present } from '../../src/base/assert.ts';
import { type VerifiedTransaction, signedTransaction } from '../../src/blocks/transaction.ts';
import { Chain } from '../../src/chain/chain.ts';
import type { Json } from '../../src/codec/json.ts';
import { writeJson } from '../../src/codec/json_writer.ts';
import type { EncodingOptions } from '../../src/codec/encoding_options.ts';
import { acceptBatch, acceptedTransactions } from '../../src/node/threads/writer/accept_batch.ts';
import { BatchVerifier } from '../../src/verifiers/batch_verifier.ts';
import { encodeVerifiedBatch } from '../../src/blocks/verified_batch.ts';
import { decodeRawBatch, RawBatchWriter, type RawBroadcastItem } from '../../src/verifiers/raw_batch.ts';
import { receivedRefusal } from '../../src/system/sent_refusal.ts';
import type { Verdict } from '../../src/verifiers/verdicts.ts';
import { decodeVerifierReport, encodeVerifierReport } from '../../src/verifiers/verifier_report.ts';
import { operationKinds } from '../../src/operations/index.ts';
import type { OperationKind } from '../../src/operations/operation.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import { chainView } from '../../src/state/chain_view.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import type { CommittedRows } from '../../src/storage/rows.ts';
import { timeText } from '../../src/values/time.ts';
import { testKey, openChain, produce, testParameters, makeTransaction, transferJson } from '../builders/chain.ts';
import { describedJson } from '../builders/described_json.ts';
import { forgedBlock } from '../builders/forged_block.ts';
import { isLong } from '../builders/forms.ts';
import { rowMethods } from '../builders/row_methods.ts';

const METHOD = 'network_broadcast_api.broadcast_transaction';
const SOME_SIGNATURE =
  '20716e1eb0a09022413d2289799acfe2fef75ebe71ac1cc9718ca61cd0c4bb16cb6f24907339d66117e9426b1a16eba7f6b44f00c470c885e017a7214a794b4ad2';

type Form = Pick<EncodingOptions, 'dialect' | 'operationForm'>;
const forms: readonly Form[] = (['default', 'legacy'] as const).flatMap((dialect) =>
  (['pair', 'typed'] as const).map((operationForm) => ({ dialect, operationForm })),
);

/** The outcome of a broadcast: `accepted`, or the code of its refusal. */
type Outcome = string;

/** A replacement for a working part. */
interface Instead {
  readonly view?: CommittedRows;
  readonly chain?: Pick<Chain, 'accept' | 'isPending' | 'prefetch'>;
}

/** Verifier and writer of a node in one thread. */
class BlockIngress {
  readonly parameters: ChainParameters = testParameters();
  readonly store = new MemoryStore();
  readonly chain: Chain = openChain(this.parameters, this.store);
  readonly view: CommittedRows = chainView(this.store, 100);
  readonly #verdicts: Verdict[] = [];
  readonly #verifier = this.#verifierOver(this.view, this.chain);
  #honest = 0;

  constructor() {
    produce(this.chain);
  }

  #verifierOver(view: CommittedRows, chain: Pick<Chain, 'accept' | 'isPending' | 'prefetch'>): BatchVerifier {
    const handOver = (bytes: Uint8Array): void => void this.#verdicts.push(...acceptBatch(chain, bytes).verdicts);
    return new BatchVerifier({ parameters: this.parameters, view, clock: systemClock, handOver });
  }

  /** Returns the outcome of broadcasts that come together; each is answered once. */
  outcomes(items: readonly RawBroadcastItem[], instead?: Instead): Outcome[] {
    const verifier =
      instead === undefined
        ? this.#verifier
        : this.#verifierOver(instead.view ?? this.view, instead.chain ?? this.chain);
    const report = verifier.verify(makeBatch(items));
    const verdicts = this.#verdicts.splice(0);
    const { refused } = decodeVerifierReport(encodeVerifierReport({ ...report, elapsedMicros: 0 }));
    const outcomes = new Map<number, Outcome>();
    for (const { ticket, refusal } of [...refused, ...verdicts]) {
      assert.ok(!outcomes.has(ticket), `${ticket} is answered once`);
      outcomes.set(ticket, refusal?.code ?? 'accepted');
    }
    return items.map((_, ticket) => present(outcomes.get(ticket), `an answer to ${ticket}`));
  }

  payment(from = 'alice', to = 'bob', memo?: string): VerifiedTransaction {
    this.#honest++;
    return makeTransaction(this.chain, this.parameters, [transferJson(from, to, this.#honest, memo)], [from]);
  }

  honest(form: Form, from = 'alice', memo?: string): RawBroadcastItem {
    const { transaction } = this.payment(from, 'bob', memo);
    return asking(form, signedTransaction.toJson(transaction, this.encoding(form)));
  }

  encoding(form: Form): EncodingOptions {
    return { ...this.parameters.profile, ...form };
  }

  /** A transaction of this operation with a signature of nobody. */
  operation(form: Form, kind: OperationKind, body: Json): RawBroadcastItem {
    const operations = [
      form.operationForm === 'pair' ? [kind.name, body] : { type: `${kind.name}_operation`, value: body },
    ];
    const expiration = timeText(this.chain.head.time + 60);
    return asking(form, {
      ref_block_num: 1,
      ref_block_prefix: 0,
      expiration,
      operations,
      extensions: [],
      signatures: [SOME_SIGNATURE],
    });
  }
}

function asking({ dialect, operationForm }: Form, transaction: Json): RawBroadcastItem {
  const params = Buffer.from(writeJson(dialect === 'legacy' ? [transaction] : { trx: transaction }));
  return { method: METHOD, senderId: 1, dialect, operationForm, params };
}

function makeBatch(items: readonly RawBroadcastItem[]): Uint8Array {
  const out = new RawBatchWriter();
  for (const item of items) out.add(item);
  return out.finish(0);
}

const kinds = Object.values(operationKinds);
const witnessSetProperties = present(
  kinds.find(({ name }) => name === 'witness_set_properties'),
  'the kind',
);

test('a witness property that is no key is refused for itself, among transfers of others', () => {
  const ingress = new BlockIngress();
  const [form = assert.fail('a form')] = forms;
  const props = [['key', 'aa']];
  const bad = ingress.operation(form, witnessSetProperties, {
    fee: '0.010000 COIN',
    owner: 'initminer',
    props,
    extensions: [],
  });
  const items = [...Array.from({ length: 20 }, () => ingress.honest(form)), bad, ingress.honest(form)];
  assert.deepEqual(ingress.outcomes(items), [
    ...Array.from({ length: 20 }, () => 'accepted'),
    'property_malformed',
    'accepted',
  ]);
});

/** A value in place of a broken member. */
const junk: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(
    null,
    true,
    '',
    'aa',
    'AAAA',
    '-1.000000 COIN',
    '99999999999999999999 COIN',
    [],
    {},
    [[]],
    [['key', 'aa']],
    '\ud800',
  ),
  fc.constantFrom<Json>(-1, 0.5, 2 ** 32, 2n ** 64n, -(2n ** 63n), '0'.repeat(5000)),
  fc.array(fc.constantFrom<Json>(0, 'x', null, []), { maxLength: 3 }),
);

/** A body of the kind with some members broken, or none. */
function brokenBody(kind: OperationKind, encoding: EncodingOptions): fc.Arbitrary<Json> {
  const breaks = fc.array(fc.record({ at: fc.nat(), by: junk, deep: fc.boolean() }), { maxLength: 2 });
  return fc
    .tuple(describedJson(kind.describe(encoding), encoding), breaks)
    .map(([body, all]) => all.reduce(broken, body));
}

/** The JSON with a member of it replaced, or a member of that member. */
function broken(
  json: Json,
  { at, by, deep }: { readonly at: number; readonly by: Json; readonly deep: boolean },
): Json {
  if (typeof json !== 'object' || json === null) return by;
  const entries = Object.entries(json);
  const [name, value = null] = entries[at % Math.max(entries.length, 1)] ?? [];
  if (name === undefined) return by;
  const replaced = deep ? broken(value, { at, by, deep: at % 2 === 0 }) : by;
  return Array.isArray(json)
    ? json.map((item, index) => (String(index) === name ? replaced : item))
    : { ...json, [name]: replaced };
}

for (const kind of kinds) {
  test(`${kind.name}: whatever its members are, it has its own answer, and transfers in the same batch are accepted`, () => {
    const ingress = new BlockIngress();
    const one = fc.constantFrom(...forms).chain((form) =>
      fc.oneof(
        {
          weight: 3,
          arbitrary: brokenBody(kind, ingress.encoding(form)).map((body) => ingress.operation(form, kind, body)),
        },
        { weight: 1, arbitrary: fc.constant(form) },
      ),
    );
    const refusals = new Set<Outcome>();
    fc.assert(
      fc.property(fc.array(one, { minLength: 1, maxLength: 12 }), (drawn) => {
        const items = drawn.map((each) => ('params' in each ? each : ingress.honest(each)));
        const outcomes = ingress.outcomes(items);
        for (const [index, outcome] of outcomes.entries()) {
          if ('params' in present(drawn[index], 'what was drawn')) refusals.add(outcome);
          else assert.equal(outcome, 'accepted');
        }
      }),
      { numRuns: isLong ? 25 : 12 },
    );
    assert.ok(!refusals.has('internal_error') && !refusals.has('accepted'), [...refusals].join(' '));
    const [form = assert.fail('a form')] = forms;
    const encoding = ingress.encoding(form);
    const whole = kind.initial(encoding).bodyToJson(encoding);
    const built = ingress.outcomes([[], whole].map((body) => ingress.operation(form, kind, body)));
    // What has no form and what nobody has signed: of random ones all may be refused alike.
    assert.equal(new Set(built).size, 2, built.join(' '));
  });
}

test('whatever bytes a verifier hands over, each transaction has its own verdict, and transfers among them are accepted', () => {
  const ingress = new BlockIngress();
  const damage = fc.record({
    changes: fc.array(fc.record({ at: fc.nat(), to: fc.nat(255) }), { maxLength: 3 }),
    cut: fc.constantFrom(0, 0, 0, 1, 40),
    shift: fc.constantFrom(0, 0, 65),
  });
  fc.assert(
    fc.property(fc.array(fc.option(damage), { minLength: 1, maxLength: 12 }), (drawn) => {
      const items = drawn.map((damaged, ticket) => {
        const verified = ingress.payment();
        if (damaged === null) return { ticket, verified };
        const packed = Uint8Array.from(verified.packed.subarray(0, verified.packed.length - damaged.cut));
        for (const { at, to } of damaged.changes) packed[at % packed.length] = to;
        return { ticket, verified: { ...verified, packed, unsignedBytes: verified.unsignedBytes + damaged.shift } };
      });
      const { items: taken, verdicts } = acceptBatch(ingress.chain, encodeVerifiedBatch(items));
      const accepted = acceptedTransactions(taken, verdicts);
      assert.deepEqual(
        verdicts.map(({ ticket }) => ticket),
        items.map(({ ticket }) => ticket),
      );
      for (const [index, { refusal }] of verdicts.entries()) {
        assert.notEqual(refusal?.code, 'internal_error', refusal?.message);
        if (drawn[index] === null) assert.equal(refusal, undefined);
      }
      assert.equal(accepted.length, verdicts.filter(({ refusal }) => refusal === undefined).length);
    }),
    { numRuns: isLong ? 300 : 100 },
  );
});

test('an exception that nobody foresaw is counted to the broadcast that brought it about, wherever it was met', () => {
  const ingress = new BlockIngress();
  const [form = assert.fail('a form')] = forms;
  const items = ['alice', 'bob', 'carol', 'dave', 'alice', 'bob', 'carol', 'dave', 'erin'].map((from) =>
    ingress.honest(form, from),
  );
  const only = (...failing: readonly number[]): Outcome[] =>
    items.map((_, index) => (failing.includes(index) ? 'internal_error' : 'accepted'));
  const stumble = (): never => {
    throw new TypeError('nobody foresaw this');
  };
  const overCarol: CommittedRows = {
    ...rowMethods(ingress.view),
    getManyCached: (table, keys) =>
      keys.some((key) => key === 'carol') ? stumble() : ingress.view.getManyCached(table, keys),
  };
  assert.deepEqual(ingress.outcomes(items, { view: overCarol }), only(2, 6));

  // The guard of memos reads its senders together, and alone when that fails.
  const withMemos = ['alice', 'bob', 'carol', 'dave'].map((from) => ingress.honest(form, from, 'a memo'));
  const overCarolsAccount: CommittedRows = {
    ...rowMethods(ingress.view),
    get: (table, key) => (table.name === 'account' && key === 'carol' ? stumble() : ingress.view.get(table, key)),
    getManyCached: (table, keys) =>
      table.name === 'account' && keys.some((key) => key === 'carol')
        ? stumble()
        : ingress.view.getManyCached(table, keys),
  };
  assert.deepEqual(
    ingress.outcomes(withMemos, { view: overCarolsAccount }),
    withMemos.map((_, index) => (index === 2 ? 'internal_error' : 'accepted')),
  );

  const again = ['alice', 'bob', 'carol', 'dave'].map((from) => ingress.honest(form, from));
  const overDave = {
    prefetch: () => undefined,
    isPending: () => false,
    accept: (verified: VerifiedTransaction) =>
      verified.signers.includes(testKey('dave')) ? stumble() : ingress.chain.accept(verified),
  };
  assert.deepEqual(ingress.outcomes(again, { chain: overDave }), [
    'accepted',
    'accepted',
    'accepted',
    'internal_error',
  ]);
});

test('what says that the program can not be relied on is counted to nobody', () => {
  const ingress = new BlockIngress();
  const [form = assert.fail('a form')] = forms;
  const fail = (): never => {
    throw new AssertionFailure('the program contradicts itself');
  };
  assert.throws(
    () => ingress.outcomes([ingress.honest(form)], { view: { ...rowMethods(ingress.view), getManyCached: fail } }),
    AssertionFailure,
  );
  assert.throws(
    () =>
      ingress.outcomes([ingress.honest(form)], {
        chain: { prefetch: () => undefined, isPending: () => false, accept: fail },
      }),
    AssertionFailure,
  );
});

test('an accepted transaction that fails as nobody foresaw when a block of others has come is dropped, and no other', () => {
  const { parameters } = new BlockIngress();
  const reported: unknown[] = [];
  const chain = new Chain({
    store: new MemoryStore(),
    parameters,
    durable: false,
    report: (error) => reported.push(error),
  });
  produce(chain);
  const of = (amount: number): VerifiedTransaction =>
    makeTransaction(chain, parameters, [transferJson('alice', 'bob', amount)], ['alice']);
  let stumbles = false;
  const stumbling = of(2);
  const { transaction } = stumbling;
  const accessor = {
    get: () => {
      if (stumbles) throw new TypeError('nobody foresaw this');
      return transaction;
    },
  };
  const all = [of(1), Object.defineProperty({ ...stumbling }, 'transaction', accessor), of(3)];
  for (const each of all) chain.accept(each);
  stumbles = true;
  chain.push(forgedBlock(chain));
  assert.deepEqual(
    chain.pendingTransactions.map(({ id }) => id),
    [all[0]?.id, all[2]?.id],
  );
  assert.equal(reported.length, 1);
  produce(chain);
});

test('of what nobody foresaw the operator learns where it was, and it is no refusal that an asker is shown', () => {
  const ingress = new BlockIngress();
  const [form = assert.fail('a form')] = forms;
  const bytes = encodeVerifiedBatch([{ ticket: 0, verified: ingress.payment() }]);
  const { verdicts } = acceptBatch(
    {
      prefetch: () => undefined,
      isPending: () => false,
      accept: () => {
        throw new RangeError('out of bounds');
      },
    },
    bytes,
  );
  const error = receivedRefusal(present(verdicts[0]?.refusal, 'a failure'));
  assert.equal(error.name, 'UnexpectedFailure');
  assert.match(error.stack ?? '', /RangeError: out of bounds\n.*batches_of_strangers/);
  assert.equal(decodeRawBatch(makeBatch([ingress.honest(form)])).length, 1);
});
