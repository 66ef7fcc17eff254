import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { memberExceptions } from '../../scripts/layers.js';
import { Compiler, lookInProgram } from '../../scripts/rules/checked_program.js';
import { memberProblems } from '../../scripts/rules/members.js';
import { inLongForm, inShortForm } from '../builders/forms.ts';

const project = new URL('../../../', import.meta.url);
const root = fileURLToPath(project);

const house = new Map(
  readdirSync(new URL('src', project), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => [`src/${path}`, readFileSync(new URL(`src/${path}`, project), 'utf8')]),
);

const compiler = new Compiler(root);

after(() => compiler.close());

function checkFiles(files: ReadonlyMap<string, string>, exceptions: Readonly<Record<string, string>> = {}): string[] {
  return lookInProgram(files, root, compiler, (program) => memberProblems(program, exceptions));
}

/** Problems of a file; what `uses` does with it stands in another. */
function checkSource(source: string, uses = '', exceptions: Readonly<Record<string, string>> = {}): string[] {
  const files = new Map([
    ['src/base/a.ts', source],
    ['src/base/b.ts', `import * as a from './a.ts';\n${uses}`],
  ]);
  return checkFiles(files, exceptions);
}

const shape = (members: string): string => `export interface Shape { ${members} }`;

/** A member that nobody uses: in front of which text of which file it is planted, and how it is told of. */
interface Plant {
  readonly path: string;
  readonly before: string;
  readonly member: string;
  readonly told: string;
}

const inServices: Plant = {
  path: 'src/rpc/services.ts',
  before: '  readonly rows: CommittedState;',
  member: '  readonly forgotten: boolean | undefined;',
  told: 'nobody reads Services.forgotten',
};
const plants: readonly Plant[] = [
  {
    path: 'src/chain/chain.ts',
    before: '  get committed(): CommittedRows {',
    member: '  get oldestBlock(): number {\n    return this.head.number;\n  }\n',
    told: 'nobody reads Chain.oldestBlock',
  },
  {
    path: 'src/node/threads/broadcasts/broadcasts.ts',
    before: '  readonly queuedBroadcasts: number;',
    member: '  readonly lostBroadcasts?: number;',
    told: 'nobody reads BroadcastLimits.lostBroadcasts',
  },
  inServices,
];

/** Problems of files of the house in which members are planted, without lines. */
function checkPlanted(planted: readonly Plant[], files: ReadonlyMap<string, string>): string[] {
  const changed = new Map(files);
  for (const { path, before, member } of planted) {
    const text = files.get(path) ?? assert.fail(path);
    assert.ok(text.includes(before), before);
    changed.set(path, text.replace(before, `${member}\n${before}`));
  }
  return checkFiles(changed, memberExceptions).map((line) => line.replace(/:\d+:/, ':'));
}

/** A file of the house, and all that it imports. */
function collectReached(start: string): ReadonlyMap<string, string> {
  const reached = new Map<string, string>();
  const reach = (path: string): void => {
    if (reached.has(path)) return;
    const text = house.get(path) ?? assert.fail(path);
    reached.set(path, text);
    for (const [, to = ''] of text.matchAll(/from '(\.[^']+)'/g)) reach(join(dirname(path), to));
  };
  reach(start);
  return reached;
}

