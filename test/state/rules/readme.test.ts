import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { hardforks } from '../../../src/state/hardforks.ts';
import { hardforkRules, getRules } from '../../../src/state/rules/index.ts';

const rules = new URL('../../../../src/state/rules/', import.meta.url);
const page = readFileSync(new URL('README.md', rules), 'utf8');
/** The page tells the rules up to this hardfork. */
const LAST_ON_PAGE = hardforks.bandwidth.id;
const reference = readFileSync(new URL('../../../../src/pages/reference/chain_rules.md', import.meta.url), 'utf8');
const rows = [...page.matchAll(/^\| `(\w+)` \| (\S+) \| (\S+) \| \[\w+\]\((\S+)\): (.+) \|$/gm)].map(
  ([, name, ours, theirs, file, title]) => ({
    name: name ?? '',
    values: [ours, theirs],
    file: file ?? '',
    title: title ?? '',
  }),
);
const hardforkRows = [
  ...page.matchAll(/^\| `(\w+)` \| (\S+) \| (\S+) \| (\S+) \| (\S+) \| \[\w+\]\((\S+)\): (.+) \|$/gm),
].map(([, name = '', since, before, ours, theirs, file = '', title = '']) => ({
  name,
  values: [since, before, ours, theirs],
  file,
  title,
}));

test('the page lists every rule with its value in both sets', () => {
  const [ours, theirs] = [getRules('interface'), getRules('lineage')];
  const ruleValues = (set: object): [string, string][] =>
    Object.entries(set).map(([name, value]) => [name, String(value)]);
  const lineage = new Map(ruleValues(theirs));
  const declared = ruleValues(ours).map(([name, value]) => ({ name, values: [value, lineage.get(name)] }));
  assert.deepEqual(
    rows.map(({ name, values }) => ({ name, values })),
    declared,
  );
});

test('the page lists every rule that begins with a hardfork, with its former value and those of both sets', () => {
  assert.deepEqual(
    hardforkRows.map(({ name, values }) => [name, ...values]),
    Object.entries(hardforkRules).map(([name, rule]) => [
      name,
      String(rule.since.id),
      String(rule.before),
      String(rule.interface),
      String(rule.lineage),
    ]),
  );
});

test('every test that the page names exists', () => {
  for (const { name, file, title } of [...rows, ...hardforkRows]) {
    const source = readFileSync(new URL(file, rules), 'utf8');
    assert(source.includes(title), `${name}: ${file} has no test "${title}"`);
  }
});

test('the reference page of the chain says what each rule is', () => {
  const section = reference.slice(reference.indexOf('\n## Rule sets\n'), reference.indexOf('\n## Genesis\n'));
  assert.deepEqual(
    Array.from(section.matchAll(/^\| `(\w+)` \|/gm), ([, name]) => name),
    [
      ...Object.keys(getRules('interface')),
      ...Object.entries(hardforkRules).flatMap(([name, { since }]) => (since.id <= LAST_ON_PAGE ? [name] : [])),
    ],
  );
});
