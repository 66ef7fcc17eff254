import { text } from '../../codec/primitives.ts';
import { command } from '../command.ts';

/** The text of a base64. */
export const decodeFromBase64Command = command({
  name: 'decode_from_base64',
  doc: 'The text of a base64.',
  params: { data: text },
  example: 'decode_from_base64 aGVsbG8=',
  local: true,
  handler: ({ data }) => Buffer.from(data, 'base64').toString('utf8'),
});
