import { isJsonObject, type Json, type JsonObject } from '../../codec/json.ts';
import { writeJson } from '../../codec/json_writer.ts';
import { jsonMember, jsonText, type Schema } from './catalogue.ts';
import { html, withNames, type Content, type Html } from './html.ts';

/** The addresses of pages about shapes and operations, relative to the page that is written. */
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
  const lines = [html`<span class="type">${schemaKind(schema, links)}</span>`, ...schemaLimits(schema)];
  return [lines.map((line) => [' ', line]), description(schema), schemaParts(schema, links)];
}

function description(schema: Schema): Content {
  const text = jsonMember(schema, 'description');
  return text === undefined ? undefined : html`<p>${withNames(jsonText(text))}</p>`;
}

/** In a word or two: text, integer, list, an `Account`. */
function schemaKind(schema: Schema, links: SchemaLinks): Content {
  const shape = schemaShape(schema);
  if (shape !== undefined) return html`<a href="${links.shape(shape)}">${shape}</a>`;
  const constant = jsonMember(schema, 'const');
  if (constant !== undefined) return html`always <code>${writeJson(constant)}</code>`;
  const integer = integerSchema(schema);
  if (integer !== undefined)
    return `integer, as a number or as text${schemaChoices(schema).some(isNull) ? ', or null' : ''}`;
  if (schemaChoices(schema).length > 0) return 'one of these';
  if (tupleItems(schema) !== undefined) return 'list of exactly these';
  const type = jsonMember(schema, 'type');
  if (type === undefined) return jsonMember(schema, 'enum') === undefined ? 'any value' : 'one of these values';
  return (Array.isArray(type) ? type : [type]).map(typeName).join(' or ');
}

function typeName(type: Json): string {
  const names: Readonly<Record<string, string>> = { string: 'text', array: 'list', boolean: 'true or false' };
  return names[jsonText(type)] ?? jsonText(type);
}

/** Returns the values of a list of fixed length: `prefixItems`, or `items` as older schemas have it. */
function tupleItems(schema: Schema): readonly Json[] | undefined {
  const places = jsonMember(schema, 'prefixItems') ?? jsonMember(schema, 'items');
  return Array.isArray(places) ? places : undefined;
}

function schemaShape(schema: Schema): string | undefined {
  const reference = jsonMember(schema, '$ref');
  return reference === undefined ? undefined : jsonText(reference).split('/').at(-1);
}

function schemaChoices(schema: Schema): readonly Json[] {
  const choices = jsonMember(schema, 'anyOf') ?? jsonMember(schema, 'oneOf');
  return Array.isArray(choices) ? choices : [];
}

/** The integer of a schema that takes its decimal text too. */
export function integerSchema(schema: Schema): Schema | undefined {
  const choices = schemaChoices(schema).filter((choice) => !isNull(choice));
  const [integer, text] = ['integer', 'string'].map((type) =>
    choices.find((choice) => jsonMember(choice, 'type') === type),
  );
  const isDigits = jsonText(jsonMember(text ?? null, 'pattern') ?? '').startsWith('^(?:-?0|');
  return choices.length === 2 && isDigits ? integer : undefined;
}

function isNull(schema: Schema): boolean {
  return jsonMember(schema, 'type') === 'null';
}

/** Describes the further limits of a value, each in words. */
function schemaLimits(schema: Schema): Html[] {
  const limits: Html[] = [];
  const say = (limit: Html): void => void limits.push(html`<span class="limit">${limit}</span>`);
  const code = (json: Json): Html => html`<code>${writeJson(json)}</code>`;
  const given = (name: string): Json | undefined => jsonMember(schema, name);
  const bounded = integerSchema(schema) ?? schema;
  const [minimum, maximum] = [jsonMember(bounded, 'minimum'), jsonMember(bounded, 'maximum')];
  if (minimum !== undefined && maximum !== undefined) say(html`from ${jsonText(minimum)} to ${jsonText(maximum)}`);
  else if (minimum !== undefined) say(html`at least ${jsonText(minimum)}`);
  else if (maximum !== undefined) say(html`at most ${jsonText(maximum)}`);
  sizes(given('minLength'), given('maxLength'), 'characters', say);
  if (tupleItems(schema) === undefined) sizes(given('minItems'), given('maxItems'), 'items', say);
  const values = given('enum');
  if (Array.isArray(values)) say(html`one of ${values.map((value, k) => [k === 0 ? '' : ', ', code(value)])}`);
  const pattern = given('pattern');
  if (pattern !== undefined) say(html`like <code>${jsonText(pattern)}</code>`);
  const initial = given('default');
  if (initial !== undefined) say(html`${code(initial)} when left out`);
  const examples = given('examples');
  if (Array.isArray(examples)) say(html`such as ${examples.map((example, k) => [k === 0 ? '' : ', ', code(example)])}`);
  if (given('additionalProperties') === false) say(html`no other members`);
  return limits;
}

function sizes(least: Json | undefined, most: Json | undefined, what: string, say: (limit: Html) => void): void {
  if (least !== undefined && most !== undefined) say(html`${jsonText(least)} to ${jsonText(most)} ${what}`);
  else if (least !== undefined) say(html`at least ${jsonText(least)} ${what}`);
  else if (most !== undefined) say(html`at most ${jsonText(most)} ${what}`);
}

/** Describes the members or items of a value. */
function schemaParts(schema: Schema, links: SchemaLinks): Content {
  const parts: Content[] = [];
  const members = jsonMember(schema, 'properties');
  if (isJsonObject(members)) parts.push(membersView(schemaMembers(schema, members), links));
  const patterns = jsonMember(schema, 'patternProperties');
  for (const [pattern, member] of Object.entries(isJsonObject(patterns) ? patterns : {}))
    parts.push(
      html`<div class="part">each member with a name like <code>${pattern}</code>: ${oneSchema(member, links)}</div>`,
    );
  const items = jsonMember(schema, 'items');
  if (isJsonObject(items)) parts.push(html`<div class="part">each item: ${oneSchema(items, links)}</div>`);
  const places = tupleItems(schema);
  if (places !== undefined)
    parts.push(
      html`<ol class="places">
        ${places.map((place) => html`<li>${oneSchema(place, links)}</li>`)}
      </ol>`,
    );
  const choices = integerSchema(schema) === undefined ? schemaChoices(schema) : [];
  if (choices.length > 0)
    parts.push(
      html`<ul class="choices">
        ${choices.map((choice) => choiceItem(choice, links))}
      </ul>`,
    );
  return parts;
}

function schemaMembers(schema: Schema, members: JsonObject): Member[] {
  const required = jsonMember(schema, 'required');
  const isRequired = (name: string): boolean | undefined =>
    Array.isArray(required) ? required.includes(name) : undefined;
  return Object.entries(members).map(([name, member]) => ({ name, isRequired: isRequired(name), schema: member }));
}

/** An operation among others is a link to its own page, where its body is. */
function choiceItem(choice: Schema, links: SchemaLinks): Html {
  const places = jsonMember(choice, 'prefixItems');
  const kind = Array.isArray(places) ? jsonMember(places[0], 'const') : undefined;
  const link = typeof kind === 'string' ? links.operation(kind) : undefined;
  if (link === undefined) return html`<li>${oneSchema(choice, links)}</li>`;
  return html`<li>
    <code>["<a href="${link}">${jsonText(kind)}</a>", {…}]</code>
  </li>`;
}
