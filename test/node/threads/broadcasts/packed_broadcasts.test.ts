import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';

import { systemClock } from '../../../../src/base/clock.ts';
import { unlessRefused } from '../../../../src/base/refusal.ts';
import { packTransaction, signedTransaction, type PackedTransaction } from '../../../../src/blocks/transaction.ts';
import { writeJson } from '../../../../src/codec/json_writer.ts';
import { encodeWif } from '../../../../src/crypto/wif.ts';
import { acceptBatch } from '../../../../src/node/threads/writer/accept_batch.ts';
import { BatchVerifier } from '../../../../src/verifiers/batch_verifier.ts';
import { RawBatchWriter, type RawBroadcastItem } from '../../../../src/verifiers/raw_batch.ts';
import { WAIT_FOR, type WaitFor } from '../../../../src/rpc/wait_for.ts';
import type { VerifierReport } from '../../../../src/verifiers/verifier_report.ts';
import { operationKinds } from '../../../../src/operations/index.ts';
import { chainView } from '../../../../src/state/chain_view.ts';
import type { ChainParameters } from '../../../../src/state/parameters.ts';
import type { RuleSet } from '../../../../src/state/rules/index.ts';
import { MemoryStore } from '../../../../src/storage/memory.ts';
import {
  testKey,
  openChain,
  people,
  produce,
  testSecret,
  testParameters,
  makeTransaction,
  transferJson,
} from '../../../builders/chain.ts';
import { count } from '../../../builders/counts.ts';
import { RandomSource } from '../../../builders/random_source.ts';
import { RandomOperations } from '../../../builders/random_operations/index.ts';
import { inLongForm } from '../../../builders/forms.ts';

/** The methods that wait for the same stages with JSON. */
const METHODS = {
  accepted: { method: 'network_broadcast_api.broadcast_transaction', param: 'trx' },
  block: { method: 'alexandria_api.broadcast_transaction', param: 'tx' },
  final: { method: 'alexandria_api.broadcast_transaction', param: 'tx' },
} as const;

type Way = Pick<RawBroadcastItem, 'dialect' | 'operationForm' | 'senderId'> & { readonly waitFor: WaitFor };

/** A verifier, and the bytes that it hands to the writer. */
class Verifying {
  readonly #verifier: BatchVerifier;
  readonly #handed: Buffer[] = [];

  constructor(parameters: ChainParameters, store: MemoryStore) {
    const handOver = (bytes: Uint8Array): void => void this.#handed.push(Buffer.from(bytes));
    this.#verifier = new BatchVerifier({ parameters, view: chainView(store, 100), clock: systemClock, handOver });
  }

  verify(items: readonly RawBroadcastItem[]): {
    readonly report: Omit<VerifierReport, 'elapsedMicros'>;
    readonly handed: Buffer[];
  } {
    const out = new RawBatchWriter();
    for (const item of items) out.add(item);
    const report = this.#verifier.verify(out.finish(0));
    return { report, handed: this.#handed.splice(0) };
  }
}

/** A chain whose verifiers are sent each transaction as JSON and as its bytes. */
class TwoForms {
  readonly parameters: ChainParameters;
  readonly chain;
  readonly #byText: Verifying;
  readonly #byBytes: Verifying;

  constructor(rules: RuleSet) {
    this.parameters = testParameters(
      { block_interval: 3600, max_allowed_ops: 1_000_000, max_allowed_bandwidth: 1_000_000_000 },
      rules,
    );
    const store = new MemoryStore();
    this.chain = openChain(this.parameters, store);
    this.#byText = new Verifying(this.parameters, store);
    this.#byBytes = new Verifying(this.parameters, store);
    produce(this.chain);
  }

