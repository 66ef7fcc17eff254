import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { Refusal } from '../../src/client/index.ts';
import { devChain } from '../../src/dev_chain/dev_chain.ts';

const chain = await devChain();
after(async () => await chain.stop());

/** Parses operations as programs without types do. */
function given(text: string): Parameters<typeof chain.sendUnsigned>[0] {
  return JSON.parse(text);
}

for (const [text, sentence] of [
  ['"transfer"', /^operations: a list of names .* expected, got "transfer"$/],
  ['{"transfer": {}}', /^operations: a list of .* got \{"transfer":\{\}\}$/],
  ['["transfer", {}]', /^operations\[0\]: a name with a body, such as .* expected, got "transfer"$/],
  ['[["transfer", {}, true]]', /^operations\[0\]: .* got \["transfer",\{\},true\]$/],
  ['[["transfer", null]]', /^operations\[0\]: .* got \["transfer",null\]$/],
  ['[["transfer", ["alice"]]]', /^operations\[0\]: /],
  ['[["transfer", {"fee": "0.050000 COIN"}], null]', /^operations\[1\]: .* got null$/],
  [`[${JSON.stringify('x'.repeat(500))}]`, /^operations\[0\]: .* got "x{79}…$/],
  ['[["transfer", {}]]', /op\[1\]\.from: the member is missing/],
] as const) {
  test(`what has not the form of operations is refused by name: ${text.slice(0, 40)}`, async () => {
    for (const send of [
      () => chain.sendUnsigned(given(text)),
      () => chain.client.send(given(text), []),
      () => chain.client.build(given(text)),
    ])
      await assert.rejects(send, (error) => error instanceof Refusal && sentence.test(error.message));
  });
}
