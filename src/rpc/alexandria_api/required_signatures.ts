import { inMember, mismatch } from '../../codec/decode_error.ts';
import { speaksLineage, type EncodingOptions } from '../../codec/encoding_options.ts';

/**
 * Refuses a number of signatures that these signers can never reach, and zero, with which anyone could act. The lineage
 * accepted both.
 */
export function requireReachable(required: number, signers: number, encoding: EncodingOptions): void {
  if (speaksLineage(encoding) || (required >= 1 && required <= signers)) return;
  const reachable =
    signers === 0 ? 'somebody who can sign' : `1 to ${signers}, as many as there are different signers,`;
  inMember('required_signatures', () => mismatch(reachable, required));
}
