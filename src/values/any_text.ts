import { textBytes, textOfBytes } from '../codec/bytes.ts';
import { copying, type Codec } from '../codec/codec.ts';
import { DecodeError, mismatch } from '../codec/decode_error.ts';
import type { Json } from '../codec/json.ts';
import { plainText, writing } from '../codec/json_text.ts';
import { text } from '../codec/primitives.ts';

/** The JSON form of a text whose bytes are no valid UTF-8. */
export interface HexText {
  readonly hex: string;
}

const HEX = /^(?:[0-9a-f]{2})+$/i;

/**
 * A text that blocks of the lineage may hold as any bytes. JSON has no such texts, and readers refuse half of a surrogate pair: where the
 * bytes are no valid UTF-8, the JSON form is an object with their hex digits, such as `{"hex":"7aff"}`. Every text has one form only.
 */
export const anyText: Codec<string, string | HexText> = {
  ...text,
  toJson: writing(
    (value) => (value.isWellFormed() ? value : { hex: hexOf(value) }),
    (value) => (value.isWellFormed() ? JSON.stringify(value) : `{"hex":${plainText(hexOf(value))}}`),
  ),
  fromJson: copying((json) => {
    if (typeof json === 'string') return json;
    const hex = onlyHex(json);
    if (typeof hex !== 'string' || !HEX.test(hex)) return mismatch('a text, or {"hex": …} with bytes that are none', json);
    const value = textOfBytes(Buffer.from(hex, 'hex'));
    if (value.isWellFormed()) throw new DecodeError('bytes that are no valid UTF-8 expected as hex digits; give valid UTF-8 as a text');
    return value;
  }, text.fromJson.copy),
  describe: ({ readsLineage = false }) => {
    if (!readsLineage) return { type: 'string' };
    const hex = { type: 'object', properties: { hex: { type: 'string', pattern: '^([0-9a-f]{2})+$' } }, required: ['hex'] };
    return { anyOf: [{ type: 'string' }, { ...hex, description: 'bytes that are no valid UTF-8' }] };
  },
};

function hexOf(value: string): string {
  return Buffer.from(textBytes(value)).toString('hex');
}

/** What stands in an object whose only member is `hex`. */
function onlyHex(json: Json): Json | undefined {
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
  if (!isObject) return undefined;
  const [[name, value] = [], ...more] = Object.entries(json);
  return name === 'hex' && more.length === 0 ? value : undefined;
}
