import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonObject, type Json } from '../../src/codec/json.ts';
import { DecodeError } from '../../src/codec/decode_error.ts';
import type { EncodingOptions } from '../../src/codec/encoding_options.ts';
import type { OperationKind } from '../../src/operations/operation.ts';
import { operationKinds } from '../../src/operations/index.ts';
import { transfer } from '../../src/operations/transfer.ts';
import { encoding } from '../builders/chain.ts';

/**
 * Members that may be left out: precedence names the fee and `sbd_amount`, and the others are reserved for the future.
 */
const MAY_LACK = new Set(['fee', 'extensions', 'sbd_amount']);

/** An operation of a kind as JSON, each time without another member. */
function withoutEach(kind: OperationKind, by: EncodingOptions): (readonly [member: string, rest: Json])[] {
  const whole = kind.initial(by).bodyToJson(by);
  assert.ok(isJsonObject(whole));
  return Object.keys(whole).map((member) => {
    const { [member]: _, ...rest } = whole;
    return [member, rest];
  });
}

for (const kind of Object.values(operationKinds)) {
  if (kind.isVirtual) continue;
  test(`${kind.name}: a member that is left out is refused by name`, () => {
    for (const [member, rest] of withoutEach(kind, encoding)) {
      const read = (): unknown => kind.bodyFromJson(rest, encoding);
      if (MAY_LACK.has(member)) assert.doesNotThrow(read);
      else assert.throws(read, (error) => error instanceof DecodeError && error.path === member, member);
    }
  });

  test(`${kind.name}: any member may be left out where it is read as the lineage read it`, () => {
    for (const by of [
      { ...encoding, answersLineage: true },
      { ...encoding, dialect: 'legacy' },
    ] as const) {
      for (const [, rest] of withoutEach(kind, by)) kind.bodyFromJson(rest, by);
    }
  });
}

test('a member that is left out because another is misspelt is refused as the other', () => {
  const read = (): unknown => transfer.bodyFromJson({ from: 'alice', to: 'bob', amount: '1 COIN', meno: '' }, encoding);
  assert.throws(read, /^Refusal: meno: unknown member; known are fee, from, to, amount, memo$/);
});
