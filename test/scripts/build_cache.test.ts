import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const project = fileURLToPath(new URL('../../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'pharos-cache-'));
after(() => rmSync(folder, { recursive: true, maxRetries: 5 }));

/** Steps as set-up's are, whose "compiler" counts how often it ran. */
const PROGRAM = `
  import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
  import { builtOrRestored } from './scripts/setup/cached.js';
  import { isUpToDate } from './scripts/setup/stamp.js';
  const stamp = 'build/.stamp_sum';
  const inputs = { files: ['source.txt'], texts: ['compiler 1'] };
  const build = () => {
    mkdirSync('build/sums', { recursive: true });
    writeFileSync('build/sums/sum', 'built from ' + readFileSync('source.txt', 'utf8'));
    appendFileSync('builds', 'x');
  };
  const how = isUpToDate(stamp, inputs) ? 'current' : await builtOrRestored({ name: 'sum', stamp, inputs, outputs: ['build/sums'], build });
  process.stdout.write(how);
`;

/** A clone with a source, and what set-up says of it. */
class Clone {
  readonly path: string;
  readonly #cache: string;

  constructor(name: string, cache: string, source: string) {
    this.path = join(folder, name);
    this.#cache = cache;
    mkdirSync(this.path);
    cpSync(join(project, 'scripts'), join(this.path, 'scripts'), { recursive: true });
    writeFileSync(join(this.path, 'package.json'), '{"type":"module"}');
    this.write(source);
  }

  write(source: string): void {
    writeFileSync(join(this.path, 'source.txt'), source);
  }

  async setUp(): Promise<string> {
    const environment = { ...process.env, XDG_CACHE_HOME: this.#cache };
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', PROGRAM], {
      cwd: this.path,
      env: environment,
    });
    return stdout;
  }

  built(): string {
    return readFileSync(join(this.path, 'build/sums/sum'), 'utf8');
  }

  /** Returns the number of compilations of this clone. */
  builds(): number {
    return existsSync(join(this.path, 'builds')) ? statSync(join(this.path, 'builds')).size : 0;
  }
}

function entries(cache: string): readonly string[] {
  return readdirSync(join(cache, 'pharos/builds')).map((name) => join(cache, 'pharos/builds', name));
}

test('a second clone with the same content takes what the first has built, and another content is built', async () => {
  const cache = join(folder, 'shared');
  assert.equal(await new Clone('first', cache, 'one').setUp(), 'done');
  const second = new Clone('second', cache, 'one');
  assert.equal(await second.setUp(), 'taken from the cache');
  assert.equal(second.built(), 'built from one');
  assert.equal(second.builds(), 0);
  second.write('two');
  assert.equal(await second.setUp(), 'done');
  assert.equal(second.built(), 'built from two');
  second.write('one');
  assert.equal(await second.setUp(), 'taken from the cache');
  assert.equal(second.built(), 'built from one');
});

test('a file that only looks new is not built again', async () => {
  const clone = new Clone('touched', join(folder, 'touched-cache'), 'one');
  await clone.setUp();
  rmSync(join(folder, 'touched-cache'), { recursive: true });
  utimesSync(join(clone.path, 'source.txt'), 1, 1);
  assert.equal(await clone.setUp(), 'current');
  // Same size, other content.
  clone.write('two');
  assert.equal(await clone.setUp(), 'done');
  assert.equal(clone.built(), 'built from two');
});

test('a damaged entry is built anew, wherever it is damaged, and replaced', async () => {
  const cache = join(folder, 'damaged');
  await new Clone('source of damage', cache, 'one').setUp();
  const file = entries(cache)[0] ?? assert.fail('nothing kept');
  const whole = readFileSync(file);
  const damages: Record<string, () => void> = {
    emptied: () => truncateSync(file, 0),
    cut: () => truncateSync(file, whole.length - 1),
    'a bit of the hash': () => writeFileSync(file, Buffer.from(whole.map((byte, at) => (at === 0 ? byte ^ 1 : byte)))),
    'a bit of the content': () =>
      writeFileSync(file, Buffer.from(whole.map((byte, at) => (at === whole.length - 9 ? byte ^ 1 : byte)))),
  };
  for (const [name, damage] of Object.entries(damages)) {
    damage();
    const clone = new Clone(`damage ${name}`, cache, 'one');
    assert.equal(await clone.setUp(), 'done', name);
    assert.equal(clone.built(), 'built from one', name);
    assert.deepEqual(readFileSync(file), whole, name);
  }
});

test('without a cache, or with one that can’t be written, a step is built', async () => {
  const file = join(folder, 'a file');
  writeFileSync(file, '');
  assert.equal(await new Clone('no folder', file, 'one').setUp(), 'done');
  const deleted = new Clone('deleted', join(folder, 'to delete'), 'one');
  await deleted.setUp();
  rmSync(join(folder, 'to delete'), { recursive: true });
  rmSync(join(deleted.path, 'build'), { recursive: true });
  assert.equal(await deleted.setUp(), 'done');
});

test('two set-ups at once build the same, and leave one whole entry', async () => {
  const cache = join(folder, 'raced');
  const clones = ['a', 'b', 'c'].map((name) => new Clone(`race ${name}`, cache, 'one'));
  await Promise.all(clones.map(async (clone) => await clone.setUp()));
  for (const clone of clones) assert.equal(clone.built(), 'built from one');
  assert.equal(entries(cache).length, 1);
  assert.equal(await new Clone('after the race', cache, 'one').setUp(), 'taken from the cache');
});

test('what was not used for longest goes when there is too much, with what a killed set-up has left', async () => {
  const cache = join(folder, 'full');
  const builds = join(cache, 'pharos/builds');
  mkdirSync(builds, { recursive: true });
  const put = (name: string, bytes: number, hoursAgo: number): void => {
    const file = join(builds, name);
    writeFileSync(file, '');
    truncateSync(file, bytes);
    const at = Date.now() / 1000 - hoursAgo * 3600;
    utimesSync(file, at, at);
  };
  put('old-1', 150e6, 30);
  put('recent-2', 100e6, 20);
  put('old-3.99.new', 10, 3);
  put('under-way.98.new', 10, 0);
  await new Clone('filler', cache, 'one').setUp();
  const names = readdirSync(builds).map((name) => name.replace(/^sum-.*/, 'sum'));
  assert.deepEqual(names.sort(), ['recent-2', 'sum', 'under-way.98.new']);
});

test('a folder that the user’s cache is told to be in must be absolute, as the specification says', async () => {
  const home = join(folder, 'home');
  mkdirSync(home);
  const text =
    "process.stdout.write((await import('./scripts/setup/cache.js')).cacheFolder({ XDG_CACHE_HOME: process.argv[1] }))";
  const makeFolder = async (given: string): Promise<string> =>
    (
      await run(process.execPath, ['--input-type=module', '-e', text, given], {
        cwd: project,
        env: { ...process.env, HOME: home },
      })
    ).stdout;
  assert.equal(await makeFolder('relative'), join(home, '.cache/pharos/builds'));
  assert.equal(await makeFolder(''), join(home, '.cache/pharos/builds'));
  assert.equal(await makeFolder('/elsewhere'), '/elsewhere/pharos/builds');
});
