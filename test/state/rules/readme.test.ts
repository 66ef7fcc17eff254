import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { rulesOf } from '../../../src/state/rules/index.ts';

const rules = new URL('../../../../src/state/rules/', import.meta.url);
const page = readFileSync(new URL('README.md', rules), 'utf8');
const rows = [...page.matchAll(/^\| `(\w+)` \| (\S+) \| (\S+) \| \[\w+\]\((\S+)\): (.+) \|$/gm)].map(
  ([, name, ours, theirs, file, title]) => ({
    name: name ?? '',
    values: [ours, theirs],
    file: file ?? '',
    title: title ?? '',
  }),
);

test('the page lists every rule with its value in both sets', () => {
  const [ours, theirs] = [rulesOf('interface'), rulesOf('lineage')];
  const valuesIn = (set: object): [string, string][] => Object.entries(set).map(([name, value]) => [name, String(value)]);
  const lineage = new Map(valuesIn(theirs));
  const declared = valuesIn(ours).map(([name, value]) => ({ name, values: [value, lineage.get(name)] }));
  assert.deepEqual(
    rows.map(({ name, values }) => ({ name, values })),
    declared,
  );
});

test('every test that the page names exists', () => {
  for (const { name, file, title } of rows) {
    const source = readFileSync(new URL(file, rules), 'utf8');
    assert(source.includes(title), `${name}: ${file} has no test "${title}"`);
  }
});
