import type { Json } from '../../codec/json.ts';
import { writeJson } from '../../codec/json_writer.ts';
import { isObject, type JsonObject } from '../../jsonrpc/envelope/openrpc.ts';
import { memberOf, textOf, type Schema } from './catalogue.ts';
import { html, withNames, type Content, type Html } from './html.ts';

/** Where pages about shapes and operations lie, as seen from the page that is written. */
export interface SchemaLinks {
  readonly shape: (name: string) => string;
  /** Undefined where there is no operation of that name. */
  readonly operation: (name: string) => string | undefined;
}

/**
 * A whole schema for readers: what it is on a line, what it consists of below, as deep as it goes. Only what has a page
 * of its own is a link instead, so a schema that contains itself ends somewhere.
 */
export function schemaView(schema: Schema, links: SchemaLinks): Html {
  return html`<div class="schema">${oneSchema(schema, links)}</div>`;
}

/** Named members, each with its schema, such as the params of a method. */
export function membersView(members: readonly Member[], links: SchemaLinks): Html {
  return html`<ul class="members">
    ${members.map((member) => memberItem(member, links))}
  </ul>`;
}

/** A member of an object, or a param. */
export interface Member {
  readonly name: string;
  /** Undefined where the schema doesn't say. */
  readonly isRequired: boolean | undefined;
  readonly schema: Schema;
}

function memberItem({ name, isRequired, schema }: Member, links: SchemaLinks): Html {
  const remark =
    isRequired === undefined
      ? undefined
      : isRequired
        ? html`<span class="required">required</span>`
        : html`<span class="optional">may be left out</span>`;
  return html`<li><code class="name">${name}</code> ${remark} ${oneSchema(schema, links)}</li>`;
}

function oneSchema(schema: Schema, links: SchemaLinks): Content {
  const lines = [html`<span class="type">${kindOf(schema, links)}</span>`, ...limitsOf(schema)];
  return [lines.map((line) => [' ', line]), description(schema), partsOf(schema, links)];
}

function description(schema: Schema): Content {
  const text = memberOf(schema, 'description');
  return text === undefined ? undefined : html`<p>${withNames(textOf(text))}</p>`;
}

/** In a word or two: text, integer, list, an `Account`. */
function kindOf(schema: Schema, links: SchemaLinks): Content {
  const shape = shapeOf(schema);
  if (shape !== undefined) return html`<a href="${links.shape(shape)}">${shape}</a>`;
  const constant = memberOf(schema, 'const');
  if (constant !== undefined) return html`always <code>${writeJson(constant)}</code>`;
  const integer = integerOf(schema);
  if (integer !== undefined)
    return `integer, as a number or as text${choicesOf(schema).some(isNull) ? ', or null' : ''}`;
  if (choicesOf(schema).length > 0) return 'one of these';
  if (placesOf(schema) !== undefined) return 'list of exactly these';
  const type = memberOf(schema, 'type');
  if (type === undefined) return memberOf(schema, 'enum') === undefined ? 'any value' : 'one of these values';
  return (Array.isArray(type) ? type : [type]).map(typeName).join(' or ');
}

function typeName(type: Json): string {
  const names: Readonly<Record<string, string>> = { string: 'text', array: 'list', boolean: 'true or false' };
  return names[textOf(type)] ?? textOf(type);
}

/** What stands at each place of a list of fixed length: `prefixItems`, or `items` as older schemas have it. */
function placesOf(schema: Schema): readonly Json[] | undefined {
  const places = memberOf(schema, 'prefixItems') ?? memberOf(schema, 'items');
  return Array.isArray(places) ? places : undefined;
}

function shapeOf(schema: Schema): string | undefined {
  const reference = memberOf(schema, '$ref');
  return reference === undefined ? undefined : textOf(reference).split('/').at(-1);
}

function choicesOf(schema: Schema): readonly Json[] {
  const choices = memberOf(schema, 'anyOf') ?? memberOf(schema, 'oneOf');
  return Array.isArray(choices) ? choices : [];
}

/** The integer of a schema that takes its decimal text too. */
export function integerOf(schema: Schema): Schema | undefined {
  const choices = choicesOf(schema).filter((choice) => !isNull(choice));
  const [integer, text] = ['integer', 'string'].map((type) =>
    choices.find((choice) => memberOf(choice, 'type') === type),
  );
  const isDigits = textOf(memberOf(text ?? null, 'pattern') ?? '').startsWith('^(?:-?0|');
  return choices.length === 2 && isDigits ? integer : undefined;
}

