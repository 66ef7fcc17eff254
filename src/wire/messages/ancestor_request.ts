import { hash160 } from '../../values/hash.ts';
import { CONTROL } from '../lanes.ts';
import { messageKind } from '../message_kind.ts';
import { atMost, members } from '../wire_values.ts';

/** Steps of 1, 2, 4 … blocks: 2²² blocks are five months. */
export const MOST_ANCESTORS = 24;

/** Which of these blocks, newest first, does the asked node have on its main branch? */
export const ancestorRequest = messageKind({
  name: 'ancestor_request',
  layout: 'list ≤ 24 of block ids, newest first',
  price: { payer: 'asker', firstMs: 0.3 },
  lane: CONTROL,
  mostBytes: 512,
  wire: members({ ids: atMost(MOST_ANCESTORS, hash160) }),
});
