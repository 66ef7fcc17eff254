import type { Codec } from '../codec/codec.ts';
import { mismatch } from '../codec/decode_error.ts';
import { nullable } from '../codec/nullable.ts';
import { coded } from '../jsonrpc/envelope/params.ts';
import { Type } from '../jsonrpc/envelope/typebox.ts';

/** The param `cursor`, which begins a page where the page before ended. */
export function cursorParam<T, J>(codec: Codec<T, J>, what: string) {
  const description = `${what}, as the page before said: the same call goes on there, whatever \`start\` says; null for the first page`;
  return coded({ ...nullable(codec), isOwn: true }, { default: null, description });
}

/**
 * The member `cursor` of a result. The legacy dialect has none, and neither have pages in the lineage's order of
 * documents.
 */
export function cursorMember<T, J>(codec: Codec<T, J>) {
  return Type.Optional(
    coded(nullable(codec), {
      description: 'where the next page begins: the same call with this `cursor` goes on there; null on the last page',
    }),
  );
}

/**
 * A place in a list as a text of numbers and names with blanks between them, which clients hand back as they got it.
 */
export function placeText<T>(
  form: RegExp,
  toText: (place: T) => string,
  placeOf: (words: readonly string[]) => T,
): Codec<T, string> {
  const read = (text: string): T => {
    const words = form.exec(text)?.slice(1);
    return words === undefined ? mismatch('a cursor as a page before said it', text) : placeOf(words);
  };
  return {
    write: (out, place) => out.text(toText(place)),
    read: (input) => read(input.text()),
    toJson: toText,
    fromJson: (json) => read(typeof json === 'string' ? json : mismatch('a cursor as a page before said it', json)),
    initial: () => placeOf([]),
    describe: () => ({ type: 'string', pattern: form.source }),
  };
}
