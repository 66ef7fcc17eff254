import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { shuffled } from '../../src/chain/apply/shuffle.ts';
import { operationKinds } from '../../src/operations/index.ts';
import { hardforks } from '../../src/state/hardforks.ts';
import { timeText } from '../../src/values/time.ts';
import { versionText } from '../../src/values/version.ts';

const page = readFileSync(new URL('../../../src/pages/reference/chain_rules.md', import.meta.url), 'utf8');

/** The cells of the table rows that match, without the first and last bar. */
function rows(what: RegExp): string[][] {
  return Array.from(page.matchAll(what), ([row]) => row.split('|').map((cell) => cell.trim())).map((cells) =>
    cells.slice(1, -1),
  );
}

test('the page of the chain rules has every operation with its number', () => {
  assert.deepEqual(
    rows(/^\| \d+ \| `\w+` \|.*$/gm).map(([number, name]) => [number, name]),
    Object.entries(operationKinds).map(([number, { name }]) => [number, `\`${name}\``]),
  );
});

test('its examples of a shuffle are those of the chain', () => {
  const examples = rows(/^\| \d+ \| \d{10} \|.*$/gm);
  assert.equal(examples.length, 3);
  for (const [count, time, order] of examples) {
    const places = Array.from({ length: Number(count) }, (_, place) => place);
    assert.equal(shuffled(places, Number(time)).join(' '), order);
  }
});

test('it has every hardfork with its version and time', () => {
  assert.deepEqual(
    rows(/^\| \d \| \d\.\d\.\d \|.*$/gm).map(([id, version, time]) => [id, version, time]),
    Object.values(hardforks).map(({ id, version, time }) => [String(id), versionText(version), timeText(time)]),
  );
});
