import { u32, u8 } from '../../codec/primitives.ts';
import { CONTROL } from '../lanes.ts';
import { messageKind } from '../message_kind.ts';
import { members, printable, type WireValue } from '../wire_values.ts';

export const MOST_TEXT_CHARACTERS = 128;

const wire = members({
  reason: u8,
  text: printable(MOST_TEXT_CHARACTERS),
  /** 0 when there is no use in coming again. */
  retry_after_seconds: u32,
});

export type Goodbye = WireValue<typeof wire>;

/** The last message of a link that one side closes on purpose. */
export const goodbye = messageKind({
  name: 'goodbye',
  layout: '[reason](#goodbye) u8, text ≤ 128, seconds until the peer may come again u32, 0 for never',
  price: { payer: 'sender', firstMs: 0.02 },
  lane: CONTROL,
  mostBytes: 256,
  wire,
  mayGrow: true,
});
