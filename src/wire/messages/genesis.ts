import { BULK } from '../lanes.ts';
import { messageKind } from '../message_kind.ts';
import { members, sizedBytes, type WireValue } from '../wire_values.ts';

const MOST_TEXT_BYTES = 512 * 1024; // each; a genesis of 3 000 accounts

const wire = members({ profile: sizedBytes(MOST_TEXT_BYTES), genesis: sizedBytes(MOST_TEXT_BYTES) });

export type Genesis = WireValue<typeof wire>;

/** The exact texts, whose hashes hello says: the receiver checks both. */
export const genesis = messageKind({
  name: 'genesis',
  layout: 'profile sized, genesis sized; only development chains answer',
  price: { payer: 'us', firstMs: 0.5 },
  lane: BULK,
  mostBytes: 2 * MOST_TEXT_BYTES + 8,
  wire,
});
