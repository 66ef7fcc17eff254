import { u32 } from '../../codec/primitives.ts';
import { digest, hash160 } from '../../values/hash.ts';
import { CONTROL } from '../lanes.ts';
import { messageKind } from '../message_kind.ts';
import { members } from '../wire_values.ts';

/** The hash of the state behind a block, for peers that have asked for it by their roles. */
export const stateHash = messageKind({
  name: 'state_hash',
  layout: 'number u32, block id, hash of the state behind it 32',
  price: { payer: 'sender', firstMs: 0.02 },
  lane: CONTROL,
  mostBytes: 56,
  wire: members({ number: u32, id: hash160, hash: digest }),
});
