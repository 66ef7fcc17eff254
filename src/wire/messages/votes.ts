import { voteSubject, votersSignature } from '../../blocks/finality/vote.ts';
import { CONTROL } from '../lanes.ts';
import { messageKind } from '../message_kind.ts';
import { atMost, members, type WireValue } from '../wire_values.ts';

/** The witnesses of the largest round. */
const MOST_VOTERS = 255;
const MOST_VOTES_BYTES = 17 * 1024;

const wire = members({ subject: voteSubject, votes: atMost(MOST_VOTERS, votersSignature) });

export type Votes = WireValue<typeof wire>;

/** Votes of several voters that state the same. */
export const votes = messageKind({
  name: 'votes',
  layout: '[subject](#votes), list ≤ 255 of: index of the voter u8, signature 65; at least one',
  price: { payer: 'sender', firstMs: 0.5 },
  lane: CONTROL,
  mostBytes: MOST_VOTES_BYTES,
  wire,
});
