import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Compiler, lookInProgram } from '../../scripts/rules/checked_program.js';

const compiler = new Compiler(fileURLToPath(new URL('../../../', import.meta.url)));

after(() => compiler.close());

const imports = `import type { DynamicGlobalProperties } from '../state/tables/dynamic_global_property.ts';
import type { Json } from '../codec/json.ts';
declare const row: DynamicGlobalProperties;
export type Shown = Json;
`;

/** Ways to take the number of one branch for the one that a node tells. */
const mistakes = {
  'reads it as a number': 'export const told: number = row.last_irreversible_block_num;',
  'reckons with it': 'export const told = row.head_block_number - row.last_irreversible_block_num;',
  'compares with it': 'export const isFinal = row.head_block_number > row.last_irreversible_block_num;',
  'shows it': 'export const json: Json = { number: row.last_irreversible_block_num };',
  'copies the row': 'export const shown: { readonly last_irreversible_block_num: number } = { ...row };',
  'takes the row apart': 'const { last_irreversible_block_num: told } = row;\nexport const number: number = told;',
};

function lintErrors(source: string): readonly string[] {
  const path = 'src/sinks/planted.ts';
  const files = new Map([[path, imports + source]]);
  return lookInProgram(files, fileURLToPath(new URL('../../../', import.meta.url)), compiler, (program) =>
    program.fileErrors(path),
  );
}

test('the irreversible number of a branch is no number to others: what takes it for one does not compile', () => {
  assert.deepEqual(lintErrors('export const head: number = row.head_block_number;'), []);
  for (const [name, source] of Object.entries(mistakes)) assert.equal(lintErrors(source).length, 1, name);
});
