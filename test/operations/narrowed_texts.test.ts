import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal } from '../../src/base/refusal.ts';
import { isJsonObject, type Json } from '../../src/codec/json.ts';
import { operationKinds } from '../../src/operations/index.ts';
import { encoding } from '../builders/chain.ts';

/** Changes that a careless or hostile program makes to a text. */
const changes: readonly ((text: string) => string)[] = [
  (text) => `${text}.`,
  (text) => `${text} `,
  (text) => ` ${text}`,
  (text) => `${text}é`,
  (text) => `${text}\0`,
  (text) => `${text}\ud83d\ude00`,
  (text) => `${text}=`,
  (text) => `${text}x`,
  (text) => `${text}-_`,
  (text) => `${text}\n`,
  (text) => text.toUpperCase(),
  (text) => text.slice(0, -1),
  () => 'ab.cd',
  () => 'Ünicode',
  () => 'a'.repeat(40),
];

/** Texts with one meaning and several spellings; they come back in the usual one. What is dropped says nothing. */
const sameMeaning: readonly (readonly [meaning: string, given: RegExp, shown: RegExp])[] = [
  ['an amount', /^ *[\d.]+ [A-Z]+[ \n]*$/, /^\d+\.\d{6} [A-Z]+$/],
  ['a number of coins', /^ *[\d.]+ *$/, /^\d+\.\d{6}$/],
  ['a time', /^[\d-]+T[\d:]+(?:\.\d*)?Z?$/, /^[\d-]+T[\d:]+$/],
  ['a symbol', /^\s*[A-Z]+\s*$/, /^[A-Z]+$/],
  ['bytes in hex', /^[\da-f]*$/i, /^[\da-f]*$/],
];

function isSameMeaning(given: string, shown: string): boolean {
  return sameMeaning.some(
    ([meaning, one, other]) =>
      one.test(given) && other.test(shown) && (meaning !== 'a symbol' || given.trim() === shown),
  );
}

/** The same JSON with the text at each place changed, and where that is. */
function* changed(json: Json, place = ''): Generator<readonly [place: string, given: string, json: Json]> {
  if (typeof json === 'string') for (const change of changes) yield [place, change(json), change(json)];
  else if (Array.isArray(json))
    for (const [index, item] of json.entries())
      for (const [at, given, value] of changed(item, `${place}[${index}]`)) yield [at, given, json.with(index, value)];
  else if (isJsonObject(json))
    for (const [member, item] of Object.entries(json))
      for (const [at, given, value] of changed(item, `${place}.${member}`))
        yield [at, given, { ...json, [member]: value }];
}

function findText(json: Json, place: string): Json | undefined {
  let found: Json | undefined = json;
  for (const [, member, index] of place.matchAll(/\.(\w+)|\[(\d+)\]/g))
    found = Array.isArray(found)
      ? found[Number(index)]
      : found !== undefined && isJsonObject(found)
        ? found[member ?? '']
        : undefined;
  return found;
}

test('no text of an operation is narrowed in silence: it comes back as it was given, or is refused', () => {
  let [kept, refused] = [0, 0];
  const narrowed: string[] = [];
  for (const kind of Object.values(operationKinds)) {
    const whole = kind.initial(encoding).bodyToJson(encoding);
    assert.ok(isJsonObject(whole));
    // Nothing of a currency that the chain does not have: no operation keeps it.
    const { sbd_amount: _, ...body } = whole;
    for (const [place, given, json] of changed(body)) {
      try {
        const shown = findText(kind.bodyFromJson(json, encoding).bodyToJson(encoding), place);
        if (shown === given) kept++;
        else if (typeof shown !== 'string' || !isSameMeaning(given, shown))
          narrowed.push(`${kind.name}${place}: ${JSON.stringify(given)} became ${JSON.stringify(shown)}`);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        refused++;
      }
    }
  }
  assert.deepEqual(narrowed, []);
  assert.ok(kept > 300 && refused > 300, `${kept} were kept, ${refused} refused`);
});
