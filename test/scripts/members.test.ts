import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { memberExceptions, ownedMembers } from '../../scripts/layers.js';
import { Compiler } from '../../scripts/rules/checked_program.js';
import { memberProblems, memberProblemsBy } from '../../scripts/rules/members.js';

const project = new URL('../../../', import.meta.url);
const root = fileURLToPath(project);

const house = new Map(
  readdirSync(new URL('src', project), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => [`src/${path}`, readFileSync(new URL(`src/${path}`, project), 'utf8')]),
);

const compiler = new Compiler(root);

after(() => compiler.close());

/** Problems of a file; what `uses` does with it stands in another. */
function problemsOf(source: string, uses = '', exceptions: Parameters<typeof memberProblems>[2] = []): string[] {
  const files = new Map([
    ['src/base/a.ts', source],
    ['src/base/b.ts', `import * as a from './a.ts';\n${uses}`],
  ]);
  return memberProblemsBy(compiler, files, root, exceptions);
}

const shape = (members: string): string => `export interface Shape { ${members} }`;

describe('members', () => {
  test('the house has none that nobody uses, and one that is planted anywhere in it is found', () => {
    const planted = new Map(house);
    const plant = (path: string, before: string, member: string): void => {
      const text = house.get(path) ?? assert.fail(path);
      assert.ok(text.includes(before), before);
      planted.set(path, text.replace(before, `${member}\n${before}`));
    };
    plant('src/chain/chain.ts', '  get committed(): CommittedRows {', '  get oldestBlock(): number {\n    return this.head.number;\n  }\n');
    plant('src/rpc/services.ts', '  readonly rows: CommittedState;', '  readonly forgotten: boolean | undefined;');
    plant('src/node/threads/broadcasts.ts', '  readonly queuedBroadcasts: number;', '  readonly lostBroadcasts?: number;');
    plant(
      'src/sinks/sink_chain.ts',
      '  /** The id of a block of the main branch;',
      '  get told(): number {\n    return this.#rows.only(dynamicGlobalProperties).last_irreversible_block_num + this.told;\n  }\n',
    );
    const names = memberProblems(planted, root, memberExceptions, ownedMembers).map((line) => line.replace(/:\d+:/, ':'));
    assert.deepEqual(names.toSorted(), [
      'src/chain/chain.ts: nobody reads Chain.oldestBlock',
      'src/node/threads/broadcasts.ts: nobody reads BroadcastLimits.lostBroadcasts',
      'src/rpc/services.ts: nobody reads Services.forgotten',
      'src/sinks/sink_chain.ts: reads last_irreversible_block_num of src/state/tables/dynamic_global_property.ts: read lastIrreversible of src/state/last_irreversible.ts, which never falls',
    ]);
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
    assert.deepEqual(problemsOf(source, 'console.log(new a.Some().used);'), [
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
    assert.deepEqual(problemsOf(source, uses), ['src/base/a.ts:1: nobody reads send.loud']);
  });

  test('setting a member is no reading, and neither is what a test does', () => {
    const uses = 'export function f(one: a.Shape): void { one.x = 2; }';
    const files = new Map([
      ['src/base/a.ts', shape('x: number')],
      ['src/base/b.ts', `import type * as a from './a.ts';\n${uses}`],
      ['test/base/b.test.ts', `import type * as a from '../../src/base/a.ts';\nexport const g = (one: a.Shape): number => one.x;`],
    ]);
    assert.deepEqual(memberProblemsBy(compiler, files, root, []), ['src/base/a.ts:1: nobody reads Shape.x']);
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
    test(`${name} reads a member`, () => assert.deepEqual(problemsOf(shape('x: number'), uses), []));

  test('copying to what nobody reads it of is no reading', () => {
    const uses = 'interface Copy { readonly x: number }\nexport const f = (one: a.Shape): Copy => ({ ...one });';
    assert.deepEqual(problemsOf(shape('x: number'), uses), [
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
    assert.deepEqual(problemsOf(source, 'a.use(new a.Plain());'), []);
  });

  test('an optional member that nobody sets is found, however it could be set', () => {
    const uses = (set: string): string => `export const f = ({ x }: a.Shape): unknown => x;\n${set}`;
    assert.deepEqual(problemsOf(shape('x?: number'), uses('')), ['src/base/a.ts:1: nobody sets Shape.x']);
    assert.deepEqual(problemsOf(shape('x?: number'), uses('f({});')), ['src/base/a.ts:1: nobody sets Shape.x']);
    assert.deepEqual(problemsOf(shape('x?: number'), uses('f({ x: 1 });')), []);
    assert.deepEqual(problemsOf(shape('x?: number'), uses('f({ ...(Math.random() > 1 ? {} : { x: 1 }) });')), []);
    assert.deepEqual(problemsOf(shape('x?: number'), uses('const x = 1;\nconst one = { x };\nf(one);')), []);
    assert.deepEqual(problemsOf(shape('x?: number'), uses('export const g = (one: a.Shape): void => { one.x = 1; };')), []);
    assert.deepEqual(problemsOf(shape('x?(): void'), uses('export class Full implements a.Shape { x(): void {} }')), []);
  });

  test('an exception holds for what it names, and one that nothing needs is told', () => {
    const exception = (members: readonly string[], path = 'src/base/a.ts'): Parameters<typeof memberProblems>[2] => [
      { path, members, why: 'for a test' },
    ];
    const source = shape('x: number; y: number');
    assert.deepEqual(problemsOf(source, '', exception(['Shape.x', 'Shape.y'])), []);
    assert.deepEqual(problemsOf(source, '', exception(['Shape.*'], 'src/base/')), []);
    assert.deepEqual(problemsOf(source, '', exception(['Shape.x'])), ['src/base/a.ts:1: nobody reads Shape.y']);
    assert.deepEqual(problemsOf('', '', exception(['Shape.x'])), [
      'scripts/layers.js: nothing needs the exception for src/base/a.ts Shape.x',
    ]);
  });

  const owned: NonNullable<Parameters<typeof memberProblems>[3]> = [
    {
      ...{ path: 'src/base/a.ts', member: 'x', types: ['Owner'], readers: ['src/base/reader.ts'], namesakes: [], instead: 'the place' },
    },
  ];
  const ownedProblemsOf = (reading: string, path = 'src/base/b.ts'): string[] => {
    const files = new Map([
      ['src/base/a.ts', 'const fields = { x: 1, y: 2 };\nexport type Owner = { readonly [K in keyof typeof fields]: number };'],
      ['src/base/o.ts', "import type { Owner } from './a.ts';\nexport const owner = (): Owner => ({ x: 1, y: 2 });"],
      ['src/base/reader.ts', "import { owner } from './o.ts';\nexport const x = owner().x;"],
      [path, `import { owner } from './o.ts';\n${reading}`],
    ]);
    return memberProblemsBy(compiler, files, root, [], owned).filter((line) => line.includes('reads x of') && !line.includes('o.ts'));
  };

  test('a member that few may read is found wherever others read it', () => {
    const found = ['src/base/b.ts:2: reads x of src/base/a.ts: read the place'];
    const ways = [
      'export const read = owner().x;',
      "export const read = owner()['x'];",
      'export const { x } = owner();',
      'export const { x: read } = owner();',
      'export const { y, ...others } = owner();',
      'export const copied = { ...owner() };',
      'export const copied: { readonly x: number } = { x: 0, ...owner() };',
    ];
    for (const reading of ways) assert.deepEqual(ownedProblemsOf(reading), found, reading);
    const others = [
      'export const { y } = owner();',
      'export const copied = { ...owner(), x: 0 };',
      'export const copied: { readonly y: number } = { ...owner() };',
      'export const again: ReturnType<typeof owner> = { ...owner(), y: 0 };',
      'export const x = { x: 1 }.x;',
    ];
    for (const reading of others) assert.deepEqual(ownedProblemsOf(reading), [], reading);
    assert.deepEqual(ownedProblemsOf('export const read = owner().x;', 'src/base/reader.ts'), []);
  });

  test('a type that only looks like the owner hides no reading, and a reader that reads nothing is told', () => {
    const files = new Map([
      ['src/base/a.ts', 'export interface Owner { readonly x: number }\nexport const owner = (): Owner => ({ x: 1 });'],
      [
        'src/base/b.ts',
        "import type { Owner } from './a.ts';\nexport const read = (owner: { x: number }): number => owner.x;\nexport type Same = Owner;",
      ],
      ['src/base/reader.ts', 'export const nothing = 1;'],
    ]);
    assert.deepEqual(memberProblemsBy(compiler, files, root, [], owned), [
      'src/base/a.ts:1: nobody reads Owner.x',
      'src/base/b.ts:2: reads x of src/base/a.ts: read the place',
      'scripts/layers.js: src/base/reader.ts does not read x of src/base/a.ts',
    ]);
  });
});
