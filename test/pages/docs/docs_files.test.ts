import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { test } from 'node:test';
import { remedySentence } from '../../../src/base/recovery.ts';
import { declaredRefusal } from '../../../src/base/refusal.ts';
import type { Json } from '../../../src/codec/json.ts';
import { writeJson } from '../../../src/codec/json_writer.ts';
import { isObject } from '../../../src/jsonrpc/envelope/openrpc.ts';
import { operationKinds } from '../../../src/operations/index.ts';
import { docsFiles } from '../../../src/pages/docs/docs_files.ts';
import { integerOf } from '../../../src/pages/docs/schema.ts';
import { renderGuides } from '../../../src/pages/docs/guides.ts';
import { genesisMemberList } from '../../../src/state/genesis_members.ts';
import { commands } from '../../../src/wallet/commands/index.ts';
import { exitMeanings } from '../../../src/base/exit_codes.ts';
import { programFiles } from '../../../src/base/program_files.ts';
import { signalAnswers } from '../../../src/base/signals.ts';
import { catalogue, methods, metrics, project, samples, unescaped } from './built.ts';

const guides = renderGuides([
  { group: 'Start', file: 'ONE.md', name: 'one', text: '# One\n\nSays [more](TWO.md#b).\n' },
  { group: 'Operate', file: 'TWO.md', name: 'two', text: '# Two\n\n## B\n' },
]);
const files = new Map(docsFiles(catalogue, samples, guides).map(({ path, text }) => [path, text]));
// Blanks within a tag mean nothing.
const pages = [...files].flatMap(([path, text]) =>
  path.endsWith('.html') ? [[path, text.replaceAll(/\s+>/g, '>')] as const] : [],
);

