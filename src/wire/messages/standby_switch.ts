import { readKeySwitch } from '../../blocks/key_switch.ts';
import { CONTROL } from '../lanes.ts';
import { messageKind, type Wire } from '../message_kind.ts';

/** As a transaction of a client, by every genesis. */
const MOST_BYTES = 8192;

const wire: Wire<Uint8Array> = {
  write: (out, packed) => out.bytes(packed),
  read(input) {
    const packed = input.bytes(input.remaining);
    return readKeySwitch(packed) === undefined ? input.refuse('anything but a switch of a signing key') : packed;
  },
};

/**
 * A switch that a witness has signed for its standby, as a packed transaction: to the node that its operator has named,
 * and nobody else.
 */
export const standbySwitch = messageKind({
  name: 'standby_switch',
  layout: 'packed transaction, see [Switches](#switches-to-a-standby)',
  price: { payer: 'sender', firstMs: 0.1 },
  lane: CONTROL,
  mostBytes: MOST_BYTES,
  wire,
});
