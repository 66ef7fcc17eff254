import assert from 'node:assert/strict';
import { posix } from 'node:path';
import { test } from 'node:test';
import { declaredRefusal } from '../../../src/base/refusal.ts';
import type { Json } from '../../../src/codec/json.ts';
import { writeJson } from '../../../src/codec/json_writer.ts';
import { isObject } from '../../../src/jsonrpc/openrpc.ts';
import { operationKinds } from '../../../src/operations/index.ts';
import { docsFiles } from '../../../src/pages/docs/docs_files.ts';
import { renderGuides } from '../../../src/pages/docs/guides.ts';
import { catalogue, methods, samples } from './built.ts';

const guides = renderGuides([
  { file: 'ONE.md', name: 'one', text: '# One\n\nSays [more](TWO.md#b).\n' },
  { file: 'TWO.md', name: 'two', text: '# Two\n\n## B\n' },
]);
const files = new Map(docsFiles(catalogue, samples, guides).map(({ path, text }) => [path, text]));
const pages = [...files].filter(([path]) => path.endsWith('.html'));

/** What a reader sees of markup. */
function textOf(markup: string): string {
  const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  return markup
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&([a-z0-9#]+);/g, (_, name: string) => entities[name] ?? assert.fail(name))
    .replaceAll(/\s+/g, ' ');
}

/** How words stand on a page: names between backticks are shown as code. */
function shown(words: string): string {
  return words.replaceAll(/\s+/g, ' ').replaceAll(/`([^`]*)`/g, '$1');
}

function pageOf(path: string): string {
  return textOf(files.get(path) ?? assert.fail(`${path} is there`));
}

/** Everything that a schema says, except what is said on the page that a reference leads to. */
function saidBy(schema: Json): string[] {
  if (Array.isArray(schema)) return schema.flatMap(saidBy);
  if (!isObject(schema)) return [];
  return Object.entries(schema).flatMap(([keyword, value]): string[] => {
    if (keyword === 'properties' || keyword === 'patternProperties')
      return Object.entries(isObject(value) ? value : {}).flatMap(([name, member]) => [name].concat(saidBy(member)));
    if (keyword === 'enum' || keyword === 'examples') return (Array.isArray(value) ? value : []).map((each) => writeJson(each));
    if (keyword === 'default' || keyword === 'const') return typeof value === 'string' ? [value] : [writeJson(value)];
    if (['minimum', 'maximum', 'minLength', 'maxLength', 'description', 'pattern'].includes(keyword)) return [String(value)];
    if (keyword === '$ref') return [String(value).split('/').at(-1) ?? ''];
    // A body of an operation is on the page of that operation.
    if (keyword === 'prefixItems' && Array.isArray(value) && isOperation(value[0])) return saidBy(value[0] ?? null);
    return ['items', 'anyOf', 'prefixItems', 'additionalProperties'].includes(keyword) ? saidBy(value) : [];
  });
}

const operationNames: ReadonlySet<string> = new Set(Object.values(operationKinds).map(({ name }) => name));

function isOperation(schema: Json | undefined): boolean {
  return isObject(schema) && typeof schema['const'] === 'string' && operationNames.has(schema['const']);
}

test('every method has a page with all of its schemas, its refusals and what it does', () => {
  for (const { name, doc, refuses } of methods.values()) {
    const text = pageOf(`methods/${name}.html`);
    const { params, result } = catalogue.methods.find((method) => method.name === name) ?? assert.fail(name);
    const refusals = Object.entries(refuses).flatMap(([code, declared]) => [code, declaredRefusal(declared).text]);
    const said = [...params.flatMap((param) => [param.name].concat(saidBy(param.schema))), ...saidBy(result)];
    for (const words of [doc, ...said].map(shown).concat(refusals)) assert.ok(text.includes(words), `${name}: ${words}`);
  }
});

test('so has every kind of operation and every shape', () => {
  for (const { name, doc, refuses } of Object.values(operationKinds)) {
    const text = pageOf(`operations/${name}.html`);
    const { schema } = catalogue.operations.find((operation) => operation.name === name) ?? assert.fail(name);
    for (const words of [doc, ...Object.keys(refuses), ...saidBy(schema)]) assert.ok(text.includes(shown(words)), `${name}: ${words}`);
  }
  for (const [name, schema] of Object.entries(catalogue.shapes)) {
    const text = pageOf(`shapes/${name}.html`);
    for (const words of saidBy(schema)) assert.ok(text.includes(shown(words)), `${name}: ${words}`);
  }
});

test('the pages show the whole sample, and what any call can be answered', () => {
  for (const [name, sample] of Object.entries(samples.methods)) {
    if (!('result' in sample)) continue;
    const text = pageOf(`methods/${name}.html`).replaceAll(' ', '');
    assert.ok(text.includes(writeJson(sample.result).replaceAll(' ', '').replaceAll(/\s+/g, '')), name);
  }
  for (const words of ['-32602', 'too_busy', 'data.lineage']) assert.ok(pageOf('errors.html').includes(words), words);
});

test('every link leads to a page, and to a place on it', () => {
  // What the node itself serves, and what set-up puts beside the docs.
  const beside = new Set(['../', '../openrpc.json', '../docs.css', '../docs.js', '../icon.svg']);
  for (const [path, text] of pages) {
    for (const [, href = ''] of text.matchAll(/(?:href|src)="([^"]*)"/g)) {
      const [to = '', place] = href.split('#');
      const target = to === '' ? path : posix.normalize(posix.join(posix.dirname(path), to));
      if (beside.has(target)) continue;
      const found = files.get(target);
      assert.ok(found !== undefined, `${path} leads to ${href}`);
      if (place !== undefined) assert.ok(found.includes(`id="${place}"`), `${path} leads to ${href}`);
    }
  }
});

test('a page has one heading of the first rank, landmarks, a name for each field, and each id once', () => {
  for (const [path, text] of pages) {
    assert.equal([...text.matchAll(/<h1[ >]/g)].length, 1, path);
    assert.match(text, /<html lang="en"[^]*<title>[^<]+<\/title>[^]*<header[^]*<main id="content"/, path);
    const ids = [...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    assert.equal(new Set(ids).size, ids.length, `${path}: ${ids.find((id, k) => ids.indexOf(id) !== k)}`);
    for (const [, id] of text.matchAll(/<(?:input|textarea|select) id="([^"]*)"/g))
      assert.ok(text.includes(`<label for="${id}">`), `${path} ${id}`);
  }
});

test('no page has a script or a style in it, and text that is declared is text', () => {
  for (const [path, text] of pages) {
    assert.doesNotMatch(text, /<script(?! type="module" src=)|<style|\sstyle=|\son\w+=|javascript:/, path);
    assert.doesNotMatch(text, /(?:href|src)="(?:https?:)?\/\//, path);
  }
  const hostile = `"'><script>alert(1)</script>&amp;`;
  const [first = assert.fail()] = catalogue.methods;
  const [, ...others] = catalogue.operations;
  const named = { name: 'x.y', isRequired: true, schema: { type: 'string', description: hostile, default: hostile, enum: [hostile] } };
  const method = {
    ...first,
    name: 'x.y',
    description: hostile,
    params: [named],
    result: { const: hostile },
    errors: [{ code: '1', name: 'e', text: hostile }],
  };
  const sampled = { methods: { 'x.y': { params: { 'x.y': hostile }, result: hostile } }, operations: {} };
  const written = docsFiles({ ...catalogue, methods: [method], operations: others }, sampled, []);
  const page = written.find(({ path }) => path === 'methods/x.y.html')?.text ?? assert.fail();
  assert.doesNotMatch(page, /<script>|[^=]"'>/);
  assert.ok(textOf(page).includes(hostile));
});

test('what is searched has every page, by its name and by what it refuses', () => {
  const index: readonly { readonly title: string; readonly path: string; readonly words: readonly string[] }[] = JSON.parse(
    files.get('search.json') ?? '',
  );
  for (const { path } of index) assert.ok(files.has(path), path);
  assert.equal(index.length + 1, pages.length);
  const transfer = index.find(({ path }) => path === 'operations/transfer.html');
  assert.ok(transfer?.words.includes('insufficient_funds'));
});

test('a guide links to other guides as pages', () => {
  assert.match(files.get('guides/one.html') ?? '', /<a href="two\.html#b">more<\/a>/);
});

test('names between backticks are code on the page, and a guide is announced without what points below', () => {
  const page = files.get('methods/subscribe_api.subscribe_blocks.html') ?? assert.fail('the page is there');
  assert.match(page, /missed since <code>resume<\/code>, then new ones/);
  const [guide] = renderGuides([{ file: 'A.md', name: 'a', text: '# A\n\nTells all. It begins so:\n' }]);
  assert.equal(guide?.lead, 'Tells all.');
});