/** What a reader sees of markup. */
function textOf(markup: string): string {
  return unescaped(markup.replaceAll(/<[^>]*>/g, '')).replaceAll(/\s+/g, ' ');
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
  // Digits are said in words.
  const integer = integerOf(schema);
  if (integer !== undefined) return ['as a number or as text', ...saidBy(integer), ...saidBy({ ...schema, anyOf: [] })];
  return Object.entries(schema).flatMap(([keyword, value]): string[] => {
    if (keyword === 'properties' || keyword === 'patternProperties')
      return Object.entries(isObject(value) ? value : {}).flatMap(([name, member]) => [name].concat(saidBy(member)));
    if (keyword === 'enum' || keyword === 'examples')
      return (Array.isArray(value) ? value : []).map((each) => writeJson(each));
    if (keyword === 'default' || keyword === 'const') return typeof value === 'string' ? [value] : [writeJson(value)];
    if (['minimum', 'maximum', 'minLength', 'maxLength', 'description', 'pattern'].includes(keyword))
      return [String(value)];
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
  for (const { name, doc, refuses, refusesLineageOnly } of methods.values()) {
    const text = pageOf(`methods/${name}.html`);
    const { params, result } = catalogue.methods.find((method) => method.name === name) ?? assert.fail(name);
    const refusals = Object.entries(refuses).flatMap(([code, declared]) =>
      refusesLineageOnly?.has(code) === true ? [] : [code, declaredRefusal(declared).text],
    );
    const said = [...params.flatMap((param) => [param.name].concat(saidBy(param.schema))), ...saidBy(result)];
    for (const words of [doc, ...said].map(shown).concat(refusals))
      assert.ok(text.includes(words), `${name}: ${words}`);
  }
});

test('so has every kind of operation and every shape', () => {
  for (const { name, doc, refuses } of Object.values(operationKinds)) {
    const text = pageOf(`operations/${name}.html`);
    const { schema } = catalogue.operations.find((operation) => operation.name === name) ?? assert.fail(name);
    for (const words of [doc, ...Object.keys(refuses), ...saidBy(schema)])
      assert.ok(text.includes(shown(words)), `${name}: ${words}`);
  }
  for (const [name, schema] of Object.entries(catalogue.shapes)) {
    const text = pageOf(`shapes/${name}.html`);
    for (const words of saidBy(schema)) assert.ok(text.includes(shown(words)), `${name}: ${words}`);
  }
});

test('every command of the wallet has a page with its params, its example and its refusals, and the page of the wallet leads there', () => {
  const index = files.get('wallet/index.html') ?? assert.fail();
  for (const { name, doc, example, params, refuses } of commands) {
    const text = pageOf(`wallet/${name}.html`);
    const { params: shownParams } = catalogue.commands.find((command) => command.name === name) ?? assert.fail(name);
    const said = [...shownParams.flatMap((param) => [param.name].concat(saidBy(param.schema)))].map(shown);
    const refusals = Object.entries(refuses).flatMap(([code, declared]) => [code, declaredRefusal(declared).text]);
    for (const words of [doc, example, ...said, ...refusals])
      assert.ok(text.includes(words.replaceAll(/\s+/g, ' ')), `${name}: ${words}`);
    for (const { secret, name: param } of params)
      assert.equal(text.includes(`asks for ${param} `), secret, `${name} ${param}`);
    assert.ok(index.includes(`<a href="${name}.html">`), name);
  }
  assert.equal(catalogue.commands.length, commands.length);
});

test('the page of genesis has every member with its default, and the index leads there', () => {
  const text = pageOf('genesis.html');
  for (const [name, { doc }] of genesisMemberList)
    for (const words of [name, doc]) assert.ok(text.includes(words), words);
  for (const words of ['500000000000000 millionths of a coin', '0 to 90.', '1000 hundredths of a percent'])
    assert.ok(text.includes(words), words);
  assert.match(files.get('index.html') ?? '', /<a href="genesis\.html">/);
});

test('the lists have every setting, metric, alert, exit code, signal and file, and the search finds each', () => {
  const found = files.get('search.json') ?? assert.fail();
  for (const [name, { doc, initial = '' }] of Object.entries(catalogue.settings))
    for (const words of [name, shown(doc), initial]) assert.ok(pageOf('settings.html').includes(words), words);
  const alerts = metrics.flatMap(({ alerts: each = [] }) => each);
  assert.ok(alerts.length > 10, `${alerts.length}`);
  for (const { name, doc } of metrics)
    for (const words of [name, shown(doc)]) assert.ok(pageOf('metrics.html').includes(words), words);
  for (const { alert } of alerts) assert.ok(pageOf('metrics.html').includes(alert), alert);
  for (const [code, meaning] of Object.entries(exitMeanings))
    assert.ok(pageOf('exit_codes.html').includes(`${code} ${meaning}`), meaning);
  for (const { answer } of signalAnswers) assert.ok(pageOf('exit_codes.html').includes(shown(answer)), answer);
  for (const [kind, { place, lost }] of Object.entries(programFiles))
    for (const words of [kind, place, lost].map(shown)) assert.ok(pageOf('exit_codes.html').includes(words), words);
  for (const name of ['data-dir', 'pharos_head_block', 'PharosDiskFull', 'SIGTERM'])
    assert.ok(found.includes(name), name);
  for (const path of ['settings', 'metrics', 'exit_codes'])
    assert.match(files.get('index.html') ?? '', new RegExp(`<a href="${path}\\.html">`));
});

test('all pages are a row: each leads to the next and back', () => {
  const neighbour = (path: string, rel: string): string | undefined => {
    const to = new RegExp(`<a href="([^"]*)" rel="${rel}"`).exec(files.get(path) ?? '')?.[1];
    return to === undefined ? undefined : posix.normalize(posix.join(posix.dirname(path), to));
  };
  const row: string[] = [];
  for (let path: string | undefined = 'guides/one.html'; path !== undefined; path = neighbour(path, 'next')) {
    assert.equal(neighbour(path, 'prev'), row.at(-1));
    row.push(path);
  }
  assert.deepEqual([...row, 'index.html'].toSorted(), pages.map(([path]) => path).toSorted());
});

/** What is refused of a typed line, before or beside a command. */
const refusedOfLines = /^(?:texts_differ|too_(?:few|many)_words|line_\w+|no_password)$/;

test('each refusal that the wallet declares stands on the page of a command that can be refused so', () => {
  const folder = new URL('src/wallet/', project);
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  const declared = sources.flatMap((path) => {
    const tables = readFileSync(new URL(path, folder), 'utf8').matchAll(/= refusals\(\{([^]*?)\}\);/g);
    return [...tables].flatMap(([, table = '']) =>
      Array.from(table.matchAll(/(?:^\s{0,2}|^ {2})(\w+):/gm), ([, code = '']) => code),
    );
  });
  assert.ok(declared.length > 30, declared.join());
  const texts = [...files].filter(([path]) => path.startsWith('wallet/')).map(([, text]) => text);
  const missing = declared.filter(
    (code) => !refusedOfLines.test(code) && !texts.some((text) => text.includes(`id="error-${code}"`)),
  );
  assert.deepEqual(missing, []);
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
  const named = {
    name: 'x.y',
    isRequired: true,
    schema: { type: 'string', description: hostile, default: hostile, enum: [hostile] },
  };
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
  const index: readonly { readonly title: string; readonly path: string; readonly words: readonly string[] }[] =
    JSON.parse(files.get('search.json') ?? '');
  for (const { path } of index) assert.ok(files.has(path), path);
  assert.equal(index.length + 1, pages.length);
  const transfer = index.find(({ path }) => path === 'operations/transfer.html');
  assert.ok(transfer?.words.includes('insufficient_funds'));
});

test('each refusal says what to do, as the client tells its programs', () => {
  const page = files.get('operations/transfer.html') ?? assert.fail('the page is there');
  assert.ok(page.includes(`<td>${remedySentence('insufficient_funds')}</td>`));
});

test('a guide links to other guides as pages', () => {
  assert.match(files.get('guides/one.html') ?? '', /<a href="two\.html#b">more<\/a>/);
});

test('names between backticks are code on the page, and a guide is announced without what points below', () => {
  const page = files.get('methods/subscribe_api.subscribe_blocks.html') ?? assert.fail('the page is there');
  assert.match(page, /missed since <code>resume<\/code>, then new ones/);
  const [guide] = renderGuides([
    { group: 'Start', file: 'A.md', name: 'a', text: '# A\n\nTells all. It begins so:\n' },
  ]);
  assert.equal(guide?.lead, 'Tells all.');
});

test('the form of every operation that can be sent has a field for each member of its sample', () => {
  const sendable = catalogue.operations.filter(({ isVirtual }) => !isVirtual);
  assert.ok(sendable.length > 20);
  for (const { name } of sendable) {
    const text = files.get(`operations/${name}.html`) ?? assert.fail(name);
    const fields = [...text.matchAll(/<label for="field-(\w+)"/g)].map(([, field]) => field);
    const sample = samples.operations[name];
    const body = Array.isArray(sample) && isObject(sample[1]) ? sample[1] : {};
    for (const member of Object.keys(body)) assert.ok(fields.includes(member), `${name}: ${member}`);
    assert.ok(fields.length > 0, name);
  }
});
