import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { base64Data, dataRefusals, textOfData } from '../../values/base64_data.ts';
import { method } from '../method.ts';

/** Decodes a text from base64. */
export const fromBase64 = method({
  name: 'alexandria_api.from_base64',
  doc: 'The text whose UTF-8 bytes the base64 stands for. White space is skipped; anything else that is no base64 is refused with its position, and so are bytes that are no UTF-8.',
  params: { data: coded(base64Data) },
  result: Type.Object({ str: Type.String() }),
  example: { params: { data: 'aGVsbG8=' }, result: { str: 'hello' } },
  stability: 'stable',
  refuses: dataRefusals.texts,
  // As long as a body may be.
  paramsBytes: Infinity,
  thread: 'read',
  handler: ({ data }, { parameters }) => ({ str: textOfData(data, parameters.profile) }),
});
