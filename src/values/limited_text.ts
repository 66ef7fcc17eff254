import { textByteCount } from '../codec/bytes.ts';
import { copying, type Codec, type CopyJson, type JsonSchema, type JsonSchemaValue } from '../codec/codec.ts';
import { DecodeError } from '../codec/decode_error.ts';
import { hexBytes, text } from '../codec/primitives.ts';
import type { EncodingOptions } from '../codec/encoding_options.ts';
import { anyText } from './any_text.ts';
import { LARGEST_TRANSACTION_BYTES } from './limits.ts';

/** Refuses a text of more bytes than are taken, by a name of its own. */
type RefuseLonger = (figures: { readonly bytes: number; readonly most: number }) => never;

/** A character of UTF-8 has at most three bytes for each unit of a text in JavaScript. */
const BYTES_OF_UNIT = 3;

/**
 * The same texts, of which JSON gives none of more than `most` bytes. Schemas count characters and no text has more
 * characters than bytes, so a text that is too long by its schema is too long by its bytes. The lineage reads longer
 * ones, and refuses them later.
 */
export function limitedText<J>(
  codec: Codec<string, J>,
  most: number,
  refuseLonger: RefuseLonger = refuseBytes,
): Codec<string, J> {
  const lengthLimit = (encoding: EncodingOptions): number => (isUnchecked(encoding) ? LARGEST_TRANSACTION_BYTES : most);
  const { fromJson } = codec;
  return {
    ...codec,
    fromJson: copying(
      (json, encoding) => {
        const value = fromJson(json, encoding);
        const limit = lengthLimit(encoding);
        const bytes = value.length * BYTES_OF_UNIT > limit ? textByteCount(value) : 0;
        if (bytes <= limit) return value;
        return limit === most ? refuseLonger({ bytes, most }) : refuseBytes({ bytes, most: limit });
      },
      shortenCopy(fromJson.copy, most),
    ),
    describe: (encoding) => withMaxLength(codec.describe(encoding), lengthLimit(encoding)),
  };
}

/**
 * Text of an operation that only the size of its transaction limits: no chain has larger ones, and most have far
 * smaller ones.
 */
export const sentText: Codec<string, string> = limitedText(text, LARGEST_TRANSACTION_BYTES);

/** The same where blocks of the lineage hold any bytes. */
export const sentAnyText: typeof anyText = limitedText(anyText, LARGEST_TRANSACTION_BYTES);

/** The same for bytes. */
export const sentBytes: Codec<string, string> = {
  ...hexBytes,
  fromJson: copying(
    (json, encoding) => {
      const digits = hexBytes.fromJson(json, encoding);
      return digits.length <= 2 * LARGEST_TRANSACTION_BYTES
        ? digits
        : refuseBytes({ bytes: digits.length / 2, most: LARGEST_TRANSACTION_BYTES });
    },
    shortenCopy(hexBytes.fromJson.copy, LARGEST_TRANSACTION_BYTES),
  ),
  describe: (encoding) => withMaxLength(hexBytes.describe(encoding), LARGEST_TRANSACTION_BYTES),
};

/** A text that its method itself refuses, or finds nothing for, where it has more characters. */
export function boundedText(maxLength: number): Codec<string, string> {
  return { ...text, describe: () => ({ type: 'string', maxLength }) };
}

/** The lineage refuses long texts later, and a client shows what its node answers. */
function isUnchecked({ dialect, readsLineage = false, readsAnswers = false }: EncodingOptions): boolean {
  return dialect === 'legacy' || readsLineage || readsAnswers;
}

function refuseBytes({ bytes, most }: { readonly bytes: number; readonly most: number }): never {
  throw new DecodeError(`at most ${most} bytes expected, got ${bytes}`);
}

/** Leaves what is too long to `fromJson`; the bytes of the length count as if they were the text's. */
function shortenCopy(copy: CopyJson | undefined, most: number): CopyJson | undefined {
  if (copy === undefined) return undefined;
  return (from, out, encoding) => {
    const start = out.length;
    return copy(from, out, encoding) && out.length - start <= most;
  };
}

/** The schema of a text, or of each text in it. Those with a pattern are hex digits, two for each byte. */
function withMaxLength(schema: JsonSchema, most: number): JsonSchema {
  if (schema['type'] === 'string')
    return {
      ...schema,
      ...('pattern' in schema ? { maxLength: 2 * most } : { maxLength: most, description: describedBytes(most) }),
    };
  return Object.fromEntries(Object.entries(schema).map(([keyword, part]) => [keyword, withinPart(part, most)]));
}

/** Describes in words a limit of bytes, which a schema can't express. */
function describedBytes(most: number): string {
  return most < LARGEST_TRANSACTION_BYTES
    ? `at most ${most} bytes of UTF-8`
    : 'limited by the size of its transaction, which the chain chooses';
}

function withinPart(part: JsonSchemaValue, most: number): JsonSchemaValue {
  if (isList(part)) return part.map((each) => withinPart(each, most));
  return typeof part === 'object' && part !== null ? withMaxLength(part, most) : part;
}

function isList(part: JsonSchemaValue): part is readonly JsonSchemaValue[] {
  return Array.isArray(part);
}
