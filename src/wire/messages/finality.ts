import { certificate } from '../../blocks/finality/certificate.ts';
import { votersRecord } from '../../blocks/finality/voters.ts';
import { BLOCKS, BULK } from '../lanes.ts';
import { messageKind } from '../message_kind.ts';
import { atMost, members, type WireValue } from '../wire_values.ts';
import { MOST_BOUNDARIES } from './finality_request.ts';

/** The newest certificate of each kind. */
const MOST_NEWEST = 2;
/** Larger answers go behind blocks and transactions. */
const MOST_URGENT_BYTES = 16 * 1024;
const MOST_BYTES = 2 * 1024 * 1024;

const boundary = members({ certificate, voters: votersRecord });

/** The commit certificate of an epoch's last block, with the voters who signed it. */
export type BoundaryCertificate = WireValue<typeof boundary>;

const wire = members({
  /** In the order of their epochs; old ones may be left out where the next one can be trusted without them. */
  boundaries: atMost(MOST_BOUNDARIES, boundary),
  newest: atMost(MOST_NEWEST, certificate),
});

export type Finality = WireValue<typeof wire>;

/** Answers a finality_request: an empty list of boundaries when the first one is not there. */
export const finality = messageKind({
  name: 'finality',
  layout: 'list ≤ 64 of [boundaries](#certificates), list ≤ 2 of newest certificates',
  price: { payer: 'us', firstMs: 3 },
  lane: BLOCKS,
  mostBytes: MOST_URGENT_BYTES,
  large: { lane: BULK, mostBytes: MOST_BYTES },
  wire,
});
