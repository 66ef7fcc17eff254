import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Compiler, lookInProgram } from '../../scripts/rules/checked_program.js';
import { overloadProblems } from '../../scripts/rules/overloads.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const compiler = new Compiler(root);

after(() => compiler.close());

function checkSource(source: string, exceptions: Readonly<Record<string, string>> = {}): string[] {
  const files = new Map([['src/base/a.ts', source]]);
  return lookInProgram(files, root, compiler, (program) => overloadProblems(program, exceptions));
}

const casts = {
  'a function that returns unknown':
    'export function f(text: string): number;\nexport function f(text: string): unknown { return text; }',
  'one that waits for unknown':
    'export async function f(): Promise<number>;\nexport async function f(): Promise<unknown> { return await Promise.resolve("1"); }',
  'one that takes unknown for a function of it':
    'export function f(take: (one: number) => void): void;\nexport function f(take: (one: string) => void): void { take("1"); }',
  'one that takes anything but what it is given':
    'export function f(one: string | number): void;\nexport function f(one: string): void { console.log(one); }',
  'a method': 'export class A {\n  f(): number;\n  f(): unknown { return ""; }\n}',
  'a hidden method':
    'export class A {\n  #f(): number;\n  #f(): unknown { return ""; }\n  g(): number { return this.#f(); }\n}',
  'a type parameter':
    'export function f<T>(text: string): T;\nexport function f(text: string): unknown { return JSON.parse(text); }',
  'a function within another':
    'export function g(): number {\n  function f(): number;\n  function f(): unknown { return ""; }\n  return f();\n}',
};
for (const [name, source] of Object.entries(casts))
  test(`an overload that casts is found: ${name}`, () => {
    const found = checkSource(source);
    assert.equal(found.length, 1, found.join());
    assert.match(found[0] ?? '', /^src\/base\/a\.ts:\d: the overload of #?f is a cast$/);
  });

test('overloads that promise less than their implementation are none', () => {
  const source = `export function f(one: string): string;
export function f(one: number, two: string): string;
export function f(one: string | number, two?: string): string { return String(one) + String(two); }
export function g(): unknown;
export function g(): number { return 1; }`;
  assert.deepEqual(checkSource(source), []);
});

test('an exception holds for what it names, and one that nothing needs is told', () => {
  const exceptions = { 'src/base/a.ts f': 'for a test' };
  assert.deepEqual(checkSource(casts['a type parameter'], exceptions), []);
  assert.deepEqual(checkSource('export const x = 1;', exceptions), [
    'scripts/layers.js: nothing needs the exception for src/base/a.ts f',
  ]);
});
