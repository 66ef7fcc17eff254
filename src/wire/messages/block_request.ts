import { u8 } from '../../codec/primitives.ts';
import { hash160 } from '../../values/hash.ts';
import { CONTROL } from '../lanes.ts';
import { messageKind } from '../message_kind.ts';
import { members } from '../wire_values.ts';

/** Forms of a block: one that names its transactions instead of carrying them, and one that has all. */
export const COMPACT = 0;
export const WHOLE = 1;

/** Asks for a block by its id; a form that the asked node doesn't know is answered by `unavailable`. */
export const blockRequest = messageKind({
  name: 'block_request',
  layout: 'block id, form u8: 0 compact, 1 whole',
  price: { payer: 'asker', firstMs: 0.1 },
  lane: CONTROL,
  mostBytes: 21,
  wire: members({ id: hash160, form: u8 }),
});
