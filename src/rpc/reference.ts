import type { Json } from '../codec/json.ts';
import { isObject } from '../jsonrpc/openrpc.ts';
import { openRpc } from './openrpc.ts';
import { usage } from './legacy/index.ts';
import type { Methods } from './method.ts';
import { GROUP_OF_BARE_NAMES } from './methods.ts';
import type { Notation } from '../codec/notation.ts';
import { writeJson } from '../codec/json_writer.ts';

/** A documentation page for human readers. */
export interface ReferencePage {
  /** For example, `block_api.md`. */
  readonly file: string;
  readonly text: string;
}

/** The pages about all methods, one per group, generated from the same document that programs get. */
export function referencePages(methods: Methods, notation: Notation, version: string): readonly ReferencePage[] {
  const document = openRpc(methods, notation, 'Pharos', version);
  const described = listIn(document, 'methods').filter(isObject);
  const groups = [...new Set(described.map((method) => groupOf(method)))].sort((a, b) => (a < b ? -1 : 1));
  const pages = groups.map((group) => ({
    file: `${group}.md`,
    text: groupPage(
      group,
      described.filter((method) => groupOf(method) === group),
      group === BARE_NAMES ? bareCalls(methods) : [],
    ),
  }));
  return [
    { file: 'README.md', text: indexPage(groups, described, memberOf(document, 'components')) },
    { file: 'operations.md', text: operationsPage(listIn(document, 'x-operations').filter(isObject)) },
    ...pages,
  ];
}

type JsonObject = { [member: string]: Json };

/** The page of methods without a group. */
const BARE_NAMES = 'bare_names';

function groupOf(method: JsonObject): string {
  const [group = '', name] = textOf(method['name']).split('.');
  return name === undefined ? BARE_NAMES : group;
}

/** What old SDKs call: a whole group by the names of its methods. */
function bareCalls(methods: Methods): string[] {
  const called = [...methods.values()].filter(({ group }) => group === GROUP_OF_BARE_NAMES);
  return [
    `Methods of ${GROUP_OF_BARE_NAMES} answer to their bare names as well: params by position, the only member of the result alone,`,
    'no `jsonrpc` in the answer. What they do stands on the page of their group.',
    '',
    '```text',
    ...called.map(usage),
    '```',
    '',
  ];
}

function indexPage(groups: readonly string[], methods: readonly JsonObject[], components: Json | undefined): string {
  const count = (group: string): number => methods.filter((method) => groupOf(method) === group).length;
  const errors = memberOf(components, 'errors');
  const shapes = memberOf(components, 'schemas');
  return [
    '# Methods',
    '',
    ...table(
      ['group', 'methods'],
      groups.map((group) => [`[${group}](${group}.md)`, String(count(group))]),
    ),
    'What transactions hold, and why they are refused: [operations](operations.md).',
    '',
    '## Errors of every method',
    '',
    'The message of an error is for people. Programs go by `code` and by `data.name`, which stays; `data` has the values of the sentence too,',
    'and in `data.lineage` the text that the lineage node had for it, where it had one.',
    '',
    ...table(
      ['code', 'name', 'text'],
      Object.entries(isObject(errors) ? errors : {}).map(([name, error]) => [
        textOf(memberOf(error, 'code')),
        name,
        textOf(memberOf(error, 'message')),
      ]),
    ),
    '## Shapes',
    '',
    ...Object.entries(isObject(shapes) ? shapes : {}).flatMap(([name, shape]) => [
      `### ${name}`,
      '',
      '```json',
      writeJson(shape),
      '```',
      '',
    ]),
  ].join('\n');
}

function groupPage(group: string, methods: readonly JsonObject[], introduction: readonly string[]): string {
  return [`# ${group}`, '', ...introduction, ...methods.flatMap(methodText)].join('\n');
}

function methodText(method: JsonObject): string[] {
  const params = listIn(method, 'params').filter(isObject);
  const errors = listIn(method, 'errors').filter(isObject);
  const example = listIn(method, 'examples').find(isObject);
  const named = namedValues(example);
  const isBare = method['paramStructure'] === 'by-position';
  const call = {
    ...(isBare ? {} : { jsonrpc: '2.0' }),
    id: 1,
    method: method['name'] ?? '',
    params: isBare ? Object.values(named) : named,
  };
  return [
    `## ${textOf(method['name'])}`,
    '',
    [textOf(method['description']), `${textOf(method['x-stability'])}.`, ...remarks(method)].join(' '),
    '',
    ...(params.length === 0
      ? []
      : table(
          ['param', 'required', 'what'],
          params.map((param) => [`\`${textOf(param['name'])}\``, param['required'] === true ? 'yes' : 'no', whatOf(param['schema'])]),
        )),
    `Result: ${whatOf(memberOf(method['result'], 'schema'))}`,
    '',
    ...errorTable(errors),
    '```json',
    writeJson(call),
    '```',
    '',
  ];
}

function operationsPage(operations: readonly JsonObject[]): string {
  return ['# Operations', '', ...operations.flatMap(operationText)].join('\n');
}

function operationText(operation: JsonObject): string[] {
  const members = memberOf(operation['schema'], 'properties');
  const remark = operation['x-virtual'] === true ? ' Only the chain itself makes it.' : '';
  return [
    `## ${textOf(operation['name'])}`,
    '',
    textOf(operation['description']) + remark,
    '',
    ...table(
      ['member', 'what'],
      Object.entries(isObject(members) ? members : {}).map(([name, schema]) => [`\`${name}\``, whatOf(schema)]),
    ),
    ...errorTable(listIn(operation, 'errors').filter(isObject)),
  ];
}

function errorTable(errors: readonly JsonObject[]): string[] {
  if (errors.length === 0) return [];
  return table(
    ['code', 'name', 'text'],
    errors.map((error) => [textOf(error['code']), textOf(memberOf(error['data'], 'name')), textOf(error['message'])]),
  );
}

function remarks(method: JsonObject): string[] {
  return [
    ...(method['x-refuses-for-operations'] === true ? ['Refuses what its [operations](operations.md) refuse, too.'] : []),
    ...(method['x-needs-private-key'] === true ? ['Takes a private key: answers only where the operator allows it.'] : []),
  ];
}

function namedValues(example: JsonObject | undefined): JsonObject {
  return Object.fromEntries(
    listIn(example, 'params')
      .filter(isObject)
      .map(({ name, value }) => [textOf(name), value ?? null]),
  );
}

/** A schema in one line. */
function whatOf(schema: Json | undefined): string {
  const text = memberOf(schema, '$ref') ?? memberOf(schema, 'description') ?? schema ?? {};
  if (typeof text !== 'string') return `\`${writeJson(text).slice(0, LONGEST_SHOWN)}\``;
  return text.startsWith('#/') ? `[${text.split('/').at(-1) ?? ''}](README.md#shapes)` : text;
}

/** The most that is readable at a glance; the document for programs has the rest. */
const LONGEST_SHOWN = 300;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line), ''];
}

/** A text unchanged, anything else as JSON. */
function textOf(json: Json | undefined): string {
  return typeof json === 'string' ? json : writeJson(json ?? '');
}

function memberOf(json: Json | undefined, name: string): Json | undefined {
  return isObject(json) ? json[name] : undefined;
}

function listIn(json: Json | undefined, name: string): readonly Json[] {
  const list = memberOf(json, name);
  return Array.isArray(list) ? list : [];
}
