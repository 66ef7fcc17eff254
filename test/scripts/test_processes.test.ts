import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ownEnvironment } from '../builders/own_environment.ts';

const runner = new URL('../../../scripts/test_files.js', import.meta.url).href;

/** The forms of the tests, each with a test whether it runs a compiled file. */
const { forms }: { readonly forms: Readonly<Record<string, (path: string) => boolean>> } = await import(
  new URL('../../../scripts/test_forms.js', import.meta.url).href
);
interface Dealt {
  next(): ReadonlyMap<string, readonly string[]>;
  readonly parts: readonly (readonly string[])[];
  remove(): void;
}
const {
  TestProcesses,
  takenParts,
  takeNext,
}: {
  readonly TestProcesses: new (files: readonly string[]) => Dealt;
  readonly takenParts: (
    parts: readonly (readonly string[])[],
    taken: string,
    first: number,
  ) => Iterator<readonly string[], undefined>;
  readonly takeNext: (parts: readonly (readonly string[])[], taken: string, known: string) => number | undefined;
} = await import(new URL('../../../scripts/test_processes.js', import.meta.url).href);
const compiled = fileURLToPath(new URL('../', import.meta.url));

const PASSES = `test('passes', () => {});`;

/** Runs test files with these bodies, in this order and in one process as far as that goes. */
function run(
  t: TestContext,
  bodies: Readonly<Record<string, string>>,
  more: NodeJS.ProcessEnv = {},
): { status: number | null; said: string } {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-test-files-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const files = Object.entries(bodies).map(([name, body]) => {
    const path = join(folder, 'test', `${name}.test.mjs`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `import { after, before, test } from 'node:test';\n${body}\n`);
    return path;
  });
  const keep = `(failures) => { for (const line of failures) console.log('kept: ' + line); }`;
  const program = `import { runFiles } from '${runner}'; process.exitCode = runFiles(${JSON.stringify(files)}, ['--test-reporter=spec'], {}, 'npm test', ${keep})`;
  // node:test doesn't start inside of a test of node:test.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    env: { ...env, ...more },
    encoding: 'utf8',
  });
  return { status, said: stdout + stderr };
}

test('files share a process, each with hooks of its own, and a failure names the file', (t) => {
  const noting = `before(() => { globalThis.hooks = (globalThis.hooks ?? '') + 'b'; });`;
  const { status, said } = run(t, {
    first: `${noting} after(() => { globalThis.hooks += 'a'; });\n${PASSES}`,
    second: `test('is behind the hooks of the first', () => { if (globalThis.hooks !== 'ba') throw new Error(globalThis.hooks); });`,
    third: `test('breaks', () => { throw new Error('what was wrong'); });`,
    fourth: `test('comes all the same', () => {});`,
  });
  assert.equal(status, 1, said);
  assert.match(said, /✔ is behind the hooks of the first/);
  assert.match(said, /✔ comes all the same/);
  assert.match(said, /failing tests:\n\ntest at .*third\.test\.mjs:2:1\n✖ breaks .*\n +Error: what was wrong/);
  assert.match(said, /kept: .*third\.test\.mjs › breaks: what was wrong\n/);
  assert.match(said, /pass 3\n.* fail 1\n/);
});

test('a file that ends the process hides none of the others, and the run has failed', (t) => {
  const { status, said } = run(t, {
    first: PASSES,
    second: `test('crashes', () => process.kill(process.pid, 'SIGKILL'));`,
    third: `test('is behind the crash', () => {});`,
  });
  assert.equal(status, 1, said);
  assert.match(said, /each runs again, by itself:\n.*second\.test\.mjs\n.*third\.test\.mjs\n/);
  assert.match(said, /✔ is behind the crash/);
  assert.match(said, /✖ .*second\.test\.mjs/);
});

test('a file that cannot be loaded is named, and those behind it run', (t) => {
  const { status, said } = run(t, {
    first: PASSES,
    second: `import './nowhere.js';`,
    third: `test('is behind it', () => {});`,
  });
  assert.equal(status, 1, said);
  assert.match(said, /Cannot find module '.*nowhere\.js' imported from .*second\.test\.mjs/);
  assert.match(said, /✔ is behind it/);
});

