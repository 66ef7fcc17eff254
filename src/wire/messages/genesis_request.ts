import { CONTROL } from '../lanes.ts';
import { messageKind } from '../message_kind.ts';
import { members } from '../wire_values.ts';

/** Asks a development chain for what it was made of; the only message that may come before hello. */
export const genesisRequest = messageKind({
  name: 'genesis_request',
  layout: '– ; may come before `hello`, once a link',
  price: { payer: 'sender', firstMs: 0.2 },
  lane: CONTROL,
  mostBytes: 0,
  wire: members({}),
});
