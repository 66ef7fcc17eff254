import { text } from '../../codec/primitives.ts';
import { command } from '../command.ts';

/** The base64 of a text. */
export const encodeToBase64Command = command({
  name: 'encode_to_base64',
  doc: 'The base64 of a text.',
  params: { data: text },
  example: 'encode_to_base64 hello',
  local: true,
  handler: ({ data }) => Buffer.from(data, 'utf8').toString('base64'),
});
