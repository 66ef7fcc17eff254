import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { LARGEST_TRANSACTION_BYTES } from '../../values/limits.ts';
import { method } from '../method.ts';

/** Encodes a text as base64. */
export const toBase64 = method({
  name: 'alexandria_api.to_base64',
  doc: 'The UTF-8 bytes of a text as base64 with padding.',
  params: { data: Type.String({ maxLength: LARGEST_TRANSACTION_BYTES }) },
  result: Type.Object({ base64_str: Type.String() }),
  example: { params: { data: 'hello' }, result: { base64_str: 'aGVsbG8=' } },
  stability: 'stable',
  // As long as a body may be; the largest transaction of any chain is not longer.
  paramsBytes: Infinity,
  thread: 'read',
  handler: ({ data }) => ({ base64_str: Buffer.from(data, 'utf8').toString('base64') }),
});
