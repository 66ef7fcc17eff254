import type { Codec } from './codec.ts';
import { orNull } from './schemas.ts';

/** A value that is null if absent: a whole result, or a param that is not set. */
export function nullable<T, J>(item: Codec<T, J>): Codec<T | null, J | null> {
  return {
    write(out, value) {
      if (value !== null) item.write(out, value);
    },
    read: (input) => (input.remaining === 0 ? null : item.read(input)),
    toJson: (value, encoding) => (value === null ? null : item.toJson(value, encoding)),
    fromJson: (json, encoding) => (json === null ? null : item.fromJson(json, encoding)),
    initial: () => null,
    describe: (encoding) => orNull(item.describe(encoding)),
  };
}
