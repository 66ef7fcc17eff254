import assert from 'node:assert/strict';
import { test } from 'node:test';
import { declaredRefusal } from '../../src/base/refusal.ts';
import { operationKinds } from '../../src/operations/index.ts';
import { methodsOf } from '../../src/rpc/methods.ts';
import { referencePages } from '../../src/rpc/reference.ts';
import { profiles } from '../../src/values/profile.ts';
import { notation } from '../builders/chain.ts';

test('every method stands on the page of its group with its params and its refusals, and every operation on theirs', () => {
  const methods = methodsOf(profiles['default'] ?? assert.fail(), { debug: true, network: true, production: true });
  const pages = new Map(referencePages(methods, notation, '1').map(({ file, text }) => [file, text]));
  for (const { name, group, paramNames, refuses } of methods.values()) {
    const [, ...rest] = (pages.get(`${group || 'bare_names'}.md`) ?? '').split(`## ${name}\n`);
    const section = rest.join('').split('\n## ')[0] ?? '';
    const texts = Object.values(refuses).map((declared) => declaredRefusal(declared).text);
    for (const word of [...paramNames.map((param) => `\`${param}\``), ...Object.keys(refuses), ...texts])
      assert.ok(section.includes(word), `${name}: ${word}`);
  }
  for (const { name, doc, refuses } of Object.values(operationKinds)) {
    const section = (pages.get('operations.md') ?? '').split(`## ${name}\n`)[1]?.split('\n## ')[0] ?? '';
    for (const word of [doc, ...Object.keys(refuses)]) assert.ok(section.includes(word), `${name}: ${word}`);
  }
  for (const word of ['-32602', 'too_busy', 'data.lineage']) assert.ok(pages.get('README.md')?.includes(word), word);
  assert.match(pages.get('bare_names.md') ?? '', /^transfer\(from, to, amount, memo\)$/m);
});
