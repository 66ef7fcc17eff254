import { fixedHex, u16, u32 } from '../../codec/primitives.ts';
import { TRANSACTIONS } from '../lanes.ts';
import { messageKind } from '../message_kind.ts';
import { atMost, members } from '../wire_values.ts';

/** In one message; what is ready together goes together. */
export const MOST_ANNOUNCED = 64;

/** The first half of the sha256 of a bundle's message. */
export const bundleId = fixedHex(16);

const wire = members({ bundles: atMost(MOST_ANNOUNCED, members({ id: bundleId, transactions: u16, bytes: u32 })) });

/** Bundles that the sender has and gives on request. */
export const bundleAnnouncement = messageKind({
  name: 'bundle_announcement',
  layout: 'list ≤ 64 of: bundle id 16, transactions u16, bytes u32',
  price: { payer: 'sender', firstMs: 0.05 },
  lane: TRANSACTIONS,
  mostBytes: 2048,
  wire,
});
