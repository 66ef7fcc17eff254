import { u8 } from '../../codec/primitives.ts';
import { CONTROL } from '../lanes.ts';
import { messageKind } from '../message_kind.ts';
import { atMost, members, nodeId, printable } from '../wire_values.ts';
import { MOST_ENDPOINT_CHARACTERS } from './hello.ts';

/** So few that one peer can't fill a book of 1 000. */
export const MOST_TOLD = 64;

const wire = members({
  peers: atMost(
    MOST_TOLD,
    members({
      id: nodeId,
      endpoint: printable(MOST_ENDPOINT_CHARACTERS),
      /** Hours since the sender reached it. */
      seen_hours: u8,
    }),
  ),
});

/** Addresses that the sender has reached itself in the last day. */
export const peers = messageKind({
  name: 'peers',
  layout: 'list ≤ 64 of: node id 32, endpoint text ≤ 64, hours since it was reached u8',
  price: { payer: 'us', firstMs: 0.1 },
  lane: CONTROL,
  mostBytes: 8192,
  wire,
});
