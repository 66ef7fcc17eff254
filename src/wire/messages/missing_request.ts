import { hash160 } from '../../values/hash.ts';
import { CONTROL } from '../lanes.ts';
import { messageKind, type Wire } from '../message_kind.ts';
import { members, type WireValue } from '../wire_values.ts';

/** More are not worth asking for one by one: a step of one byte each. */
export const MOST_MISSING = 32_768;

/** Indexes in ascending order: the first, then the steps from one to the next, each less one. */
const indexes: Wire<readonly number[]> = {
  write(out, values) {
    out.varint(values.length);
    let next = 0;
    for (const value of values) {
      out.varint(value - next);
      next = value + 1;
    }
  },
  read(input) {
    const count = input.varint();
    if (count > MOST_MISSING || count > input.remaining)
      input.refuse(`${count} indexes, at most ${MOST_MISSING} expected`);
    let next = 0;
    return Array.from({ length: count }, () => {
      const value = next + input.varint();
      next = value + 1;
      return value;
    });
  },
};

const wire = members({ id: hash160, indexes });

export type MissingRequest = WireValue<typeof wire>;

/** Asks for transactions of a block by their places in it. */
export const missingRequest = messageKind({
  name: 'missing_request',
  layout: 'block id, varint count ≤ 32 768, the first index as a varint, then each step to the next one less 1',
  price: { payer: 'asker', firstMs: 0.2 },
  lane: CONTROL,
  mostBytes: 64 * 1024,
  wire,
});
