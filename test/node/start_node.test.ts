import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

// As the thread loads them: types are gone from the compiled files, and what is imported by a call is not loaded at the
// start.
const listImports = (file: URL): URL[] =>
  [...readFileSync(file, 'utf8').matchAll(/^(?:import|export) .*?from '(\.[^']+)'|^import '(\.[^']+)'/gm)].map(
    (match) => new URL(match[1] ?? match[2] ?? '', file),
  );

function collectLoaded(file: URL, loaded: Set<string>): Set<string> {
  if (loaded.has(file.pathname)) return loaded;
  loaded.add(file.pathname);
  for (const imported of listImports(file)) collectLoaded(imported, loaded);
  return loaded;
}

test('the front reads its genesis without loading what applies blocks', () => {
  const compiled = (path: string): URL => new URL(`../../src/${path}.js`, import.meta.url);
  const loaded = collectLoaded(compiled('node/front'), collectLoaded(compiled('node/start_node'), new Set()));
  assert.ok(loaded.has(compiled('settings/chain_settings').pathname));
  for (const name of ['chain', 'apply/apply_block', 'apply/apply_transaction', 'ledger/genesis']) {
    assert.ok(existsSync(compiled(`chain/${name}`)), `${name} is there`);
    assert.ok(!loaded.has(compiled(`chain/${name}`).pathname), name);
  }
});

test('a library of a sink is loaded when one is configured, and no other command waits for it', () => {
  const starts = [
    'cli/cli',
    'cli/run',
    'cli/dev',
    'cli/index_chain',
    'node/sinks/sink_thread',
    'node/threads/writer/writer_thread',
    'node/network/network_thread',
  ];
  const loaded = new Set<string>();
  for (const path of starts) collectLoaded(new URL(`../../src/${path}.js`, import.meta.url), loaded);
  const packages = [...loaded].flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/^(?:import|export) (?:.*? from )?'([^.'][^']*)'/gm)].map(
      (match) => match[1] ?? '',
    ),
  );
  assert.ok(packages.includes('commander'), 'the packages are seen');
  assert.deepEqual(
    packages.filter((name) => /^(@nats-io|pg|pg-copy-streams|hdr-histogram-js)(\/|$)/.test(name)),
    [],
  );
});