describe('members', () => {
  test('the house has none that nobody uses, and one that is planted anywhere in it is found', inLongForm, () => {
    assert.deepEqual(
      checkPlanted(plants, house).toSorted(),
      plants.map(({ path, told }) => `${path}: ${told}`),
    );
  });

  test('one that is planted in a part of the house is found', inShortForm, () => {
    const { path, told } = inServices;
    const found = checkPlanted([inServices], collectReached(path));
    assert.ok(found.includes(`${path}: ${told}`), found.join('\n'));
  });

  test('methods, accessors and fields of classes are found, those that are hidden are not', () => {
    const source = `export class Some {
  field = 1;
  get got(): number { return this.#own; }
  made(): void {}
  static shared = 1;
  used = 1;
  #own = 1;
  private hidden = 1;
  protected half = 1;
}`;
    assert.deepEqual(checkSource(source, 'console.log(new a.Some().used);'), [
      'src/base/a.ts:2: nobody reads Some.field',
      'src/base/a.ts:3: nobody reads Some.got',
      'src/base/a.ts:4: nobody reads Some.made',
      'src/base/a.ts:5: nobody reads Some.shared',
    ]);
  });

  test('what functions take by name is found where nobody reads it, whatever the same name means elsewhere', () => {
    const source = `export function send(options: { readonly loud: boolean; readonly far: boolean }): boolean { return options.far; }
export interface Horn { readonly loud: boolean; readonly pitch: number }`;
    const uses =
      'export const horn: a.Horn = { loud: true, pitch: 1 };\nconsole.log(horn.loud, horn.pitch, a.send({ loud: true, far: true }));';
    assert.deepEqual(checkSource(source, uses), ['src/base/a.ts:1: nobody reads send.loud']);
  });

  test('setting a member is no reading, and neither is what a test does', () => {
    const uses = 'export function f(one: a.Shape): void { one.x = 2; }';
    const files = new Map([
      ['src/base/a.ts', shape('x: number')],
      ['src/base/b.ts', `import type * as a from './a.ts';\n${uses}`],
      [
        'test/base/b.test.ts',
        `import type * as a from '../../src/base/a.ts';\nexport const g = (one: a.Shape): number => one.x;`,
      ],
    ]);
    assert.deepEqual(checkFiles(files), ['src/base/a.ts:1: nobody reads Shape.x']);
  });

  const readings = {
    'a dot': 'export const f = (one: a.Shape): number => one.x;',
    'an optional dot': 'export const f = (one?: a.Shape): number | undefined => one?.x;',
    'a name in brackets': "export const f = (one: a.Shape): number => one['x'];",
    'a name that can be it': "export const f = (one: a.Shape, name: 'x'): number => one[name];",
    'any of its names': 'export const f = (one: a.Shape, name: keyof a.Shape): number => one[name];',
    'taking apart': 'export const f = ({ x }: a.Shape): number => x;',
    'taking apart under another name': 'export const f = ({ x: y }: a.Shape): number => y;',
    'taking the rest': 'export const f = ({ ...rest }: a.Shape): object => rest;',
    'copying it to somewhere': 'export const f = (one: a.Shape): object => ({ ...one });',
    'a name of what it is copied to':
      'interface Copy { readonly x: number }\nexport const f = (one: a.Shape): Copy => ({ ...one });\nexport const g = (two: Copy): number => two.x;',
    'asking whether it is there': "export const f = (one: a.Shape): boolean => 'x' in one;",
    'its type': "export const f = (one: a.Shape['x']): number => one;",
    'a type that picks it': "export const f = (one: Pick<a.Shape, 'x'>): number => one.x;",
    'a type parameter': 'export const f = <T extends a.Shape>(one: T): number => one.x;',
    'a part of a union': 'export const f = (one: a.Shape | { readonly x: string }): unknown => one.x;',
    'an object that is said to fit': 'const one = { x: 1 } satisfies a.Shape;\nconsole.log(one.x);',
  };
  for (const [name, uses] of Object.entries(readings))
    test(`${name} reads a member`, () => assert.deepEqual(checkSource(shape('x: number'), uses), []));

  test('copying to what nobody reads it of is no reading', () => {
    const uses = 'interface Copy { readonly x: number }\nexport const f = (one: a.Shape): Copy => ({ ...one });';
    assert.deepEqual(checkSource(shape('x: number'), uses), [
      'src/base/a.ts:1: nobody reads Shape.x',
      'src/base/b.ts:2: nobody reads Copy.x',
    ]);
  });

  test('a member is used where one is that it implements, overrides or stands for', () => {
    const source = `export interface Port { send(): void; close(): void }
export class Plain { send(): void {} close(): void {} }
export class Loud implements Port { send(): void {} close(): void {} }
export class Failure extends Error { override readonly name = 'Failure'; }
export function use(port: Port): void { port.send(); port.close(); }`;
    assert.deepEqual(checkSource(source, 'a.use(new a.Plain());'), []);
  });

  test('an optional member that nobody sets is found, however it could be set', () => {
    const uses = (set: string): string => `export const f = ({ x }: a.Shape): unknown => x;\n${set}`;
    assert.deepEqual(checkSource(shape('x?: number'), uses('')), ['src/base/a.ts:1: nobody sets Shape.x']);
    assert.deepEqual(checkSource(shape('x?: number'), uses('f({});')), ['src/base/a.ts:1: nobody sets Shape.x']);
    assert.deepEqual(checkSource(shape('x?: number'), uses('f({ x: 1 });')), []);
    assert.deepEqual(checkSource(shape('x?: number'), uses('f({ ...(Math.random() > 1 ? {} : { x: 1 }) });')), []);
    assert.deepEqual(checkSource(shape('x?: number'), uses('const x = 1;\nconst one = { x };\nf(one);')), []);
    assert.deepEqual(
      checkSource(shape('x?: number'), uses('export const g = (one: a.Shape): void => { one.x = 1; };')),
      [],
    );
    assert.deepEqual(
      checkSource(shape('x?(): void'), uses('export class Full implements a.Shape { x(): void {} }')),
      [],
    );
  });

  test('an exception holds for what it names, and one that nothing needs is told', () => {
    const source = shape('x: number; y: number');
    assert.deepEqual(checkSource(source, '', { 'src/base/a.ts Shape.x Shape.y': 'for a test' }), []);
    assert.deepEqual(checkSource(source, '', { 'src/base/ Shape.*': 'for a test' }), []);
    assert.deepEqual(checkSource(source, '', { 'src/base/a.ts Shape.x': 'for a test' }), [
      'src/base/a.ts:1: nobody reads Shape.y',
    ]);
    assert.deepEqual(checkSource('', '', { 'src/base/a.ts Shape.x': 'for a test' }), [
      'scripts/layers.js: nothing needs the exception for src/base/a.ts Shape.x',
    ]);
  });
});
