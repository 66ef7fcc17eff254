import assert from 'node:assert/strict';

import type { Refusal } from '../../src/base/refusal.ts';

/** Text from source code that the lineage put into its errors. */
const EXPRESSION = /Assert Exception|!\w+\.\w+\(\)|\b_?args\.|^false:|\.size\(\)|::|\.cpp|\bstack\b/;
const FEWEST_WORDS = 4;

/** Refusals of these have no value to show. */
const WITHOUT_VALUE = /_(?:not_utf8|empty)$|^(?:not_in_private_nets|in_private_nets_only|no_operations)$/;

/** A refusal of the chain is a sentence that names what was wrong. */
export function assertTells({ code, message, details }: Refusal): void {
  assertSentence(message);
  const values = Object.values(details).map((value) => (typeof value === 'object' ? value.join(', ') : String(value)));
  const isTold = values.some((value) => message.includes(value === '' ? '""' : value));
  assert.ok(isTold || WITHOUT_VALUE.test(code), `no value in ${code}: ${message}`);
}

/** The same for a template: a name or an amount may come first, a capital letter may not. */
export function assertDeclared(text: string): void {
  assertSentence(text.replaceAll(/[{](\w+)[}]/g, 'some $1'));
  assert.match(text, /^["a-z{]/, text);
}

/** A refusal's text is for people: a sentence with every value filled in, and no source code. */
export function assertSentence(text: string): void {
  const prefix = /^(?:Parse error|Invalid params): /;
  const sentence = text.replace(prefix, '');
  assert.ok(!/[{]\w+[}]/.test(text), `a placeholder is left: ${text}`);
  assert.ok(!EXPRESSION.test(text), `it shows an expression: ${text}`);
  assert.ok(sentence.split(/\s+/).length >= FEWEST_WORDS, `too few words: ${text}`);
  assert.ok(!sentence.endsWith('.') && !/\. [A-Z]/.test(sentence), `one sentence without a full stop: ${text}`);
  assert.ok(!/undefined|\[object|NaN/.test(text), `a value is missing: ${text}`);
}
