import { readFileSync, readdirSync } from 'node:fs';
import * as ast from 'typescript/unstable/ast';
import { inProject } from '../place.js';

/** Rooms whose refusals can reach a client in the answer of a node. */
const rooms = 'blocks chain codec jsonrpc notices operations queries rpc state values'.split(' ');

/** Refusals that are made without a table, and the members of their data. */
const madeAlone = {
  bad_call_params: { member: 'string' },
  bad_value: { member: 'string' },
  internal_error: {},
  invalid_request: {},
  method_not_found: { method: 'string' },
  no_answer: {},
  refused_by_node: {},
  request_too_large: { bytes: 'number', 'limit?': 'number' },
};

/** Names that a client also gets without data: at the end of a subscription. */
const alsoBare = new Set(['pruned', 'position_replaced']);

/** The type of a value that has none of these in the sources: in JSON it has one. */
const anyValue = 'RefusalValue';
const placeholder = /\{(\w+)\}/g;

/** The sources that declare refusals, by their path. */
export function refusingFiles() {
  return rooms.flatMap((room) =>
    readdirSync(inProject('src', room), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.includes('portable/'))
      .map((path) => inProject('src', room, path))
      .filter((path) => /\brefuse\w*\b|\brefusals\(/.test(readFileSync(path, 'utf8'))),
  );
}

/** The declaration of NodeRefusal as a union of one type for each name. `remedySentence` is that of base/recovery.ts. */
export function refusalTypes(project, remedySentence) {
  const { texts, given } = found(project);
  const all = new Map(Object.entries(madeAlone).map(([name, members]) => [name, { sentence: '', members }]));
  for (const [name, declared] of texts) {
    const values = given.get(name) ?? new Map();
    const members = [...new Set(declared.flatMap((text) => [...text.matchAll(placeholder)].map(([, each]) => each)))];
    // A member that only one of several tables with this name has is not always there.
    const isAlways = (member) => !alsoBare.has(name) && declared.every((text) => text.includes(`{${member}}`));
    const typed = members.map((each) => [isAlways(each) ? each : `${each}?`, valueText(values.get(each))]);
    if (!all.has(name)) all.set(name, { sentence: declared[0], members: Object.fromEntries(typed) });
  }
  const lines = [...all]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { sentence, members }]) => {
      const doc = sentence === '' ? '' : `  /** ${sentence.replaceAll('*/', '* /')} */\n`;
      const inside = Object.entries(members).map(([member, type]) => `readonly ${member}: ${type}`);
      return `${doc}  readonly ${name}: readonly [data: { ${inside.join('; ')} }, remedy: '${remedySentence(name)}'];\n`;
    });
  return `import type { Refusal, RefusalDetails } from '../base/refusal.js';
import type { Json } from '../codec/json.js';

/** A value that a refusal tells. */
type RefusalValue = string | number | boolean | readonly string[];

/** The values that each refusal tells, and its remedy, by name. */
interface Refusals {
${lines.join('')}}

/** The names of the refusals that this version knows. A node of a later version may have others. */
export type RefusalName = keyof Refusals;

interface RefusalOf<N extends RefusalName> extends Refusal {
  readonly name: N;
  readonly code: N;
  /** The number of JSON-RPC, such as −32003; undefined where the node gave none. */
  readonly rpcCode: number | undefined;
  /** The data of the error as the node sent it: the name, and the values of the sentence as JSON. */
  readonly data: Refusals[N][0] & { readonly name: N; readonly code?: number; readonly lineage?: string };
  /** The deed that helps the caller: the sentence that the documents show beside this name. */
  readonly remedy: Refusals[N][1];
}

/** The node refuses a call: a comparison of \`name\` or \`code\` narrows \`data\` and \`remedy\`. */
export type NodeRefusal = { [N in RefusalName]: RefusalOf<N> }[RefusalName];
export declare const NodeRefusal: {
  readonly prototype: NodeRefusal;
  new (
    code: string,
    message: string,
    told?: {
      readonly rpcCode?: number | undefined;
      readonly data?: Json | undefined;
      readonly details?: RefusalDetails;
      readonly lineage?: string | undefined;
    },
  ): NodeRefusal;
};
export declare function tooLarge(url: string, bytes: number, said: string): NodeRefusal;
`;
}

/** The texts of each refusal, and the types of the values that it is given, by member. */
function found(project) {
  const texts = new Map();
  const given = new Map();
  for (const path of refusingFiles()) {
    const file = project.program.getSourceFile(path);
    if (file === undefined) throw new Error(`the compiler has not read ${path}`);
    const [declared, values] = [[], []];
    const visit = (node) => {
      if (ast.isCallExpression(node)) note(node, declared, values);
      node.forEachChild(visit);
    };
    visit(file);
    for (const [name, text] of declared) texts.set(name, [...(texts.get(name) ?? []), text]);
    const types = values.length === 0 ? [] : project.checker.getTypeAtLocation(values.map(([, , node]) => node));
    for (const [place, [name, member]] of values.entries()) {
      const members = given.get(name) ?? new Map();
      given.set(name, members.set(member, [...(members.get(member) ?? []), jsonType(project.checker, types[place])]));
    }
  }
  return { texts, given };
}

/** Notes a table of refusals, or the values that are given to one. */
function note({ expression, arguments: [first] }, declared, values) {
  if (first === undefined || !ast.isObjectLiteralExpression(first)) return;
  if (expression.getText() === 'refusals')
    for (const property of first.properties)
      if (ast.isPropertyAssignment(property))
        declared.push([property.name.getText(), refusalSentences(property.initializer)]);
  if (!/^refuse\w*\.\w+$/.test(expression.getText())) return;
  const name = expression.name.getText();
  for (const property of first.properties)
    if (ast.isPropertyAssignment(property)) values.push([name, property.name.getText(), property.initializer]);
    else if (ast.isShorthandPropertyAssignment(property)) values.push([name, property.name.getText(), property.name]);
}

/** The text, and that of the lineage, whose placeholders are members as well. */
function refusalSentences(initializer) {
  if (!ast.isObjectLiteralExpression(initializer)) return literalText(initializer);
  return initializer.properties
    .filter((property) => ast.isPropertyAssignment(property) && property.name.getText() !== 'lineageCode')
    .map(({ initializer: text }) => literalText(text))
    .filter((text) => text !== '')
    .join(' — ');
}

function literalText(node) {
  return ast.isStringLiteral(node) || ast.isNoSubstitutionTemplateLiteral(node) ? node.text : '';
}

function jsonType(checker, type) {
  const written = type === undefined ? '' : checker.typeToString(type);
  if (/^(?:number|-?\d+)$/.test(written)) return 'number';
  if (/^(?:string|bigint|-?\d+n|"[^"]*"|`.*`)$/.test(written)) return 'string';
  if (/^(?:boolean|true|false)$/.test(written)) return 'boolean';
  return /^(?:readonly )?string\[\]$/.test(written) ? 'readonly string[]' : anyValue;
}

/** One type for all places that give the value. */
function valueText(types = [anyValue]) {
  const each = new Set(types);
  return each.has(anyValue) ? anyValue : [...each].toSorted().join(' | ');
}
