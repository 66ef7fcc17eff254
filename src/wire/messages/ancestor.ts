import { u32 } from '../../codec/primitives.ts';
import { CONTROL } from '../lanes.ts';
import { messageKind } from '../message_kind.ts';
import { members } from '../wire_values.ts';

/** The number of the first of the asked ids that is known; 0, the number before the first block, when none is. */
export const ancestor = messageKind({
  name: 'ancestor',
  layout: 'number of the first of them on the main branch u32, 0 for none',
  price: { payer: 'us', firstMs: 0.02 },
  lane: CONTROL,
  mostBytes: 4,
  wire: members({ number: u32 }),
});