  /**
   * The two are told the same; what one of them hands over is put before the chain, and everybody's answer is shown.
   */
  answers(sent: readonly { readonly packed: PackedTransaction; readonly way: Way }[]): string[] {
    const text = this.#byText.verify(sent.map(({ packed, way }) => this.#asText(packed, way)));
    const bytes = this.#byBytes.verify(sent.map(({ packed, way }) => asBytes(packed, way)));
    assert.deepEqual(bytes.report, text.report);
    assert.deepEqual(bytes.handed, text.handed);
    const verdicts = bytes.handed.flatMap((batch) => acceptBatch(this.chain, batch).verdicts);
    const waiting = new Map(bytes.report.told.map(({ ticket, waitFor }) => [ticket, waitFor]));
    for (const { ticket } of verdicts) assert.equal(waiting.get(ticket) ?? 'accepted', sent[ticket]?.way.waitFor);
    return sent.map((_, index) => {
      const [answer, ...more] = [...bytes.report.refused, ...verdicts].filter(({ ticket }) => ticket === index);
      assert.ok(answer !== undefined && more.length === 0, 'answered once');
      return answer.refusal?.code ?? 'accepted';
    });
  }

  damaged(bytes: readonly Uint8Array[], way: Way): ReturnType<Verifying['verify']> {
    return this.#byBytes.verify(bytes.map((packed) => ({ ...sentMembers(way), packed, waitFor: way.waitFor })));
  }

  #asText({ transaction }: PackedTransaction, way: Way): RawBroadcastItem {
    const { method, param } = METHODS[way.waitFor];
    const json = signedTransaction.toJson(transaction, { ...this.parameters.profile, ...sentMembers(way) });
    const further = way.waitFor === 'final' ? { wait_for: way.waitFor } : {};
    const params = Buffer.from(
      writeJson(way.dialect === 'legacy' ? [json, ...Object.values(further)] : { [param]: json, ...further }),
    );
    return { ...sentMembers(way), method, params };
  }
}

function asBytes({ packed }: PackedTransaction, way: Way): RawBroadcastItem {
  return { ...sentMembers(way), packed, waitFor: way.waitFor };
}

const sentMembers = ({ senderId, dialect, operationForm }: Way): Omit<Way, 'waitFor'> => ({
  senderId,
  dialect,
  operationForm,
});

const randomWay = (randomSource: RandomSource): Way => ({
  senderId: randomSource.roll(3),
  dialect: randomSource.pick(['default', 'legacy']),
  operationForm: randomSource.pick(['pair', 'typed']),
  waitFor: randomSource.pick([...WAIT_FOR]),
});

const aWay: Way = { senderId: 0, dialect: 'default', operationForm: 'pair', waitFor: 'block' };

