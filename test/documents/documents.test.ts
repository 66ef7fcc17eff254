import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { isOptionKey } from '../../src/settings/options.ts';
import { knownHardforks } from '../../src/state/hardforks.ts';
import { timeText } from '../../src/values/time.ts';
import { versionText } from '../../src/values/version.ts';
import { floors } from '../../scripts/layers.js';
import { nodeVersions, supportedNodes } from '../services/nodes.ts';

// Holds the documents beside package.json against files and figures. Their claims about a running program are tested in
// test/outside, test/wallet/guide.long.test.ts and test/services.

const project = new URL('../../../', import.meta.url);
const readText = (path: string): string => readFileSync(new URL(path, project), 'utf8');
const documents = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'NOTICE', 'src/README.md'];
const guides = readdirSync(new URL('src/pages/guides', project))
  .filter((file) => file.endsWith('.md'))
  .map((file) => `src/pages/guides/${file}`);
const manifest: {
  readonly version: string;
  readonly scripts: Readonly<Record<string, string>>;
  readonly engines: { readonly node: string };
} = JSON.parse(readText('package.json'));

test('every file that a document links to or names is there', () => {
  for (const document of documents) {
    const text = readText(document);
    const linked = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(
      ([, path = '']) => new URL(path, new URL(document, project)),
    );
    const named = [...text.matchAll(/(?<![\w/.-])((?:src|test|scripts|bench|native)\/[\w./-]*\w\/?)/g)].map(
      ([, path = '']) => path,
    );
    const missing = [
      ...linked.filter((path) => !existsSync(path)).map(({ pathname }) => pathname),
      ...named.filter((path) => !existsSync(new URL(path, project)) && !isRoomToCome(path)),
    ];
    assert.deepEqual(missing, [], document);
  }
});

/** The floors know rooms that no file is in yet. */
function isRoomToCome(path: string): boolean {
  const room = /^src\/(\w+)\//.exec(path)?.[1] ?? '';
  return Object.hasOwn(floors, room) && !existsSync(new URL(`src/${room}`, project));
}

test('every npm command that a document names is there, and README or CONTRIBUTING names each', () => {
  const named = documents.flatMap((document) => [
    ...readText(document).matchAll(/\bnpm (?:run )?(start|test(?::\w+)?|check|bench|docs|operate|pack|tidy)\b/g),
  ]);
  const names = new Set(named.map(([, name]) => name));
  // npm runs it by itself.
  assert.deepEqual(names, new Set(Object.keys(manifest.scripts).filter((name) => name !== 'prepack')));
});

