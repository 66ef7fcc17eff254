import type { Codec } from '../codec/codec.ts';
import { describeTuple, orderedSet } from '../codec/collections.ts';
import type { Json } from '../codec/json.ts';
import { mismatch } from '../codec/decode_error.ts';

/** The only extension: a variant without members, reserved for the future. */
export type FutureExtension = 'void';

const futureExtension: Codec<FutureExtension, Json> = {
  write: (out) => out.varint(0),
  read: (input) => (input.varint() === 0 ? 'void' : input.refuse('an unknown extension')),
  toJson: () => [0, {}],
  fromJson: (json) => (isVoid(json) ? 'void' : mismatch('the extension [0, {}]', json)),
  initial: () => 'void',
  describe: ({ describesGiven = false }) => describeTuple({ const: 0 }, describesGiven ? {} : { type: 'object' }),
};

function isVoid(json: Json): boolean {
  return Array.isArray(json) && json.length === 2 && json[0] === 0;
}

/** The extensions of transactions and some operations: empty, or the void extension once. */
export const extensions: Codec<readonly FutureExtension[], readonly Json[]> = orderedSet(futureExtension, () => 0);
