import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { test } from 'node:test';
import { remedySentence } from '../../../src/base/recovery.ts';
import { declaredRefusal } from '../../../src/base/refusal.ts';
import { isJsonObject, type Json } from '../../../src/codec/json.ts';
import { writeJson } from '../../../src/codec/json_writer.ts';
import { operationKinds } from '../../../src/operations/index.ts';
import { docsFiles } from '../../../src/pages/docs/docs_files.ts';
import { integerSchema } from '../../../src/pages/docs/schema.ts';
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

/** Returns the visible text of markup. */
function pageText(markup: string): string {
  return unescaped(markup.replaceAll(/<[^>]*>/g, '')).replaceAll(/\s+/g, ' ');
}

/** Returns the words as a page shows them: names between backticks are code. */
function shown(words: string): string {
  return words.replaceAll(/\s+/g, ' ').replaceAll(/`([^`]*)`/g, '$1');
}

function getPage(path: string): string {
  return pageText(files.get(path) ?? assert.fail(`${path} is there`));
}

/** Everything that a schema says, except what is said on the page that a reference leads to. */
function schemaText(schema: Json): string[] {
  if (Array.isArray(schema)) return schema.flatMap(schemaText);
  if (!isJsonObject(schema)) return [];
  // Digits are said in words.
  const integer = integerSchema(schema);
  if (integer !== undefined)
    return ['as a number or as text', ...schemaText(integer), ...schemaText({ ...schema, anyOf: [] })];
  return Object.entries(schema).flatMap(([keyword, value]): string[] => {
    if (keyword === 'properties' || keyword === 'patternProperties')
      return Object.entries(isJsonObject(value) ? value : {}).flatMap(([name, member]) =>
        [name].concat(schemaText(member)),
      );
    if (keyword === 'enum' || keyword === 'examples')
      return (Array.isArray(value) ? value : []).map((each) => writeJson(each));
    if (keyword === 'default' || keyword === 'const') return typeof value === 'string' ? [value] : [writeJson(value)];
    if (['minimum', 'maximum', 'minLength', 'maxLength', 'description', 'pattern'].includes(keyword))
      return [String(value)];
    if (keyword === '$ref') return [String(value).split('/').at(-1) ?? ''];
    // A body of an operation is on the page of that operation.
    if (keyword === 'prefixItems' && Array.isArray(value) && isOperation(value[0])) return schemaText(value[0] ?? null);
    return ['items', 'anyOf', 'prefixItems', 'additionalProperties'].includes(keyword) ? schemaText(value) : [];
  });
}

const operationNames: ReadonlySet<string> = new Set(Object.values(operationKinds).map(({ name }) => name));

function isOperation(schema: Json | undefined): boolean {
  return isJsonObject(schema) && typeof schema['const'] === 'string' && operationNames.has(schema['const']);
}

test('every method has a page with all of its schemas, its refusals and what it does', () => {
  for (const { name, doc, refuses, refusesLineageOnly } of methods.values()) {
    const text = getPage(`methods/${name}.html`);
    const { params, result } = catalogue.methods.find((method) => method.name === name) ?? assert.fail(name);
    const refusals = Object.entries(refuses).flatMap(([code, declared]) =>
      refusesLineageOnly?.has(code) === true ? [] : [code, declaredRefusal(declared).text],
    );
    const said = [...params.flatMap((param) => [param.name].concat(schemaText(param.schema))), ...schemaText(result)];
    for (const words of [doc, ...said].map(shown).concat(refusals))
      assert.ok(text.includes(words), `${name}: ${words}`);
  }
});

test('so has every kind of operation and every shape', () => {
  for (const { name, doc, refuses } of Object.values(operationKinds)) {
    const text = getPage(`operations/${name}.html`);
    const { schema } = catalogue.operations.find((operation) => operation.name === name) ?? assert.fail(name);
    for (const words of [doc, ...Object.keys(refuses), ...schemaText(schema)])
      assert.ok(text.includes(shown(words)), `${name}: ${words}`);
  }
  for (const [name, schema] of Object.entries(catalogue.shapes)) {
    const text = getPage(`shapes/${name}.html`);
    for (const words of schemaText(schema)) assert.ok(text.includes(shown(words)), `${name}: ${words}`);
  }
});

test('every command of the wallet has a page with its params, its example and its refusals, and the page of the wallet leads there', () => {
  const index = files.get('wallet/index.html') ?? assert.fail();
  for (const { name, doc, example, params, refuses } of commands) {
    const text = getPage(`wallet/${name}.html`);
    const { params: shownParams } = catalogue.commands.find((command) => command.name === name) ?? assert.fail(name);
    const said = [...shownParams.flatMap((param) => [param.name].concat(schemaText(param.schema)))].map(shown);
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
  const text = getPage('genesis.html');
  for (const [name, { doc }] of genesisMemberList)
    for (const words of [name, doc]) assert.ok(text.includes(words), words);
  for (const words of ['500000000000000 millionths of a coin', '0 to 90.', '1000 hundredths of a percent'])
    assert.ok(text.includes(words), words);
  assert.match(files.get('index.html') ?? '', /<a href="genesis\.html">/);
});

test('the lists have every setting, metric, alert, exit code, signal and file, and the search finds each', () => {
  const found = files.get('search.json') ?? assert.fail();
  for (const [name, { doc, initial = '' }] of Object.entries(catalogue.settings))
    for (const words of [name, shown(doc), initial]) assert.ok(getPage('settings.html').includes(words), words);
  const alerts = metrics.flatMap(({ alerts: each = [] }) => each);
  assert.ok(alerts.length > 10, `${alerts.length}`);
  for (const { name, doc } of metrics)
    for (const words of [name, shown(doc)]) assert.ok(getPage('metrics.html').includes(words), words);
  for (const { alert } of alerts) assert.ok(getPage('metrics.html').includes(alert), alert);
  for (const [code, meaning] of Object.entries(exitMeanings))
    assert.ok(getPage('exit_codes.html').includes(`${code} ${meaning}`), meaning);
  for (const { answer } of signalAnswers) assert.ok(getPage('exit_codes.html').includes(shown(answer)), answer);
  for (const [kind, { place, lost }] of Object.entries(programFiles))
    for (const words of [kind, place, lost].map(shown)) assert.ok(getPage('exit_codes.html').includes(words), words);
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

test('the sidebar names every group and marks the page, and a page with several headings lists them beside it', () => {
  const groups = hrefs(linkList('index.html', 'All pages'));
  assert.ok(groups.length > 10, `${groups.length}`);
  for (const [path, text] of pages) {
    const links = new Set(hrefs(linkList(path, 'All pages')));
    const up = '../'.repeat(path.split('/').length - 1);
    for (const to of groups) assert.ok(links.has(up + to), `${path}: ${to}`);
    if (path !== 'index.html') assert.equal(text.split('aria-current="page"').length, 2, path);
    const headings = [...text.matchAll(/<h2 id="([^"]*)"/g)].map(([, id = '']) => id);
    if (headings.length < 2) continue;
    const listed = hrefs(linkList(path, 'On this page'));
    assert.deepEqual(
      listed,
      headings.map((id) => `#${id}`),
      path,
    );
  }
});

