import { onlyMember } from './cursor.ts';
import { errorEnvelope, legacyErrorEnvelope, type RpcError } from './errors.ts';
import type { TSchema } from './typebox.ts';

/**
 * The form of requests and responses of one kind of client. Every difference between the two dialects is defined here.
 */
export interface Dialect {
  readonly name: 'default' | 'legacy';
  readonly positional: boolean;
  /** A request without id gets no response. */
  readonly notifications: boolean;
  /** Requests must say `"jsonrpc":"2.0"`. */
  readonly versioned: boolean;
  /** The text that the response has for the id of the source. */
  id(source: string): string;
  success(result: string, id: string): string;
  /** The text before and after the value of the only member of a result. */
  only(member: string): readonly [start: string, end: string];
  failure(error: RpcError, id: string): string;
  /** The part of a result that is returned. */
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
  only: (member) => [`{"${member}":`, '}'],
  failure: errorEnvelope,
  shown: (result) => result,
};

/** The daemon of 2018: bare method names, positional params, unwrapped results (rpc_conventions.md#legacy-form). */
export const legacyDialect: Dialect = {
  name: 'legacy',
  positional: true,
  notifications: false,
  versioned: false,
  // Decimal strings are returned as numbers, which have no leading zeros.
  id: (source) => /^"0*([0-9]{1,20})"$/.exec(source)?.[1] ?? source,
  success: (result, id) => `{"id":${id},"result":${result}}`,
  only: () => ['', ''],
  failure: legacyErrorEnvelope,
  shown: memberAlone,
};

/** The response with a result; it shows the head, JSON text, where there is one. */
export function successResponse(dialect: Dialect, result: string, id: string, head: string | undefined): string {
  const text = dialect.success(result, id);
  return head === undefined ? text : `${text.slice(0, -1)},"head":${head}}`;
}

/** A request is legacy if its method has no dot and is not `call`. */
export function methodDialect(method: string): Dialect {
  return method.includes('.') || method === 'call' ? defaultDialect : legacyDialect;
}

/** A result with a single declared member is replaced by that member's value, null when it is absent. */
function memberAlone(result: unknown, schema: TSchema): unknown {
  const only = onlyMember(schema);
  if (only === undefined || typeof result !== 'object' || result === null) return result;
  const member: unknown = Reflect.get(result, only.name);
  return member === undefined ? null : member;
}
