import { Type } from '../../jsonrpc/typebox.ts';
import { coded } from '../../jsonrpc/params.ts';
import { base64Text } from '../../values/base64_data.ts';
import { method } from '../method.ts';

/** Decodes a text from base64. */
export const fromBase64 = method({
  name: 'alexandria_api.from_base64',
  doc: 'The text whose UTF-8 bytes the base64 stands for. White space is skipped; anything else that is no base64 is refused with its position.',
  params: { data: coded(base64Text) },
  result: Type.Object({ str: Type.String() }),
  example: { params: { data: 'aGVsbG8=' }, result: { str: 'hello' } },
  stability: 'stable',
  // As long as a body may be.
  paramsBytes: Infinity,
  thread: 'read',
  handler: ({ data }) => ({ str: data }),
});