test('a file that leaves its process changed fails by the name of what it changed, and shows no value of the environment', (t) => {
  const bodies = {
    environment: `test('sets', () => { process.env.LEFT_BEHIND = 'secret'; });`,
    folder: `test('moves', () => process.chdir('/'));`,
    code: `test('chooses', () => { process.exitCode = 3; });`,
    handle: `import { openSync } from 'node:fs'; test('forgets', () => openSync(import.meta.filename + '.kept', 'w'));`,
    tidy: `const were = process.cwd(); after(() => process.chdir(were)); test('comes back', () => process.chdir('/'));`,
  };
  const { status, said } = run(t, bodies);
  assert.notEqual(status, 0, said);
  assert.match(said, /the variable LEFT_BEHIND/);
  assert.match(said, /'the folder'/);
  assert.match(said, /'the exit code'/);
  if (process.platform === 'linux') assert.match(said, /'an open handle of .*\.kept'/);
  assert.match(said, /✔ .*tidy\.test/);
  assert.doesNotMatch(said, /secret/);
});

test('what a failing file leaves open ends with the run, is told, and hides none of the others', (t) => {
  const bodies = {
    first: PASSES,
    second: `test('forgets a timer', () => { setInterval(() => {}, 10); throw new Error('what was wrong'); });`,
    third: `test('is behind it', () => {});`,
  };
  const { status, said } = run(t, bodies, { TEST_LEFT_OPEN_MS: '2000' });
  assert.equal(status, 1, said);
  assert.match(said, /what was wrong/);
  assert.match(said, /✔ is behind it/);
  assert.match(said, /something is left open \(.*Timeout.*\), by one of these files:\n.*second\.test\.mjs/);
});

test('files with a process of their own start with those that take minutes, also where none has run yet', (t) => {
  const files = ['compose', 'farm', 'untouched_binary'].map((name) => `/nowhere/test/services/${name}.test.js`);
  const processes = new TestProcesses(files);
  t.after(() => processes.remove());
  const started = [...processes.next().values()].flat();
  assert.deepEqual(started, [files[2], files[1], files[0]]);
  // A name in that list must be that of a file.
  const listed = readFileSync(new URL('../../../scripts/test_processes.js', import.meta.url), 'utf8');
  for (const [, name = ''] of listed.matchAll(/^ {2}'(services\/\w+)': \d+,$/gm))
    assert.ok(existsSync(join(compiled, `${name}.test.js`)), name);
});

test('a file that starts machines may take twice as long as another one', (t) => {
  // With minutes of 300 ms: three seconds and six.
  const sleeps = `import { setTimeout as pause } from 'node:timers/promises'; test('sleeps', () => pause(3500));`;
  const { status, said } = run(t, { 'services/machines': sleeps, other: sleeps }, { TEST_MINUTE_MS: '300' });
  assert.equal(status, 1, said);
  assert.match(said, /✔ .*services\/machines\.test\.mjs/);
  assert.match(said, /✖ .*other\.test\.mjs/);
  assert.match(said, /timed out after 3000ms/);
});