test('README names each command of pharos in its table', () => {
  const commands = [...readText('src/cli/cli.ts').matchAll(/^ {2}(\w+): async \(\) => \(await import/gm)];
  const [, table = ''] = /\n## Commands\n([^]*?)\n## /.exec(readText('README.md')) ?? [];
  const missing = commands
    .map(([, name = '']) => name)
    .filter((name) => !new RegExp(`\`(?:pharos )?${name}\``).test(table));
  assert.ok(commands.length > 20);
  assert.deepEqual(missing, []);
});

/** Words of others that look like settings in a document, with whose they are. */
const wordsOfOthers: Readonly<Record<string, string>> = {
  'pharos-client': 'our package',
  'hdr-histogram-js': 'a package',
  'node-fetch': 'a package',
  'cross-fetch': 'a package',
  'nats-server': 'a program',
  'nats-py': 'a package',
  'apt-get': 'a program',
  'systemd-notify': 'a program',
  'rotate-key': 'a command of pharos witness',
  'restart-chain': 'a plan of the simulator',
  'my-app': 'the name that an example takes',
};

test('every setting that a document, a guide or a sample names is one', () => {
  const samples = listFiles('scripts/operate/').filter((path) => /\.(?:conf|cfg|ini|service)$/.test(path));
  const flags = new Set(
    listFiles('src/').flatMap((path) =>
      path.endsWith('.ts') ? (readText(path).match(/(?<=--)[a-z][a-z0-9]*(?:-[a-z0-9]+)+/g) ?? []) : [],
    ),
  );
  const texts = [
    ...documents,
    'src/p2p/README.md',
    'src/p2p/evidence.md',
    'bench/README.md',
    'bench/tried.md',
    ...guides,
    ...samples,
  ];
  // What is gone may be told of as that.
  for (const document of texts.filter((path) => path !== 'CHANGELOG.md')) {
    const named = readText(document).matchAll(/`([a-z][a-z0-9]*(?:-[a-z0-9]+)+)(?: = [^`]*)?`/g);
    const unknown = [...named]
      .map(([, name = '']) => name)
      .filter((name) => !isOptionKey(name) && !flags.has(name) && !(name in wordsOfOthers));
    assert.deepEqual(unknown, [], document);
  }
});

function listFiles(folder: string): string[] {
  return readdirSync(new URL(folder, project), { recursive: true }).map((path) => `${folder}${String(path)}`);
}

test('no document says the same line twice, as a merge of two versions does', () => {
  const beginningLength = 70;
  for (const document of [
    ...documents,
    'src/p2p/README.md',
    'src/p2p/evidence.md',
    'bench/README.md',
    'bench/tried.md',
    ...guides,
  ]) {
    const seen = new Set<string>();
    // Programs may begin alike.
    for (const line of readText(document)
      .replaceAll(/```[^]*?```/g, '')
      .split('\n')) {
      const beginning = line.trim().slice(0, beginningLength);
      if (beginning.length < beginningLength) continue;
      assert.ok(!seen.has(beginning), `${document}: ${beginning}`);
      seen.add(beginning);
    }
  }
});

test('test/README and bench/README name what makes tests and benches run longer, with files that read it', () => {
  const sources = ['test/', 'bench/'].flatMap((folder) => listFiles(folder).filter((path) => path.endsWith('.ts')));
  // A bench with a node sets PHAROS_BENCH_WATCH itself.
  const read = new Map(
    sources.map((path) => [
      path,
      new Set(readText(path).match(/\bPHAROS_(?:TEST|SIM|SOAK|FAIL|HEALTHY|BENCH(?!_WATCH))\w+/g)),
    ]),
  );
  const text = `${readText('test/README.md')}${readText('bench/README.md')}`;
  for (const names of read.values()) for (const name of names) assert.ok(text.includes(name), `${name} is named`);
  for (const [, name = '', words = ''] of readText('test/README.md').matchAll(/^(PHAROS_\w+)=\S+ npm test -- (\S+)/gm))
    assert.ok(
      [...read].some(([path, names]) => path.includes(words) && names.has(name)),
      `${words} reads ${name}`,
    );
});

test('README names the Nodes that are supported, the recommended one first, and package.json allows each that tests run on', () => {
  const majors = supportedNodes.map((version) => version.split('.')[0]);
  assert.match(readText('README.md'), new RegExp(`You need Node ${majors[0]}, or ${majors[1]} or ${majors[2]},`));
  const [major, minor] =
    /^>=(\d+)\.(\d+)$/.exec(manifest.engines.node)?.slice(1).map(Number) ?? assert.fail(manifest.engines.node);
  for (const version of nodeVersions) {
    const [ours = 0, oursMinor = 0] = version.split('.').map(Number);
    assert.ok(ours > (major ?? 0) || (ours === major && oursMinor >= (minor ?? 0)), version);
  }
});

test('the version is a semantic one, the newest in the changelog, and that of the package which README installs', () => {
  const { version } = manifest;
  assert.match(version, /^\d+\.\d+\.\d+$/);
  assert.equal(/^## (\S+?),? /m.exec(readText('CHANGELOG.md'))?.[1], version);
  assert.ok(readText('README.md').includes(`npm install ./pharos-${version}.tgz`));
});

test('hardforks are numbered without a gap, and each has a later version and time than the one before', () => {
  for (const [k, { id, version, time }] of knownHardforks.entries()) {
    assert.equal(id, k + 1);
    const before = knownHardforks[k - 1];
    if (before !== undefined) assert.ok(version > before.version && time > before.time);
  }
});

/** The lineage had these before there was a changelog. */
const LINEAGE_HARDFORKS = 2;

test('the changelog names each hardfork with its number, version and time', () => {
  for (const { id, version, time } of knownHardforks.slice(LINEAGE_HARDFORKS)) {
    const line = `- Hardfork ${id}, version ${versionText(version)}, not before ${timeText(time)}: `;
    assert.ok(readText('CHANGELOG.md').includes(`\n${line}`), line);
  }
});

test('the license is that of package.json, and NOTICE names the sources that the WASM module is built from, in their version', () => {
  assert.match(
    readText('LICENSE'),
    /^\s*Apache License\s+Version 2\.0, January 2004[\s\S]+END OF TERMS AND CONDITIONS/,
  );
  const { version, license }: { version: string; license: string } = JSON.parse(
    readText('node_modules/secp256k1/package.json'),
  );
  const notice = readText('NOTICE').replaceAll(/\s+/g, ' ');
  assert.ok(notice.includes(`npm package \`secp256k1\` ${version}`));
  assert.equal(license, 'MIT');
  const [, ...terms] = readText('node_modules/secp256k1/src/secp256k1/COPYING').split('\n\n');
  for (const paragraph of terms) assert.ok(notice.includes(paragraph.replaceAll(/\s+/g, ' ').trim()), paragraph);
});

test('no file names a package registry, and the lock file pins every package without one', () => {
  for (const path of [...documents, 'package.json', 'package-lock.json', '.npmrc', '.ci/run'])
    assert.doesNotMatch(readText(path), /registry\.[a-z]|"resolved"/, path);
  const { packages }: { packages: Readonly<Record<string, { version?: string; integrity?: string }>> } = JSON.parse(
    readText('package-lock.json'),
  );
  for (const [path, { version, integrity }] of Object.entries(packages))
    if (path !== '') assert.ok(version !== undefined && integrity?.startsWith('sha512-'), path);
});

test('test/README.md names each folder of the tests that has no path in src/, builders/README.md each builder, and both nothing else', () => {
  const text = readText('test/README.md');
  const builders = readdirSync(new URL('test/builders', project), { withFileTypes: true }).map(
    (entry) => `${entry.name}${entry.isDirectory() ? '/' : ''}`,
  );
  const listed = [...readText('test/builders/README.md').matchAll(/^\| \[([\w./]+)\]\(/gm)].map(
    ([, name = '']) => name,
  );
  const pages = builders.filter((name) => name !== 'README.md');
  assert.deepEqual(listed.toSorted(), pages.toSorted());
  const folders = readdirSync(new URL('test', project), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const apart = folders.map(({ name }) => name).filter((name) => !existsSync(new URL(`src/${name}`, project)));
  const named = [...text.matchAll(/^\| \[?(\w+)\/(?:\]\([\w/]+\.md\))? \| /gm)].map(([, name = '']) => name);
  assert.deepEqual(named.toSorted(), apart.toSorted());
});
