import type { JsonSchema, JsonSchemaValue } from './codec.ts';

/** An integer in JSON Schema. Bounds that a float can't hold are written with all their digits. */
export function integerSchema(lowest: bigint, highest: bigint): JsonSchema {
  return { type: 'integer', minimum: exact(lowest), maximum: exact(highest) };
}

/** An integer that may be given as a number or as its decimal text. */
export function givenInteger(lowest: bigint, highest: bigint): JsonSchema {
  return { anyOf: [integerSchema(lowest, highest), decimalText(lowest, highest)] };
}

/** The decimal text of an integer, without leading zeros. */
export function decimalText(lowest: bigint, highest: bigint): JsonSchema {
  return { type: 'string', pattern: decimalPattern(lowest, highest) };
}

/** The same schema, or null. */
export function orNull(schema: JsonSchema): JsonSchema {
  const { type } = schema;
  const [anyOf, values] = [schemaList(schema['anyOf']), schemaList(schema['enum'])];
  if (anyOf !== undefined) return anyOf.some(isNull) ? schema : { ...schema, anyOf: [...anyOf, { type: 'null' }] };
  if (Array.isArray(type) && type.includes('null')) return schema;
  if (values !== undefined)
    return { ...schema, ...(typeof type === 'string' ? { type: [type, 'null'] } : {}), enum: [...values, null] };
  if (typeof type === 'string' && type !== 'null') return { ...schema, type: [type, 'null'] };
  const limits = Object.entries(schema).filter(([keyword]) => !ANNOTATIONS.has(keyword));
  if (limits.length === 0) return schema;
  const annotations = Object.entries(schema).filter(([keyword]) => ANNOTATIONS.has(keyword));
  return { anyOf: [Object.fromEntries(limits), { type: 'null' }], ...Object.fromEntries(annotations) };
}

function schemaList(value: JsonSchemaValue | undefined): readonly JsonSchemaValue[] | undefined {
  return isList(value) ? value : undefined;
}

function isList(value: JsonSchemaValue | undefined): value is readonly JsonSchemaValue[] {
  return Array.isArray(value);
}

function isNull(schema: JsonSchemaValue): boolean {
  return typeof schema === 'object' && schema !== null && 'type' in schema && schema.type === 'null';
}

/** Keywords that limit nothing. */
const ANNOTATIONS: ReadonlySet<string> = new Set(['description', 'default', 'examples']);

function exact(bound: bigint): number | bigint {
  return BigInt.asIntN(54, bound) === bound ? Number(bound) : bound;
}

/** Codecs have few different bounds, and describe them often. */
const patterns = new Map<string, string>();

/** A pattern of the decimal texts from `lowest`, which is at most 1, to `highest`. */
function decimalPattern(lowest: bigint, highest: bigint): string {
  const bounds = `${lowest} ${highest}`;
  const pattern = patterns.get(bounds) ?? madePattern(lowest, highest);
  patterns.set(bounds, pattern);
  return pattern;
}

function madePattern(lowest: bigint, highest: bigint): string {
  const zero = lowest <= 0n && highest >= 0n ? ['-?0'] : [];
  const negative = lowest < 0n ? [`-(?:${magnitudes(-lowest).join('|')})`] : [];
  return `^(?:${[...zero, ...(highest > 0n ? magnitudes(highest) : []), ...negative].join('|')})$`;
}

/** Patterns that together match 1 to `most`: shorter numbers, those that fall below it at some digit, and itself. */
function magnitudes(most: bigint): string[] {
  const digits = most.toString();
  const shorter = digits.length === 1 ? [] : [`[1-9]${anyDigits(digits.length - 2, 0)}`];
  const below = [...digits].flatMap((digit, index) => {
    const [from, to] = [index === 0 ? 1 : 0, Number(digit) - 1];
    const rest = digits.length - index - 1;
    return to < from
      ? []
      : [`${digits.slice(0, index)}${from === to ? from : `[${from}-${to}]`}${anyDigits(rest, rest)}`];
  });
  return [...shorter, ...below, digits];
}

function anyDigits(most: number, least: number): string {
  return most === 0 ? '' : `[0-9]{${least === most ? most : `${least},${most}`}}`;
}
