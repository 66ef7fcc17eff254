import { Refusal } from '../base/refusal.ts';
import type { Json } from '../codec/json.ts';
import type { Notation } from '../codec/notation.ts';
import { methodsOf } from '../rpc/methods.ts';
import { compileDecode, compileEncode, type Encode } from '../rpc/results.ts';

/** How params of a method are written, and its results read. */
export interface MethodCodec {
  writeParams(params: object, notation: Notation): { [member: string]: Json };
  readResult(json: Json, notation: Notation): unknown;
}

const methods = methodsOf({ fiatConversion: { method: 'fiat_to_coin', result: 'coin' } });
const compiled = new Map<string, MethodCodec>();

/** The codec of a method, compiled when it is first called. Refuses a name that this package doesn't know. */
export function methodCodec(name: string): MethodCodec {
  const known = compiled.get(name);
  if (known !== undefined) return known;
  const method = methods.get(name);
  if (method === undefined) throw new Refusal('unknown_method', `this client knows no method ${name}`, { method: name });
  const encode: Encode = compileEncode(method.params) ?? ((value) => value);
  const decode = compileDecode(method.result);
  const codec: MethodCodec = {
    writeParams: (params, notation) => given(encode(params, notation)),
    readResult: (json, notation) => (decode === undefined ? json : decode(json, notation)),
  };
  compiled.set(name, codec);
  return codec;
}

/** Members that are there. */
function given(params: unknown): { [member: string]: Json };
function given(params: unknown): Record<string, unknown> {
  const members: [string, unknown][] = typeof params === 'object' && params !== null ? Object.entries(params) : [];
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}
