import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  advisories,
  advisoriesSaid,
  billOfMaterials,
  bundledNames,
  lockProblems,
  noticeFile,
} from '../../scripts/supply/lock.js';

const project = new URL('../../../', import.meta.url);
const fileText = (path: string): string => readFileSync(new URL(path, project), 'utf8');
const { '': _project, ...locked } = JSON.parse(fileText('package-lock.json')).packages;
const sound = { version: '1.0.0', license: 'MIT', integrity: `sha512-${'A'.repeat(86)}==` };

test('the lock file has the sum of each package, no host of a registry, and only licences that we can hand on', () => {
  assert.ok(Object.keys(locked).length > 100);
  assert.deepEqual(lockProblems(locked), []);
  assert.doesNotMatch(
    fileText('package-lock.json'),
    /"resolved"|https?:\/\/(?!opencollective|github|[a-z.]*\/)[^"]*registry/,
  );
  const spoilt = {
    'node_modules/a': { ...sound, integrity: 'sha1-abc' },
    'node_modules/b': { ...sound, resolved: 'https://registry.example/b.tgz' },
    'node_modules/c': { ...sound, license: 'MPL-2.0' },
    'node_modules/d': { ...sound, license: 'MPL-2.0', dev: true },
  };
  assert.deepEqual(lockProblems(spoilt), [
    'node_modules/a: no sha512 in package-lock.json',
    'node_modules/b: package-lock.json names the host of a registry',
    'node_modules/c: licence MPL-2.0',
  ]);
});

test('NOTICE lists what users install, by licence', () => {
  const notice = noticeFile('Words.\n', { 'node_modules/@a/b': sound, 'node_modules/c': { ...sound, dev: true } });
  assert.match(notice, /^Words\.\n[^]*\n {2}MIT\n {4}@a\/b\n$/);
  assert.equal(noticeFile(notice, { 'node_modules/@a/b': sound }), notice);
  assert.equal(noticeFile(fileText('NOTICE'), locked), fileText('NOTICE'));
});

test('the bill of materials names what is installed and what is bundled, each with its sum and what it needs', () => {
  const bundled = bundledNames(`${fileText('build/program/LICENSES')}${fileText('build/pages/LICENSES')}`);
  for (const name of ['@nats-io/jetstream', 'pino', 'preact']) assert.ok(bundled.has(name), name);
  const lock = {
    'node_modules/a': { ...sound, dependencies: { b: '2', c: '1' } },
    'node_modules/a/node_modules/b': { ...sound, version: '2.0.0', dependencies: { c: '1' } },
    'node_modules/b': sound,
    'node_modules/c': { ...sound, license: '(MIT AND Zlib)' },
    'node_modules/@d/bundled': { ...sound, dev: true },
    'node_modules/tool': { ...sound, dev: true },
  };
  const own = { name: 'own', version: '3.0.0', license: 'Apache-2.0', dependencies: { a: '1', b: '1' } };
  const { components, dependencies, bomFormat } = billOfMaterials(own, lock, new Set(['@d/bundled']));
  assert.equal(bomFormat, 'CycloneDX');
  assert.deepEqual(
    components.map(({ purl }) => purl),
    ['pkg:npm/a@1.0.0', 'pkg:npm/b@2.0.0', 'pkg:npm/b@1.0.0', 'pkg:npm/c@1.0.0', 'pkg:npm/%40d/bundled@1.0.0'],
  );
  assert.deepEqual(components[3]?.licenses, [{ expression: '(MIT AND Zlib)' }]);
  for (const { hashes } of components) assert.match(hashes[0]?.content ?? '', /^[0-9a-f]{128}$/);
  assert.deepEqual(dependencies.slice(0, 3), [
    { ref: 'pkg:npm/own@3.0.0', dependsOn: ['pkg:npm/a@1.0.0', 'pkg:npm/b@1.0.0'] },
    { ref: 'pkg:npm/a@1.0.0', dependsOn: ['pkg:npm/b@2.0.0', 'pkg:npm/c@1.0.0'] },
    { ref: 'pkg:npm/b@2.0.0', dependsOn: ['pkg:npm/c@1.0.0'] },
  ]);
  const all = billOfMaterials(JSON.parse(fileText('package.json')), locked, bundled);
  const refs = all.components.map(({ purl }) => purl);
  assert.equal(new Set(refs).size, refs.length);
  for (const { dependsOn } of all.dependencies) for (const ref of dependsOn) assert.ok(refs.includes(ref), ref);
});

test('advisories are named where the registry gives them, and said to be missing where it does not', () => {
  const found = {
    vulnerabilities: {
      a: { name: 'a', severity: 'high', range: '<2', via: [{ title: 'Reads too much', url: 'https://a.example/1' }] },
    },
  };
  assert.deepEqual(advisories(JSON.stringify(found)), ['a <2: high: Reads too much https://a.example/1']);
  assert.equal(advisoriesSaid(JSON.stringify(found)), 'advisories: 1 about what is shipped');
  assert.equal(advisoriesSaid('{"vulnerabilities":{}}'), 'advisories: 0 about what is shipped');
  for (const silent of ['', 'npm error code ECONNREFUSED', '{"message":"405 Method Not Allowed","method":"POST"}']) {
    assert.deepEqual(advisories(silent), []);
    assert.equal(advisoriesSaid(silent), 'advisories: not looked up, the registry gives none here');
  }
});
