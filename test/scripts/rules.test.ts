import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { deterministicRooms, floors } from '../../scripts/layers.js';
import { determinismProblems } from '../../scripts/rules/determinism.js';
import { exportProblems } from '../../scripts/rules/exports.js';
import { cycleProblems, dependencyProblems, importProblems, importsOf } from '../../scripts/rules/imports.js';
import { registerProblems } from '../../scripts/rules/registers.js';
import { codeOnly } from '../../scripts/rules/source_text.js';
import { wordProblems } from '../../scripts/rules/words.js';

const project = new URL('../../../', import.meta.url);

function sourcesOf(...folders: string[]): ReadonlyMap<string, string> {
  const there = folders.filter((folder) => existsSync(new URL(folder, project)));
  const paths = there.flatMap((folder) =>
    readdirSync(new URL(folder, project), { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
  );
  return new Map(paths.filter((path) => /\.(?:[jt]s|tsx)$/.test(path)).map((path) => [path, readFileSync(new URL(path, project), 'utf8')]));
}

function one(path: string, source: string): ReadonlyMap<string, string> {
  return new Map([[path, source]]);
}

function refuses(problems: readonly string[], text: RegExp): void {
  assert.equal(problems.length, 1, problems.join('\n'));
  assert.match(problems[0] ?? '', text);
}

describe('the house', () => {
  const sources = sourcesOf('src', 'test');

  test('is read at all', () => assert.ok(sources.has('src/base/assert.ts') && sources.size > 10));
  test('imports only downwards, and libraries only through their servers', () => assert.deepEqual(importProblems(sources), []));
  test('uses no library that is only for development', () => {
    const { dependencies, peerDependencies } = JSON.parse(readFileSync(new URL('package.json', project), 'utf8'));
    assert.deepEqual(dependencyProblems(sources, Object.keys({ ...dependencies, ...peerDependencies })), []);
  });
  test('has no import circle', () => assert.deepEqual(cycleProblems(sources), []));
  test('has no time, chance, waiting, surroundings or floats at or below chain/', () => assert.deepEqual(determinismProblems(sources), []));
  test('registers every operation, table, method, message and command', () => assert.deepEqual(registerProblems(sources), []));
  test('exports nothing that nobody imports', () => assert.deepEqual(exportProblems(sourcesOf('src', 'test', 'bench', 'scripts')), []));
  test('contains no forbidden word', () => assert.deepEqual(wordProblems(sourcesOf('src', 'test', 'bench')), []));
});

describe('floors', () => {
  test('an import of a lower floor and of the own room passes', () => {
    assert.deepEqual(importProblems(one('src/chain/a.ts', "import { x } from '../state/x.ts';\nimport type { y } from './y.ts';")), []);
  });

  const upward = {
    'an upward import': ['src/state/a.ts', "import { x } from '../chain/x.ts';", /^src\/state\/a\.ts:1: state may not import chain\/x\.ts/],
    'an upward import of a type': ['src/rpc/a.ts', "import type { X } from '../chain/x.ts';", /rpc may not import chain/],
    'an upward import in the middle of a type': ['src/state/a.ts', "let x: import('../chain/x.ts').X;", /state may not import chain/],
    'a re-export': ['src/values/a.ts', "export * from '../storage/x.ts';", /values may not import storage/],
    'an import over several lines': [
      'src/operations/a.ts',
      "import {\n  a,\n} from '../crypto/x.ts';",
      /a\.ts:3: operations may not import crypto/,
    ],
    'state → crypto': ['src/state/tables/a.ts', "import { x } from '../../crypto/x.ts';", /state may not import crypto/],
    'p2p → storage': ['src/p2p/a.ts', "import { x } from '../storage/x.ts';", /p2p may not import storage/],
    'witness → codec': ['src/witness/a.ts', "import { x } from '../codec/x.ts';", /witness may not import codec/],
    'wallet → state': ['src/wallet/a.ts', "import { x } from '../state/fees.ts';", /wallet may not import state/],
    'client → chain': ['src/client/a.ts', "import { x } from '../chain/chain.ts';", /client may not import chain/],
    'anything → node': ['src/chain/a.ts', "import { x } from '../node/x.ts';", /chain may not import node/],
    'a room without a floor': ['src/helpers/a.ts', "import { x } from '../base/x.ts';", /the room helpers has no floor/],
    'an import from outside src': ['src/node/a.ts', "import { x } from '../../test/x.ts';", /outside src/],
    'an import without its ending': ['src/node/a.ts', "import { x } from './x';", /does not end in \.ts/],
    'an outside test that knows the inside': [
      'test/outside/a.test.ts',
      "import { x } from '../../src/base/x.ts';",
      /import nothing of src/,
    ],
  } as const;
  for (const [name, [path, source, text]] of Object.entries(upward)) {
    test(`${name} is refused`, () => refuses(importProblems(one(path, source)), text));
  }

  test('wallet may import the declarations of rpc', () => {
    assert.deepEqual(importProblems(one('src/wallet/a.ts', "import { x } from '../rpc/alexandria_api/x.ts';")), []);
  });
  test('every room that must be deterministic has a floor', () => {
    assert.deepEqual(
      deterministicRooms.filter((room) => !(room in floors)),
      [],
    );
  });
});

describe('servers', () => {
  test('a library is for its importer', () => {
    assert.deepEqual(importProblems(one('src/node/threads/a.ts', "import { Piscina } from 'piscina';")), []);
  });

  const outside = {
    'a library beside its importer': ['src/node/a.ts', "import { Piscina } from 'piscina';", /piscina is only for src\/node\/threads\//],
    'a part of a library beside its importer': [
      'src/chain/a.ts',
      "import { sha256 } from '@noble/hashes/sha2.js';",
      /@noble\/hashes is only for/,
    ],
    'a library without an importer': ['src/node/a.ts', "import x from 'lodash';", /lodash has no importer/],
    'a part of Node beside its importer': ['src/state/a.ts', "import { readFile } from 'node:fs/promises';", /node:fs is only for/],
    'a file of ours beside its importer': [
      'src/wallet/a.ts',
      "import { signMany } from '../crypto/sign_many.ts';",
      /src\/crypto\/sign_many\.ts is only for src\/node\/load\//,
    ],
    'a library loaded at run time': ['src/state/a.ts', "const x = require('lodash');", /lodash has no importer/],
  } as const;
  for (const [name, [path, source, text]] of Object.entries(outside)) {
    test(`${name} is refused`, () => refuses(importProblems(one(path, source)), text));
  }
});

describe('dependencies', () => {
  test('a library only for development is refused in src/', () => {
    refuses(
      dependencyProblems(one('src/crypto/a.ts', "import { x } from '@noble/curves/secp256k1.js';"), ['@noble/hashes']),
      /@noble\/curves is not/,
    );
  });
  test('a library for all, a part of Node and an own file pass', () => {
    const source = "import '@noble/hashes/sha2.js';\nimport 'node:fs';\nimport './b.ts';";
    assert.deepEqual(dependencyProblems(one('src/crypto/a.ts', source), ['@noble/hashes']), []);
  });
});

describe('circles', () => {
  test('two files that import each other are refused, though one import is of a type', () => {
    const files = new Map([
      ['src/base/a.ts', "import { b } from './b.ts';"],
      ['src/base/b.ts', "import type { A } from './a.ts';"],
      ['src/base/c.ts', "import { a } from './a.ts';"],
    ]);
    refuses(cycleProblems(files), /src\/base\/a\.ts → src\/base\/b\.ts → src\/base\/a\.ts/);
  });
  test('two ways to the same file are no circle', () => {
    const files = new Map([
      ['src/base/a.ts', "import './b.ts';\nimport './c.ts';"],
      ['src/base/b.ts', "import './d.ts';"],
      ['src/base/c.ts', "import './d.ts';"],
    ]);
    assert.deepEqual(cycleProblems(files), []);
  });
});

describe('determinism', () => {
  const bad = [
    'await x;',
    'async () => 1;',
    'let p: Promise<void>;',
    'Date.now();',
    'new Date();',
    'setTimeout(f, 1);',
    'performance.now();',
    'Math.random();',
    'process.env;',
    'a.localeCompare(b);',
    'let x = 1.5;',
    'let x = .5;',
    'let x = 1e-3;',
    'Math.sqrt(2);',
    'Math.round(x);',
    "parseFloat('1');",
    'let x = `${Date}`;',
  ];
  for (const source of bad) {
    test(`${source} is refused in chain/`, () => refuses(determinismProblems(one('src/chain/a.ts', source)), /^src\/chain\/a\.ts:1: /));
  }

  const good = [
    '// Date.now() and await',
    "let x = 'Date 1.5';",
    'let x = `await 1.5`;',
    'let x = /Date 0.5/;',
    'let x = 1_000_000n / 3n;',
    'Math.min(1, 2);',
    'Math.floor(a / b);',
    'let x = 1e6;',
    'x.slice(0, 1).at(0);',
    'updateDate();',
    'let x = 0x1e5;',
  ];
  for (const source of good) {
    test(`${source} passes in chain/`, () => assert.deepEqual(determinismProblems(one('src/chain/a.ts', source)), []));
  }

  test('floor 6 and above may wait', () => assert.deepEqual(determinismProblems(one('src/rpc/a.ts', 'await Date;')), []));
  test('an exception holds for its words only', () => {
    assert.deepEqual(determinismProblems(one('src/base/clock.ts', 'Date.now();')), []);
    refuses(determinismProblems(one('src/base/clock.ts', 'Math.random();')), /chance/);
  });
});

describe('registers', () => {
  const index = "import { transfer } from './transfer.ts';\nimport { reward } from './virtual/reward.ts';";
  const complete: [string, string][] = [
    ['src/operations/index.ts', index],
    ['src/operations/transfer.ts', ''],
    ['src/operations/virtual/reward.ts', ''],
  ];

  test('a folder whose index names every file passes', () => assert.deepEqual(registerProblems(new Map(complete)), []));
  test('a folder that does not exist passes', () => assert.deepEqual(registerProblems(new Map()), []));
  test('a file that the index does not name is refused', () => {
    refuses(registerProblems(new Map([...complete, ['src/operations/forgotten.ts', '']])), /forgotten\.ts: not registered/);
  });
  test('a folder without an index is refused', () => {
    refuses(registerProblems(one('src/state/tables/account.ts', '')), /state\/tables\/ has 0 index\.ts/);
  });
  test('a second index is refused', () => {
    refuses(registerProblems(new Map([...complete, ['src/operations/virtual/index.ts', '']])), /has 2 index\.ts/);
  });
  test('each group of rpc is a register, the notices are not', () => {
    const files = new Map([
      ['src/jsonrpc/dispatcher.ts', ''],
      ['src/rpc/notices/notice.ts', ''],
      ['src/rpc/block_api/get_block.ts', ''],
    ]);
    refuses(registerProblems(files), /rpc\/block_api\/ has 0 index\.ts/);
  });
});

describe('exports', () => {
  const users: readonly [string, string][] = [
    ['src/base/b.ts', "import { used } from './a.ts';"],
    ['test/base/a.test.ts', "import { tested, type Shown } from '../../src/base/a.ts';"],
    ['scripts/docs.js', "import { documented } from '../src/base/a.ts';"],
  ];
  const exportsIn = (source: string): string[] => exportProblems(new Map([...users, ['src/base/a.ts', source]]));

  test('what another file names passes: of src, a test or a script', () => {
    assert.deepEqual(exportsIn('export const used = 1;\nexport function tested() {}\nexport class documented {}'), []);
  });
  test('what nobody names is refused, used in its own file or not', () => {
    refuses(exportsIn('export const forgotten = 1;'), /^src\/base\/a\.ts:1: nobody imports forgotten$/);
    refuses(exportsIn('const a = 1;\nexport async function own() {}\nown();'), /a\.ts:2: nobody imports own$/);
  });
  test('a name in a comment or a text imports nothing', () => {
    refuses(
      exportProblems(
        new Map([
          ['src/base/a.ts', 'export const lost = 1;'],
          ['src/base/c.ts', "// lost\nconst x = 'lost';"],
        ]),
      ),
      /lost/,
    );
  });
  test('overloads are one export', () => {
    refuses(
      exportsIn('export function some(a: 1): 1;\nexport function some(a: 2): 2;\nexport function some(a) {}'),
      /:1: nobody imports some/,
    );
  });
  test('a type is imported, or part of what its own file promises', () => {
    assert.deepEqual(exportsIn('export type Shown = 1;\nexport interface Options {}\nexport function used(options: Options) {}'), []);
    refuses(exportsIn('export type Lost = 1;'), /nobody imports Lost/);
  });
});

describe('forbidden words', () => {
  const bad = {
    'a path of one machine': ['scripts/a.js', "const x = '/home/someone/pharos';"],
    'unfinished work': ['src/chain/a.ts', '// TODO: later'],
    'a number of the tracker': ['src/chain/a.ts', '// see issue 12'],
    'a test that runs alone': ['test/chain/a.test.ts', "test.only('x', () => {});"],
    'a package registry': ['package-lock.json', '"resolved": "x"'],
    'the name of one': ['.ci/run', `npm install --registry=https://${['npm', 'js'].join('')}.org`],
    'a name of a project': ['src/chain/a.ts', "const symbol = 'SPHTX';"],
  } as const;
  for (const [name, [path, text]] of Object.entries(bad)) {
    test(`${name} is refused`, () => assert.equal(wordProblems(one(path, text)).length, 1));
  }
  test('a name of a project is at home in a profile', () => {
    assert.deepEqual(wordProblems(one('src/values/profiles/lineage.ts', "const symbol = 'SPHTX';")), []);
  });
});

describe('the scanner', () => {
  test('keeps length and lines', () => {
    const source = "a; // b\n'c' /* d\n e */ `f${g('}')}h` / 2 / /i[/]\\/j/g;";
    const code = codeOnly(source);
    assert.equal(code.length, source.length);
    assert.equal(code.split('\n').length, source.split('\n').length);
    assert.equal(code.replace(/\s+/g, ' ').trim(), "a; ' ' ` ${g(' ')} ` / 2 / _g;");
  });
  test('finds code again after nested templates', () => {
    assert.match(codeOnly('`a${`b${c}`}d`; Date'), /; Date$/);
  });
  test('does not take Buffer.from for an import', () =>
    assert.deepEqual(importsOf("Buffer.from('x'); import('y');"), [{ specifier: 'y', line: 1 }]));
});
