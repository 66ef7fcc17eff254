import { Type } from '../../jsonrpc/envelope/typebox.ts';
import type { Json } from '../../codec/json.ts';
import type { EncodingOptions } from '../../codec/encoding_options.ts';
import { method, type Method } from '../method.ts';

/** The params and result of a method; `signWithSecret` returns null for a method that does not exist. */
export function getSignature(signatureOf: (method: string, encoding: EncodingOptions) => Json): Method {
  return method({
    name: 'jsonrpc.get_signature',
    doc: 'What a method takes and answers, with nothing filled in; null when there is no such method.',
    params: { method: Type.String({ maxLength: 256 }) },
    result: Type.Unsafe<Json>({
      anyOf: [{ type: 'null' }, { type: 'object', properties: { args: {}, ret: {} }, required: ['args', 'ret'] }],
      default: null,
    }),
    example: { params: { method: 'database_api.list_accounts' } },
    stability: 'experimental',
    thread: 'read',
    handler: ({ method: name }, { encoding }) => signatureOf(name, encoding),
  });
}
