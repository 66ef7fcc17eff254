import type { Codec } from '../codec/codec.ts';

/** A whole result that may be absent; it is null then, unlike a member of an object, which is left out. */
export function nullable<T>(item: Codec<T>): Codec<T | undefined> {
  return {
    write(out, value) {
      if (value !== undefined) item.write(out, value);
    },
    read: (input) => (input.remaining === 0 ? undefined : item.read(input)),
    toJson: (value, notation) => (value === undefined ? null : item.toJson(value, notation)),
    fromJson: (json, notation) => (json === null ? undefined : item.fromJson(json, notation)),
    initial: () => undefined,
    describe: (notation) => ({ anyOf: [{ type: 'null' }, item.describe(notation)] }),
  };
}
