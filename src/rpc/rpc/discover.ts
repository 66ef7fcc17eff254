import { Type } from '../../jsonrpc/envelope/typebox.ts';
import type { Json } from '../../codec/json.ts';
import { method, type Method, type WrittenJson } from '../method.ts';
import type { Call } from '../services.ts';
import type { Pieces } from '../chunks.ts';

/** The document that describes every method; `documentOf` returns its text, or the pieces of it. */
export function discover(documentOf: (call: Call) => WrittenJson | Pieces): Method {
  return method({
    name: 'rpc.discover',
    doc: 'The OpenRPC document of this node: every method with its params, its result, its errors and an example. GET /openrpc.json shows the same.',
    params: {},
    result: Type.Unsafe<Json>({
      type: 'object',
      properties: {
        openrpc: { type: 'string' },
        info: { type: 'object' },
        methods: { type: 'array', items: { type: 'object' } },
      },
      required: ['openrpc', 'info', 'methods'],
      default: {},
    }),
    example: { params: {} },
    stability: 'experimental',
    thread: 'read',
    handler: (_, call) => documentOf(call),
  });
}
