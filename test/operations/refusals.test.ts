import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { operationKinds } from '../../src/operations/index.ts';
import { Ledger } from '../builders/ledger.ts';

const compiled = fileURLToPath(new URL('../..', import.meta.url));
const rooms = ['values', 'state', 'operations', 'blocks', 'chain'] as const;

/** What no test can provoke, each with the reason. */
const unreachable: Readonly<Record<string, string>> = {
  insufficient_coin_funds: 'whoever takes from a balance has compared it before',
  fee_negative: 'an offer is at least the required fee, which is not negative, and prices are positive',
};

function filesIn(folder: string, ending: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesIn(path, ending);
    return entry.name.endsWith(ending) ? [path] : [];
  });
}

const DECLARATION = /refusals\(\{([^]*?)\n?\}\);/g;
const CODE = /(?:^|[\n,{])\s*([a-z]\w*): ?(?=['"`{])/g;

/** The codes of all refusals that a file declares. */
function codesIn(file: string): string[] {
  const declarations = [...readFileSync(file, 'utf8').matchAll(DECLARATION)].map(([, body]) => body ?? '');
  return declarations
    .flatMap((body) => [...body.matchAll(CODE)].map(([, code]) => code ?? ''))
    .filter((code) => !['text', 'lineage', 'lineageCode'].includes(code));
}

const tests = new Map(
  filesIn(join(compiled, 'test'), '.test.js')
    .filter((file) => basename(file) !== 'refusals.test.js')
    .map((file) => [basename(file, '.test.js'), readFileSync(file, 'utf8')]),
);
const isNamed = (text: string, code: string): boolean => text.includes(`'${code}'`);
/** Kinds that share a check whose refusals are provoked on a chain. */
const provokedOnAChain = new Set(['time_over']);

test('every refusal that a kind of operation declares is provoked with that kind, or with one that shares the check', () => {
  const kinds = Object.values(operationKinds).filter(({ isVirtual }) => !isVirtual);
  const testOf = (name: string): string => tests.get(name) ?? tests.get(name.replace(/_(?:json|binary)$/, '')) ?? '';
  const missing = kinds.flatMap(({ name, refuses }) => {
    const provoked = (code: string): boolean =>
      provokedOnAChain.has(code) || kinds.some((kind) => code in kind.refuses && isNamed(testOf(kind.name), code));
    assert.notEqual(testOf(name), '', `${name} has a test`);
    return Object.keys(refuses).filter((code) => !provoked(code));
  });
  assert.deepEqual(missing, []);
});

test('every refusal of the chain is provoked by a test, but for those that nothing can provoke', () => {
  const declared = rooms.flatMap((room) => filesIn(join(compiled, 'src', room), '.js').flatMap(codesIn));
  assert(declared.length > 150);
  const never = [...new Set(declared)].filter((code) => ![...tests.values()].some((text) => isNamed(text, code)));
  assert.deepEqual(never.filter((code) => code !== 'virtual_operation').toSorted(), Object.keys(unreachable).toSorted());
});

test('a transaction that holds a virtual operation is refused, whichever it is', () => {
  const ledger = new Ledger();
  for (const kind of Object.values(operationKinds).filter(({ isVirtual }) => isVirtual)) {
    const operation = kind.initial({
      coinSymbol: 'COIN',
      vestsSymbol: 'VESTS',
      keyPrefix: 'PHR',
      word: 'coin',
      dialect: 'default',
      operationForm: 'pair',
    });
    for (const attempt of [() => operation.validate(ledger.parameters), () => ledger.apply(operation)]) {
      assert.throws(attempt, {
        code: 'virtual_operation',
        message: `only the chain itself makes ${operation.kind.name} operations; no transaction holds one`,
      });
    }
  }
});
