import { CONTROL } from '../lanes.ts';
import { messageKind } from '../message_kind.ts';
import { atMost, members } from '../wire_values.ts';
import { bundleId } from './bundle_announcement.ts';

/** Eight of the largest bundles are 2 MiB. */
export const MOST_REQUESTED = 8;

/** Asks for bundles that were announced. */
export const bundleRequest = messageKind({
  name: 'bundle_request',
  layout: 'list ≤ 8 of bundle ids',
  price: { payer: 'asker', firstMs: 0.1 },
  lane: CONTROL,
  mostBytes: 256,
  wire: members({ ids: atMost(MOST_REQUESTED, bundleId) }),
});