test('the output ends with the slowest tests, and with each failure and the command that runs it alone', (t) => {
  const pause = `import { setTimeout as pause } from 'node:timers/promises';`;
  const { said } = run(t, {
    first: `${pause}\ntest('sleeps', () => pause(300)); ${Array.from({ length: 12 }, (_, k) => `test('quick ${k}', () => {});`).join(' ')}`,
    second: `import { describe } from 'node:test';
      describe('a suite', () => test("it's (wrong)", () => { throw new Error('what was wrong'); }));
      test('around', async (t) => { await t.test('inner', () => { throw new Error('too'); }); });`,
    third: `before(() => { throw new Error('in a hook'); }); test('is not reached', () => {});`,
    fourth: `test('crashes', () => process.kill(process.pid, 'SIGKILL'));`,
  });
  const [, slowest = '', failed = ''] =
    /\nthe slowest tests:\n([^]*)\n\nfailed, each with the command that runs it alone:\n([^]*)$/.exec(said) ?? [];
  const lines = slowest.split('\n');
  assert.equal(lines.length, 10, said);
  assert.match(lines[0] ?? '', /^ +0\.[3-9] s .*first\.test\.mjs › sleeps$/);
  assert.match(
    failed,
    /second\.test\.mjs › a suite › it's \(wrong\)\n {2}npm test -- \S*second\.test\.mjs '--test-name-pattern=\^it'\\''s \\\(wrong\\\)\$'\n/,
  );
  assert.match(
    failed,
    /second\.test\.mjs › around › inner\n {2}npm test -- \S*second\.test\.mjs '--test-name-pattern=\^around\$'\n/,
  );
  assert.match(failed, /third\.test\.mjs\n {2}npm test -- \S*third\.test\.mjs\n/);
  assert.match(failed, /fourth\.test\.mjs.*\n {2}npm test -- \S*fourth\.test\.mjs/);
  assert.doesNotMatch(failed, /first\.test\.mjs|pharos-test-files-\w+\/\d/);
});

test('a run without a failure says so at its end', (t) => {
  const { status, said } = run(t, { first: PASSES });
  assert.equal(status, 0, said);
  assert.match(said, /the slowest tests:\n +\d+\.\d s .*first\.test\.mjs › passes\n\nfailed: none\n$/);
});

test('every test file belongs to npm test, test:long or test:services, and what has more seeds to the first two', () => {
  const formsOfFile = (file: string): string[] =>
    Object.keys(forms).filter((form) => forms[form]?.(`build/test/${file}`));
  assert.deepEqual(formsOfFile('sim/outages.long.test.js'), ['long']);
  assert.deepEqual(formsOfFile('sim/scripts.test.js'), ['short', 'long']); // by way of intrusion.ts
  assert.deepEqual(formsOfFile('values/asset.test.js'), ['short']);
  assert.deepEqual(formsOfFile('services/container.test.js'), ['services']);
  const files = readdirSync(compiled, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.test.js'),
  );
  assert.deepEqual(
    files.filter((file) => formsOfFile(file).length === 0),
    [],
  );
});

