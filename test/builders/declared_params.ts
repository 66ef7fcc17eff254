import assert from 'node:assert/strict';

import fc from 'fast-check';
import { Type, type TSchema } from '../../src/jsonrpc/envelope/typebox.ts';

import type { JsonSchema } from '../../src/codec/codec.ts';
import { isJsonObject, type Json } from '../../src/codec/json.ts';
import type { EncodingOptions } from '../../src/codec/encoding_options.ts';
import type { Method } from '../../src/rpc/method.ts';
import { isCoded } from '../../src/jsonrpc/envelope/params.ts';
import { describedJson } from './described_json.ts';

/** JSON that a declared schema allows. */
export function arbitraryJson(schema: TSchema, encoding: EncodingOptions): fc.Arbitrary<Json> {
  if (isCoded(schema)) return describedJson(schema.codec.describe(encoding), encoding);
  if (Type.IsArray(schema)) return fc.array(arbitraryJson(schema.items, encoding), { maxLength: 3 });
  if (!Type.IsObject(schema)) return describedJson(plainSchema(schema), encoding);
  const members = Object.entries(schema.properties).map(
    ([name, member]) => [name, arbitraryJson(member, encoding)] as const,
  );
  const requiredKeys = Object.entries(schema.properties).flatMap(([name, member]) =>
    Type.IsOptional(member) ? [] : [name],
  );
  return fc.record(Object.fromEntries(members), { requiredKeys, noNullPrototype: true });
}

function plainSchema(schema: TSchema): JsonSchema {
  const plain: JsonSchema = JSON.parse(JSON.stringify(schema));
  return plain;
}

/** Params that a method's declaration allows, sometimes those of its example, because random ones are rarely useful. */
export function arbitraryParams({ params, example }: Method, encoding: EncodingOptions): fc.Arbitrary<Json> {
  assert.ok(Type.IsObject(params) && isJsonObject(example.params));
  const given = example.params;
  const members = Object.entries(params.properties).map(([name, schema]) => {
    const known = name === 'search_type' ? SEARCH_TYPES : [given[name] ?? null];
    return [name, fc.oneof(fc.constantFrom(...known), arbitraryJson(schema, encoding))] as const;
  });
  return fc.record(Object.fromEntries(members), { noNullPrototype: true });
}

/** The sort orders and search types of all methods; no schema lists them. */
export const SEARCH_TYPES: readonly Json[] = ['sender', 'recipient']
  .flatMap((side) => [`by_${side}`, `by_${side}_datetime`])
  .flatMap((forward) => [forward, `${forward}_reverse`])
  .concat('by_buyer', 'by_app_id');
