import { Type, type TSchema } from './typebox.ts';
import { errorEnvelope, legacyErrorEnvelope, type RpcError } from './errors.ts';

/** How a kind of asker is spoken to. Every difference between the two dialects stands here. */
export interface Dialect {
  readonly name: 'default' | 'legacy';
  readonly positional: boolean;
  /** A request without id gets no answer. */
  readonly notifications: boolean;
  /** Requests must say `"jsonrpc":"2.0"`. */
  readonly versioned: boolean;
  /** The text to answer with for the id of the source. */
  id(source: string): string;
  success(result: string, id: string): string;
  failure(error: RpcError, id: string): string;
  /** What of a result is shown. */
  shown(result: unknown, schema: TSchema): unknown;
}

/** JSON-RPC 2.0: every `group.method` call and method `call`. */
export const defaultDialect: Dialect = {
  name: 'default',
  positional: false,
  notifications: true,
  versioned: true,
  id: (source) => source,
  success: (result, id) => `{"jsonrpc":"2.0","result":${result},"id":${id}}`,
  failure: errorEnvelope,
  shown: (result) => result,
};

/** The daemon of 2018: bare method names, positional params, unwrapped results (rpc.md 9.5). */
export const legacyDialect: Dialect = {
  name: 'legacy',
  positional: true,
  notifications: false,
  versioned: false,
  // Decimal strings are answered as numbers, which have no zeros before them.
  id: (source) => /^"0*([0-9]{1,20})"$/.exec(source)?.[1] ?? source,
  success: (result, id) => `{"id":${id},"result":${result}}`,
  failure: legacyErrorEnvelope,
  shown: onlyMember,
};

/** A request is legacy if its method has no dot and is not `call`. */
export function dialectOf(method: string): Dialect {
  return method.includes('.') || method === 'call' ? defaultDialect : legacyDialect;
}

/** A result of one declared member is that member's value, null when it is not there. */
function onlyMember(result: unknown, schema: TSchema): unknown {
  if (!Type.IsObject(schema)) return result;
  const [only, ...others] = Object.keys(schema.properties);
  if (only === undefined || others.length > 0 || typeof result !== 'object' || result === null) return result;
  const member: unknown = Reflect.get(result, only);
  return member === undefined ? null : member;
}