function isNull(schema: Schema): boolean {
  return memberOf(schema, 'type') === 'null';
}

/** What else a value has to be, each limit in words. */
function limitsOf(schema: Schema): Html[] {
  const limits: Html[] = [];
  const say = (limit: Html): void => void limits.push(html`<span class="limit">${limit}</span>`);
  const code = (json: Json): Html => html`<code>${writeJson(json)}</code>`;
  const given = (name: string): Json | undefined => memberOf(schema, name);
  const bounded = integerOf(schema) ?? schema;
  const [minimum, maximum] = [memberOf(bounded, 'minimum'), memberOf(bounded, 'maximum')];
  if (minimum !== undefined && maximum !== undefined) say(html`from ${textOf(minimum)} to ${textOf(maximum)}`);
  else if (minimum !== undefined) say(html`at least ${textOf(minimum)}`);
  else if (maximum !== undefined) say(html`at most ${textOf(maximum)}`);
  sizes(given('minLength'), given('maxLength'), 'characters', say);
  if (placesOf(schema) === undefined) sizes(given('minItems'), given('maxItems'), 'items', say);
  const values = given('enum');
  if (Array.isArray(values)) say(html`one of ${values.map((value, k) => [k === 0 ? '' : ', ', code(value)])}`);
  const pattern = given('pattern');
  if (pattern !== undefined) say(html`like <code>${textOf(pattern)}</code>`);
  const initial = given('default');
  if (initial !== undefined) say(html`${code(initial)} when left out`);
  const examples = given('examples');
  if (Array.isArray(examples)) say(html`such as ${examples.map((example, k) => [k === 0 ? '' : ', ', code(example)])}`);
  if (given('additionalProperties') === false) say(html`no other members`);
  return limits;
}

function sizes(least: Json | undefined, most: Json | undefined, what: string, say: (limit: Html) => void): void {
  if (least !== undefined && most !== undefined) say(html`${textOf(least)} to ${textOf(most)} ${what}`);
  else if (least !== undefined) say(html`at least ${textOf(least)} ${what}`);
  else if (most !== undefined) say(html`at most ${textOf(most)} ${what}`);
}

/** What it consists of. */
function partsOf(schema: Schema, links: SchemaLinks): Content {
  const parts: Content[] = [];
  const members = memberOf(schema, 'properties');
  if (isObject(members)) parts.push(membersView(membersOf(schema, members), links));
  const patterns = memberOf(schema, 'patternProperties');
  for (const [pattern, member] of Object.entries(isObject(patterns) ? patterns : {}))
    parts.push(
      html`<div class="part">each member with a name like <code>${pattern}</code>: ${oneSchema(member, links)}</div>`,
    );
  const items = memberOf(schema, 'items');
  if (isObject(items)) parts.push(html`<div class="part">each item: ${oneSchema(items, links)}</div>`);
  const places = placesOf(schema);
  if (places !== undefined)
    parts.push(
      html`<ol class="places">
        ${places.map((place) => html`<li>${oneSchema(place, links)}</li>`)}
      </ol>`,
    );
  const choices = integerOf(schema) === undefined ? choicesOf(schema) : [];
  if (choices.length > 0)
    parts.push(
      html`<ul class="choices">
        ${choices.map((choice) => choiceItem(choice, links))}
      </ul>`,
    );
  return parts;
}

function membersOf(schema: Schema, members: JsonObject): Member[] {
  const required = memberOf(schema, 'required');
  const isRequired = (name: string): boolean | undefined =>
    Array.isArray(required) ? required.includes(name) : undefined;
  return Object.entries(members).map(([name, member]) => ({ name, isRequired: isRequired(name), schema: member }));
}

/** An operation among others is a link to its own page, where its body is. */
function choiceItem(choice: Schema, links: SchemaLinks): Html {
  const places = memberOf(choice, 'prefixItems');
  const kind = Array.isArray(places) ? memberOf(places[0], 'const') : undefined;
  const link = typeof kind === 'string' ? links.operation(kind) : undefined;
  if (link === undefined) return html`<li>${oneSchema(choice, links)}</li>`;
  return html`<li>
    <code>["<a href="${link}">${textOf(kind)}</a>", {…}]</code>
  </li>`;
}
