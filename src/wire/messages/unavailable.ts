import { u8 } from '../../codec/primitives.ts';
import { hash160 } from '../../values/hash.ts';
import { CONTROL } from '../lanes.ts';
import { messageKind } from '../message_kind.ts';
import { members } from '../wire_values.ts';

/** The requested thing isn't here any more: the number of the kind that would have been the answer, and the id. */
export const unavailable = messageKind({
  name: 'unavailable',
  layout: 'kind of the missing answer u8, id: of the block; of the bundle and four zeros; else zeros',
  price: { payer: 'sender', firstMs: 0.02 },
  lane: CONTROL,
  mostBytes: 21,
  wire: members({ kind: u8, id: hash160 }),
});
