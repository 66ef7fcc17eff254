import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../src/codec/json.ts';
import { DecodeError } from '../../src/codec/decode_error.ts';
import type { Notation } from '../../src/codec/notation.ts';
import type { OperationKind } from '../../src/operations/operation.ts';
import { operationKinds } from '../../src/operations/index.ts';
import { transfer } from '../../src/operations/transfer.ts';
import { isObject } from '../../src/jsonrpc/openrpc.ts';
import { notation } from '../builders/chain.ts';

/** What may be left out: precedence names the fee, and the others are reserved for the future. */
const MAY_LACK = new Set(['fee', 'extensions']);

/** An operation of a kind as JSON, each time without another member. */
function withoutEach(kind: OperationKind, by: Notation): (readonly [member: string, rest: Json])[] {
  const whole = kind.initial(by).bodyToJson(by);
  assert.ok(isObject(whole));
  return Object.keys(whole).map((member) => {
    const { [member]: _, ...rest } = whole;
    return [member, rest];
  });
}

for (const kind of Object.values(operationKinds)) {
  if (kind.isVirtual) continue;
  test(`${kind.name}: a member that is left out is refused by name`, () => {
    for (const [member, rest] of withoutEach(kind, notation)) {
      const read = (): unknown => kind.bodyFromJson(rest, notation);
      if (MAY_LACK.has(member)) assert.doesNotThrow(read);
      else assert.throws(read, (error) => error instanceof DecodeError && error.path === member, member);
    }
  });

  test(`${kind.name}: any member may be left out where it is read as the lineage read it`, () => {
    for (const by of [
      { ...notation, answersLineage: true },
      { ...notation, dialect: 'legacy' },
    ] as const) {
      for (const [, rest] of withoutEach(kind, by)) kind.bodyFromJson(rest, by);
    }
  });
}

test('a member that is left out because another is misspelt is refused as the other', () => {
  const read = (): unknown => transfer.bodyFromJson({ from: 'alice', to: 'bob', amount: '1 COIN', meno: '' }, notation);
  assert.throws(read, /^Refusal: meno: unknown member; known are fee, from, to, amount, memo$/);
});