test('what npm test leaves out of a file, test:long runs, and nothing is left out of both', () => {
  const files = readdirSync(compiled, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.test.js'),
  );
  const sized = files.filter((file) =>
    /^import \{.*\bin(?:Long|Short)Form\b/m.test(readFileSync(join(compiled, file), 'utf8')),
  );
  assert.ok(sized.length > 20, `${sized.length} files`);
  assert.deepEqual(
    sized.filter(
      (file) => forms['short']?.(`build/test/${file}`) !== true || forms['long']?.(`build/test/${file}`) !== true,
    ),
    [],
  );
  const skips = (form: string): unknown => {
    const program = `import { inLongForm, inShortForm } from '${new URL('../builders/forms.js', import.meta.url).href}';
      console.log(JSON.stringify([inLongForm.skip !== false, inShortForm.skip !== false]))`;
    const env = { ...ownEnvironment, TEST_FORM: form };
    return JSON.parse(
      spawnSync(process.execPath, ['--input-type=module', '-e', program], { env, encoding: 'utf8' }).stdout,
    );
  };
  assert.deepEqual(
    [skips('short'), skips('long')],
    [
      [true, false],
      [false, true],
    ],
  );
});

test('small rooms are taken whole, large ones in even parts, each file once, and what starts machines is alone', () => {
  const files = [
    ...Array.from({ length: 30 }, (_, k) => `build/test/outside/not_there_${k}.test.js`),
    ...['one', 'two', 'three'].flatMap((room) => [`build/test/${room}/a.test.js`, `build/test/${room}/b.test.js`]),
    ...['a', 'b'].map((name) => `build/test/services/not_there_${name}.test.js`),
  ];
  const processes = new TestProcesses(files);
  const [startedWith, andThen] = [[...processes.next().values()], [...processes.next().values()]];
  processes.remove();
  const { parts } = processes;
  const isOfServices = (file: string): boolean => fileRoom(file) === 'services';
  assert.deepEqual(parts.flat().toSorted(), files.filter((file) => !isOfServices(file)).toSorted());
  assert.ok(parts.every((part) => new Set(part.map(fileRoom)).size === 1));
  for (const room of ['one', 'two', 'three'])
    assert.deepEqual(
      parts.filter(([first = '']) => fileRoom(first) === room).map((part) => part.length),
      [2],
    );
  const sizes = parts.filter(([first = '']) => fileRoom(first) === 'outside').map((part) => part.length);
  assert.ok(sizes.length > 3 && Math.max(...sizes) - Math.min(...sizes) <= 1, sizes.join(' '));
  assert.deepEqual(
    startedWith.filter((own) => own.some(isOfServices)),
    files.filter(isOfServices).map((file) => [file]),
  );
  const sharing = startedWith.filter((own) => !own.some(isOfServices));
  assert.ok(sharing.length > 1);
  // As after processes that have grown large.
  assert.equal(andThen.length, sharing.length);
  for (const own of [...sharing, ...andThen]) assert.deepEqual(own.toSorted(), parts.flat().toSorted());
});

function fileRoom(file: string): string {
  return file.split('/')[2] ?? '';
}

test('a process goes on with its room, then with one that nobody has begun, then helps; nothing is taken twice', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-test-files-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const parts = ['a/1', 'a/2', 'a/3', 'a/4', 'a/5', 'a/6', 'b/1', 'b/2', 'c/1'].map((name) => [`test/${name}`]);
  const taken = join(folder, 'taken');
  const begin = (): Iterator<readonly string[], undefined> =>
    takenParts(parts, taken, takeNext(parts, taken, '') ?? assert.fail());
  const [one, other] = [begin(), begin()];
  const steps = Array.from({ length: 5 }, () => [one.next().value?.[0], other.next().value?.[0]]);
  assert.deepEqual(steps, [
    ['test/a/1', 'test/b/1'],
    ['test/a/2', 'test/b/2'],
    ['test/a/3', 'test/c/1'],
    ['test/a/4', 'test/a/5'],
    ['test/a/6', undefined],
  ]);
});

for (const [how, more] of [
  ['whoever takes it', {}],
  ['also where each process has grown too large for a second part', { TEST_MOST_MEMORY_BYTES: '1' }],
] as const)
  test(`each file runs once, ${how}`, (t) => {
    const noted = mkdtempSync(join(tmpdir(), 'pharos-test-files-'));
    t.after(() => rmSync(noted, { recursive: true }));
    const names = ['one/a', 'one/b', 'two/a', 'three/a', 'four/a', 'five/a', 'services/a', 'services/b'];
    const noting = (name: string): string =>
      `import { appendFileSync } from 'node:fs'; test('runs', () => appendFileSync(${JSON.stringify(join(noted, 'ran'))}, '${name} '));`;
    const { status, said } = run(t, Object.fromEntries(names.map((name) => [name, noting(name)])), more);
    assert.equal(status, 0, said);
    assert.deepEqual(readFileSync(join(noted, 'ran'), 'utf8').trim().split(' ').toSorted(), names.toSorted());
  });

test('while one process is busy with its room, another runs the next room', (t) => {
  const noted = mkdtempSync(join(tmpdir(), 'pharos-test-files-'));
  t.after(() => rmSync(noted, { recursive: true }));
  const there = JSON.stringify(join(noted, 'there'));
  const waiting = `import { existsSync } from 'node:fs'; import { setTimeout as pause } from 'node:timers/promises';
    test('waits for the other room', { timeout: 60_000 }, async () => { while (!existsSync(${there})) await pause(20); });`;
  const noting = `import { writeFileSync } from 'node:fs'; test('is there', () => writeFileSync(${there}, ''));`;
  const { status, said } = run(t, { 'one/waits': waiting, 'two/notes': noting });
  assert.equal(status, 0, said);
});