function hrefs(markup: string): string[] {
  return [...markup.matchAll(/<a href="([^"]*)"/g)].map(([, to = '']) => to);
}

/** The markup of a page's list of links with that label. */
function linkList(path: string, label: string): string {
  const [, rest = ''] = (files.get(path) ?? '').split(`aria-label="${label}">`);
  return rest.split('</nav>', 1)[0] ?? '';
}

/** The refusals of a typed line, before or beside a command. */
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
    const text = getPage(`methods/${name}.html`).replaceAll(' ', '');
    assert.ok(text.includes(writeJson(sample.result).replaceAll(' ', '').replaceAll(/\s+/g, '')), name);
  }
  for (const words of ['-32602', 'too_busy', 'data.lineage']) assert.ok(getPage('errors.html').includes(words), words);
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
  assert.ok(pageText(page).includes(hostile));
});

test('what is searched has every page, by its name and by what it refuses', () => {
  const index: readonly { readonly title: string; readonly path: string; readonly words: readonly string[] }[] =
    JSON.parse(files.get('search.json') ?? '');
  for (const { path } of index) assert.ok(files.has(path), path);
  assert.equal(index.length + 1, pages.length);
  const transfer = index.find(({ path }) => path === 'operations/transfer.html');
  assert.ok(transfer?.words.includes('insufficient_funds'));
  const errors = index.find(({ path }) => path === 'errors.html');
  const codes = new Set(
    [...catalogue.methods, ...catalogue.operations].flatMap(({ errors: each }) => each.map(({ code }) => code)),
  );
  codes.delete('1'); // every error of a method without a group, and of the wallet, has it
  for (const code of [...codes, '-32602', '-32700']) assert.ok(errors?.words.includes(code), code);
});

test('each refusal says what to do, as the client tells its programs', () => {
  const page = files.get('operations/transfer.html') ?? assert.fail('the page is there');
  assert.ok(page.includes(`<td data-label="what to do">${remedySentence('insufficient_funds')}</td>`));
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
    const body = Array.isArray(sample) && isJsonObject(sample[1]) ? sample[1] : {};
    for (const member of Object.keys(body)) assert.ok(fields.includes(member), `${name}: ${member}`);
    assert.ok(fields.length > 0, name);
  }
});
