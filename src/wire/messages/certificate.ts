import { certificate as codec } from '../../blocks/finality/certificate.ts';
import { CONTROL } from '../lanes.ts';
import { messageKind } from '../message_kind.ts';

/** A signature of each of 255 voters. */
const MOST_CERTIFICATE_BYTES = 17 * 1024;

/** A quorum of votes: of prepares it opens the way for commits, of commits it makes its block final. */
export const certificate = messageKind({
  name: 'certificate',
  layout: 'subject, length of the bitmap u8, bitmap, a signature of 65 bytes for each bit',
  price: { payer: 'sender', firstMs: 2 },
  lane: CONTROL,
  mostBytes: MOST_CERTIFICATE_BYTES,
  wire: codec,
});