for (const rules of ['interface', 'lineage'] as const) {
  test(
    `${rules}: whatever is sent as bytes has the verdict and the answer that it has as JSON`,
    rules === 'lineage' ? inLongForm : {},
    () => {
      const forms = new TwoForms(rules);
      const { chain, parameters } = forms;
      const randomSource = new RandomSource(7);
      const labels = new Map([...people, 'initminer'].map((name) => [testKey(name), name]));
      const accepted = new Map<string, number>();
      const refused = new Map<string, number>();
      const sent = new Set<string>();

      const transactionOfSome = (): { readonly kinds: readonly string[]; readonly packed: PackedTransaction } => {
        const maker = new RandomOperations(chain, randomSource, labels);
        const made = Array.from({ length: randomSource.chance(80) ? 1 : 2 }, () => maker.make(maker.kind()));
        const operations = made.map(({ operation }) => operation);
        const signers = [...new Set(made.flatMap((each) => each.signers))];
        const chosen = randomSource.chance(90) ? signers : randomSource.pick([[], ['alice'], [...signers, 'nobody']]);
        const packed = makeTransaction(chain, parameters, operations, chosen, {
          expiration: chain.head.time + 60 + randomSource.roll(3000),
        });
        return {
          kinds: operations.map(([kind]) => kind),
          packed: randomSource.chance(90) ? packed : withOtherSignatures(packed, randomSource),
        };
      };

      for (let batch = 0; batch < 150; batch++) {
        const drawn = Array.from(
          { length: 1 + randomSource.roll(8) },
          () => unlessRefused(transactionOfSome) ?? [],
        ).flat();
        const answers = forms.answers(drawn.map(({ packed }) => ({ packed, way: randomWay(randomSource) })));
        for (const [index, answer] of answers.entries()) {
          for (const kind of drawn[index]?.kinds ?? []) {
            sent.add(kind);
            if (answer === 'accepted') count(accepted, kind);
          }
          if (answer !== 'accepted') count(refused, answer);
        }
        if (randomSource.chance(50)) produce(chain);
      }
      const kinds = Object.values(operationKinds).filter(({ isVirtual }) => !isVirtual);
      assert.deepEqual([...sent].toSorted(), kinds.map(({ name }) => name).toSorted());
      assert.ok(accepted.size > 10, `accepted only ${[...accepted.keys()].join(', ')}`);
      assert.ok(refused.size > 10 && !refused.has('internal_error'), [...refused.keys()].join(', '));
    },
  );

  test(`${rules}: a memo that gives a key away, a repetition and one without signatures are refused either way`, () => {
    const forms = new TwoForms(rules);
    const packed = (memo: string, signers: readonly string[]): PackedTransaction =>
      makeTransaction(forms.chain, forms.parameters, [transferJson('alice', 'bob', 1, memo)], signers, {
        expiration: forms.chain.head.time + 3600,
      });
    const once = packed('once', ['alice']);
    const all = [packed(encodeWif(testSecret('alice')), ['alice']), once, once, packed('', [])];
    const codes = forms.answers(all.map((each) => ({ packed: each, way: aWay })));
    assert.deepEqual(codes, ['memo_is_owner_key', 'accepted', 'duplicate_transaction', 'missing_active_authority']);
  });
}

/** Signatures that are none, or of another form. */
function withOtherSignatures({ transaction }: PackedTransaction, randomSource: RandomSource): PackedTransaction {
  const [signature = '20'.repeat(65)] = transaction.signatures;
  const header = (Number.parseInt(signature.slice(0, 2), 16) - 4).toString(16);
  const others = [
    ['00'.repeat(65)],
    [header + signature.slice(2)],
    [signature, signature],
    [`ff${signature.slice(2)}`],
  ];
  return packTransaction({ ...transaction, signatures: randomSource.pick(others) });
}

test('bytes that are no transaction are refused for themselves, among transfers of others', () => {
  const forms = new TwoForms('interface');
  const { packed } = makeTransaction(forms.chain, forms.parameters, [transferJson('alice', 'bob', 1)], ['alice']);
  const damage = fc.record({
    changes: fc.array(fc.record({ at: fc.nat(), to: fc.nat(255) }), { maxLength: 3 }),
    cut: fc.constantFrom(0, 0, 1, 40, packed.length),
    added: fc.uint8Array({ maxLength: 3 }),
  });
  fc.assert(
    fc.property(fc.array(fc.option(damage), { minLength: 1, maxLength: 12 }), (drawn) => {
      const all = drawn.map((damaged) => {
        if (damaged === null) return packed;
        const bytes = Buffer.concat([packed.subarray(0, packed.length - damaged.cut), damaged.added]);
        for (const { at, to } of damaged.changes) if (bytes.length > 0) bytes[at % bytes.length] = to;
        return bytes;
      });
      const { refused } = forms.damaged(all, aWay).report;
      for (const { ticket, refusal } of refused) {
        assert.notEqual(refusal.code, 'internal_error', refusal.message);
        assert.notEqual(drawn[ticket], null, 'what is whole is not refused');
      }
      for (const [ticket, damaged] of drawn.entries()) {
        const isCut = damaged !== null && damaged.changes.length === 0 && (damaged.cut > 0 || damaged.added.length > 0);
        if (isCut && !(damaged.cut === damaged.added.length)) assert.ok(refused.some((one) => one.ticket === ticket));
      }
    }),
    { numRuns: 300 },
  );
});
