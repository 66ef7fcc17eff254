import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isRepeatable, MAY_BE_DONE } from '../../src/client/call_limits.ts';

const sources = fileURLToPath(new URL('../../../src/', import.meta.url));
const DEADLINE =
  /^(?:export )?const ((?:CALL|ANSWER|READ|SILENCE|SILENT|OPEN|CHANGE|SUBSCRIBE|BROADCAST_MARGIN)_MS) = ([\d_ *]+);/gm;
const ROW = /^\| `([\w/]+\.ts)` `(\w+)` \| (\d+) \| .* \| (yes)? ?\|$/gm;

/** The seconds of each deadline of the programs that ask nodes, by file and name. */
function declared(): Map<string, number> {
  const found = new Map<string, number>();
  for (const folder of ['block_log', 'cli', 'client', 'load_test', 'node', 'sinks', 'snapshot', 'wallet', 'witness'])
    for (const name of readdirSync(`${sources}${folder}`, { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts')) continue;
      for (const [, constant = '', value = ''] of readFileSync(`${sources}${folder}/${name}`, 'utf8').matchAll(
        DEADLINE,
      )) {
        const factors = value.split('*').map((factor) => Number(factor.replaceAll('_', '')));
        found.set(`${folder}/${name} ${constant}`, factors.reduce((product, factor) => product * factor, 1) / 1000);
      }
    }
  return found;
}

const rows = [...readFileSync(`${sources}cli/README.md`, 'utf8').matchAll(ROW)].map(
  ([, file, name, seconds, order]) => ({
    key: `${file} ${name}`,
    seconds: Number(seconds),
    isOrder: order === 'yes',
  }),
);

test('each deadline of a command stands in the table with its seconds, and no other', () => {
  assert.ok(rows.length > 0);
  assert.deepEqual(new Map(rows.map(({ key, seconds }) => [key, seconds] as const)), declared());
});

test('a file that gives an order by name has a deadline that is one in the table', () => {
  let checked = 0;
  for (const { key } of rows) {
    const [file = ''] = key.split(' ');
    const text = readFileSync(`${sources}${file}`, 'utf8');
    const called = [...text.matchAll(/\.call\(\s*[`'](\w+_api\.(?:\w+)?)/g)].map(([, method = '']) => method);
    const orders = called.filter((method) => !isRepeatable(method) && !method.startsWith('subscribe_api'));
    checked += orders.length;
    if (orders.length > 0)
      assert.ok(
        rows.some((row) => row.key.startsWith(`${file} `) && row.isOrder),
        `${file}: ${orders.join()}`,
      );
  }
  assert.ok(checked > 1, 'orders were found');
});

test('what is said behind an order that was not answered tells nobody to repeat it', () => {
  assert.match(MAY_BE_DONE, /look before you ask for it again$/);
  assert.doesNotMatch(MAY_BE_DONE, /try again/);
});
