import { u32 } from '../../codec/primitives.ts';
import { voteKind } from '../../blocks/finality/vote.ts';
import { hash160 } from '../../values/hash.ts';
import { CONTROL } from '../lanes.ts';
import { messageKind } from '../message_kind.ts';
import { members, type WireValue } from '../wire_values.ts';

const wire = members({ epoch: u32, view: u32, kind: voteKind, block: hash160 });

export type CertificateAnnouncement = WireValue<typeof wire>;

/** A certificate that the sender has and gives on a finality_request. */
export const certificateAnnouncement = messageKind({
  name: 'certificate_announcement',
  layout: 'epoch u32, view u32, kind u8, block id',
  price: { payer: 'sender', firstMs: 0.02 },
  lane: CONTROL,
  mostBytes: 29,
  wire,
});
