import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { exitCodeOfFault } from '../../src/base/exit_codes.ts';
import { NEXT_NODE, findRecovery, WAIT } from '../../src/base/recovery.ts';
import { FINAL } from './final_errors.ts';

const SOURCES = 'src';
/** Names that stand where an error is made, not in a table of refusals. */
const MADE_ALONE = ['internal_error'];

/** The names of all faults, and of all refusals that the sources declare. */
function declaredNames(): Set<string> {
  const names = new Set([...MADE_ALONE, ...Object.keys(exitCodeOfFault)]);
  for (const entry of readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })) {
    if (!entry.endsWith('.ts')) continue;
    const text = readFileSync(join(SOURCES, entry), 'utf8');
    for (const [, body = ''] of text.matchAll(/= refusals\(\{(.*?)\}\);?$/gms))
      for (const [, first, later] of body.matchAll(/^ {2}(\w+):|^ (\w+):/gm)) names.add(first ?? later ?? '');
  }
  return names;
}

test('each error that is declared has a place in the table: wait, next node or final', () => {
  const declared = declaredNames();
  assert.ok(declared.size > 300, `${declared.size}`);
  const table = [...WAIT, ...NEXT_NODE, ...FINAL];
  assert.equal(new Set(table).size, table.length, 'an error that has two places');
  const missing = [...declared].filter((name) => !table.includes(name)).toSorted();
  assert.deepEqual(missing, []);
  assert.deepEqual(table.filter((name) => !declared.has(name)).toSorted(), []);
  for (const name of FINAL) assert.equal(findRecovery(name), 'final');
});

test('an error that nobody knows is final', () => {
  assert.equal(findRecovery('of a later version'), 'final');
});
