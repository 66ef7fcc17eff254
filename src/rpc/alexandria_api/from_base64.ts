import { Type } from '../../jsonrpc/typebox.ts';
import { base64mDecode } from '../../crypto/base64m.ts';
import { method } from '../method.ts';

/** Decodes a text from base64. */
export const fromBase64 = method({
  name: 'alexandria_api.from_base64',
  doc: 'The text whose UTF-8 bytes the base64 stands for; reading ends at the first character that is not base64.',
  params: { data: Type.String() },
  result: Type.Object({ str: Type.String() }),
  example: { params: { data: 'aGVsbG8=' }, result: { str: 'hello' } },
  stability: 'stable',
  // As long as a body may be.
  paramsBytes: Infinity,
  thread: 'read',
  handler: ({ data }) => ({ str: Buffer.from(base64mDecode(data)).toString('utf8') }),
});
