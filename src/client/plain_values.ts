import type { Json } from '../codec/json.ts';
import type { ChainSymbols } from '../codec/encoding_options.ts';
import { millionthsText } from './decimals.ts';

/**
 * Which parts of a JSON value programs see in another form: integers that may be numbers or texts as bigint, amounts in
 * any form as texts, operations as pairs. A list of one has the form of each element, an object those of its members
 * or, by index, of elements.
 */
export type Shape = 'integer' | 'amount' | 'operation' | readonly [Shape] | MemberShapes;
interface MemberShapes {
  readonly [member: string]: Shape;
}

/** The bodies of operations, by the names of their kinds; those without such parts are missing. */
export type OperationShapes = Readonly<Record<string, Shape>>;

/** The chain's symbols for plain values. */
export interface PlainContext {
  readonly symbols: Pick<ChainSymbols, 'coinSymbol' | 'vestsSymbol'>;
  readonly operations: OperationShapes;
}

const SUFFIX = '_operation';

/** A value that a node answered, as programs see it. What doesn't have the expected shape stays as it is. */
export function plainValue(json: Json, shape: Shape | undefined, context: PlainContext): Json {
  if (shape === undefined || json === null) return json;
  if (shape === 'integer') return plainInteger(json);
  if (shape === 'amount') return plainAmount(json, context.symbols);
  if (shape === 'operation') return plainOperation(json, context);
  if (isList(shape)) return Array.isArray(json) ? json.map((item) => plainValue(item, shape[0], context)) : json;
  return plainMembers(json, shape, context);
}

function isList(shape: readonly [Shape] | MemberShapes): shape is readonly [Shape] {
  return Array.isArray(shape);
}

function plainMembers(json: Json, shapes: MemberShapes, context: PlainContext): Json {
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json)) return json.map((item, index) => plainValue(item, shapes[index], context));
  const shown: { [member: string]: Json } = { ...json };
  for (const [name, shape] of Object.entries(shapes)) {
    const value = json[name];
    if (value !== undefined) shown[name] = plainValue(value, shape, context);
  }
  return shown;
}

function plainInteger(json: Json): Json {
  if (typeof json === 'number') return Number.isSafeInteger(json) ? BigInt(json) : json;
  return typeof json === 'string' && /^-?\d+$/.test(json) ? BigInt(json) : json;
}

/** `12.345678 SYMBOL`, from that, `{amount, symbol}` or `{amount, precision, nai}`. */
function plainAmount(json: Json, { coinSymbol, vestsSymbol }: PlainContext['symbols']): Json {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return json;
  const { amount, symbol, nai } = json;
  if (typeof symbol === 'string') return `${String(amount)} ${symbol}`;
  const name = nai === '@@000000021' ? coinSymbol : nai === '@@000000037' ? vestsSymbol : String(nai);
  return `${millionthsText(String(amount))} ${name}`;
}

/** `[name, body]`, from that or `{type, value}`. */
function plainOperation(json: Json, context: PlainContext): Json {
  if (typeof json !== 'object' || json === null) return json;
  const [type, body] = Array.isArray(json) ? json : [json['type'], json['value']];
  if (typeof type !== 'string' || body === undefined) return json;
  const name = type.endsWith(SUFFIX) ? type.slice(0, -SUFFIX.length) : type;
  return [name, plainValue(body, context.operations[name], context)];
}
