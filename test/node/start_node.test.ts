import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

// As the thread loads them: types are gone from the compiled files, and what is imported by a call is not loaded at the start.
const importsOf = (file: URL): URL[] =>
  [...readFileSync(file, 'utf8').matchAll(/^(?:import|export) .*?from '(\.[^']+)'|^import '(\.[^']+)'/gm)].map(
    (match) => new URL(match[1] ?? match[2] ?? '', file),
  );

function loadedWith(file: URL, loaded: Set<string>): Set<string> {
  if (loaded.has(file.pathname)) return loaded;
  loaded.add(file.pathname);
  for (const imported of importsOf(file)) loadedWith(imported, loaded);
  return loaded;
}

test('the front reads its genesis without loading what applies blocks', () => {
  const compiled = (path: string): URL => new URL(`../../src/${path}.js`, import.meta.url);
  const loaded = loadedWith(compiled('node/front'), loadedWith(compiled('node/start_node'), new Set()));
  assert.ok(loaded.has(compiled('node/chain_settings').pathname));
  for (const name of ['chain', 'apply_block', 'apply_transaction', 'genesis'])
    assert.ok(!loaded.has(compiled(`chain/${name}`).pathname), name);
});
