import { inMember, mismatch } from '../../codec/decode_error.ts';
import { speaksLineage, type Notation } from '../../codec/notation.ts';

/** Refuses a number of signatures that so many signers can never give, and none at all: then anybody could act. The lineage took both. */
export function requireReachable(required: number, signers: number, notation: Notation): void {
  if (speaksLineage(notation) || (required >= 1 && required <= signers)) return;
  const reachable = signers === 0 ? 'somebody who can sign' : `1 to ${signers}, as many as there are different signers,`;
  inMember('required_signatures', () => mismatch(reachable, required));
}
