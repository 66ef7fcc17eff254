import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeJson } from '../../../src/codec/json_writer.ts';
import { listMethods } from '../../../src/rpc/methods.ts';
import { openRpc } from '../../../src/rpc/openrpc.ts';
import { profiles } from '../../../src/values/profile.ts';
import { encoding } from '../../builders/chain.ts';

type JsonObject = { [member: string]: unknown };

const methods = listMethods(profiles['default'] ?? assert.fail(), {
  debug: true,
  network: true,
  production: true,
  snapshots: true,
});
const document: {
  methods: { name: string; params: { name: string; schema: unknown }[] }[];
  components: { schemas: JsonObject };
} = JSON.parse(writeJson(openRpc(methods, encoding, 'Pharos', '1.2.3')));

/** True when a pattern limits the length of its texts: both ends are fixed, and nothing is repeated without end. */
function isBoundedPattern(pattern: string): boolean {
  const plain = pattern.replaceAll(/\\./g, 'x').replaceAll(/\[[^\]]*\]/g, 'x');
  if (/[*+]|\{\d+,\}/.test(plain)) return false;
  return splitAlternatives(plain).every((each) => each.startsWith('^') && each.endsWith('$'));
}

/** The parts of a pattern between the bars that stand in no group. */
function splitAlternatives(pattern: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const character of pattern) {
    if (character === '(') depth++;
    if (character === ')') depth--;
    if (character === '|' && depth === 0) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts;
}

/** Lists the unlimited values of a schema by place: texts of any length, and numbers of any size. */
function unbounded(schema: unknown, place: string): string[] {
  if (Array.isArray(schema)) return schema.flatMap((each, k) => unbounded(each, `${place}.${k}`));
  if (typeof schema !== 'object' || schema === null || 'enum' in schema || 'const' in schema) return [];
  const { type, maxLength, pattern, minimum, maximum }: JsonObject = { ...schema };
  const types: unknown[] = Array.isArray(type) ? type : [type];
  const isLongText =
    types.includes('string') && maxLength === undefined && !(typeof pattern === 'string' && isBoundedPattern(pattern));
  const isNumber = types.includes('integer') || types.includes('number');
  const isLargeNumber = isNumber && (minimum === undefined || maximum === undefined);
  const found = isLongText || isLargeNumber ? [place] : [];
  return [
    ...found,
    ...Object.entries(schema).flatMap(([keyword, part]) =>
      keyword === 'examples' || keyword === 'default'
        ? []
        : unbounded(part, keyword === 'properties' ? place : `${place}.${keyword}`),
    ),
  ];
}

test('every text and number that a method takes has a limit in its schema', () => {
  const params = document.methods.flatMap(({ name, params: members }) =>
    members.map((each) => [`${name} ${each.name}`, each.schema]),
  );
  const given = Object.entries(document.components.schemas).filter(([name]) => name.includes('Given'));
  const bodies = given.filter(([name]) => name.endsWith('GivenBody'));
  assert.ok(params.length > 200 && bodies.length > 25, `${params.length} params, ${bodies.length} bodies`);
  assert.equal([...params, ...given].flatMap(([place, schema]) => unbounded(schema, String(place))).join('\n'), '');
});

test('a pattern limits a text only where both ends are fixed and nothing repeats without end', () => {
  for (const pattern of ['^a{3}$', '^(?:a|b){0,3}$', '^[*+]$', '^a$|^b{2}$'])
    assert.ok(isBoundedPattern(pattern), pattern);
  for (const pattern of ['a', '^a', '^a*$', '^(?:a+|b)$', '^a{3,}$', '^a$|b'])
    assert.ok(!isBoundedPattern(pattern), pattern);
});
