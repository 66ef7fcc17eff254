import type { Codec } from './codec.ts';

/** A value that is null if absent: a whole result, or a param that is not set. */
export function nullable<T, J>(item: Codec<T, J>): Codec<T | null, J | null> {
  return {
    write(out, value) {
      if (value !== null) item.write(out, value);
    },
    read: (input) => (input.remaining === 0 ? null : item.read(input)),
    toJson: (value, notation) => (value === null ? null : item.toJson(value, notation)),
    fromJson: (json, notation) => (json === null ? null : item.fromJson(json, notation)),
    initial: () => null,
    describe: (notation) => ({ anyOf: [{ type: 'null' }, item.describe(notation)] }),
  };
}
