import { CONTROL } from '../lanes.ts';
import { messageKind } from '../message_kind.ts';
import { members } from '../wire_values.ts';

/** Asks for addresses; once a link. */
export const peersRequest = messageKind({
  name: 'peers_request',
  layout: '– ; one answer in 20 seconds',
  price: { payer: 'asker', firstMs: 0.1 },
  lane: CONTROL,
  mostBytes: 0,
  wire: members({}),
});
