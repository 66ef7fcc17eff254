import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { deterministicRooms, floors, textExceptions } from '../../scripts/layers.js';
import { Exceptions } from '../../scripts/rules/exceptions.js';
import { exportProblems } from '../../scripts/rules/exports.js';
import { dependencyProblems, importProblems, pairProblems, sizeProblems } from '../../scripts/rules/imports.js';
import { registerProblems } from '../../scripts/rules/registers.js';
import { codeOnly, listImports } from '../../scripts/rules/source_text.js';
import { citationProblems, headingProblems, textProblems } from '../../scripts/rules/texts.js';

const project = new URL('../../../', import.meta.url);

function readSources(...folders: string[]): ReadonlyMap<string, string> {
  const there = folders.filter((folder) => existsSync(new URL(folder, project)));
  const paths = there.flatMap((folder) =>
    readdirSync(new URL(folder, project), { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
  );
  return new Map(
    paths
      .filter((path) => /\.(?:[jt]s|tsx)$/.test(path))
      .map((path) => [path, readFileSync(new URL(path, project), 'utf8')]),
  );
}

function one(path: string, source: string): ReadonlyMap<string, string> {
  return new Map([[path, source]]);
}

function checkTexts(path: string, text: string): string[] {
  return textProblems(one(path, text), new Exceptions(textExceptions));
}

function refuses(problems: readonly string[], text: RegExp): void {
  assert.equal(problems.length, 1, problems.join('\n'));
  assert.match(problems[0] ?? '', text);
}

describe('the house', () => {
  const sources = readSources('src', 'test');

  test('is read at all', () => assert.ok(sources.has('src/base/assert.ts') && sources.size > 10));
  test('imports only downwards, and libraries only through their servers', () =>
    assert.deepEqual(importProblems(sources), []));
  test('uses no library that is only for development', () => {
    const { dependencies, peerDependencies } = JSON.parse(readFileSync(new URL('package.json', project), 'utf8'));
    assert.deepEqual(dependencyProblems(Object.keys({ ...dependencies, ...peerDependencies })), []);
  });
  test('has no room that is too large', () => assert.deepEqual(sizeProblems(sources), []));
  test('has no two folders that import each other', () => assert.deepEqual(pairProblems(sources), []));
  test('registers every operation, table, method, message and command', () =>
    assert.deepEqual(registerProblems(sources), []));
  test('exports nothing that nobody imports', () =>
    assert.deepEqual(exportProblems(readSources('src', 'test', 'bench', 'scripts')), []));
  test('contains no forbidden text, and needs each exception', () => {
    const exceptions = new Exceptions(textExceptions);
    assert.deepEqual(textProblems(readSources('src', 'test', 'bench'), exceptions), []);
    assert.deepEqual(exceptions.spare(), []);
  });
});

describe('pairs of folders', () => {
  const pair = (folder: string): ReadonlyMap<string, string> =>
    new Map([
      [`${folder}/a/x.ts`, "import type { Y } from '../b/y.ts';"],
      [`${folder}/b/z.ts`, "import { w } from '../a/w.ts';"],
    ]);
  test('two that import each other are refused, though by types and through different files', () => {
    refuses(
      pairProblems(pair('src/node')),
      /^src\/node\/a and src\/node\/b import each other: .*x\.ts → .*y\.ts, .*z\.ts → .*w\.ts$/,
    );
  });
  test('a register and what it registers pass', () => assert.deepEqual(pairProblems(pair('src/rpc')), []));
});

describe('decoders', () => {
  test('a lenient decoder of base64 is refused in either form', () => {
    refuses(checkTexts('src/rpc/a.ts', 'const x = 1;\nconst y = base64mDecode(text);'), /^src\/rpc\/a\.ts:2: /);
    refuses(checkTexts('src/wallet/a.ts', "Buffer.from(data, 'base64')"), /values\/base64_data\.ts$/);
    refuses(checkTexts('src/wallet/a.ts', "Buffer.from(data,\n  'base64url')"), /base64_data/);
  });
  test('a writer of base64 and the decoder of names pass', () => {
    assert.deepEqual(checkTexts('src/rpc/a.ts', "bytes.toString('base64')"), []);
    assert.deepEqual(checkTexts('src/values/base64_data.ts', "Buffer.from(digits, 'base64')"), []);
  });
});

describe('counts of random cases', () => {
  const counting = (declared: string, raised: string, compared: string): string =>
    `test('a', () => {\n  ${declared};\n  fc.assert(\n    fc.property(fc.nat(), (n) => {\n      if (n > 5) ${raised};\n    }),\n  );\n  ${compared};\n});\n`;
  const bad = [
    ['let right = 0', 'right++', 'assert.ok(right > 20, `${right}`)'],
    ['let [read, refused] = [0, 0]', 'refused += 1', 'assert(read >= 3 && refused > 3)'],
    ['const seen = new Set<number>()', 'seen.add(n)', 'assert.ok(seen.size > 1)'],
    ['const met: number[] = []', 'met.push(n)', 'assert.ok(met.length >= 1)'],
  ] as const;
  for (const [declared, raised, compared] of bad)
    test(`${compared} is refused behind ${declared}`, () =>
      refuses(checkTexts('test/chain/a.test.ts', counting(declared, raised, compared)), /random count/));
  test('a count of built cases, of a sample and of another test passes', () => {
    const built =
      "test('b', () => {\n  let right = 0;\n  for (const n of built) right += n;\n  assert.ok(right > 20);\n});\n";
    const sample = 'const kept = fc.sample(some, { seed: 1 }).filter(isRight)';
    for (const text of [
      built + counting('let at = 0', 'at++', 'assert.ok(true)'),
      counting(sample, 'f(n)', 'assert.ok(kept.length > 20)'),
    ])
      assert.deepEqual(checkTexts('test/chain/a.test.ts', text), []);
  });
});

describe('floors', () => {
  test('a room may import only rooms that stand before it', () => {
    const rooms = Object.keys(floors);
    const early = rooms.flatMap((room, index) =>
      (floors[room]?.split(' ') ?? []).filter(
        (below) => below !== '' && !rooms.slice(0, index).includes(below.replace(/!.*/, '')),
      ),
    );
    assert.deepEqual(early, []);
  });

  test('an import of a lower floor and of the own room passes', () => {
    assert.deepEqual(
      importProblems(one('src/chain/a.ts', "import { x } from '../state/x.ts';\nimport type { y } from './y.ts';")),
      [],
    );
  });

  const upward = {
    'an upward import': [
      'src/state/a.ts',
      "import { x } from '../chain/x.ts';",
      /^src\/state\/a\.ts:1: state may not import chain\/x\.ts/,
    ],
    'an upward import of a type': [
      'src/rpc/a.ts',
      "import type { X } from '../chain/x.ts';",
      /rpc may not import chain/,
    ],
    'an upward import in the middle of a type': [
      'src/state/a.ts',
      "let x: import('../chain/x.ts').X;",
      /state may not import chain/,
    ],
    'a re-export': ['src/values/a.ts', "export * from '../storage/x.ts';", /values may not import storage/],
    'an import over several lines': [
      'src/operations/a.ts',
      "import {\n  a,\n} from '../crypto/x.ts';",
      /a\.ts:3: operations may not import crypto/,
    ],
    'state → crypto': [
      'src/state/tables/a.ts',
      "import { x } from '../../crypto/x.ts';",
      /state may not import crypto/,
    ],
    'wire → p2p': ['src/wire/a.ts', "import { x } from '../p2p/x.ts';", /wire may not import p2p/],
    'a folder that a room is not to see': [
      'src/client/a.ts',
      "import { x } from '../jsonrpc/http/x.ts';",
      /client may not import jsonrpc\/http/,
    ],
    'p2p → storage': ['src/p2p/a.ts', "import { x } from '../storage/x.ts';", /p2p may not import storage/],
    'witness → chain': ['src/witness/a.ts', "import { x } from '../chain/x.ts';", /witness may not import chain/],
    'wallet → state': ['src/wallet/a.ts', "import { x } from '../state/fees.ts';", /wallet may not import state/],
    'client → chain': ['src/client/a.ts', "import { x } from '../chain/chain.ts';", /client may not import chain/],
    'anything → node': ['src/chain/a.ts', "import { x } from '../node/x.ts';", /chain may not import node/],
    'a room without a floor': [
      'src/helpers/a.ts',
      "import { x } from '../base/x.ts';",
      /the room helpers has no floor/,
    ],
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
    assert.deepEqual(importProblems(one('src/verifiers/a.ts', "import { Piscina } from 'piscina';")), []);
  });

  const outside = {
    'a library beside its importer': [
      'src/node/a.ts',
      "import { Piscina } from 'piscina';",
      /piscina is only for verifiers\//,
    ],
    'a part of a library beside its importer': [
      'src/chain/a.ts',
      "import { sha256 } from '@noble/hashes/sha2.js';",
      /@noble\/hashes is only for/,
    ],
    'a library without an importer': ['src/node/a.ts', "import x from 'lodash';", /lodash has no importer/],
    'a part of Node beside its importer': [
      'src/state/a.ts',
      "import { readFile } from 'node:fs/promises';",
      /node:fs is only for/,
    ],
    'a file of ours beside its importer': [
      'src/wallet/a.ts',
      "import { signMany } from '../crypto/sign_many.ts';",
      /src\/crypto\/sign_many\.ts is only for load_test\//,
    ],
    'a library loaded at run time': ['src/state/a.ts', "const x = require('lodash');", /lodash has no importer/],
  } as const;
  for (const [name, [path, source, text]] of Object.entries(outside)) {
    test(`${name} is refused`, () => refuses(importProblems(one(path, source)), text));
  }
});

describe('dependencies', () => {
  const users = {
    '@noble/hashes': 'crypto/',
    '@noble/curves': 'crypto/',
    'node:fs': 'crypto/',
    'src/base/a.ts': 'cli/',
  };
  test('a library only for development is refused in src/', () => {
    refuses(dependencyProblems(['@noble/hashes'], users), /@noble\/curves is not/);
  });
  test('what pages and the package of the client bring with them passes', () => {
    const brought = { preact: 'pages/', '@noble/curves': 'crypto/portable/' };
    assert.deepEqual(dependencyProblems(['@noble/hashes', '@noble/curves'], { ...users, ...brought }), []);
  });
});

test('files that import each other are refused by the linter, by value or by type, but not two ways to one file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-circle-'));
  try {
    const files = {
      'a.ts': "import { b } from './b.ts';\nexport const a = b;\nexport type A = string;",
      'b.ts': "import type { A } from './a.ts';\nexport const b: A = '';",
      'c.ts': "import './d.ts';\nimport './e.ts';",
      'd.ts': "import './f.ts';",
      'e.ts': "import './f.ts';",
      'f.ts': 'export const f = 1;',
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), `${text}\n`);
    const linter = fileURLToPath(new URL('node_modules/oxlint/bin/oxlint', project));
    const config = fileURLToPath(new URL('.oxlintrc.json', project));
    const { stdout } = spawnSync(process.execPath, [linter, '--config', config, '--format', 'json', folder], {
      encoding: 'utf8',
    });
    const { diagnostics }: { diagnostics: { code: string; filename: string }[] } = JSON.parse(stdout);
    const circles = diagnostics
      .filter(({ code }) => code === 'import(no-cycle)')
      .map(({ filename }) => basename(filename));
    assert.deepEqual(circles.toSorted(), ['a.ts', 'b.ts']);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a room of more than 10 000 lines is refused', () => {
  const files = new Map([
    ['src/node/a.ts', '\n'.repeat(6000)],
    ['src/node/b/c.ts', '\n'.repeat(4001)],
    ['src/p2p/a.ts', '\n'.repeat(10_000)],
  ]);
  refuses(sizeProblems(files), /^src\/node has 10001 lines/);
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
    test(`${source} is refused in chain/`, () =>
      refuses(checkTexts('src/chain/a.ts', source), /^src\/chain\/a\.ts:1: /));
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
    test(`${source} passes in chain/`, () => assert.deepEqual(checkTexts('src/chain/a.ts', source), []));
  }

  test('floor 6 and above may wait', () => assert.deepEqual(checkTexts('src/rpc/a.ts', 'await Date;'), []));
  test('an exception holds for its name only, and one that nothing needs is told', () => {
    assert.deepEqual(checkTexts('src/base/clock.ts', 'Date.now();'), []);
    refuses(checkTexts('src/base/clock.ts', 'Math.random();'), /chance/);
    const exceptions = new Exceptions({ 'src/base/clock.ts time chance': 'for a test' });
    assert.deepEqual(textProblems(one('src/base/clock.ts', 'Date.now();'), exceptions), []);
    refuses(exceptions.spare(), /nothing needs the exception for src\/base\/clock\.ts chance$/);
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
    refuses(
      registerProblems(new Map([...complete, ['src/operations/forgotten.ts', '']])),
      /forgotten\.ts: not registered/,
    );
  });
  test('a folder without an index is refused', () => {
    refuses(registerProblems(one('src/state/tables/account.ts', '')), /state\/tables\/ has 0 index\.ts/);
  });
  test('a second index is refused', () => {
    refuses(registerProblems(new Map([...complete, ['src/operations/virtual/index.ts', '']])), /has 2 index\.ts/);
  });
  test('each group of rpc is a register', () => {
    const files = new Map([
      ['src/jsonrpc/dispatcher.ts', ''],
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
  const checkExports = (source: string): string[] => exportProblems(new Map([...users, ['src/base/a.ts', source]]));

  test('what another file names passes: of src, a test or a script', () => {
    assert.deepEqual(
      checkExports('export const used = 1;\nexport function tested() {}\nexport class documented {}'),
      [],
    );
  });
  test('what nobody names is refused, used in its own file or not', () => {
    refuses(checkExports('export const forgotten = 1;'), /^src\/base\/a\.ts:1: nobody imports forgotten$/);
    refuses(checkExports('const a = 1;\nexport async function own() {}\nown();'), /a\.ts:2: nobody imports own$/);
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
  test('a name that stands elsewhere, of another file or nobody’s, imports nothing', () => {
    refuses(
      exportProblems(
        new Map([
          ['src/base/a.ts', 'export const taken = 1;\nexport const word = 2;'],
          ['src/base/b.ts', "import { taken } from './a.ts';\nconst word = taken;"],
        ]),
      ),
      /a\.ts:2: nobody imports word$/,
    );
  });
  test('who loads a file as it runs, or takes all of it, may use every name that he writes', () => {
    const files = (user: string): ReadonlyMap<string, string> =>
      new Map([
        ['src/base/a.ts', 'export const taken = 1;'],
        ['src/node/b.ts', user],
      ]);
    assert.deepEqual(exportProblems(files("const { taken } = await import('../base/a.ts');")), []);
    assert.deepEqual(exportProblems(files("import * as all from '../base/a.ts';\nall.taken;")), []);
  });
  test('overloads are one export', () => {
    refuses(
      checkExports('export function some(a: 1): 1;\nexport function some(a: 2): 2;\nexport function some(a) {}'),
      /:1: nobody imports some/,
    );
  });
  test('a type is imported, or part of what its own file promises', () => {
    assert.deepEqual(
      checkExports('export type Shown = 1;\nexport interface Options {}\nexport function used(options: Options) {}'),
      [],
    );
    refuses(checkExports('export type Lost = 1;'), /nobody imports Lost/);
  });
});

describe('forbidden texts', () => {
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
    test(`${name} is refused`, () => assert.equal(checkTexts(path, text).length, 1));
  }
  test('a name of a project is at home in a profile', () => {
    assert.deepEqual(checkTexts('src/values/profile.ts', "const symbol = 'SPHTX';"), []);
  });
});

describe('citations', () => {
  const cites = (...names: string[]): ReadonlyMap<string, string> =>
    new Map([
      ['README.md', ''],
      ...names.map((name, k): [string, string] => [`src/chain/${k}.ts`, `// one line\n// as ${name} 5.4 says\n`]),
    ]);
  test('a text that no clone contains is refused with its place', () =>
    refuses(citationProblems(cites('README.md', 'wire.md'), {}), /^src\/chain\/1\.ts:2: wire\.md is in no clone/));
  test('one citation more than counted is refused, and one less lowers the count', () => {
    const counted = { 'wire.md': 2 };
    assert.deepEqual(citationProblems(cites('wire.md', 'wire.md'), counted), []);
    refuses(
      citationProblems(cites('wire.md', 'wire.md', 'wire.md'), counted),
      /^src\/chain\/2\.ts:2: wire\.md is in no clone: .*\(2 before, 3 now\)$/,
    );
    for (const [names, times] of [
      [['wire.md'], 1],
      [[], 0],
    ] as const)
      refuses(
        citationProblems(cites(...names), counted),
        new RegExp(`cited ${times} times: lower its count in scripts/layers\\.js from 2`),
      );
  });
});

describe('citations of reference pages', () => {
  const cites = (citation: string, path = 'src/chain/a.ts'): ReadonlyMap<string, string> =>
    new Map([
      ['src/pages/reference/blocks.md', '# Blocks\n\n## Merkle root\n'],
      [path, `// one line\n// as ${citation} says\n`],
    ]);
  test('a heading that the page has is fine', () =>
    assert.deepEqual(headingProblems(cites('blocks.md#merkle-root')), []));
  test('a heading that the page does not have is refused with its place', () =>
    refuses(headingProblems(cites('blocks.md#votes')), /^src\/chain\/a\.ts:2: blocks\.md#votes: .*no such heading/));
  test('a citation in code names a heading', () => {
    refuses(headingProblems(cites('blocks.md')), /^src\/chain\/a\.ts:2: blocks\.md: cite a heading/);
    assert.deepEqual(headingProblems(cites('blocks.md', 'README.md')), []);
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
    assert.deepEqual(listImports("Buffer.from('x'); import('y');"), [
      { specifier: 'y', names: ['Buffer', 'from', 'import'], line: 1 },
    ]));
});
